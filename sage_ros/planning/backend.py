"""What a planning backend is given and gives back, and the backends there are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol

from sage_ros.contract.judging import ModelExchange
from sage_ros.contract.plan import PlanStep
from sage_ros.contract.remembering import Transition
from sage_ros.contract.task import Tokens
from sage_ros.planning.world import World
from sage_ros.scene.belief import Belief
from sage_ros.symbols.facts import Fact
from sage_ros.symbols.goals import Goal
from sage_ros.symbols.state import GroundAction


class GoalError(ValueError):
    """A goal that was not understood; the message quotes what and says what would be."""


class BackendError(Exception):
    """A backend that cannot be used now; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Context:
    """What is known when a backend is asked.

    ``text`` is the belief in words, ``observation_text`` what the environment said last,
    ``barred`` the actions that make no sense to try again, ``failed_here`` those that failed with
    this belief and will again, ``refusal`` what the last plan came to grief by (empty: nothing).
    """

    episode_id: str = ''
    goal_text: str = ''
    goal: Goal = field(default_factory=Goal)
    belief: Belief = field(default_factory=Belief)
    text: str = ''
    observation_text: str = ''
    transitions: tuple[Transition, ...] = ()
    loop_warning: str = ''
    barred: frozenset[GroundAction] = frozenset()
    failed_here: frozenset[GroundAction] = frozenset()
    refusal: str = ''
    steps_left: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A batch of steps, at least one. ``run_on``: go on after a mismatch."""

    steps: tuple[PlanStep, ...]
    run_on: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """The backend holds that the goal is reached."""

    reason: str = ''


@dataclass(frozen=True, slots=True)
class NoPlan:
    """The backend knows of nothing more to try."""

    reason: str


class Backend(Protocol):
    """Plans for one task. Calls block and come one at a time."""

    @property
    def name(self) -> str:
        """The name under which plans are signed."""
        ...

    @property
    def calls(self) -> int:
        """Calls of a model so far."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Tokens of these calls."""
        ...

    def goal(self, text: str, context: Context) -> tuple[Fact, ...]:
        """Turn the goal into facts; GoalError if it is not understood."""
        ...

    def propose(self, context: Context) -> Proposal | Done | NoPlan:
        """Say what to do next."""
        ...


def never() -> bool:
    """Do not cancel."""
    return False


@dataclass(frozen=True, slots=True)
class Settings:
    """What the backends take; those of a model are of no concern to one without.

    ``timeout_s`` bounds one call of the model, ``attempts`` the calls for one answer.
    """

    model: str = ''
    host: str = ''
    timeout_s: float = 120.0
    num_ctx: int = 8192
    attempts: int = 3
    on_exchange: Callable[[ModelExchange], None] | None = None
    cancelled: Callable[[], bool] = never


BACKENDS: Mapping[str, str] = {
    'symbolic': 'sage_ros.planning.symbolic:open_backend',
    'ollama': 'sage_ros.planning.reactive:open_backend',
}
"""Where each backend is made."""

DEFAULT_BACKEND = 'symbolic'


def make_backend(name: str, world: World, settings: Settings) -> Backend:
    """Make a backend for one task.

    ValueError for a name that does not exist; ImportError that says what to install;
    BackendError if its model cannot be used now.
    """
    place = BACKENDS.get(name or DEFAULT_BACKEND)
    if place is None:
        raise ValueError(f'unknown planner {name!r}: take one of {", ".join(BACKENDS)}')
    module, _, function = place.partition(':')
    opened: Backend = getattr(import_module(module), function)(world, settings)
    return opened
