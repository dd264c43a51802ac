"""The table of nodes that launch files and `sage up` start, and with which parameters.

Nothing of ROS is imported here.
"""

import os
import re
from dataclasses import dataclass, fields
from pathlib import Path

from sage_ros import share_directory
from sage_ros.bridges.registry import check_environment
from sage_ros.contract.signing import make_key
from sage_ros.nodes.parameter_files import addressees

NAMESPACE = '/sage'
LOG_LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')
Value = bool | int | float | str

_NAMESPACE = re.compile(r'(?!.*__)/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*/?)?', re.ASCII)
_LAST_DOMAIN = 232
_LONGEST_NAMESPACE = 180
"""ROS takes names of 247 characters; those of the services of an action are the longest."""


@dataclass(frozen=True)
class NodeSpec:
    """A node: its executable, the module behind it, and which of the arguments it takes."""

    name: str
    module: str
    takes: tuple[str, ...]

    @property
    def parameter_file(self) -> Path:
        """The file with all its parameters."""
        return share_directory() / 'config' / f'{self.name}.yaml'


MONITOR = NodeSpec('monitor', 'sage_ros.nodes.monitor', ('environment', 'key_file'))
MEMORY = NodeSpec('memory', 'sage_ros.nodes.memory', ())
BRIDGE = NodeSpec('bridge', 'sage_ros.nodes.bridge', ('environment', 'scene', 'key_file'))
PLANNER = NodeSpec('planner', 'sage_ros.nodes.planner', ('seed',))

NODES: tuple[NodeSpec, ...] = (MONITOR, MEMORY, BRIDGE, PLANNER)
"""In the order of starting."""

REMAPPINGS: tuple[tuple[str, str], ...] = (('/tf', 'tf'), ('/tf_static', 'tf_static'))
"""For every node, so that robots in different namespaces keep their frames apart."""


@dataclass(frozen=True)
class StackOptions:
    """What is to be started. ``bridge`` False: the bridge is somebody else's."""

    environment: str = 'home'
    scene: str = ''
    seed: int = 0
    bridge: bool = True
    namespace: str = NAMESPACE
    key_file: str = ''
    parameter_file: str = ''
    log_level: str = 'info'
    autostart: bool = True
    use_sim_time: bool = False

    def __post_init__(self) -> None:
        if self.bridge:
            check_environment(self.environment)
        if self.log_level not in LOG_LEVELS:
            raise ValueError(
                f'unknown log level {self.log_level!r}: take one of {", ".join(LOG_LEVELS)}'
            )
        if not _NAMESPACE.fullmatch(self.namespace):
            raise ValueError(f'not a namespace: {self.namespace!r} (expected such as /sage)')
        if len(self.namespace) > _LONGEST_NAMESPACE:
            raise ValueError(
                f'the namespace is too long: {len(self.namespace)} characters, '
                f'at most {_LONGEST_NAMESPACE} are expected'
            )

    @property
    def nodes(self) -> tuple[NodeSpec, ...]:
        """The nodes to start."""
        return tuple(spec for spec in NODES if self.bridge or spec is not BRIDGE)

    @property
    def root(self) -> str:
        """The namespace as ROS wants it: with a slash before it and none after it."""
        return '/' + self.namespace.strip('/')

    def full_name(self, spec: NodeSpec) -> str:
        """Return the full name of a node."""
        return f'{self.root.rstrip("/")}/{spec.name}'

    def parameters(self, spec: NodeSpec) -> dict[str, Value]:
        """Return the parameters of a node that the options set: those that are not as usual."""
        names = (*spec.takes, 'autostart', 'use_sim_time')
        given = {name: getattr(self, name) for name in names}
        usual = {item.name: item.default for item in fields(self)}
        return {name: value for name, value in given.items() if value != usual[name]}

    def files(self, spec: NodeSpec) -> list[Path]:
        """List the parameter files of a node, the user's last, where it is for that node.

        Raises ConfigurationError for a user's file that is for no node of the stack.
        """
        if not self.parameter_file:
            return [spec.parameter_file]
        own = Path(self.parameter_file)
        names = [self.full_name(each) for each in self.nodes]
        if self.full_name(spec) in addressees(own, names):
            return [spec.parameter_file, own]
        return [spec.parameter_file]

    def arguments(self, spec: NodeSpec) -> list[str]:
        """Write the command line of a node, after the name of the program."""
        arguments = ['--ros-args', '-r', f'__ns:={self.root}']
        for source, target in REMAPPINGS:
            arguments += ['-r', f'{source}:={target}']
        for file in self.files(spec):
            arguments += ['--params-file', str(file)]
        for name, value in self.parameters(spec).items():
            arguments += ['-p', f'{name}:={_yaml(value)}']
        return [*arguments, '--log-level', self.logger(spec)]

    def logger(self, spec: NodeSpec) -> str:
        """Write the level of a node's logger as an argument of --log-level."""
        return f'{self.full_name(spec).strip("/").replace("/", ".")}:={self.log_level}'


def check_domain() -> None:
    """Raise ValueError if ROS_DOMAIN_ID is none: the middleware would end the process."""
    given = os.environ.get('ROS_DOMAIN_ID', '').strip()
    if given and not (re.fullmatch('[0-9]{1,3}', given) and int(given) <= _LAST_DOMAIN):
        raise ValueError(f'ROS_DOMAIN_ID is {given!r}: give a number from 0 to {_LAST_DOMAIN}')


def default_key_file() -> Path:
    """Return where the key of this user lies: in ROS_HOME, by default ~/.ros."""
    return Path(os.environ.get('ROS_HOME') or Path.home() / '.ros', 'sage_ros.key')


def prepare_key(name: str) -> str:
    """Make the key file, the default one for an empty name, if it is not there yet.

    Raises KeyFileError for a file that must not be used.
    """
    path = Path(name).expanduser() if name else default_key_file()
    make_key(path)
    return str(path)


def _yaml(value: Value) -> str:
    """Write a value so that it keeps its type on the command line."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool) else str(value)
