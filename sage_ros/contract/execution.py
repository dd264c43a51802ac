"""What passes between monitor and bridge: commands and how they ended."""

from dataclasses import dataclass, field
from enum import IntEnum

from sage_ros.contract.plan import Number, format_action
from sage_ros.scene.observation import Header

RESET_ACTION = 'reset'
"""The action of the command that begins an episode: args (scene, goal text), number ``seed``."""


@dataclass(frozen=True, slots=True)
class Command:
    """One admitted action for the bridge, signed over every field before ``signature``.

    ``counter`` starts at 1 in each session and grows by one with each command.
    """

    header: Header = field(default_factory=Header)
    session_id: str = ''
    episode_id: str = ''
    plan_seq: int = 0
    step: int = 0
    command_id: str = ''
    counter: int = 0
    action: str = ''
    args: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    deadline: int = 0
    signature: bytes = b''

    def __str__(self) -> str:
        return format_action(self.action, self.args, self.numbers)


@dataclass(frozen=True, slots=True)
class Stop:
    """End the running command at once; valid at any time, needs no signature."""

    header: Header = field(default_factory=Header)
    session_id: str = ''
    reason: str = ''


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The monitor's sign of life."""

    header: Header = field(default_factory=Header)
    session_id: str = ''
    count: int = 0


class Status(IntEnum):
    """How a command ended."""

    DONE = 0
    FAILED = 1
    REFUSED = 2
    UNKNOWN = 3
    STOPPED = 4


class Failure(IntEnum):
    """Why a command did not end as DONE, in classes that planners and rules understand."""

    NONE = 0
    NO_EFFECT = 1
    NOT_VISIBLE = 2
    NOT_REACHABLE = 3
    NO_ROOM = 4
    WRONG_STATE = 5
    UNKNOWN_OBJECT = 6
    UNKNOWN_ACTION = 7
    BLOCKED = 8
    TIMEOUT = 9
    STOPPED = 10
    LEASE_LOST = 11
    BUSY = 12
    BAD_SIGNATURE = 13
    BAD_SESSION = 14
    BAD_COUNTER = 15
    EXPIRED = 16
    WRONG_EPISODE = 17
    ENVIRONMENT_LOST = 18
    OTHER = 19


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one command ended; exactly one per command. ``reason`` is for people.

    ``task`` is the task that the environment states, with the outcome of a reset only.
    """

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    command_id: str = ''
    status: Status = Status.UNKNOWN
    failure: Failure = Failure.NONE
    reason: str = ''
    task: str = ''


@dataclass(frozen=True, slots=True)
class Admissible:
    """The actions that an environment lists as valid at the observation ``seq``."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    seq: int = 0
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionInfo:
    """An action that a bridge takes: its name, argument types, and whether it is a macro."""

    name: str
    types: tuple[str, ...] = ()
    macro: bool = False


@dataclass(frozen=True, slots=True)
class BridgeInfo:
    """What a bridge is and takes.

    ``observation_period`` is the longest time between two observations in seconds.
    ``example_action`` with ``example_args`` may be executed safely after any reset.
    """

    header: Header = field(default_factory=Header)
    environment: str = ''
    domain_hash: str = ''
    actions: tuple[ActionInfo, ...] = ()
    lists_admissible: bool = False
    static_between_commands: bool = False
    observation_period: float = 0.5
    example_action: str = ''
    example_args: tuple[str, ...] = ()
