"""Episodes: how they begin, get a goal, and every way in which they end."""

from dataclasses import replace

import pytest
from gate_driver import (
    AT_DESK,
    GOTO_DESK,
    MUG_IN_HAND,
    PICK_MUG,
    PUT_MUG,
    SECOND,
    GateDriver,
    bridge_info,
    facts,
    household,
    of,
    step,
)

from sage_ros.contract.execution import Command, Failure, Status, Stop
from sage_ros.contract.journal import Lifecycle
from sage_ros.contract.judgement import Episode, EpisodeOutcome, EpisodePhase
from sage_ros.contract.plan import Number
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, SetGoal
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Answer, Resync


def connected(config: GateConfig | None = None) -> GateDriver:
    """Drive an active gate with a bridge and no episode."""
    gate = GateDriver(config)
    gate.do(Lifecycle(True))
    gate.do(bridge_info())
    return gate


# ---------------------------------------------------------------- beginning


def test_an_episode_begins_with_a_reset_and_a_snapshot() -> None:
    gate = connected()
    gate.do(BeginEpisode('', 'home', 'kitchen', 7))
    reset = gate.command()
    assert (reset.action, reset.args) == ('reset', ('kitchen', ''))
    assert reset.numbers == (Number('seed', 7.0),)
    assert (reset.episode_id, reset.counter) == ('s-1', 1)
    asked = gate.journal()[-1].seq
    gate.done(reset, task='put a mug on the desk')
    assert of(Answer, gate.last) == []
    gate.snapshot(command_id=reset.command_id)
    episode, answer = of(Episode, gate.last)[0], of(Answer, gate.last)[0]
    assert (episode.phase, episode.goal) == (EpisodePhase.BEGUN, 'put a mug on the desk')
    assert (episode.scene, episode.seed) == ('kitchen', 7)
    assert episode.domain_hash == household().digest
    assert episode.config_hash == gate.gate.config_hash
    assert (answer.input_seq, answer.request) == (asked, BeginEpisode)
    assert (answer.reply.accepted, answer.reply.goal) == (True, 'put a mug on the desk')


def test_a_goal_that_is_given_is_kept(gate: GateDriver) -> None:
    assert gate.gate.episode is not None
    assert gate.gate.episode.goal == 'a goal'


def test_the_snapshot_may_come_before_the_outcome() -> None:
    gate = connected()
    gate.do(BeginEpisode('x'))
    gate.snapshot(command_id=gate.command().command_id)
    assert gate.gate.episode is None
    gate.done()
    assert gate.gate.episode is not None


def test_the_counter_goes_on_in_the_session(gate: GateDriver) -> None:
    gate.end()
    gate.do(BeginEpisode('x'))
    assert (gate.command().episode_id, gate.command().counter) == ('s-2', 2)


def test_what_was_seen_before_the_first_snapshot_is_not_believed() -> None:
    gate = connected()
    gate.do(BeginEpisode('x'))
    gate.seen('clean(mug_1)')
    gate.snapshot()
    assert gate.gate.belief.seq == 0
    assert gate.gate.counts['observation.early'] == 2


def test_a_lost_first_snapshot_is_asked_for() -> None:
    gate = connected()
    gate.do(BeginEpisode('x'))
    gate.done()
    gate.wait(2.0)
    assert of(Resync, gate.last)
    gate.snapshot()
    assert gate.gate.episode is not None


@pytest.mark.parametrize(
    ('change', 'request_', 'reason'),
    [
        ({'domain_hash': 'other'}, BeginEpisode(), 'another domain'),
        ({'environment': 'alfworld'}, BeginEpisode(), 'admission file'),
        ({}, BeginEpisode(environment='thor'), "not 'thor'"),
    ],
)
def test_a_bridge_that_does_not_fit_gets_no_reset(
    change: dict[str, str], request_: BeginEpisode, reason: str
) -> None:
    gate = connected()
    gate.do(bridge_info(**change))
    gate.do(request_)
    assert not gate.reply().accepted
    assert reason in gate.reply().reason
    assert gate.commands() == []


def test_no_episode_begins_without_a_bridge() -> None:
    gate = GateDriver()
    gate.do(Lifecycle(True))
    gate.do(BeginEpisode())
    assert 'no bridge' in gate.reply().reason


def test_no_episode_begins_while_inactive_or_held() -> None:
    gate = GateDriver()
    gate.do(bridge_info())
    gate.do(BeginEpisode())
    assert 'not active' in gate.reply().reason
    gate.do(Lifecycle(True))
    gate.hold()
    gate.do(BeginEpisode())
    assert 'held' in gate.reply().reason


def test_no_second_episode_is_begun_at_the_same_time() -> None:
    gate = connected()
    gate.do(BeginEpisode('first'))
    first = gate.journal()[-1].seq
    gate.do(BeginEpisode('second'))
    assert not gate.reply().accepted
    gate.done()
    gate.snapshot(command_id=gate.command().command_id)
    assert of(Answer, gate.last)[0].input_seq == first


def test_a_reset_that_fails_begins_nothing() -> None:
    gate = connected()
    gate.do(BeginEpisode())
    gate.done(status=Status.FAILED, failure=Failure.OTHER, reason='no such scene')
    assert gate.reply().reason == 'reset FAILED: OTHER: no such scene'
    assert gate.gate.episode is None
    assert not gate.gate.busy


def test_a_reset_that_takes_too_long_begins_nothing() -> None:
    gate = connected(GateConfig(reset_timeout=10.0))
    gate.do(BeginEpisode())
    gate.wait(11.0)
    assert gate.reply().reason == 'no outcome of the reset within 10.0 s'
    assert of(Stop, gate.last)
    gate.done()
    gate.snapshot(command_id=gate.command().command_id)
    assert gate.gate.episode is None


def test_a_hold_ends_a_reset() -> None:
    gate = connected()
    gate.do(BeginEpisode())
    gate.hold()
    assert of(Stop, gate.last)
    replies = {answer.request: answer.reply.accepted for answer in of(Answer, gate.last)}
    assert replies[BeginEpisode] is False


def test_a_new_episode_supersedes_the_running_one(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.do(BeginEpisode('another goal'))
    assert gate.said() == [(1, 'DISCARDED', 'episode.ended')]
    assert of(Stop, gate.last)
    assert gate.commands() == []
    gate.done(status=Status.STOPPED)
    gate.observe()
    assert gate.said() == [(0, 'MISMATCH', 'outcome.stopped')]
    assert of(Episode, gate.last)[0].outcome is EpisodeOutcome.SUPERSEDED
    assert gate.commands() == ['reset(, another goal, seed=0)']


def test_a_hold_ends_a_request_that_waits_for_the_running_episode(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.do(BeginEpisode('another goal'))
    gate.hold()
    gate.done(status=Status.STOPPED)
    gate.observe()
    assert gate.commands() == []
    assert gate.gate.episode is None


# ---------------------------------------------------------------- the goal

GOAL = facts('in(?o:mug, ?r:desk)')


def test_the_goal_is_set_once_before_the_first_plan(gate: GateDriver) -> None:
    gate.do(SetGoal(gate.episode_id, GOAL))
    assert gate.reply().accepted
    assert of(Episode, gate.last)[0].goal_facts == GOAL
    gate.do(SetGoal(gate.episode_id, GOAL))
    assert gate.reply().reason == 'the goal is set already'


def test_a_goal_after_the_first_plan_is_not_taken(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.do(SetGoal(gate.episode_id, GOAL))
    assert not gate.reply().accepted


@pytest.mark.parametrize('goal', ['in(mug_9, desk_1)', 'shiny(mug_1)', 'in(desk_1, mug_1)'])
def test_a_goal_that_cannot_be_is_not_taken(gate: GateDriver, goal: str) -> None:
    gate.do(SetGoal(gate.episode_id, facts(goal)))
    assert not gate.reply().accepted
    assert goal.split('(', maxsplit=1)[0] in gate.reply().reason


def test_a_goal_of_another_episode_is_not_taken(gate: GateDriver) -> None:
    gate.do(SetGoal('s-9', GOAL))
    assert not gate.reply().accepted


# ---------------------------------------------------------------- ending


def carry_mug(gate: GateDriver) -> None:
    """Bring the mug to the desk."""
    gate.plan(PICK_MUG, GOTO_DESK, PUT_MUG, step('goto(sinkbasin_1)'))
    gate.carry_out(*MUG_IN_HAND)
    gate.carry_out(*AT_DESK)
    gate.carry_out('in(mug_1, desk_1)', 'hand_empty', 'not holding(mug_1)')


def test_goal_facts_that_hold_after_a_step_end_the_episode(gate: GateDriver) -> None:
    gate.do(SetGoal(gate.episode_id, GOAL))
    carry_mug(gate)
    assert gate.said() == [(2, 'CONFIRMED', 'facts.hold'), (3, 'DISCARDED', 'episode.ended')]
    ended = gate.ended()
    assert (ended.phase, ended.outcome) == (EpisodePhase.ENDED, EpisodeOutcome.SUCCESS)
    assert (ended.steps, ended.goal_facts) == (3, GOAL)


def test_without_goal_facts_only_the_environment_decides(gate: GateDriver) -> None:
    carry_mug(gate)
    assert gate.gate.episode is not None
    gate.done()
    gate.observe('at(sinkbasin_1)', env_done=True, env_success=True, score=1.0)
    assert gate.ended().outcome is EpisodeOutcome.SUCCESS
    assert gate.ended().score == 1.0


def test_a_claim_without_proof_is_no_success(gate: GateDriver) -> None:
    gate.end(EndCause.CLAIMED, 'the model says so')
    assert gate.ended().outcome is EpisodeOutcome.CLAIMED
    assert gate.ended().reason == 'the model says so'
    assert gate.reply().accepted


@pytest.mark.parametrize('cause', list(EndCause))
def test_a_goal_that_holds_is_a_success_whatever_ends_the_episode(cause: EndCause) -> None:
    gate = GateDriver()
    gate.begin('a goal', 'in(mug_1, desk_1)')
    gate.do(SetGoal(gate.episode_id, GOAL))
    gate.end(cause)
    assert gate.ended().outcome is EpisodeOutcome.SUCCESS


@pytest.mark.parametrize('cause', list(EndCause))
def test_the_cause_is_the_outcome_otherwise(gate: GateDriver, cause: EndCause) -> None:
    gate.end(cause)
    assert gate.ended().outcome.name == cause.name


def test_a_belief_that_missed_something_proves_no_success() -> None:
    gate = GateDriver()
    gate.begin('a goal', 'in(mug_1, desk_1)')
    gate.do(SetGoal(gate.episode_id, GOAL))
    gate.seq += 1
    gate.unchanged()
    gate.end()
    assert of(Resync, gate.last)
    gate.wait(5.0, observing=True)
    assert gate.ended().outcome is EpisodeOutcome.CLAIMED
    assert gate.reply().accepted


def test_a_claim_waits_for_the_snapshot_that_proves_it() -> None:
    gate = GateDriver()
    gate.begin('a goal', 'in(mug_1, desk_1)')
    gate.do(SetGoal(gate.episode_id, GOAL))
    gate.seq += 1
    gate.unchanged()
    gate.end()
    assert of(Episode, gate.last) == of(Answer, gate.last) == []
    gate.unchanged()
    assert of(Episode, gate.last) == []
    gate.snapshot('in(mug_1, desk_1)')
    assert gate.ended().outcome is EpisodeOutcome.SUCCESS
    assert gate.reply().accepted


def test_ending_waits_for_the_running_command(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.end(EndCause.CANCELLED)
    assert of(Stop, gate.last)
    assert gate.said() == [(1, 'DISCARDED', 'episode.ended')]
    assert of(Episode, gate.last) == of(Answer, gate.last) == []
    gate.end(EndCause.CANCELLED)
    gate.done(status=Status.STOPPED)
    gate.observe()
    assert [a.reply.accepted for a in of(Answer, gate.last)] == [True, True]
    assert gate.ended().outcome is EpisodeOutcome.CANCELLED


def test_ending_does_not_wait_for_ever(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.end(EndCause.CANCELLED)
    gate.wait(5.0, observing=True)
    assert gate.said() == [(0, 'UNKNOWN', 'episode.ended')]
    assert gate.ended().outcome is EpisodeOutcome.CANCELLED
    assert gate.reply().accepted


def test_an_episode_that_is_not_running_cannot_be_ended(gate: GateDriver) -> None:
    gate.do(EndEpisode('s-9'))
    assert not gate.reply().accepted
    gate.end()
    gate.do(EndEpisode('s-1'))
    assert not gate.reply().accepted


def test_the_environment_ends_the_episode_without_success(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.done()
    gate.observe(*MUG_IN_HAND, env_done=True)
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold'), (1, 'DISCARDED', 'episode.ended')]
    assert gate.ended().outcome is EpisodeOutcome.ENVIRONMENT_DONE


def test_the_step_limit_ends_the_episode() -> None:
    gate = GateDriver(GateConfig(max_steps=1))
    gate.begin()
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.carry_out(*MUG_IN_HAND)
    assert gate.ended().outcome is EpisodeOutcome.STEP_LIMIT
    assert gate.ended().steps == 1


def test_a_planner_that_sends_nothing_is_lost(gate: GateDriver) -> None:
    gate.wait(299.0, observing=True)
    assert gate.gate.episode is not None
    gate.wait(1.0, observing=True)
    assert gate.ended().outcome is EpisodeOutcome.PLANNER_LOST


def test_a_held_planner_is_not_lost(gate: GateDriver) -> None:
    gate.hold()
    gate.wait(400.0, observing=True)
    assert gate.gate.episode is not None


def test_a_silent_bridge_is_lost_while_idle(gate: GateDriver) -> None:
    gate.wait(5.0)
    assert of(Stop, gate.last)
    assert gate.ended().outcome is EpisodeOutcome.BRIDGE_LOST


def test_a_bridge_that_stands_still_between_commands_is_lost_while_one_runs() -> None:
    gate = GateDriver()
    gate.begin(static_between_commands=True)
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.wait(5.0)
    assert gate.said() == [(0, 'UNKNOWN', 'episode.ended'), (1, 'DISCARDED', 'batch.ended')]
    assert gate.ended().outcome is EpisodeOutcome.BRIDGE_LOST


def test_any_other_bridge_may_be_silent_while_it_executes(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.wait(15.0)
    assert gate.gate.episode is not None
    gate.carry_out(*MUG_IN_HAND)
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold')]


def test_three_unknown_outcomes_in_a_row_end_the_episode(gate: GateDriver) -> None:
    for _ in range(2):
        gate.plan(PICK_MUG)
        gate.done(status=Status.UNKNOWN)
        gate.snapshot()
    gate.plan(PICK_MUG)
    gate.carry_out(*MUG_IN_HAND)
    for _ in range(3):
        assert gate.gate.episode is not None
        gate.plan(GOTO_DESK)
        gate.done(status=Status.UNKNOWN)
        gate.snapshot()
    assert gate.ended().outcome is EpisodeOutcome.UNKNOWN_OUTCOMES


def test_a_monitor_that_is_deactivated_ends_the_episode(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.do(Lifecycle(False))
    assert of(Stop, gate.last)
    assert gate.ended().outcome is EpisodeOutcome.MONITOR_STOPPED
    assert {decisions[-1].name for decisions in gate.fates().values()} == {'UNKNOWN', 'DISCARDED'}


def test_another_bridge_ends_the_episode(gate: GateDriver) -> None:
    gate.do(bridge_info(environment='thor'))
    assert gate.ended().outcome is EpisodeOutcome.BRIDGE_LOST


def test_observations_of_an_old_episode_are_counted(gate: GateDriver) -> None:
    gate.seen('clean(mug_1)', episode_id='s-0')
    assert gate.gate.counts['observation.foreign'] == 1
    assert gate.gate.belief.seq == 1


def test_ending_by_the_environment_waits_for_the_running_step(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.observe(*MUG_IN_HAND, env_done=True, env_success=True)
    assert gate.gate.episode is not None
    gate.done()
    assert gate.ended().outcome is EpisodeOutcome.SUCCESS
    assert of(Command, gate.last) == []


def test_the_first_snapshot_starts_from_nothing(gate: GateDriver) -> None:
    gate.seen('clean(mug_1)')
    gate.end()
    gate.do(BeginEpisode('again'))
    gate.seq = 0
    reset = gate.command()
    gate.snapshot(command_id=reset.command_id, header=replace(reset.header, stamp=SECOND))
    gate.done(reset)
    assert gate.gate.belief.seq == 1
    assert gate.gate.belief.value(('clean', 'mug_1')).name == 'UNKNOWN'
    assert gate.gate.belief.objects
