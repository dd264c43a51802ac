"""The gate carries out what it admits: dispatch, fates, holds, journal."""

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
    of,
    step,
)

from sage_ros.contract.execution import Command, Failure, Status, Stop
from sage_ros.contract.journal import Conflict, JournalEntry, JournalKind, Lifecycle, Tick
from sage_ros.contract.judgement import Decision, MonitorPhase, MonitorState, Stage, Verdict
from sage_ros.contract.judging import Judgement, JudgeReply, JudgeRequest
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Resync
from sage_ros.symbols.facts import Fact, Value


def test_a_batch_is_carried_out_step_by_step(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK, PUT_MUG)
    assert gate.commands() == ['pick(mug_1, countertop_1)']
    gate.carry_out(*MUG_IN_HAND)
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold'), (1, 'ADMITTED', 'precondition.true')]
    assert gate.commands() == ['goto(desk_1)']
    gate.carry_out(*AT_DESK)
    assert gate.commands() == ['put(mug_1, desk_1)']
    gate.carry_out('in(mug_1, desk_1)', 'hand_empty', 'not holding(mug_1)')
    assert gate.said() == [(2, 'CONFIRMED', 'facts.hold')]
    assert [len(fates) for fates in gate.fates().values()] == [2, 2, 2]
    assert gate.gate.episode is not None
    assert gate.gate.episode.steps == 3


def test_a_command_follows_its_verdict_and_the_journal_comes_last(gate: GateDriver) -> None:
    effects = gate.plan(PICK_MUG)
    kinds = [type(effect) for effect in effects]
    assert kinds == [Verdict, Command, MonitorState, JournalEntry]
    verdict, command = effects[0], effects[1]
    assert isinstance(verdict, Verdict)
    assert isinstance(command, Command)
    assert command.command_id == verdict.command_id == f'{gate.episode_id}/1/0'
    assert command.deadline == gate.now + 20 * SECOND
    assert (command.counter, command.session_id, command.signature) == (2, 's', b'')


def test_a_verdict_is_complete(gate: GateDriver) -> None:
    gate.now += SECOND // 4
    gate.plan(PICK_MUG)
    verdict = gate.verdicts()[0]
    assert verdict.stage is Stage.DISPATCH
    assert verdict.expectation == PICK_MUG.expectation
    assert verdict.input_seq == gate.journal()[-1].seq
    assert (verdict.observation_seq, verdict.observation_age) == (1, 0.25)
    assert verdict.belief_hash == gate.gate.belief.hash
    assert verdict.config_hash == gate.gate.config_hash
    assert verdict.decided_at == gate.now


def test_what_was_observed_may_come_before_the_outcome(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.observe(*MUG_IN_HAND)
    assert gate.said() == []
    gate.done()
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold')]


def test_success_is_reported_but_the_world_is_unchanged(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.carry_out('hand_empty', 'not holding(mug_1)')
    assert gate.said() == [(0, 'MISMATCH', 'facts.violated'), (1, 'DISCARDED', 'batch.ended')]
    assert gate.verdicts()[0].facts == (Fact('holding', ('mug_1',), Value.FALSE),)
    assert gate.gate.belief.value(('holding', 'mug_1')) is Value.FALSE


def test_an_effect_that_is_only_predicted_never_becomes_a_fact(gate: GateDriver) -> None:
    gate.plan(step('goto(desk_1)'))
    gate.carry_out()
    assert gate.said() == [(0, 'UNVERIFIED', 'expectation.none')]
    assert gate.gate.belief.value(('at', 'desk_1')) is Value.FALSE


@pytest.mark.parametrize(
    ('status', 'failure', 'rule'),
    [
        (Status.FAILED, Failure.NO_EFFECT, 'outcome.failed'),
        (Status.STOPPED, Failure.STOPPED, 'outcome.stopped'),
    ],
)
def test_a_failed_or_stopped_command_is_a_mismatch_once_the_world_is_seen(
    gate: GateDriver, status: Status, failure: Failure, rule: str
) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.done(status=status, failure=failure, reason='so it is')
    assert gate.said() == []
    gate.observe(*MUG_IN_HAND)
    assert gate.said() == [(0, 'MISMATCH', rule), (1, 'DISCARDED', 'batch.ended')]
    assert gate.verdicts()[0].reason == f'{failure.name}: so it is'


def test_a_command_that_the_bridge_refuses_is_a_mismatch_at_once(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.done(status=Status.REFUSED, failure=Failure.BUSY)
    assert gate.said() == [(0, 'MISMATCH', 'outcome.refused')]


def test_after_an_unknown_outcome_nothing_moves_before_a_snapshot(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.done(status=Status.UNKNOWN, failure=Failure.TIMEOUT)
    assert gate.said() == [(0, 'UNKNOWN', 'outcome.unknown'), (1, 'DISCARDED', 'batch.ended')]
    assert of(Resync, gate.last)
    gate.plan(GOTO_DESK)
    assert gate.commands() == []
    gate.unchanged()
    assert gate.commands() == []
    gate.snapshot()
    assert gate.commands() == ['goto(desk_1)']


def test_an_outcome_that_comes_twice_is_counted_and_changes_nothing(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.done()
    again = gate.done(status=Status.FAILED)
    assert [type(effect) for effect in again] == [JournalEntry]
    gate.observe(*MUG_IN_HAND)
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold')]
    gate.done()
    assert gate.gate.counts == {'outcome.doubled': 1, 'outcome.unexpected': 1}


def test_an_outcome_of_another_command_is_ignored(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.done(replace(gate.command(), command_id='x/1/0'))
    assert gate.said() == []
    assert gate.gate.counts['outcome.unexpected'] == 1


def test_no_observation_after_the_outcome_is_an_unknown_fate(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.done()
    gate.wait(2.0, observing=True)
    assert gate.said() == [(0, 'UNKNOWN', 'observation.missing'), (1, 'DISCARDED', 'batch.ended')]


def test_a_gap_before_the_observation_is_mended_by_a_snapshot(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.done()
    gate.seq += 1
    effects = gate.observe(*MUG_IN_HAND)
    assert of(Resync, effects)
    assert gate.said() == []
    gate.snapshot(*MUG_IN_HAND)
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold')]


def test_a_server_that_never_answers_does_not_hold_the_gate_up(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.wait(21.0, observing=True)
    assert gate.said() == [(0, 'UNKNOWN', 'outcome.missing'), (1, 'DISCARDED', 'batch.ended')]
    assert of(Stop, gate.last)
    gate.plan(GOTO_DESK)
    gate.snapshot()
    assert gate.commands() == []
    gate.wait(5.0, observing=True)
    assert gate.ended().outcome.name == 'BRIDGE_LOST'
    assert gate.said() == [(0, 'DISCARDED', 'episode.ended')]


def test_a_late_outcome_frees_the_gate_after_a_snapshot(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    late = gate.command()
    gate.wait(21.0, observing=True)
    gate.plan(GOTO_DESK)
    gate.done(late)
    assert gate.commands() == []
    gate.snapshot()
    assert gate.commands() == ['goto(desk_1)']


# ---------------------------------------------------------------- expectations


@pytest.mark.parametrize(
    ('expected', 'observed', 'decision', 'rule'),
    [
        ('You arrive at the desk.', 'you arrive at a  desk', 'CONFIRMED', 'text.equal'),
        ('You arrive at desk 1', 'You stand there.', 'MISMATCH', 'text.differs'),
        ('You arrive at desk 1', 'Nothing happens.', 'MISMATCH', 'text.failure'),
        ('Nothing happens', 'Nothing happens.', 'CONFIRMED', 'text.equal'),
    ],
)
def test_expected_text_is_compared_by_its_words(
    gate: GateDriver, expected: str, observed: str, decision: str, rule: str
) -> None:
    gate.plan(step('goto(desk_1)', said=expected))
    gate.carry_out(text=observed)
    assert gate.said() == [(0, decision, rule)]


def test_nothing_happens_is_a_failed_expectation_of_facts_too(gate: GateDriver) -> None:
    gate.plan(GOTO_DESK)
    gate.carry_out(*AT_DESK, text='Nothing happens.')
    assert gate.said() == [(0, 'MISMATCH', 'text.failure')]


def test_expected_facts_that_nobody_observed_are_a_mismatch(gate: GateDriver) -> None:
    gate.plan(step('goto(desk_1)', 'clean(mug_1)'))
    gate.carry_out(*AT_DESK)
    assert gate.said() == [(0, 'MISMATCH', 'facts.unknown')]
    assert gate.verdicts()[0].unknown_facts == facts('unknown clean(mug_1)')


def test_the_comparison_is_waived_only_for_skippable_actions(gate: GateDriver) -> None:
    gate.plan(replace(GOTO_DESK, skip=True))
    gate.carry_out()
    assert gate.said() == [(0, 'UNVERIFIED', 'expectation.skipped')]
    gate.plan(replace(PICK_MUG, skip=True))
    gate.carry_out()
    assert gate.said() == [(0, 'MISMATCH', 'facts.violated')]


def test_a_skipped_comparison_does_not_waive_the_outcome(gate: GateDriver) -> None:
    gate.plan(replace(GOTO_DESK, skip=True))
    gate.done(status=Status.FAILED)
    gate.observe(*AT_DESK)
    assert gate.said() == [(0, 'MISMATCH', 'outcome.failed')]


@pytest.mark.parametrize(
    ('judgement', 'decision', 'rule'),
    [
        (Judgement.HOLDS, 'CONFIRMED', 'judge.holds'),
        (Judgement.VIOLATED, 'MISMATCH', 'judge.violated'),
        (Judgement.CANNOT_TELL, 'MISMATCH', 'judge.cannot_tell'),
    ],
)
def test_the_judge_is_asked_when_words_differ(
    judgement: Judgement, decision: str, rule: str
) -> None:
    gate = GateDriver(GateConfig(judge=True))
    gate.begin()
    gate.plan(step('goto(desk_1)', said='You are there'))
    gate.carry_out(text='You stand at the desk')
    request = of(JudgeRequest, gate.last)[0]
    assert (request.text, request.observation_seq) == ('You stand at the desk', 2)
    assert of(MonitorState, gate.last)[-1].phase is MonitorPhase.JUDGING
    gate.do(JudgeReply(command_id='another', judgement=Judgement.HOLDS))
    assert gate.said() == []
    gate.do(JudgeReply(command_id=request.command_id, judgement=judgement, score=0.5))
    assert gate.said() == [(0, decision, rule)]
    gate.do(JudgeReply(command_id=request.command_id, judgement=judgement))
    assert gate.gate.counts['judge.unexpected'] == 2


def test_a_judge_that_does_not_reply_is_a_mismatch() -> None:
    gate = GateDriver(GateConfig(judge=True, judge_timeout=3.0))
    gate.begin()
    gate.plan(step('goto(desk_1)', said='You are there'))
    gate.carry_out(text='You stand at the desk')
    gate.wait(3.0, observing=True)
    assert gate.said() == [(0, 'MISMATCH', 'judge.timeout')]


def test_the_judge_never_overrules_facts() -> None:
    gate = GateDriver(GateConfig(judge=True))
    gate.begin()
    gate.plan(PICK_MUG)
    gate.carry_out()
    assert gate.said() == [(0, 'MISMATCH', 'facts.violated')]


# ---------------------------------------------------------------- plans that follow plans


def test_a_newer_plan_supersedes_between_steps(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.plan(step('goto(sinkbasin_1)'))
    assert gate.said() == [(1, 'DISCARDED', 'plan.superseded')]
    assert gate.commands() == []
    gate.plan(GOTO_DESK)
    assert gate.said() == [(0, 'DISCARDED', 'plan.superseded')]
    gate.carry_out(*MUG_IN_HAND)
    assert gate.commands() == ['goto(desk_1)']
    assert gate.command().plan_seq == 3


def test_a_plan_that_is_refused_supersedes_nothing(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.plan(step('fly(desk_1)'))
    gate.carry_out(*MUG_IN_HAND)
    assert gate.commands() == ['goto(desk_1)']


def test_a_plan_that_runs_on_records_mismatches_and_refusals(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, PUT_MUG, GOTO_DESK, run_on=True)
    gate.carry_out()
    assert gate.said() == [
        (0, 'MISMATCH', 'facts.violated'),
        (1, 'REFUSED', 'precondition.false'),
        (2, 'ADMITTED', 'precondition.true'),
    ]
    gate.done(status=Status.UNKNOWN)
    assert gate.said() == [(2, 'UNKNOWN', 'outcome.unknown')]


def test_an_unknown_fate_ends_a_plan_that_runs_on(gate: GateDriver) -> None:
    gate.plan(GOTO_DESK, PICK_MUG, run_on=True)
    gate.done(status=Status.UNKNOWN)
    assert gate.said() == [(0, 'UNKNOWN', 'outcome.unknown'), (1, 'DISCARDED', 'batch.ended')]


def test_an_object_vanishes_between_planning_and_dispatch(gate: GateDriver) -> None:
    gate.plan(GOTO_DESK, step('goto(countertop_1)'), PICK_MUG)
    gate.seen(gone=('mug_1',))
    assert gate.said() == [(1, 'DISCARDED', 'batch.ended'), (2, 'REFUSED', 'object.unknown')]
    gate.carry_out(*AT_DESK)
    assert gate.said() == [(0, 'CONFIRMED', 'facts.hold')]
    assert gate.commands() == []
    gate.plan(PICK_MUG)
    assert gate.said() == [(0, 'REFUSED', 'object.unknown')]


def test_the_next_step_is_judged_again_when_the_world_changes_by_itself(gate: GateDriver) -> None:
    gate.plan(GOTO_DESK, step('goto(countertop_1)'), PICK_MUG)
    # The next step needs the running one to have ended: that alone is no reason to refuse it.
    gate.seen('clean(mug_1)')
    assert gate.said() == []
    gate.plan(PICK_MUG)
    gate.seen('holding(apple_1)', 'not hand_empty')
    assert gate.said() == [(0, 'REFUSED', 'precondition.false')]
    assert gate.verdicts()[0].stage is Stage.OBSERVATION


def test_the_running_step_breaks_the_precondition_of_the_next(gate: GateDriver) -> None:
    begun = GateDriver()
    begun.begin(
        'a goal', 'at(fridge_1)', 'not at(countertop_1)', 'open(fridge_1)', 'holding(apple_1)'
    )
    begun.plan(step('close(fridge_1)', 'not open(fridge_1)'), step('put(apple_1, fridge_1)'))
    begun.carry_out('not open(fridge_1)')
    assert begun.said() == [
        (0, 'CONFIRMED', 'facts.hold'),
        (1, 'REFUSED', 'precondition.false'),
    ]
    assert Fact('open', ('fridge_1',), Value.FALSE) in begun.verdicts()[1].facts


# ---------------------------------------------------------------- unknown preconditions


def test_what_may_be_tried_is_tried_once_in_the_same_state(gate: GateDriver) -> None:
    begun = GateDriver()
    begun.begin('a goal', 'at(fridge_1)', 'not at(countertop_1)', 'open(fridge_1)')
    pick = step('pick(apple_1, fridge_1)', 'holding(apple_1)', skip=True)
    begun.plan(pick)
    assert begun.said() == [(0, 'ADMITTED', 'precondition.try')]
    assert begun.verdicts()[0].unknown_facts == facts('unknown in(apple_1, fridge_1)')
    begun.done(status=Status.FAILED, failure=Failure.NO_EFFECT)
    begun.observe()
    begun.plan(pick)
    assert begun.said() == [(0, 'REFUSED', 'repeat.tried')]
    begun.seen('clean(apple_1)')
    begun.plan(pick)
    assert begun.said() == [(0, 'ADMITTED', 'precondition.try')]


# ---------------------------------------------------------------- hold, lifecycle, conflict


def test_hold_stops_and_voids_all_approvals(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK, PUT_MUG)
    gate.hold()
    assert of(Stop, gate.last)
    assert gate.said() == [(1, 'HELD', 'monitor.held'), (2, 'HELD', 'monitor.held')]
    assert of(MonitorState, gate.last)[-1].phase is MonitorPhase.HELD
    gate.done(status=Status.STOPPED)
    gate.observe()
    assert gate.said() == [(0, 'MISMATCH', 'outcome.stopped')]
    gate.hold(False)
    assert of(MonitorState, gate.last)[-1].phase is MonitorPhase.IDLE
    assert gate.commands() == []
    gate.plan(PICK_MUG)
    assert gate.commands() == ['pick(mug_1, countertop_1)']


def test_a_second_publisher_holds_the_gate_until_a_person_releases_it(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.do(Conflict(('/other',)))
    assert of(Stop, gate.last)
    assert gate.said() == [(1, 'HELD', 'monitor.held')]
    gate.hold(False)
    assert not gate.reply().accepted
    assert '/other' in gate.reply().reason
    gate.do(Conflict())
    gate.plan(PICK_MUG)
    assert gate.said() == [(0, 'HELD', 'monitor.held')]
    gate.hold(False)
    assert gate.reply().accepted
    assert gate.gate.held is None


def test_hold_without_an_episode_lets_none_begin() -> None:
    gate = GateDriver()
    gate.do(Lifecycle(True))
    gate.do(bridge_info())
    gate.hold()
    assert not of(Stop, gate.last)
    assert gate.gate.held == 'a person'


# ---------------------------------------------------------------- clock and journal


def test_a_tick_is_journaled_only_if_it_changed_something(gate: GateDriver) -> None:
    assert gate.do(Tick()) == []
    gate.plan(PICK_MUG)
    gate.now += 22 * SECOND
    effects = gate.do(Tick())
    assert isinstance(effects[-1], JournalEntry)
    assert effects[-1].kind is JournalKind.TICK
    entries = gate.journal()
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def test_a_clock_that_jumps_back_makes_nothing_wait_longer(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.now -= 90 * SECOND
    gate.unchanged()
    assert gate.gate.next_deadline() == gate.now + 21 * SECOND
    gate.wait(21.0, observing=True)
    assert gate.said() == [(0, 'UNKNOWN', 'outcome.missing')]


def test_a_clock_that_jumps_ahead_makes_what_was_seen_old(gate: GateDriver) -> None:
    gate.now += 3600 * SECOND
    gate.plan(PICK_MUG)
    assert gate.verdicts()[0].decision is Decision.REFUSED
    assert gate.verdicts()[0].rule_id == 'freshness.age'


def test_the_journal_gives_the_same_effects_again(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK, PUT_MUG)
    gate.carry_out(*MUG_IN_HAND)
    gate.hold()
    gate.done(status=Status.STOPPED)
    gate.wait(10.0)
    again = gate.fresh()
    replayed = [e for entry in gate.journal() for e in again.step(entry.event, entry.handled_at)]
    assert replayed == gate.effects


def test_the_state_is_said_on_change_only(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.carry_out(*MUG_IN_HAND)
    assert of(MonitorState, gate.last) == []
    gate.unchanged()
    assert of(MonitorState, gate.last) == []
    gate.carry_out(*AT_DESK)
    assert [state.phase for state in of(MonitorState, gate.last)] == [MonitorPhase.IDLE]
