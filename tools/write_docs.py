"""Write docs/interfaces.md and docs/parameters.md from the tables of the code."""

from pathlib import Path

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile

from sage_ros.nodes import settings
from sage_ros.nodes.convert import MESSAGES
from sage_ros.nodes.parameters import Parameter
from sage_ros.nodes.qos import CALLS, TOPICS

DOCS = Path(__file__).resolve().parents[1] / 'docs'
NODES = {
    'monitor': settings.MONITOR,
    'planner': settings.PLANNER,
    'memory': settings.MEMORY,
    'bridge': settings.BRIDGE,
}


def interfaces() -> str:
    """Write the tables of topics, services and the action."""
    lines = [
        '# Topics, services and the action',
        '',
        'Names are relative, by default in the namespace `/sage`. Every topic is reliable.',
        'Written by `tools/write_docs.py` from `sage_ros/nodes/qos.py`.',
        '',
        '| topic | type | from | to | QoS | meaning |',
        '| --- | --- | --- | --- | --- | --- |',
    ]
    for topic in TOPICS:
        kind = MESSAGES[topic.kind].__name__
        lines.append(
            f'| `{topic.name}` | `sage_ros/msg/{kind}` | {_names(topic.publishers)} '
            f'| {_names(topic.subscribers)} | {_qos(topic.qos)} | {topic.meaning} |'
        )
    lines += ['', '| service or action | type | served by | clients | meaning |']
    lines.append('| --- | --- | --- | --- | --- |')
    for call in CALLS:
        package, folder = call.type.__module__.split('.')[:2]
        lines.append(
            f'| `{call.name}` | `{package}/{folder}/{call.type.__name__}` | {call.server} '
            f'| {_names(call.clients)} | {call.meaning} |'
        )
    return '\n'.join(lines) + '\n'


def parameters() -> str:
    """Write the tables of parameters, one for each node."""
    lines = [
        '# Parameters',
        '',
        'Of each node, with defaults and ranges; `config/<node>.yaml` holds them all. A value of',
        'another type, out of range, or for an unknown parameter keeps the node from being',
        'configured. Written by `tools/write_docs.py` from `sage_ros/nodes/settings.py`.',
    ]
    for node, table in NODES.items():
        lines += ['', f'## {node}', '', '| parameter | default | range | meaning |']
        lines.append('| --- | --- | --- | --- |')
        for entry in table:
            plain = repr(entry.default)
            default = plain.lower() if isinstance(entry.default, bool) else plain
            lines.append(
                f'| `{entry.name}` | `{default}` | {_range(entry)} | {entry.description} |'
            )
    return '\n'.join(lines) + '\n'


def _names(names: tuple[str, ...]) -> str:
    return ', '.join(names) or 'anyone'


def _qos(profile: QoSProfile) -> str:
    kept = profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
    depth = 'keep all' if profile.history is HistoryPolicy.KEEP_ALL else f'depth {profile.depth}'
    return f'{"transient local" if kept else "volatile"}, {depth}'


def _range(entry: Parameter) -> str:
    if entry.choices:
        return ', '.join(f'`{choice}`' for choice in entry.choices)
    if isinstance(entry.default, (bool, str)):
        return ''
    low, high = (f'{bound:.10g}' for bound in (entry.low, entry.high))
    return f'{low} to {high} {entry.unit}'.strip()


def main() -> None:
    """Write both files."""
    (DOCS / 'interfaces.md').write_text(interfaces())
    (DOCS / 'parameters.md').write_text(parameters())


if __name__ == '__main__':
    main()
