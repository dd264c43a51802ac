"""Predictions: kept while nothing can be seen, dropped as soon as something can."""

from sage_ros.contract.execution import Status
from sage_ros.contract.remembering import Transition
from sage_ros.planning.predictions import Predictions
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Observation, ObservationKind
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.state import Difference, GroundAction

TOGGLE = GroundAction('toggle', ('microwave_1',))
HOT = ('hot', 'egg_1')
CHANGE = Difference(frozenset((('on', 'microwave_1'), HOT)), frozenset())
BELIEF = fold(
    Belief(),
    Observation(seq=5, facts=(Fact('on', ('microwave_1',)),), kind=ObservationKind.SNAPSHOT),
)


def transition(status: Status = Status.DONE) -> tuple[Transition, ...]:
    return (Transition('toggle', ('microwave_1',), status=status, observation_seq=5),)


def predicted() -> Predictions:
    predictions = Predictions()
    predictions.propose([(TOGGLE, CHANGE)])
    predictions.notice(BELIEF, transition(), frozenset(('microwave_1',)))
    return predictions


def test_what_is_out_of_sight_stands_and_what_was_seen_does_not() -> None:
    assert predicted().values == {HOT: Value.TRUE}


def test_prediction_ends_when_its_thing_comes_into_sight() -> None:
    predictions = predicted()
    predictions.notice(BELIEF, transition(), frozenset(('egg_1',)))
    assert predictions.values == {}


def test_observation_wins() -> None:
    predictions = predicted()
    cold = Observation(
        seq=6,
        base_seq=5,
        facts=(Fact('hot', ('egg_1',), Value.FALSE),),
        kind=ObservationKind.DELTA,
    )
    predictions.notice(fold(BELIEF, cold), transition(), frozenset())
    assert predictions.values == {}


def test_failed_or_foreign_steps_predict_nothing() -> None:
    predictions = Predictions()
    predictions.propose([(TOGGLE, CHANGE)])
    predictions.notice(BELIEF, transition(Status.FAILED), frozenset())
    assert predictions.values == {}
    predictions.propose([(GroundAction('open', ('microwave_1',)), CHANGE)])
    predictions.notice(BELIEF, (*transition(), *transition()), frozenset())
    assert predictions.values == {}
