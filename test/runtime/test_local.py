"""The whole loop in one process: goals, limits and faults of the world."""

import pytest
from worlds import (
    Dies,
    NeverAnswers,
    NoRoom,
    SaysDoneButDoesNothing,
    Vanishing,
    Wrapped,
)

from sage_ros.contract.environment import Environment
from sage_ros.contract.journal import JournalEntry
from sage_ros.contract.judgement import Decision, EpisodeOutcome, Verdict
from sage_ros.contract.requests import BeginEpisode, Hold
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.gate import Gate
from sage_ros.planning.backend import Settings, make_backend
from sage_ros.planning.session import run_task
from sage_ros.planning.world import configuration
from sage_ros.runtime.local import LocalStack, run_local
from sage_ros.symbols.facts import Value

GOAL = 'put a clean mug on the desk'


def run(
    world: Environment | None = None, goal: str = GOAL, **options: object
) -> tuple[TaskResult, list[Verdict]]:
    seen: list[Verdict] = []
    request = options.pop('request', TaskRequest(goal=goal))
    result = run_local(request, environment=world, on_verdict=seen.append, **options)
    return result, seen


def count(seen: list[Verdict], decision: Decision) -> int:
    return sum(verdict.decision is decision for verdict in seen)


def plain(seen: list[Verdict]) -> list[tuple[object, ...]]:
    return [(v.plan_seq, v.step, v.stage, v.decision, v.rule_id, v.facts) for v in seen]


def test_demo_goal_is_reached_and_only_what_was_admitted_was_done() -> None:
    world = Wrapped()
    result, seen = run(world)
    assert result.success
    assert result.reason == 'the goal facts hold'
    admitted = [(v.action, v.args) for v in seen if v.decision is Decision.ADMITTED]
    assert world.performed == admitted
    assert len(result.actions) == result.steps == len(admitted)
    assert result.actions[-1].startswith('move mug')
    assert result.refused == result.mismatches == result.replans == 0


def test_same_seed_gives_the_same_verdicts() -> None:
    first, second = (run(request=TaskRequest(goal=GOAL, seed=4))[1] for _ in range(2))
    assert plain(first) == plain(second)
    assert {v.belief_hash for v in first} == {v.belief_hash for v in second}


def test_own_task_of_the_scene_is_taken_without_a_goal() -> None:
    result, _ = run(goal='')
    assert result.success
    assert result.goal == GOAL


def test_replayed_journal_gives_the_same_verdicts() -> None:
    entries: list[JournalEntry] = []
    _, seen = run(on_journal=entries.append)
    domain, admission, _ = configuration('home')
    gate = Gate(GateConfig(), domain, admission, 'local')
    again = [
        effect
        for entry in entries
        for effect in gate.step(entry.event, entry.handled_at)
        if isinstance(effect, Verdict)
    ]
    assert again == seen


@pytest.mark.parametrize('scene', ['studio', 'kitchen', 'bedroom', 'living_room', 'bathroom'])
def test_every_scene_has_a_task_that_is_done(scene: str) -> None:
    result, _ = run(request=TaskRequest(scene=scene))
    assert result.success, result


def test_step_limit() -> None:
    result, _ = run(request=TaskRequest(goal=GOAL, max_steps=3))
    assert (result.outcome, result.steps) == (EpisodeOutcome.STEP_LIMIT, 3)
    assert '3 steps' in result.reason


def test_impossible_goal_ends_with_what_was_not_found() -> None:
    result, _ = run(goal='put a teddybear on the desk')
    assert result.outcome is EpisodeOutcome.NO_PLAN
    assert 'not found in 11 places: teddybear' in result.reason


def test_place_that_does_not_exist_is_named_at_once() -> None:
    result, _ = run(goal='put a mug on the sofa')
    assert (result.outcome, result.steps) == (EpisodeOutcome.NO_PLAN, 0)
    assert 'no sofa is known' in result.reason


def test_unknown_object_is_named_at_once() -> None:
    result, _ = run(goal='put the desk_7 on the desk')
    assert (result.outcome, result.steps) == (EpisodeOutcome.NO_PLAN, 0)
    assert 'desk_7' in result.reason


def test_scene_that_does_not_exist_begins_no_episode() -> None:
    result, _ = run(request=TaskRequest(goal=GOAL, scene='atlantis'))
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'atlantis' in result.reason
    assert result.episode_id == ''


def test_success_reported_without_effect_is_a_mismatch_and_ends() -> None:
    """What was reported and not observed is never a fact."""
    world = SaysDoneButDoesNothing()
    seen: list[Verdict] = []
    stack = LocalStack(world)
    result = run_task(
        stack,
        TaskRequest(goal=GOAL),
        lambda known: make_backend('symbolic', known, Settings()),
        on_verdict=seen.append,
    )
    assert not result.success
    assert result.outcome is EpisodeOutcome.NO_PLAN
    assert result.mismatches >= 3
    assert result.replans >= 2
    assert stack.memory.belief.hash == stack.belief.hash
    for mug in ('mug_1', 'mug_2'):
        assert stack.memory.belief.value(('holding', mug)) is Value.FALSE
    picks = [args for action, args in world.performed if action == 'pick']
    # Each mug is tried three times, then there is nothing left to try.
    assert len(picks) == 6


def test_full_place_leads_to_another_one() -> None:
    world = NoRoom('drawer_1')
    result, _ = run(world, 'put a book in the drawer')
    assert not result.success
    assert world.performed.count(('put', ('book_1', 'drawer_1'))) <= 1
    assert 'put(book' in result.reason
    world = NoRoom('cabinet_1')
    result, _ = run(world, 'put a book in the cabinet')
    assert result.success
    assert sum(action == 'put' for action, _ in world.performed) <= 2


def test_thing_that_vanishes_ends_the_search_for_it() -> None:
    world = Vanishing()
    result, _ = run(world)
    assert result.outcome is EpisodeOutcome.NO_PLAN
    assert 'not found' in result.reason
    assert len(world.performed) < 30


def test_action_that_never_ends_is_stopped_at_its_deadline() -> None:
    world = NeverAnswers()
    result, seen = run(world)
    assert not result.success
    failed = [v for v in seen if v.decision in (Decision.MISMATCH, Decision.UNKNOWN)]
    assert failed
    assert 'deadline' in failed[0].reason or 'TIMEOUT' in failed[0].reason


def test_world_that_dies_ends_the_episode() -> None:
    result, _ = run(Dies())
    assert not result.success
    assert result.outcome in (EpisodeOutcome.BRIDGE_LOST, EpisodeOutcome.UNKNOWN_OUTCOMES)


def test_cancel_before_the_first_plan_does_nothing() -> None:
    world = Wrapped()
    result, _ = run(world, cancelled=lambda: True)
    assert result.outcome is EpisodeOutcome.CANCELLED
    assert world.performed == []


def test_cancel_while_a_command_runs_stops_it() -> None:
    world = Wrapped(action_duration=5.0)
    result, seen = run(world, cancelled=lambda: bool(world.performed))
    assert result.outcome is EpisodeOutcome.CANCELLED
    assert len(world.performed) == 1
    assert count(seen, Decision.CONFIRMED) == 0


def test_slow_actions_are_waited_for() -> None:
    result, _ = run(Wrapped(action_duration=3.0))
    assert result.success


def test_hold_stops_everything_until_it_is_released() -> None:
    stack = LocalStack(Wrapped())
    assert stack.hold(Hold(True, 'somebody is in the way')).accepted
    refused = stack.begin_episode(BeginEpisode(goal=GOAL), 1.0)
    assert not refused.accepted
    assert 'somebody is in the way' in refused.reason
    assert stack.hold(Hold(False)).accepted
    assert stack.begin_episode(BeginEpisode(goal=GOAL), 1.0).accepted


def test_unknown_planner_is_named() -> None:
    with pytest.raises(ValueError, match='unknown planner'):
        run(request=TaskRequest(goal=GOAL, planner='oracle'))
