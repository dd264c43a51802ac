"""What a planner proposes: batches of steps, each with what it expects to observe."""

from dataclasses import dataclass, field
from enum import IntEnum

from sage_ros.scene.observation import Header
from sage_ros.symbols.facts import Fact


@dataclass(frozen=True, slots=True)
class Number:
    """A named numeric argument of an action, in the unit its admission file declares."""

    name: str
    value: float
    unit: str = ''


class ExpectationKind(IntEnum):
    """In what the proposer says what it expects."""

    NONE = 0
    FACTS = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the proposer expects to observe after a step: facts, or the environment's wording."""

    kind: ExpectationKind = ExpectationKind.NONE
    facts: tuple[Fact, ...] = ()
    text: str = ''


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One proposed action. ``skip`` waives the comparison with the expectation, nothing else."""

    action: str
    args: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    expectation: Expectation = field(default_factory=Expectation)
    skip: bool = False

    def __str__(self) -> str:
        return format_action(self.action, self.args, self.numbers)


@dataclass(frozen=True, slots=True)
class Plan:
    """A batch of steps for one episode. ``valid_until`` 0: no end (nanoseconds)."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    plan_seq: int = 0
    based_on_seq: int = 0
    valid_until: int = 0
    run_on: bool = False
    steps: tuple[PlanStep, ...] = ()
    planner: str = ''


def format_action(action: str, args: tuple[str, ...], numbers: tuple[Number, ...] = ()) -> str:
    """Print an action as ``pick(mug_1, desk_1)``, numbers as ``name=value``."""
    parts = [*args, *(f'{n.name}={n.value:g}{n.unit}' for n in numbers)]
    return f'{action}({", ".join(parts)})'
