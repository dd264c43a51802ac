"""Fail closed: every cause of a refusal sends nothing and is said in a verdict."""

from dataclasses import replace

import pytest
from gate_driver import (
    GOTO_DESK,
    OBJECTS,
    PICK_MUG,
    SECOND,
    GateDriver,
    bridge_info,
    home_table,
    household,
    step,
)

from sage_ros.contract.admission import ActionPolicy, NumberRange
from sage_ros.contract.execution import ActionInfo
from sage_ros.contract.journal import Lifecycle
from sage_ros.contract.judgement import Decision, Verdict
from sage_ros.contract.plan import Expectation, ExpectationKind, Number, Plan, PlanStep
from sage_ros.monitoring.admission import Admission
from sage_ros.symbols.facts import Fact, Value


def refused(gate: GateDriver, rule: str, decision: str = 'REFUSED') -> Verdict:
    """Check that the last input sent nothing, and return the verdict that says why."""
    assert gate.commands() == []
    found = [v for v in gate.verdicts() if v.decision is Decision[decision]]
    assert [v.rule_id for v in found] == [rule] * len(found)
    assert found
    return found[0]


# ---------------------------------------------------------------- the plan


def test_the_monitor_is_not_active(gate: GateDriver) -> None:
    gate.do(Lifecycle(False))
    gate.do(Plan(episode_id='s-1', plan_seq=9, steps=(PICK_MUG,)))
    refused(gate, 'monitor.inactive')


def test_no_episode_is_running() -> None:
    gate = GateDriver()
    gate.do(Lifecycle(True))
    gate.do(Plan(episode_id='s-1', plan_seq=1, steps=(PICK_MUG, GOTO_DESK)))
    assert 'no episode' in refused(gate, 'episode.wrong').reason
    assert len(gate.verdicts()) == 2


def test_a_plan_of_another_episode(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, episode_id='s-7')
    assert "'s-7'" in refused(gate, 'episode.wrong').reason


def test_the_episode_is_being_ended(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    gate.end()
    gate.plan(GOTO_DESK)
    refused(gate, 'episode.ending')


@pytest.mark.parametrize('plan_seq', [0, 1])
def test_a_plan_that_is_not_newer(gate: GateDriver, plan_seq: int) -> None:
    gate.plan(step('fly(desk_1)'))
    gate.plan(PICK_MUG, plan_seq=plan_seq)
    refused(gate, 'plan.seq')


def test_a_plan_while_the_gate_is_held(gate: GateDriver) -> None:
    gate.hold()
    gate.plan(PICK_MUG, GOTO_DESK)
    assert refused(gate, 'monitor.held', 'HELD').reason == 'a person'
    assert len(gate.verdicts()) == 2


def test_a_plan_that_came_too_late(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK, valid_until=gate.now)
    refused(gate, 'plan.expired', 'EXPIRED')
    assert len(gate.verdicts()) == 2


def test_a_step_whose_turn_comes_after_the_plan_expired(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK, GOTO_DESK, valid_until=gate.now + SECOND)
    gate.now += SECOND
    gate.carry_out('holding(mug_1)', 'not hand_empty')
    refused(gate, 'plan.expired', 'EXPIRED')
    assert [v.decision.name for v in gate.verdicts()] == ['CONFIRMED', 'EXPIRED', 'EXPIRED']


def test_an_empty_plan(gate: GateDriver) -> None:
    gate.plan()
    refused(gate, 'plan.empty')


def test_a_plan_of_too_many_steps(gate: GateDriver) -> None:
    gate.plan(*[GOTO_DESK] * 101)
    refused(gate, 'plan.length')
    assert len(gate.verdicts()) == 101


def test_a_plan_based_on_an_observation_that_nobody_made(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, based_on_seq=2)
    refused(gate, 'plan.future')


def test_a_plan_on_an_older_observation_is_no_refusal(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, based_on_seq=0)
    assert gate.commands() == ['pick(mug_1, countertop_1)']


def test_running_on_where_the_environment_does_not_allow_it() -> None:
    gate = GateDriver(table=replace(home_table(), open_loop=False))
    gate.begin()
    gate.plan(PICK_MUG, run_on=True)
    refused(gate, 'plan.run_on')


# ---------------------------------------------------------------- its words


@pytest.mark.parametrize(
    ('text', 'rule'),
    [
        ('publish(cmd_vel, 50)', 'action.unknown'),
        ('heat(mug_1, fridge_1)', 'action.unknown'),
        ('Goto(desk_1)', 'action.unknown'),
        ('reset(desk_1, mug_1)', 'action.unknown'),
        ('goto()', 'action.arity'),
        ('pick(mug_1)', 'action.arity'),
        ('open(fridge_7)', 'object.unknown'),
        ('pick(apple, desk_1)', 'object.unknown'),
        ('goto(mug_1)', 'object.type'),
        ('pick(mug_1, apple_1)', 'object.type'),
    ],
)
def test_a_step_of_wrong_words_starts_no_step_of_its_plan(
    gate: GateDriver, text: str, rule: str
) -> None:
    gate.plan(PICK_MUG, step(text), GOTO_DESK)
    verdict = refused(gate, rule)
    assert [v.decision.name for v in gate.verdicts()] == ['DISCARDED', 'REFUSED', 'DISCARDED']
    assert text.split('(', maxsplit=1)[0] in verdict.reason


def test_an_action_that_the_bridge_does_not_take() -> None:
    gate = GateDriver()
    gate.begin(actions=(ActionInfo('pick'),))
    gate.plan(GOTO_DESK)
    refused(gate, 'action.not_taken')


def test_a_bridge_that_takes_an_action_no_more(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, GOTO_DESK)
    gate.do(bridge_info(actions=(ActionInfo('pick'),)))
    gate.carry_out('holding(mug_1)')
    refused(gate, 'action.not_taken')


def with_speed() -> GateDriver:
    """Drive a gate whose ``goto`` takes a speed of 0.1 to 1.5 m/s."""
    policy = ActionPolicy(numbers={'speed': NumberRange('m/s', 0.1, 1.5)})
    table = home_table()
    gate = GateDriver(table=replace(table, actions={**table.actions, 'goto': policy}))
    gate.begin()
    return gate


@pytest.mark.parametrize(
    ('numbers', 'rule'),
    [
        ([('speed', 50.0, 'm/s')], 'number.range'),
        ([('speed', 0.0, 'm/s')], 'number.range'),
        ([('speed', float('nan'), 'm/s')], 'number.not_finite'),
        ([('speed', float('inf'), 'm/s')], 'number.not_finite'),
        ([('speed', 1.0, 'km/h')], 'number.unit'),
        ([('force', 1.0, 'N')], 'number.undeclared'),
        ([('speed', 1.0, 'm/s'), ('speed', 1.2, 'm/s')], 'number.doubled'),
    ],
)
def test_a_number_that_is_not_allowed(numbers: list[tuple[str, float, str]], rule: str) -> None:
    gate = with_speed()
    gate.plan(replace(GOTO_DESK, numbers=tuple(Number(*number) for number in numbers)))
    refused(gate, rule)


def test_a_number_within_its_range_reaches_the_command() -> None:
    gate = with_speed()
    gate.plan(replace(GOTO_DESK, numbers=(Number('speed', 1.5, 'm/s'),)))
    assert gate.command().numbers == (Number('speed', 1.5, 'm/s'),)


@pytest.mark.parametrize(
    'expectation',
    [
        Expectation(ExpectationKind.FACTS),
        Expectation(ExpectationKind.FACTS, (Fact('shiny', ('mug_1',)),)),
        Expectation(ExpectationKind.FACTS, (Fact('in', ('mug_1',)),)),
        Expectation(ExpectationKind.FACTS, (Fact('clean', ('mug_1',), Value.UNKNOWN),)),
        Expectation(ExpectationKind.TEXT, (), ' ... '),
    ],
)
def test_an_expectation_that_could_not_fail(gate: GateDriver, expectation: Expectation) -> None:
    gate.plan(replace(GOTO_DESK, expectation=expectation))
    refused(gate, 'expectation.bad')


def test_the_wording_of_another_version_is_understood(gate: GateDriver) -> None:
    gate.plan(step('take(mug_1, countertop_1)'), step('goto(desk_1)'), step('move(mug_1, desk_1)'))
    assert gate.commands() == ['pick(mug_1, countertop_1)']
    assert gate.verdicts()[0].action == 'pick'
    gate.carry_out('holding(mug_1)', 'not hand_empty', 'not in(mug_1, countertop_1)')
    gate.carry_out('at(desk_1)', 'not at(countertop_1)')
    assert gate.commands() == ['put(mug_1, desk_1)']


def test_a_rule_that_raises_an_error_at_receipt_refuses(gate: GateDriver) -> None:
    gate.plan(PICK_MUG, PlanStep('goto', (['desk_1'],)))  # type: ignore[arg-type]
    assert 'TypeError' in refused(gate, 'rule.error').reason


def test_a_rule_that_raises_an_error_at_dispatch_refuses(
    gate: GateDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError('no such rule')

    monkeypatch.setattr(Admission, 'precondition', fail)
    gate.plan(PICK_MUG)
    assert 'no such rule' in refused(gate, 'rule.error').reason


# ---------------------------------------------------------------- the state of the world


def test_stale_sensor_input_is_not_trusted(gate: GateDriver) -> None:
    gate.now += 4 * SECOND
    gate.unchanged()
    gate.now += 2 * SECOND + SECOND // 10
    gate.plan(PICK_MUG)
    assert refused(gate, 'freshness.age').reason == 'observation age 2.1 s > 2.0 s'


def test_the_age_is_said_in_seconds() -> None:
    gate = GateDriver(replace(GateDriver().config, bridge_timeout=60.0))
    gate.begin()
    gate.wait(5.0)
    gate.plan(PICK_MUG)
    assert refused(gate, 'freshness.age').reason == 'observation age 5.0 s > 2.0 s'


def test_repeating_an_old_observation_makes_it_no_fresher(gate: GateDriver) -> None:
    gate.unchanged()
    gate.now += 3 * SECOND
    gate.seq -= 1
    gate.unchanged()
    assert gate.gate.counts['observation.old'] == 1
    gate.plan(PICK_MUG)
    refused(gate, 'freshness.age')


def test_a_missed_observation_makes_the_belief_stale_until_a_snapshot(gate: GateDriver) -> None:
    gate.seq += 1
    gate.seen('clean(mug_1)')
    gate.plan(PICK_MUG, GOTO_DESK)
    assert gate.verdicts() == []
    assert gate.commands() == []
    gate.wait(1.9)
    assert gate.verdicts() == []
    gate.wait(0.1)
    assert 'no snapshot' in refused(gate, 'freshness.stale').reason
    assert gate.said() == [(0, 'REFUSED', 'freshness.stale'), (1, 'DISCARDED', 'batch.ended')]


def test_a_precondition_that_is_false(gate: GateDriver) -> None:
    gate.plan(step('pick(mug_1, desk_1)'))
    verdict = refused(gate, 'precondition.false')
    assert Fact('in', ('mug_1', 'desk_1'), Value.FALSE) in verdict.facts
    assert Fact('at', ('desk_1',), Value.FALSE) in verdict.facts
    assert 'in(mug_1, desk_1) is false' in verdict.reason


def test_a_precondition_that_is_unknown_and_may_not_be_tried() -> None:
    table = home_table()
    pick = replace(table.actions['pick'], try_facts=())
    gate = GateDriver(table=replace(table, actions={**table.actions, 'pick': pick}))
    gate.begin('a goal', 'at(fridge_1)', 'not at(countertop_1)', 'open(fridge_1)')
    gate.plan(step('pick(apple_1, fridge_1)'))
    verdict = refused(gate, 'precondition.unknown')
    assert verdict.unknown_facts == (Fact('in', ('apple_1', 'fridge_1'), Value.UNKNOWN),)


def test_objects_come_from_observations_only(gate: GateDriver) -> None:
    assert dict(gate.gate.belief.objects) == OBJECTS
    gate.plan(step('goto(desk_2)'))
    refused(gate, 'object.unknown')


def test_a_table_that_does_not_fit_the_domain_is_no_gate() -> None:
    table = replace(home_table(), actions={'fly': ActionPolicy()})
    with pytest.raises(ValueError, match=r'actions\.fly: household has no such action'):
        Admission(household(), table)
