"""Journal entries give back the inputs that they were made of."""

from dataclasses import replace
from typing import get_args

import pytest

from sage_ros.contract.execution import Admissible, BridgeInfo, Outcome, Status
from sage_ros.contract.journal import (
    Conflict,
    Event,
    JournalEntry,
    JournalKind,
    Lifecycle,
    Tick,
)
from sage_ros.contract.judging import Judgement, JudgeReply
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, Hold, SetGoal
from sage_ros.scene.observation import Header, Observation, ObservationKind
from sage_ros.symbols.facts import Fact

EVENTS: list[Event] = [
    Plan(plan_seq=3, steps=(PlanStep('goto', ('desk_1',)),)),
    Outcome(command_id='e/1/0', status=Status.DONE),
    Observation(seq=4, kind=ObservationKind.DELTA, facts=(Fact('hand_empty'),)),
    Admissible(seq=4, actions=('look',)),
    BridgeInfo(environment='home'),
    JudgeReply(command_id='e/1/0', judgement=Judgement.HOLDS),
    BeginEpisode('a goal', 'home', 'kitchen', 7),
    SetGoal('e', (Fact('clean', ('mug_1',)),)),
    EndEpisode('e', EndCause.CANCELLED, 'enough'),
    Hold(True, 'a person'),
    Hold(False),
    Tick(),
    Lifecycle(True),
    Lifecycle(False),
    Conflict(('/a', '/b')),
    Conflict(),
]


def test_every_kind_of_input_is_among_the_examples() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))
    assert {JournalEntry.of(e, 's', 1, 0).kind for e in EVENTS} == set(JournalKind)


@pytest.mark.parametrize('event', EVENTS, ids=repr)
def test_an_entry_gives_its_input_back(event: Event) -> None:
    entry = JournalEntry.of(event, 'session', 9, 77)
    assert entry.event == event
    assert (entry.session_id, entry.seq, entry.handled_at) == ('session', 9, 77)
    assert entry.header == Header(77)


def test_an_entry_without_what_its_kind_names_is_an_error() -> None:
    entry = replace(JournalEntry.of(EVENTS[0], 's', 9, 0), plan=())
    with pytest.raises(ValueError, match='journal entry 9: no PLAN in it'):
        _ = entry.event
