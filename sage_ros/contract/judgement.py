"""What the monitor says: verdicts, episodes, its state, and the journal of its inputs."""

from dataclasses import dataclass, field
from enum import IntEnum

from sage_ros.contract.plan import Expectation, Number, format_action
from sage_ros.scene.observation import Header
from sage_ros.symbols.facts import Fact


class Stage(IntEnum):
    """When a verdict was reached."""

    RECEIPT = 0
    """On arrival of the plan."""
    DISPATCH = 1
    """When the step's turn came."""
    EXECUTION = 2
    """By the outcome of its command, or for want of one."""
    OBSERVATION = 3
    """By comparing what was observed with what was expected."""


class Decision(IntEnum):
    """The fate of a step. ADMITTED is followed by exactly one of the last four."""

    REFUSED = 0
    EXPIRED = 1
    HELD = 2
    DISCARDED = 3
    ADMITTED = 4
    CONFIRMED = 5
    MISMATCH = 6
    UNKNOWN = 7
    UNVERIFIED = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the monitor decided about one step, by which rule and on which facts.

    ``facts`` are those that decided; ``unknown_facts`` those the step depends on and nobody
    knows. ``input_seq`` is the number of the journal entry that led to the verdict,
    ``observation_age`` the seconds since the newest observation, negative if there was none.
    """

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    plan_seq: int = 0
    step: int = 0
    command_id: str = ''
    action: str = ''
    args: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    expectation: Expectation = field(default_factory=Expectation)
    stage: Stage = Stage.RECEIPT
    decision: Decision = Decision.REFUSED
    rule_id: str = ''
    reason: str = ''
    facts: tuple[Fact, ...] = ()
    unknown_facts: tuple[Fact, ...] = ()
    input_seq: int = 0
    observation_seq: int = 0
    belief_hash: str = ''
    config_hash: str = ''
    observation_age: float = -1.0
    decided_at: int = 0

    def __str__(self) -> str:
        return f'{format_action(self.action, self.args, self.numbers)} {self.decision.name}'


class EpisodePhase(IntEnum):
    """Where an episode stands."""

    BEGUN = 0
    ENDED = 1


class EpisodeOutcome(IntEnum):
    """How an episode ended. Only SUCCESS is a success."""

    NONE = 0
    SUCCESS = 1
    CLAIMED = 2
    CANCELLED = 3
    STEP_LIMIT = 4
    NO_PLAN = 5
    ERROR = 6
    PLANNER_LOST = 7
    BRIDGE_LOST = 8
    UNKNOWN_OUTCOMES = 9
    ENVIRONMENT_DONE = 10
    MONITOR_STOPPED = 11
    SUPERSEDED = 12


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode that begins or ends, with all that is needed to judge it again."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    session_id: str = ''
    phase: EpisodePhase = EpisodePhase.BEGUN
    goal: str = ''
    goal_facts: tuple[Fact, ...] = ()
    environment: str = ''
    scene: str = ''
    seed: int = 0
    domain_hash: str = ''
    rules_hash: str = ''
    config_hash: str = ''
    code_version: str = ''
    outcome: EpisodeOutcome = EpisodeOutcome.NONE
    reason: str = ''
    steps: int = 0
    score: float = 0.0


class MonitorPhase(IntEnum):
    """What the monitor is doing."""

    IDLE = 0
    CHECKING = 1
    DISPATCHED = 2
    JUDGING = 3
    HELD = 4


@dataclass(frozen=True, slots=True)
class MonitorState:
    """The monitor's state, on change, with the reason."""

    header: Header = field(default_factory=Header)
    phase: MonitorPhase = MonitorPhase.IDLE
    episode_id: str = ''
    reason: str = ''
