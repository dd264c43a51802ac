from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.goals import Goal, assignment, bindings, check, holds, parse_goal
from sage_ros.symbols.model import PddlModel, State
from sage_ros.symbols.pddl_reader import read_domain

DOMAIN = read_domain(Path(__file__).parents[2] / 'config' / 'domains' / 'household.pddl')
OBJECTS = {'mug_1': 'mug', 'mug_2': 'mug', 'apple_1': 'apple', 'desk_1': 'desk', 'bed_1': 'bed'}
MODEL = PddlModel(DOMAIN, OBJECTS)
ATOMS = [
    *(('in', o, r) for o in ('mug_1', 'mug_2', 'apple_1') for r in ('desk_1', 'bed_1')),
    *(('clean', o) for o in OBJECTS),
    ('hand_empty',),
]
GOALS = [
    'clean(?o:mug), in(?o, ?r:desk)',
    'in(?a:mug, ?r:desk), in(?b:mug, ?r)',
    'in(?a:mug, desk_1), not clean(?a), not hand_empty',
    'in(?x, ?y), clean(?x), not clean(?y)',
    'hand_empty, clean(mug_1)',
    'in(?a, ?r), in(?b, ?r), in(?c, ?r)',
    'not clean(?o:apple)',
    'clean(?p:pillow)',
]
lookups = st.fixed_dictionaries({atom: st.sampled_from(Value) for atom in ATOMS})


@pytest.mark.parametrize('text', GOALS)
def test_goals_survive_print_and_parse(text):
    goal = parse_goal(text)
    assert parse_goal(str(goal)) == goal
    assert parse_goal(text.replace('), ', ') and ')) == goal


@pytest.mark.parametrize(
    'text',
    [
        'clean(a), in(a, b)',
        'clean(a) and in(a, b)',
        'clean(a), and in(a,b)',
        ' clean( a ) ,in(a,b),',
    ],
)
def test_commas_and_words_join_facts(text):
    assert parse_goal(text) == Goal((Fact('clean', ('a',)), Fact('in', ('a', 'b'))))


def test_a_name_with_and_in_it_is_not_split():
    assert parse_goal('in(candle_1, handtowelholder_1)').facts[0].args[0] == 'candle_1'


@pytest.mark.parametrize('text', ['', '  ', ',', 'in(a', 'clean(a) in(a, b)'])
def test_bad_goals_are_refused(text):
    with pytest.raises(ValueError, match=r'an empty goal|not an atom'):
        parse_goal(text)


def test_a_domain_gives_variables_their_types():
    goal = parse_goal('in(?o, ?r), clean(?o:mug), on(?x)', DOMAIN)
    assert goal.variables == {'?o': 'mug', '?r': 'receptacle', '?x': 'object'}
    assert str(goal) == 'in(?o:mug, ?r:receptacle), clean(?o:mug), on(?x)'


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('in(mug_9, desk_1)', "unknown object 'mug_9'"),
        ('inside(mug_1, desk_1)', 'unknown predicate'),
        ('in(mug_1)', '1 arguments, 2 are needed'),
        ('in(desk_1, mug_1)', 'of type desk, not item'),
        ('in(?o:desk, desk_1)', 'of type desk, not item'),
        ('clean(?o:mugg)', "unknown type 'mugg'"),
        ('clean(?o:mug), in(?o:apple, desk_1)', 'of type mug elsewhere'),
        ('clean(?)', 'bad variable'),
        ('unknown clean(mug_1)', 'true or false'),
        ('clean(?o:mug), not clean(?o)', 'wants its opposite as well'),
    ],
)
def test_a_wrong_goal_is_explained(text, words):
    (problem,) = check(parse_goal(text), DOMAIN, OBJECTS)
    assert words in problem


@pytest.mark.parametrize('text', GOALS)
def test_good_goals_have_no_errors(text):
    assert check(parse_goal(text), DOMAIN, OBJECTS) == []
    assert check(Goal(), DOMAIN, OBJECTS) == ['the goal has no facts']


def test_a_goal_that_is_too_large_is_refused():
    facts = ', '.join(f'clean(?o{i}:mug)' for i in range(9))
    (problem,) = check(parse_goal(facts), DOMAIN, OBJECTS)
    assert problem == (
        'the goal is too large: 9 facts with 9 variables, at most 32 with 8 are taken'
    )
    (problem,) = check(parse_goal('clean(mug_1), ' * 33), DOMAIN, OBJECTS)
    assert 'too large: 33 facts' in problem


@pytest.mark.parametrize(
    ('rest', 'value'),
    [('hot(?h)', Value.FALSE), ('in(?g, ?r:bed), in(?h, ?r)', Value.UNKNOWN)],
)
def test_no_goal_takes_for_ever(rest, value):
    objects = {f'mug_{i}': 'mug' for i in range(60)} | {'desk_1': 'desk', 'bed_1': 'bed'}
    true = {('clean', name) for name in objects} | {('in', 'mug_1', 'bed_1')}
    goal = parse_goal(f'{", ".join(f"clean(?o{i}:mug)" for i in range(5))}, {rest}', DOMAIN)
    asked = 0

    def lookup(atom):
        nonlocal asked
        asked += 1
        return Value(atom in true)

    assert holds(goal, lookup, objects, DOMAIN.types) is value
    assert asked <= 400_000


def brute(goal, lookup):
    """Try all assignments of different objects."""
    variables = goal.variables
    worst = Value.FALSE
    for chosen in permutations(OBJECTS, len(variables)):
        assignment = dict(zip(variables, chosen, strict=True))
        if not all(DOMAIN.types.is_a(OBJECTS[assignment[v]], t) for v, t in variables.items()):
            continue
        facts = goal.ground(assignment)
        found = [lookup(fact.atom) for fact in facts]
        if all(v is f.value for v, f in zip(found, facts, strict=True)):
            return Value.TRUE
        if all(v in (f.value, Value.UNKNOWN) for v, f in zip(found, facts, strict=True)):
            worst = Value.UNKNOWN
    return worst


@given(st.sampled_from(GOALS), lookups)
def test_a_goal_holds_if_some_assignment_makes_it_true(text, known):
    goal = parse_goal(text, DOMAIN)

    def lookup(atom):
        return known.get(atom, Value.FALSE)

    assert holds(goal, lookup, OBJECTS, DOMAIN.types) is brute(goal, lookup)
    found = assignment(goal, lookup, OBJECTS, DOMAIN.types)
    assert (found is not None) is (brute(goal, lookup) is Value.TRUE)
    if found is not None:
        assert all(lookup(fact.atom) is fact.value for fact in goal.ground(found))
    state = State([a for a, v in known.items() if v is Value.TRUE], OBJECTS)
    assert MODEL.goal(state, goal) is (brute(goal, state.value) is Value.TRUE)


def test_assignments_respect_types_and_differ():
    goal = parse_goal('in(?a:mug, ?r:desk), in(?b:mug, ?r)')
    assert list(bindings(goal, OBJECTS, DOMAIN.types)) == [
        {'?a': 'mug_1', '?r': 'desk_1', '?b': 'mug_2'},
        {'?a': 'mug_2', '?r': 'desk_1', '?b': 'mug_1'},
    ]
    assert list(bindings(parse_goal('hand_empty'), OBJECTS, DOMAIN.types)) == [{}]
    assert list(bindings(parse_goal('clean(?p:pillow)'), OBJECTS, DOMAIN.types)) == []
