"""What a user asks of the planner and what comes back: the action ``execute_task``."""

from dataclasses import dataclass, field

from sage_ros.contract.judgement import EpisodeOutcome
from sage_ros.symbols.facts import Fact


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A goal in plain words. Empty strings and zeros take the planner's parameters."""

    goal: str = ''
    environment: str = ''
    scene: str = ''
    seed: int = 0
    planner: str = ''
    executor: str = ''
    model: str = ''
    max_steps: int = 0


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of all model calls of a task, as the server counted them."""

    input: int = 0
    output: int = 0
    weighted: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How a task ended. ``actions`` are those executed, in the environment's own words."""

    success: bool = False
    outcome: EpisodeOutcome = EpisodeOutcome.NONE
    reason: str = ''
    goal: str = ''
    goal_facts: tuple[Fact, ...] = ()
    steps: int = 0
    actions: tuple[str, ...] = ()
    calls: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    admitted: int = 0
    refused: int = 0
    mismatches: int = 0
    replans: int = 0
    wall_s: float = 0.0
    episode_id: str = ''
