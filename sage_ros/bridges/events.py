"""What goes into a bridge machine and what comes out of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from sage_ros.contract.environment import Performed, View
from sage_ros.contract.execution import Admissible, Command, Heartbeat, Outcome, Stop
from sage_ros.contract.journal import Tick
from sage_ros.scene.observation import Observation


@dataclass(frozen=True, slots=True)
class ResyncRequest:
    """Somebody missed an observation: the next one is to be a snapshot."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The environment ended a command. ``task`` is what it states, after a reset only.

    Performed as UNKNOWN with ENVIRONMENT_LOST: the environment is gone until the next reset.
    """

    command_id: str
    performed: Performed
    task: str = ''


@dataclass(frozen=True, slots=True)
class Looked:
    """The answer to a Look; ``view`` None: nothing changed. ``lost`` says why it is gone."""

    full: bool
    view: View | None = None
    lost: str = ''


@dataclass(frozen=True, slots=True)
class Start:
    """Call the environment for this command, after all calls already asked for."""

    command: Command


@dataclass(frozen=True, slots=True)
class Halt:
    """Set the stop signal of the running command."""

    command_id: str


@dataclass(frozen=True, slots=True)
class Look:
    """Ask the environment for its full view or for what changed by itself."""

    full: bool


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that people should read in the log."""

    text: str


Report = Outcome | Observation | Admissible
BridgeEvent = Command | Stop | Heartbeat | ResyncRequest | Finished | Looked | Tick
BridgeEffect = Start | Halt | Look | Report | Notice
ReportFilter = Callable[[Report], list[tuple[float, Report]]]
"""Turns a report into those that really leave the bridge, each after a delay in seconds."""


@dataclass(frozen=True, slots=True)
class MachineConfig:
    """Durations in seconds, all positive.

    ``monitor_lease``: how long a motion goes on without a heartbeat; ``snapshot_period``: longest
    time between two snapshots; ``halt_grace``: how long a halted command may take to end before
    its outcome is given as UNKNOWN.
    """

    monitor_lease: float = 0.5
    snapshot_period: float = 10.0
    halt_grace: float = 0.25

    def __post_init__(self) -> None:
        for name in ('monitor_lease', 'snapshot_period', 'halt_grace'):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f'{name} must be a positive number of seconds, not {value}')
