"""Lookahead and dry runs on the gate's belief."""

from itertools import count

from gate_driver import GOTO_DESK, MUG_IN_HAND, PICK_MUG, PUT_MUG, GateDriver, facts, step

from sage_ros.contract.requests import CheckPlanRequest, ProjectRequest, QueryStatus
from sage_ros.monitoring.queries import check_plan, project
from sage_ros.symbols.facts import Fact, Value


def test_the_actions_that_apply_now_are_listed_with_their_changes(gate: GateDriver) -> None:
    reply = project(gate.gate, ProjectRequest())
    assert (reply.status, reply.observation_seq) == (QueryStatus.OK, 1)
    found = {(p.action, *p.args): p for p in reply.projections}
    pick = found['pick', 'mug_1', 'countertop_1']
    assert set(pick.changes) == set(facts(*MUG_IN_HAND))
    assert pick.unknown_facts == ()
    assert ('goto', 'countertop_1') not in found
    assert ('pick', 'mug_1', 'desk_1') not in found
    assert all(p.action != 'clean' for p in reply.projections)


def test_what_could_be_tried_is_listed_with_what_is_unknown() -> None:
    gate = GateDriver()
    gate.begin('a goal', 'at(fridge_1)', 'not at(countertop_1)', 'open(fridge_1)')
    found = {(p.action, *p.args): p for p in project(gate.gate, ProjectRequest()).projections}
    tried = found['pick', 'apple_1', 'fridge_1'].unknown_facts
    assert tried == facts('unknown in(apple_1, fridge_1)')


def test_a_projection_is_bounded_in_number_and_time(gate: GateDriver) -> None:
    reply = project(gate.gate, ProjectRequest(limit=2))
    assert (reply.status, len(reply.projections)) == (QueryStatus.TRUNCATED, 2)
    ticks = count()
    reply = project(gate.gate, ProjectRequest(), clock=lambda: next(ticks) * 0.15)
    assert (reply.status, reply.reason) == (QueryStatus.TRUNCATED, 'stopped after 0.2 s')


def test_a_question_changes_nothing_and_waits_for_no_step(gate: GateDriver) -> None:
    gate.plan(PICK_MUG)
    assert project(gate.gate, ProjectRequest()).status is QueryStatus.BUSY
    assert check_plan(gate.gate, CheckPlanRequest((GOTO_DESK,))).status is QueryStatus.BUSY
    gate.carry_out(*MUG_IN_HAND)
    before = gate.gate.belief
    assert project(gate.gate, ProjectRequest()).status is QueryStatus.OK
    assert gate.gate.belief is before
    gate.end()
    assert project(gate.gate, ProjectRequest()).status is QueryStatus.NO_EPISODE


def test_a_plan_that_would_work(gate: GateDriver) -> None:
    reply = check_plan(gate.gate, CheckPlanRequest((PICK_MUG, GOTO_DESK, PUT_MUG)))
    assert (reply.status, reply.step, reply.reason) == (QueryStatus.OK, -1, '')


def test_a_step_that_breaks_a_later_one_is_named_with_the_fact() -> None:
    gate = GateDriver()
    gate.begin(
        'a goal', 'at(fridge_1)', 'not at(countertop_1)', 'open(fridge_1)', 'holding(apple_1)'
    )
    steps = (step('look()'), step('close(fridge_1)'), step('put(apple_1, fridge_1)'))
    reply = check_plan(gate.gate, CheckPlanRequest(steps))
    assert (reply.step, reply.broken_by, reply.rule_id) == (2, 1, 'precondition.false')
    assert Fact('open', ('fridge_1',), Value.FALSE) in reply.facts


def test_a_step_that_never_applied_is_broken_by_nobody(gate: GateDriver) -> None:
    reply = check_plan(gate.gate, CheckPlanRequest((GOTO_DESK, PUT_MUG)))
    assert (reply.step, reply.broken_by) == (1, -1)


def test_a_plan_of_wrong_words_is_refused_at_its_step(gate: GateDriver) -> None:
    reply = check_plan(gate.gate, CheckPlanRequest((GOTO_DESK, step('open(fridge_7)'))))
    assert (reply.step, reply.rule_id) == (1, 'object.unknown')
    reply = check_plan(gate.gate, CheckPlanRequest((GOTO_DESK,) * 101))
    assert (reply.step, reply.rule_id) == (0, 'plan.length')


def test_other_names_of_actions_are_understood(gate: GateDriver) -> None:
    steps = (step('take(mug_1, countertop_1)'), GOTO_DESK, step('move(mug_1, desk_1)'))
    assert check_plan(gate.gate, CheckPlanRequest(steps)).step == -1
