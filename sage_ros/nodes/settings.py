"""The parameters of every node, in tables: what they are, their ranges and what they mean."""

from dataclasses import fields

from sage_ros.bridges.machine import MachineConfig
from sage_ros.bridges.registry import ENVIRONMENTS
from sage_ros.monitoring.config import GateConfig
from sage_ros.nodes.parameters import Parameter
from sage_ros.planning.backend import BACKENDS, DEFAULT_BACKEND

_DAY = 86_400.0
_MACHINE = MachineConfig()
_GATE = GateConfig()

_COMMON = (Parameter('autostart', True, 'configure and activate at start'),)
_KEY_FILE = Parameter(
    'key_file', '', 'file of mode 0600 with the key that signs commands; required'
)

MONITOR = (
    *_COMMON,
    Parameter('environment', 'home', 'environment that the bridge has'),
    Parameter('admission_file', '', 'admission file; empty: config/admission/<environment>.yaml'),
    _KEY_FILE,
    *(
        Parameter(
            each.name,
            getattr(_GATE, each.name),
            each.metadata['description'],
            each.metadata.get('low', 0),
            each.metadata.get('high', 1),
            each.metadata['unit'],
        )
        for each in fields(GateConfig)
    ),
)

BRIDGE = (
    *_COMMON,
    Parameter('environment', 'home', 'world that is bridged', choices=tuple(ENVIRONMENTS)),
    Parameter('scene', '', 'scene or game of a reset that names none; empty: the world decides'),
    Parameter('options', '{}', 'further options of the environment, as a YAML mapping'),
    _KEY_FILE,
    Parameter(
        'monitor_lease', _MACHINE.monitor_lease,
        'time without a heartbeat after which what moves is stopped', 0.05, 60.0, 's',
    ),
    Parameter(
        'snapshot_period', _MACHINE.snapshot_period,
        'longest time between two snapshots', 0.1, _DAY, 's',
    ),
    Parameter(
        'halt_grace', _MACHINE.halt_grace,
        'time that a stopped action may take to end', 0.01, 60.0, 's',
    ),
)  # fmt: skip

MEMORY = (
    *_COMMON,
    Parameter(
        'domain', 'household.pddl', 'file in config/domains whose types the text views name'
    ),
    Parameter(
        'context_timeout', 5.0, 'longest wait of a context request for its observation',
        0.0, 60.0, 's',
    ),
    Parameter(
        'scene_period', 0.5, 'shortest time between two scene graphs', 0.05, 3600.0, 's'
    ),
)  # fmt: skip

PLANNER = (
    *_COMMON,
    Parameter('planner', DEFAULT_BACKEND, 'planner of a task', choices=tuple(BACKENDS)),
    Parameter('scene', '', 'scene of a task that names none; empty: the bridge decides'),
    Parameter('seed', 0, 'seed of a task that names none', 0, 2**31 - 1),
    Parameter('max_steps', 50, 'commands of a task after which it ends', 1, 100_000),
    Parameter('model', '', 'model of a planner that uses one, such as qwen3:8b'),
    Parameter('model_host', '', 'address of the model server; empty: OLLAMA_HOST or its default'),
    Parameter('model_timeout', 120.0, 'longest time of one model call', 0.1, 3600.0, 's'),
    Parameter('model_context', 8192, 'context of the model', 512, 1_048_576, 'tokens'),
    Parameter('model_attempts', 3, 'attempts to get a usable reply', 1, 20),
    Parameter(
        'answer_timeout', 10.0, 'longest wait for an answer of the monitor or of memory',
        0.1, 600.0, 's',
    ),
    Parameter(
        'bridge_timeout', 5.0, 'longest wait for a bridge to appear', 0.1, 600.0, 's'
    ),
    Parameter(
        'reset_timeout', 130.0, 'longest wait for an episode to begin', 0.1, _DAY, 's'
    ),
    Parameter(
        'monitor_timeout', 3.0, 'silence of the monitor after which it counts as lost',
        0.2, 600.0, 's',
    ),
)  # fmt: skip
