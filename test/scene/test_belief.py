"""The belief: what one observation does to it."""

import pytest

from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Header, Observation, ObservationKind, Pattern, SceneObject
from sage_ros.symbols.facts import Fluent, Value, parse_fact

START = Belief(episode_id='e')
THINGS = (SceneObject('mug_1', 'mug'), SceneObject('desk_1', 'desk'))


def observation(seq: int, *texts: str, **changes: object) -> Observation:
    """Make a delta that follows the one before."""
    content: dict[str, object] = {
        'header': Header(seq * 100),
        'kind': ObservationKind.DELTA,
        'base_seq': seq - 1,
        'facts': tuple(map(parse_fact, texts)),
        **changes,
    }
    return Observation(episode_id='e', seq=seq, **content)


def snapshot(seq: int, *texts: str, **changes: object) -> Observation:
    """Make a snapshot of a mug and a desk."""
    content = {'kind': ObservationKind.SNAPSHOT, 'objects': THINGS, **changes}
    return observation(seq, *texts, **content)


def value(belief: Belief, text: str) -> Value:
    """Look up an atom written as text."""
    return belief.value(parse_fact(text).atom)


def test_what_is_not_covered_is_unknown() -> None:
    belief = fold(START, snapshot(1, 'in(mug_1, desk_1)', 'not clean(mug_1)'))
    assert value(belief, 'in(mug_1, desk_1)') is Value.TRUE
    assert value(belief, 'clean(mug_1)') is Value.FALSE
    assert value(belief, 'hot(mug_1)') is Value.UNKNOWN


def test_what_is_covered_and_not_listed_is_false() -> None:
    belief = fold(START, snapshot(1, 'in(mug_1, desk_1)', covers=(Pattern('in', ('', 'desk_1')),)))
    assert value(belief, 'in(apple_1, desk_1)') is Value.FALSE
    assert value(belief, 'in(apple_1, shelf_1)') is Value.UNKNOWN
    belief = fold(belief, observation(2, covers=(Pattern('in', ('mug_1', '')),)))
    assert value(belief, 'in(mug_1, desk_1)') is Value.FALSE
    assert value(belief, 'in(mug_1, shelf_1)') is Value.FALSE
    assert belief.covered(('in', 'mug_1', ''))
    assert not belief.covered(('in', '', ''))


def test_what_is_not_covered_persists_with_its_age() -> None:
    belief = fold(START, snapshot(1, 'clean(mug_1)'))
    belief = fold(belief, observation(2, 'hot(mug_1)'))
    entry = belief.entry(('clean', 'mug_1'))
    assert entry is not None
    assert (entry.seq, entry.stamp) == (1, 100)
    assert belief.seq == 2


def test_a_later_snapshot_is_folded_like_any_other_observation() -> None:
    belief = fold(START, snapshot(1, 'clean(mug_1)'))
    assert value(fold(belief, snapshot(2)), 'clean(mug_1)') is Value.TRUE


def test_an_unknown_fact_is_forgotten_knowledge() -> None:
    belief = fold(START, snapshot(1, 'clean(mug_1)', covers=(Pattern('clean', ('',)),)))
    belief = fold(belief, observation(2, 'unknown clean(mug_1)'))
    assert value(belief, 'clean(mug_1)') is Value.UNKNOWN
    assert value(belief, 'clean(desk_1)') is Value.FALSE


def test_what_is_gone_is_gone_with_all_that_is_said_of_it() -> None:
    belief = fold(
        START,
        snapshot(
            1,
            'in(mug_1, desk_1)',
            'clean(mug_1)',
            covers=(Pattern('in', ('mug_1', '')),),
            fluents=(Fluent('heat', ('mug_1',), 2.0, 's'),),
        ),
    )
    belief = fold(belief, observation(2, gone=('mug_1', 'never_seen')))
    assert dict(belief.objects) == {'desk_1': 'desk'}
    assert value(belief, 'in(mug_1, desk_1)') is Value.UNKNOWN
    assert not belief.fluents
    assert belief.digest == fold(START, snapshot(1, objects=(THINGS[1],))).digest


def test_unchanged_changes_only_number_and_flags() -> None:
    before = fold(START, snapshot(1, 'clean(mug_1)'))
    after = fold(before, observation(2, kind=ObservationKind.UNCHANGED, env_done=True, score=0.5))
    assert (after.seq, after.stamp, after.env_done, after.score) == (2, 200, True, 0.5)
    assert after.facts is before.facts
    assert after.hash == before.hash


@pytest.mark.parametrize('seq', [1, 2])
def test_an_observation_that_is_not_newer_changes_nothing(seq: int) -> None:
    belief = fold(fold(START, snapshot(1)), observation(2, 'clean(mug_1)'))
    assert fold(belief, observation(seq, 'not clean(mug_1)')) is belief


def test_an_observation_of_another_episode_changes_nothing() -> None:
    other = Observation(episode_id='x', seq=1)
    assert fold(START, other) is START


def test_a_gap_makes_the_belief_stale_until_a_snapshot() -> None:
    belief = fold(START, snapshot(1))
    belief = fold(belief, observation(3, 'clean(mug_1)'))
    assert belief.stale
    assert value(belief, 'clean(mug_1)') is Value.TRUE
    belief = fold(belief, observation(4))
    assert belief.stale
    belief = fold(belief, snapshot(7))
    assert not belief.stale


def test_an_observation_that_comes_after_a_newer_one_is_left_out() -> None:
    belief = fold(fold(START, snapshot(1)), observation(3))
    assert fold(belief, observation(2, 'clean(mug_1)')) is belief
    assert belief.stale


def test_an_object_may_turn_out_to_be_of_another_type() -> None:
    belief = fold(START, snapshot(1))
    belief = fold(belief, observation(2, objects=(SceneObject('mug_1', 'cup'),)))
    things = (SceneObject('mug_1', 'cup'), THINGS[1])
    assert belief.hash == fold(START, snapshot(1, objects=things)).hash


def test_lists_are_in_a_stable_order() -> None:
    covers = (Pattern('in', ('', 'desk_1')), Pattern('at', ('',)))
    one = fold(START, snapshot(1, 'hot(mug_1)', 'clean(mug_1)', 'clean(desk_1)', covers=covers))
    two = fold(
        START, snapshot(1, 'clean(desk_1)', 'clean(mug_1)', 'hot(mug_1)', covers=covers[::-1])
    )
    assert one.all_facts() == two.all_facts()
    assert one.all_closed() == two.all_closed()
    assert one.hash == two.hash
    assert set(one.true_atoms('clean')) == {('clean', 'mug_1'), ('clean', 'desk_1')}
    assert len(list(one.true_atoms())) == 3
