"""Expectations: normalised text and facts in three values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.contract.plan import Expectation, ExpectationKind
from sage_ros.monitoring.matching import compare, compare_facts, failure_phrase, normalise
from sage_ros.symbols.facts import Atom, Fact, Value

ATOMS: list[Atom] = [('clean', 'mug_1'), ('in', 'mug_1', 'desk_1'), ('hand_empty',)]


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('You pick up the  Mug 1, from the desk 1.', 'you pick up mug 1 from desk 1'),
        ('On a desk: AN apple!', 'on desk apple'),
        (' \n', ''),
        ('Thermos', 'thermos'),
    ],
)
def test_only_words_count(text: str, words: str) -> None:
    assert normalise(text) == words


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


values = st.sampled_from(Value)


@given(st.lists(st.tuples(st.sampled_from(ATOMS), st.booleans()), min_size=1), st.data())
def test_facts_are_compared_in_three_values(wanted: list, data: st.DataObject) -> None:
    known = {atom: data.draw(values) for atom in ATOMS}
    match = compare_facts([Fact.of(a, Value(v)) for a, v in wanted], known.__getitem__)
    false = any(known[a] is not Value.UNKNOWN and known[a] != v for a, v in wanted)
    unknown = any(known[a] is Value.UNKNOWN for a, v in wanted)
    assert match.value is (Value.FALSE if false else Value.UNKNOWN if unknown else Value.TRUE)
    assert all(fact.value is known[fact.atom] for fact in (*match.facts, *match.unknown_facts))
    assert bool(match.unknown_facts) == unknown


def test_a_text_that_differs_cannot_tell() -> None:
    expected = Expectation(ExpectationKind.TEXT, (), 'You open the fridge')
    assert compare(expected, lambda _: Value.UNKNOWN, 'you open fridge.').value is Value.TRUE
    match = compare(expected, lambda _: Value.UNKNOWN, 'x' * 500)
    assert match.value is Value.UNKNOWN
    assert len(match.reason) < 300


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        ('Nothing happens.', True),
        ('You wait. NOTHING   happens', True),
        ('Nothing much happens', False),
        ('', False),
    ],
)
def test_a_phrase_of_failure_is_found_as_words(text: str, found: bool) -> None:
    phrase = failure_phrase(('nothing happens',), Expectation(), text)
    assert phrase == ('nothing happens' if found else None)


def test_a_phrase_of_failure_that_was_expected_is_none() -> None:
    expected = Expectation(ExpectationKind.TEXT, (), 'Nothing happens!')
    assert failure_phrase(('nothing happens',), expected, 'Nothing happens.') is None
