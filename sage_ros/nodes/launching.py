"""Launch descriptions over the table of nodes; needs launch and launch_ros."""

from collections.abc import Mapping

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from sage_ros.nodes.stack import (
    LOG_LEVELS,
    NAMESPACE,
    REMAPPINGS,
    NodeSpec,
    StackOptions,
    prepare_key,
)

_COMMON: Mapping[str, tuple[str, str]] = {
    'namespace': (NAMESPACE, 'Namespace of all nodes'),
    'use_sim_time': ('false', 'Use the time of /clock: true or false'),
    'params_file': ('', 'File of parameters that go before those in config; may be empty'),
    'autostart': ('true', 'Configure and activate the nodes at start: true or false'),
    'log_level': ('info', f'Level of the log: {", ".join(LOG_LEVELS)}'),
    'key_file': ('', 'File with the key that signs commands, made if missing; empty: ~/.ros'),
}


def describe(
    environment: str, arguments: Mapping[str, tuple[str, str]], *, bridge: bool = True
) -> LaunchDescription:
    """Describe a stack for an environment that an argument of that name may replace.

    ``arguments`` are further ones by name, each with its default and description: environment,
    scene (for ALFWorld: game), seed.
    """
    declared = {**_COMMON, **arguments}

    def start(context: LaunchContext) -> list[Node]:
        given = {name: LaunchConfiguration(name).perform(context) for name in declared}
        options = StackOptions(
            environment=given.get('environment', environment),
            scene=given.get('scene', given.get('game', '')),
            seed=int(given.get('seed', '0')),
            bridge=bridge,
            namespace=given['namespace'],
            key_file=prepare_key(given['key_file']),
            parameter_file=given['params_file'],
            log_level=given['log_level'],
            autostart=_truth(given, 'autostart'),
            use_sim_time=_truth(given, 'use_sim_time'),
        )
        return [_node(options, spec) for spec in options.nodes]

    return LaunchDescription(
        [
            SetEnvironmentVariable('RCUTILS_LOGGING_BUFFERED_STREAM', '1'),
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, (default, description) in declared.items()
            ),
            OpaqueFunction(function=start),
        ]
    )


def _node(options: StackOptions, spec: NodeSpec) -> Node:
    namespace, _, _ = options.full_name(spec).rpartition('/')
    parameters = options.parameters(spec)
    return Node(
        package='sage_ros',
        executable=spec.name,
        name=spec.name,
        namespace=namespace or '/',
        parameters=[*map(str, options.files(spec)), *([parameters] if parameters else [])],
        remappings=list(REMAPPINGS),
        ros_arguments=['--log-level', options.logger(spec)],
        output='screen',
        emulate_tty=True,
    )


def _truth(given: Mapping[str, str], name: str) -> bool:
    value = given[name].lower()
    if value not in ('true', 'false'):
        raise ValueError(f'{name}:={given[name]} is not understood: give true or false')
    return value == 'true'
