"""What others ask of the monitor: to begin and end episodes, to hold, to look ahead."""

from dataclasses import dataclass
from enum import IntEnum

from sage_ros.contract.plan import PlanStep
from sage_ros.symbols.facts import Fact


@dataclass(frozen=True, slots=True)
class BeginEpisode:
    """Reset the environment and begin an episode. An empty goal takes the environment's own."""

    goal: str = ''
    environment: str = ''
    scene: str = ''
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SetGoal:
    """State the goal facts of an episode, once, before its first plan."""

    episode_id: str = ''
    goal_facts: tuple[Fact, ...] = ()


class EndCause(IntEnum):
    """Why a planner ends an episode."""

    CLAIMED = 0
    CANCELLED = 1
    STEP_LIMIT = 2
    NO_PLAN = 3
    ERROR = 4


@dataclass(frozen=True, slots=True)
class EndEpisode:
    """End an episode; whether it succeeded is still decided by environment or facts."""

    episode_id: str = ''
    cause: EndCause = EndCause.CLAIMED
    reason: str = ''


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request; ``goal`` is the goal text of the episode that began."""

    accepted: bool = False
    reason: str = ''
    episode_id: str = ''
    goal: str = ''


@dataclass(frozen=True, slots=True)
class Hold:
    """Stop now and admit nothing (``active``), or release: a new plan is then needed."""

    active: bool = True
    reason: str = ''


class QueryStatus(IntEnum):
    """Whether a question to the monitor was answered."""

    OK = 0
    BUSY = 1
    NO_EPISODE = 2
    NO_MODEL = 3
    TRUNCATED = 4


@dataclass(frozen=True, slots=True)
class Projection:
    """An action and what it would change; ``unknown_facts`` decide whether it applies."""

    action: str = ''
    args: tuple[str, ...] = ()
    changes: tuple[Fact, ...] = ()
    unknown_facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """Ask for the actions that apply now, at most ``limit`` (0: the monitor's own bound)."""

    limit: int = 0


@dataclass(frozen=True, slots=True)
class ProjectReply:
    """The applicable actions in a stable order, each with its changes."""

    status: QueryStatus = QueryStatus.OK
    reason: str = ''
    observation_seq: int = 0
    projections: tuple[Projection, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckPlanRequest:
    """Ask whether a batch would apply if everything went as the model predicts."""

    steps: tuple[PlanStep, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckPlanReply:
    """The verdict of a dry run: ``step`` is the first that does not apply, -1 if all do.

    ``broken_by`` is the earlier step that made a needed fact false, -1 if none did.
    """

    status: QueryStatus = QueryStatus.OK
    reason: str = ''
    observation_seq: int = 0
    step: int = -1
    broken_by: int = -1
    rule_id: str = ''
    facts: tuple[Fact, ...] = ()
    unknown_facts: tuple[Fact, ...] = ()
