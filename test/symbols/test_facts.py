import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.symbols.facts import (
    Fact,
    Value,
    format_atom,
    kleene_and,
    kleene_not,
    kleene_or,
    parse_atom,
    parse_fact,
)

names = st.from_regex(r'[a-z][a-z0-9_]*', fullmatch=True)
atoms = st.lists(names, min_size=1, max_size=4).map(tuple)
values = st.sampled_from(Value)


@given(atoms)
def test_atoms_survive_print_and_parse(atom):
    assert parse_atom(format_atom(atom)) == atom


@given(atoms, values)
def test_facts_survive_print_and_parse(atom, value):
    fact = Fact.of(atom, value)
    assert parse_fact(str(fact)) == fact
    assert fact.atom == atom


@pytest.mark.parametrize(
    ('text', 'atom'),
    [
        ('in(mug_1, desk_1)', ('in', 'mug_1', 'desk_1')),
        ('  in( mug_1,desk_1 ) ', ('in', 'mug_1', 'desk_1')),
        ('hand_empty()', ('hand_empty',)),
        ('hand_empty', ('hand_empty',)),
    ],
)
def test_atoms_are_read(text, atom):
    assert parse_atom(text) == atom


@pytest.mark.parametrize(
    'text', ['', 'in(mug_1', 'in(a,,b)', 'in(a b)', 'in(a) b', '(a)', 'in((a))']
)
def test_what_is_no_atom_is_refused_and_quoted(text):
    with pytest.raises(ValueError, match='not an atom') as caught:
        parse_atom(text)
    assert repr(text) in str(caught.value)


def completions(value):
    return [Value.FALSE, Value.TRUE] if value is Value.UNKNOWN else [value]


@given(values, values)
def test_connectives_agree_with_all_completions(left, right):
    pairs = [(a, b) for a in completions(left) for b in completions(right)]
    for kleene, classical in (
        (kleene_and([left, right]), [Value(a and b) for a, b in pairs]),
        (kleene_or([left, right]), [Value(a or b) for a, b in pairs]),
        (kleene_not(left), [Value(not a) for a, _ in pairs]),
    ):
        assert kleene is (classical[0] if len(set(classical)) == 1 else Value.UNKNOWN)
