"""Environments with faults: each wraps the household and does one thing wrong."""

from collections.abc import Callable
from dataclasses import replace

from sage_ros.bridges.home import HomeEnvironment
from sage_ros.contract.environment import (
    EnvironmentLost,
    Performed,
    StopSignal,
    View,
)
from sage_ros.contract.execution import BridgeInfo, Failure, Status
from sage_ros.contract.plan import Number

Perform = Callable[[], Performed]


class Wrapped:
    """The household, with every performed action recorded."""

    def __init__(self, scene: str = 'studio', **options: float) -> None:
        self.home = HomeEnvironment(scene, **options)
        self.performed: list[tuple[str, tuple[str, ...]]] = []

    @property
    def info(self) -> BridgeInfo:
        return self.home.info

    def reset(self, scene: str, seed: int, goal: str) -> tuple[str, View]:
        return self.home.reset(scene, seed, goal)

    def perform(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...], stop: StopSignal
    ) -> Performed:
        self.performed.append((action, args))
        return self.do(action, args, lambda: self.home.perform(action, args, numbers, stop), stop)

    def do(
        self, action: str, args: tuple[str, ...], perform: Perform, stop: StopSignal
    ) -> Performed:
        return perform()

    def view(self) -> View | None:
        return self.home.view()

    def changed(self) -> View | None:
        return self.home.changed()

    def words(self, action: str, args: tuple[str, ...]) -> str:
        return self.home.words(action, args)

    def close(self) -> None:
        self.home.close()


class SaysDoneButDoesNothing(Wrapped):
    """Reports success for every pick, and does not do it."""

    def do(
        self, action: str, args: tuple[str, ...], perform: Perform, stop: StopSignal
    ) -> Performed:
        if action == 'pick':
            return Performed(Status.DONE, view=View('You pick it up.'))
        return perform()


class NoRoom(Wrapped):
    """Has no room on some receptacles, which can be known only by trying."""

    def __init__(self, *full: str) -> None:
        super().__init__()
        self.full = full

    def do(
        self, action: str, args: tuple[str, ...], perform: Perform, stop: StopSignal
    ) -> Performed:
        if action == 'put' and args[1] in self.full:
            return Performed(Status.FAILED, Failure.NO_ROOM, 'no valid positions')
        return perform()


class Vanishing(Wrapped):
    """Takes a thing out of the world when the agent arrives where it is to be picked up."""

    def do(
        self, action: str, args: tuple[str, ...], perform: Perform, stop: StopSignal
    ) -> Performed:
        done = perform()
        mugs = tuple(o.name for o in done.view.objects if o.type == 'mug')
        facts = tuple(f for f in done.view.facts if not set(mugs) & set(f.args))
        return replace(done, view=replace(done.view, facts=facts, gone=mugs))


class NeverAnswers(Wrapped):
    """Begins to open things and never ends until it is stopped."""

    def do(
        self, action: str, args: tuple[str, ...], perform: Perform, stop: StopSignal
    ) -> Performed:
        if action == 'open' and stop.wait(1e6):
            return Performed(Status.STOPPED, Failure.STOPPED, 'stopped')
        return perform()


class Dies(Wrapped):
    """Is gone at the third action."""

    def do(
        self, action: str, args: tuple[str, ...], perform: Perform, stop: StopSignal
    ) -> Performed:
        if len(self.performed) >= 3:
            raise EnvironmentLost('the simulator has ended')
        return perform()
