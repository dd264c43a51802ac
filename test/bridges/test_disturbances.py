"""Disturbances: each kind happens when the scene says so, and with the seed again the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sage_ros.bridges.disturbances import (
    Disturbances,
    Late,
    ReportDisturbances,
    ReportDisturber,
    WorldDisturber,
)
from sage_ros.bridges.home import HomeEnvironment
from sage_ros.bridges.machine import MachineConfig
from sage_ros.bridges.registry import make_machine
from sage_ros.contract.execution import Admissible, Failure, Outcome, Status
from sage_ros.scene.observation import Observation
from sage_ros.symbols.facts import Fact, Value

SCENE = """
receptacles:
  desk_1: {{holds: [mug_1]}}
  drawer_1: {{door: closed}}
disturbances: {spec}
"""


@pytest.fixture
def disturbed(tmp_path: Path) -> Callable[[str], str]:
    """Return what writes a scene with disturbances."""

    def write(spec: str) -> str:
        path = tmp_path / 'scene.yaml'
        path.write_text(SCENE.format(spec=spec))
        return str(path)

    return write


def outcomes(spec: ReportDisturbances, count: int, seed: int = 0) -> list[list[Any]]:
    """Pass the outcome of a reset and ``count`` more through; return what became of those."""
    filter_ = ReportDisturber(Disturbances(outcome=spec), seed)
    reset = Outcome(command_id='reset', status=Status.DONE)
    assert filter_(reset) == [(0.0, reset)]
    return [
        filter_(Outcome(command_id=str(number), status=Status.DONE))
        for number in range(1, count + 1)
    ]


def test_silent_action_reports_done_and_changes_nothing(play: Any, disturbed: Any) -> None:
    player = play(HomeEnvironment())
    player.reset(disturbed('{no_effect: [2]}'))
    player.do('goto', 'desk_1')
    performed = player.do('pick', 'mug_1', 'desk_1')
    assert performed.status is Status.DONE
    assert player.belief.value(('holding', 'mug_1')) is Value.FALSE
    assert player.belief.value(('in', 'mug_1', 'desk_1')) is Value.TRUE
    player.do('pick', 'mug_1', 'desk_1')
    assert player.belief.value(('holding', 'mug_1')) is Value.TRUE


def test_object_that_moves_by_itself_is_seen_to_be_gone(play: Any, disturbed: Any) -> None:
    for seed in range(8):
        player = play(HomeEnvironment())
        player.reset(disturbed('{moves: [1]}'), seed)
        performed = player.do('goto', 'desk_1')
        assert 'mug 1' in performed.view.text
        changed = player.environment.changed()
        if changed is None:
            continue  # it moved to where it was
        player.fold(changed)
        assert player.belief.value(('in', 'mug_1', 'desk_1')) is Value.FALSE
        assert player.environment.changed() is None
        return
    pytest.fail('no seed moved the mug')


def test_lost_doubled_late_and_wrong_outcomes() -> None:
    assert outcomes(ReportDisturbances(lost=[2]), 3)[1] == []
    doubled = outcomes(ReportDisturbances(doubled=[1]), 2)
    assert [len(each) for each in doubled] == [2, 1]
    late = outcomes(ReportDisturbances(late=Late(when=[3], seconds=2.5)), 3)
    assert [each[0][0] for each in late] == [0.0, 0.0, 2.5]
    (_, wrong), *_ = outcomes(ReportDisturbances(wrong=[1]), 1)[0]
    assert (wrong.status, wrong.failure) == (Status.FAILED, Failure.NO_EFFECT)


def test_wrong_failure_is_told_as_done() -> None:
    filter_ = ReportDisturber(Disturbances(outcome=ReportDisturbances(wrong=1.0)), 0)
    filter_(Outcome())
    ((_, told),) = filter_(Outcome(status=Status.FAILED, failure=Failure.BLOCKED, reason='no'))
    assert (told.status, told.failure, told.reason) == (Status.DONE, Failure.NONE, '')
    unknown = Outcome(status=Status.UNKNOWN)
    assert filter_(unknown) == [(0.0, unknown)]


def test_wrong_observation_flips_one_fact() -> None:
    filter_ = ReportDisturber(Disturbances(observation=ReportDisturbances(wrong=1.0)), 0)
    facts = (Fact('on', ('lamp_1',)), Fact('on', ('lamp_2',), Value.FALSE), Fact('hand_empty'))
    first = Observation(seq=1, facts=facts)
    assert filter_(first) == [(0.0, first)]
    ((_, told),) = filter_(Observation(seq=2, facts=facts))
    assert sum(a != b for a, b in zip(told.facts, facts, strict=True)) == 1
    listing = Admissible(seq=2)
    assert filter_(listing) == [(0.0, listing)]


def test_probabilities_and_seeds() -> None:
    spec = ReportDisturbances(lost=0.3)
    lost = [not each for each in outcomes(spec, 1000, seed=5)]
    assert 230 < sum(lost) < 370
    assert lost == [not each for each in outcomes(spec, 1000, seed=5)]
    assert lost != [not each for each in outcomes(spec, 1000, seed=6)]
    world = [WorldDisturber(Disturbances(no_effect=0.5), 3) for _ in range(2)]
    falls = [[each.has_no_effect() for _ in range(50)] for each in world]
    assert falls[0] == falls[1]
    assert len(set(falls[0])) == 2


def test_undisturbed_scene_passes_everything() -> None:
    world = WorldDisturber(Disturbances(), 0)
    assert not any(world.has_no_effect() for _ in range(100))
    assert world.move(['mug_1'], ['desk_1']) is None
    assert all(len(each) == 1 for each in outcomes(ReportDisturbances(), 100))


def test_machine_of_a_disturbed_scene_disturbs_its_reports(disturbed: Any) -> None:
    home = HomeEnvironment()
    machine = make_machine(home, bytes(32), MachineConfig())
    home.reset(disturbed('{outcome: {lost: [1]}}'), 0, '')
    assert machine._outbox._filter == home.report_filter
    assert home.report_filter(Outcome()) == [(0.0, Outcome())]
    assert home.report_filter(Outcome()) == []
