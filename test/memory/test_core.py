"""Memory: folds what it sees, joins topics in any order, and compares itself with the monitor."""

from dataclasses import replace
from itertools import permutations

import pytest

from sage_ros.contract.execution import Failure, Outcome, Status
from sage_ros.contract.judgement import Decision, Episode, Verdict
from sage_ros.contract.remembering import ContextRequest, ContextStatus, Transition
from sage_ros.memory.core import BeliefRequest, HoldRequest, MemoryCore
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import (
    ANY,
    Header,
    Observation,
    ObservationKind,
    Pattern,
    SceneObject,
)
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.facts import Fact, Value

E = 'e-1'
FIRST = Observation(
    Header(10),
    E,
    1,
    0,
    ObservationKind.SNAPSHOT,
    'e-1/reset',
    'You see a desk 1.',
    objects=(SceneObject('desk_1', 'desk'), SceneObject('mug_1', 'mug')),
    facts=(Fact('in', ('mug_1', 'desk_1')), Fact('hand_empty')),
    covers=(Pattern('at', (ANY,)), Pattern('in', (ANY, 'desk_1'))),
)
SECOND = Observation(
    Header(20),
    E,
    2,
    1,
    ObservationKind.DELTA,
    'c-1',
    'You arrive.',
    facts=(Fact('at', ('desk_1',)),),
)
THIRD = Observation(Header(30), E, 3, 2, ObservationKind.UNCHANGED)


def belief(*observations: Observation) -> Belief:
    result = Belief(episode_id=E)
    for observation in observations:
        result = fold(result, observation)
    return result


def verdict(decision: Decision, after: Belief, **more: object) -> Verdict:
    return replace(
        Verdict(
            episode_id=E,
            plan_seq=1,
            command_id='c-1',
            action='goto',
            args=('desk_1',),
            decision=decision,
            observation_seq=after.seq,
            belief_hash=after.hash,
        ),
        **more,
    )


ADMITTED = verdict(Decision.ADMITTED, belief(FIRST))
DONE = Outcome(Header(15), E, 'c-1', Status.DONE)
CONFIRMED = verdict(Decision.CONFIRMED, belief(FIRST, SECOND))


def memory(*events: Observation | Outcome | Verdict | Episode) -> MemoryCore:
    core = MemoryCore()
    for event in events:
        assert core.step(event, 0) == []
    return core


def test_folds_the_stream_as_the_monitor_does() -> None:
    core = memory(FIRST, SECOND, THIRD)
    reply = core.context(ContextRequest(E, 3))
    assert reply is not None
    assert reply.belief.belief() == belief(FIRST, SECOND, THIRD)
    assert reply.observation_text == 'You arrive.'


@pytest.mark.parametrize('order', list(permutations((ADMITTED, DONE, SECOND, CONFIRMED))))
def test_a_transition_is_joined_whatever_the_order_of_the_topics(order: tuple) -> None:
    reply = memory(FIRST, *order).context(ContextRequest(E, 2))
    assert reply is not None
    assert reply.transitions == (
        Transition(
            'goto',
            ('desk_1',),
            (),
            Status.DONE,
            Failure.NONE,
            '',
            'You arrive.',
            2,
            belief(FIRST).hash,
            belief(FIRST, SECOND).hash,
        ),
    )


def test_reported_success_without_the_effect_counts_as_failed() -> None:
    nothing = replace(SECOND, facts=(), text='')
    mismatch = verdict(Decision.MISMATCH, belief(FIRST, nothing), reason='at(desk_1) is false')
    reply = memory(FIRST, ADMITTED, DONE, nothing, mismatch).context(ContextRequest(E))
    assert reply is not None
    transition = reply.transitions[0]
    assert (transition.status, transition.failure) == (Status.FAILED, Failure.NO_EFFECT)
    assert transition.reason == 'at(desk_1) is false'
    assert reply.belief.belief().value(('at', 'desk_1')) is Value.FALSE


def test_only_the_last_transitions_are_given_if_asked() -> None:
    events: list[Observation | Outcome | Verdict] = [FIRST]
    for step in range(3):
        more = {'step': step, 'command_id': f'c-{step}', 'belief_hash': ''}
        events.append(verdict(Decision.ADMITTED, belief(FIRST), **more))
        events.append(Outcome(Header(), E, f'c-{step}', Status.FAILED, Failure.BLOCKED))
    core = memory(*events)
    everything = core.context(ContextRequest(E))
    last = core.context(ContextRequest(E, 0, 1))
    assert everything is not None
    assert last is not None
    assert len(everything.transitions) == 3
    assert last.transitions == everything.transitions[-1:]


def test_context_waits_for_the_observation_and_then_says_behind() -> None:
    core = memory(FIRST)
    assert core.context(ContextRequest(E, 2)) is None
    late = core.context(ContextRequest(E, 2), give_up=True)
    assert late is not None
    assert late.status is ContextStatus.BEHIND
    core.step(SECOND, 0)
    answer = core.context(ContextRequest(E, 2))
    assert answer is not None
    assert answer.status is ContextStatus.OK


def test_context_of_another_episode_is_refused() -> None:
    core = memory(FIRST)
    assert core.context(ContextRequest('e-2')) is None
    reply = core.context(ContextRequest('e-2'), give_up=True)
    assert reply is not None
    assert reply.status is ContextStatus.NO_EPISODE
    core.step(replace(FIRST, episode_id='e-2'), 0)
    past = core.context(ContextRequest(E))
    assert past is not None
    assert past.status is ContextStatus.NO_EPISODE


def test_late_messages_of_a_past_episode_change_nothing() -> None:
    core = memory(FIRST, replace(FIRST, episode_id='e-2'))
    assert core.step(SECOND, 0) == []
    assert core.step(Episode(episode_id=E), 0) == []
    assert core.belief.episode_id == 'e-2'


def test_difference_from_the_monitor_asks_for_a_hold_once() -> None:
    core = memory(FIRST)
    wrong = replace(ADMITTED, belief_hash='0' * 32)
    (effect,) = core.step(wrong, 0)
    assert isinstance(effect, HoldRequest)
    assert 'observation 1' in effect.reason
    assert core.step(wrong, 0) == []


def test_verdict_ahead_of_the_stream_is_compared_when_it_is_reached() -> None:
    core = memory(FIRST)
    assert core.step(replace(CONFIRMED, belief_hash='0' * 32), 0) == []
    (effect,) = core.step(SECOND, 0)
    assert isinstance(effect, HoldRequest)


def test_doubled_observation_changes_nothing() -> None:
    core = memory(FIRST, SECOND, SECOND, FIRST)
    assert core.belief == belief(FIRST, SECOND)


def test_after_a_gap_the_monitors_belief_is_taken_and_folded_on() -> None:
    core = memory(FIRST)
    (effect,) = core.step(THIRD, 0)
    assert isinstance(effect, BeliefRequest)
    assert core.context(ContextRequest(E)) is None
    core.adopt(BeliefRecord.of(belief(FIRST, SECOND)))
    assert core.belief == belief(FIRST, SECOND, THIRD)
    assert core.context(ContextRequest(E, 3)) is not None


def test_restarted_memory_asks_until_it_is_answered() -> None:
    core = MemoryCore()
    second = 1_000_000_000
    assert core.step(Episode(episode_id=E), 0) == []
    (first,) = core.step(THIRD, 0)
    assert isinstance(first, BeliefRequest)
    assert core.step(replace(THIRD, seq=4, base_seq=3), second // 2) == []
    (again,) = core.step(replace(THIRD, seq=5, base_seq=4), 2 * second)
    assert isinstance(again, BeliefRequest)
    core.adopt(BeliefRecord.of(belief(FIRST, SECOND)))
    assert core.belief.seq == 5
    assert core.step(verdict(Decision.CONFIRMED, core.belief), 3 * second) == []


def test_belief_of_another_episode_or_of_a_false_hash_is_not_taken() -> None:
    core = memory(FIRST)
    core.adopt(BeliefRecord.of(Belief(episode_id='e-9')))
    assert core.belief == belief(FIRST)
    record = replace(BeliefRecord.of(belief(FIRST, SECOND)), hash='0' * 32)
    with pytest.raises(ValueError, match='hash'):
        core.adopt(record)
