"""The symbolic backend in the household and in games: economical, and it ends."""

from pathlib import Path

import pytest
import yaml

from sage_ros.bridges.scenes import find_scene
from sage_ros.contract.judgement import Decision, EpisodeOutcome, Verdict
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.runtime.local import run_local


def scene(folder: Path, **content: object) -> str:
    """Write a scene of two tables and a drawer with what is given."""
    whole = {'room': 'a room', 'task': 'put a mug on the desk', **content}
    path = folder / 'scene.yaml'
    path.write_text(yaml.safe_dump(whole))
    return str(path)


def run(place: str, goal: str, **more: object) -> tuple[TaskResult, list[Verdict]]:
    seen: list[Verdict] = []
    request = TaskRequest(goal=goal, scene=place, **more)
    return run_local(request, on_verdict=seen.append), seen


def test_first_of_two_things_is_carried_while_the_second_is_looked_for(tmp_path: Path) -> None:
    place = scene(
        tmp_path,
        receptacles={
            'desk_1': {},
            'shelf_1': {'holds': ['book_1']},
            'sidetable_1': {'holds': ['pen_1', 'book_2']},
            'bed_1': {},
        },
    )
    result, _ = run(place, 'put two books on the desk')
    assert result.success
    assert result.actions.count('take book 2 from sidetable 1') == 1
    # Four looks, two things taken and put down, and three ways: no place twice for nothing.
    assert result.steps == 11


def test_lamp_is_remembered_when_it_was_seen_before_the_thing(tmp_path: Path) -> None:
    place = scene(
        tmp_path,
        receptacles={'desk_1': {'holds': ['desklamp_1']}, 'bed_1': {'holds': ['book_1']}},
    )
    result, _ = run(place, 'examine the book with the desklamp')
    assert result.success
    assert result.steps <= 5


def test_what_is_heated_behind_a_door_is_looked_at(tmp_path: Path) -> None:
    place = scene(
        tmp_path,
        receptacles={'desk_1': {'holds': ['mug_1']}, 'microwave_1': {'door': 'closed'}},
    )
    result, seen = run(place, 'hot(?o:mug)')
    assert result.success
    assert result.actions[-2:] == ('use microwave 1', 'open microwave 1')
    assert {v.decision for v in seen} == {
        Decision.ADMITTED,
        Decision.CONFIRMED,
        Decision.UNVERIFIED,
    }


def test_every_step_but_a_look_says_what_it_expects(tmp_path: Path) -> None:
    place = scene(tmp_path, receptacles={'desk_1': {}, 'bed_1': {'holds': ['mug_1']}})
    _, seen = run(place, 'put a mug on the desk')
    assert all(v.expectation.facts for v in seen)
    assert {v.action for v in seen if v.decision is Decision.UNVERIFIED} == {'goto'}


def test_goal_that_holds_at_the_start_needs_no_step(tmp_path: Path) -> None:
    place = scene(tmp_path, view='full', receptacles={'desk_1': {'holds': ['mug_1']}, 'bed_1': {}})
    result, _ = run(place, 'put a mug on the desk')
    assert (result.success, result.steps) == (True, 0)


def test_what_is_only_taken_for_granted_is_looked_at(tmp_path: Path) -> None:
    place = scene(
        tmp_path,
        receptacles={
            'desk_1': {'holds': ['mug_1']},
            'drawer_1': {'door': 'closed'},
            'fridge_1': {'door': 'open'},
        },
    )
    result, _ = run(place, 'not open(drawer_1), not open(fridge_1)')
    assert result.success
    assert result.actions == ('go to drawer 1', 'go to fridge 1', 'close fridge 1')


def test_ways_that_lead_nowhere_are_given_up(tmp_path: Path) -> None:
    place = scene(
        tmp_path,
        receptacles={'desk_1': {}, 'shelf_1': {}, 'bed_1': {'holds': ['mug_1']}},
        disturbances={'no_effect': 1.0},
    )
    result, _ = run(place, 'put a mug on the desk')
    assert result.outcome is EpisodeOutcome.NO_PLAN
    assert 'given up: goto(bed_1), goto(desk_1), goto(shelf_1)' in result.reason
    assert max(map(result.actions.count, result.actions)) <= 3


def test_full_view_is_planned_in_one_batch(tmp_path: Path) -> None:
    place = scene(
        tmp_path,
        view='full',
        receptacles={'desk_1': {}, 'drawer_1': {'door': 'closed', 'holds': ['mug_1']}},
    )
    result, seen = run(place, 'put a mug on the desk')
    assert result.success
    assert {v.plan_seq for v in seen} == {1}
    assert result.steps == 5


@pytest.mark.parametrize(
    'disturbance',
    [
        {'no_effect': 0.2},
        {'moves': 0.15},
        {'observation': {'lost': 0.2}},
        {'observation': {'late': {'when': 0.2, 'seconds': 0.7}}},
        {'observation': {'doubled': 0.3}},
        {'observation': {'wrong': 0.1}},
        {'outcome': {'lost': 0.1}},
        {'outcome': {'late': {'when': 0.2, 'seconds': 0.7}}},
        {'outcome': {'doubled': 0.3}},
        {'outcome': {'wrong': 0.1}},
    ],
    ids=str,
)
def test_disturbed_world_ends_with_an_outcome_and_a_reason(
    tmp_path: Path, disturbance: dict[str, object]
) -> None:
    studio = yaml.safe_load(find_scene('studio').read_text())
    place = scene(tmp_path, **{**studio, 'disturbances': disturbance})
    for seed in range(5):
        result, seen = run(place, 'put a clean mug on the desk', seed=seed, max_steps=100)
        assert result.outcome is not EpisodeOutcome.NONE
        assert result.outcome is not EpisodeOutcome.ERROR, result
        assert result.reason
        fates = [v for v in seen if v.decision is not Decision.ADMITTED]
        assert len({(v.plan_seq, v.step) for v in fates}) == len(fates)
