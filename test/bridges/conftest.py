"""What the tests of environments share: a stop signal, and a belief that folds views."""

import threading
from collections.abc import Callable

import pytest

from sage_ros.contract.environment import Environment, Performed, View
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Observation, ObservationKind


class Player:
    """Plays an environment and folds what it shows, as the monitor would."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.stop = threading.Event()
        self.belief = Belief()
        self.task = ''

    def reset(self, scene: str = '', seed: int = 0, goal: str = '') -> View:
        self.belief = Belief()
        self.task, view = self.environment.reset(scene, seed, goal)
        self.fold(view)
        return view

    def do(self, action: str, *args: str) -> Performed:
        performed = self.environment.perform(action, args, (), self.stop)
        self.fold(performed.view)
        return performed

    def fold(self, view: View, full: bool = False) -> None:
        seq = self.belief.seq + 1
        first = seq == 1 or full
        self.belief = fold(
            self.belief,
            Observation(
                seq=seq,
                base_seq=seq - 1,
                kind=ObservationKind.SNAPSHOT if first else ObservationKind.DELTA,
                text=view.text,
                objects=view.objects,
                gone=view.gone,
                facts=view.facts,
                covers=view.covers,
                fluents=view.fluents,
            ),
        )


@pytest.fixture
def play() -> Callable[[Environment], Player]:
    """Return what plays an environment."""
    return Player
