"""The environment protocol: what a world must offer to be driven through a bridge.

An environment knows nothing of ROS, commands, numbers of observations or clocks.
"""

from dataclasses import dataclass
from typing import Protocol

from sage_ros.contract.execution import BridgeInfo, Failure, Status
from sage_ros.contract.plan import Number
from sage_ros.scene.observation import Pattern, SceneObject
from sage_ros.symbols.facts import Fact, Fluent


class EnvironmentLost(Exception):  # noqa: N818  a condition of the world, not a fault
    """The world can no longer be reached; the message says why."""


class SceneError(ValueError):
    """A scene, game or task file that cannot be used; names file, place and mend."""


@dataclass(frozen=True, slots=True)
class View:
    """What an environment observes: the content of an observation without its numbers."""

    text: str = ''
    objects: tuple[SceneObject, ...] = ()
    gone: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    covers: tuple[Pattern, ...] = ()
    fluents: tuple[Fluent, ...] = ()
    done: bool = False
    success: bool = False
    score: float = 0.0
    admissible: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Performed:
    """How an action went, what is observed after it, and the words used for it."""

    status: Status
    failure: Failure = Failure.NONE
    reason: str = ''
    view: View = View()


class StopSignal(Protocol):
    """Tells a running action to end."""

    def is_set(self) -> bool:
        """Tell whether the action is to end."""
        ...

    def wait(self, seconds: float) -> bool:
        """Let the environment's time pass; True as soon as the action is to end."""
        ...


class Environment(Protocol):
    """A world. Calls come one at a time; all may block."""

    @property
    def info(self) -> BridgeInfo:
        """Say what the environment is and takes; constant."""
        ...

    def reset(self, scene: str, seed: int, goal: str) -> tuple[str, View]:
        """Begin anew and return the task the world states (or ``goal``) and the full view.

        Raises SceneError for a scene that cannot be used, EnvironmentLost if the world is gone.
        """
        ...

    def perform(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...], stop: StopSignal
    ) -> Performed:
        """Carry one action out, ending early when ``stop`` is set; the view says what changed.

        An action that cannot be done is FAILED or REFUSED, never an exception.
        Raises EnvironmentLost if the world is gone.
        """
        ...

    def view(self) -> View | None:
        """Look again without moving: the full view; None if nothing has been reset yet."""
        ...

    def changed(self) -> View | None:
        """Return what changed by itself since the last look; None if nothing did."""
        ...

    def words(self, action: str, args: tuple[str, ...]) -> str:
        """Say an action in the environment's own words."""
        ...

    def close(self) -> None:
        """Let the world go; may be called more than once."""
        ...
