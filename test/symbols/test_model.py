import random
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.formula import And, Equals, Exists, Literal, Not, Or
from sage_ros.symbols.model import GroundAction, PddlModel, State
from sage_ros.symbols.pddl_reader import read_domain

DOMAIN = read_domain(Path(__file__).parents[2] / 'config' / 'domains' / 'household.pddl')
OBJECTS = {
    'desk_1': 'desk',
    'fridge_1': 'fridge',
    'sinkbasin_1': 'sinkbasin',
    'microwave_1': 'microwave',
    'mug_1': 'mug',
    'apple_1': 'apple',
    'knife_1': 'knife',
    'cloth_1': 'cloth',
    'desklamp_1': 'desklamp',
}
MODEL = PddlModel(DOMAIN, OBJECTS)
PLACES = [o for o in OBJECTS if DOMAIN.types.is_a(OBJECTS[o], 'receptacle')]
ITEMS = [o for o in OBJECTS if DOMAIN.types.is_a(OBJECTS[o], 'item')]


def of_type(name):
    return DOMAIN.types.select(OBJECTS, name)


ATOMS = [
    (name, *args)
    for name, signature in DOMAIN.predicates.items()
    for args in product(*map(of_type, signature))
]
ACTIONS = [
    GroundAction(name, args)
    for name, schema in DOMAIN.actions.items()
    for args in product(*(of_type(p.type) for p in schema.parameters))
]
# Any set of atoms is a state of the model, however odd the household.
odd_states = st.sets(st.sampled_from(ATOMS), max_size=30).map(lambda a: State(a, OBJECTS))
actions = st.sampled_from(ACTIONS)


@st.composite
def sane_states(draw):
    """States that a household can be in, and that allow many actions."""
    held = draw(st.sampled_from([None, *ITEMS[:-1]]))
    atoms = {('at', draw(st.sampled_from(PLACES)))}
    atoms.add(('hand_empty',) if held is None else ('holding', held))
    for item in ITEMS:
        if item != held:
            atoms.add(('in', item, draw(st.sampled_from(PLACES))))
    for name in ('fridge_1', 'microwave_1'):
        atoms |= {('openable', name)} | ({('open', name)} if draw(st.booleans()) else set())
    for extra in (('on', 'sinkbasin_1'), ('on', 'microwave_1'), ('cool', 'apple_1')):
        if draw(st.booleans()):
            atoms.add(extra)
    return State(atoms, OBJECTS)


states = st.one_of(odd_states, sane_states())


def true(formula, binding, atoms):
    """Evaluate without the code under test."""
    match formula:
        case Literal(predicate, terms):
            return (predicate, *(binding.get(t, t) for t in terms)) in atoms
        case Equals(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Not(body):
            return not true(body, binding, atoms)
        case And(parts):
            return all(true(p, binding, atoms) for p in parts)
        case Or(parts):
            return any(true(p, binding, atoms) for p in parts)
        case Exists(variables, body):
            return any(true(body, b, atoms) for b in ground(variables, binding))
    raise AssertionError(formula)


def ground(variables, binding):
    for chosen in product(*(of_type(v.type) for v in variables)):
        yield {**binding, **dict(zip([v.name for v in variables], chosen, strict=True))}


def bound(action):
    schema = DOMAIN.actions[action.name]
    return schema, dict(zip([p.name for p in schema.parameters], action.args, strict=True))


def can(action, atoms):
    schema, binding = bound(action)
    return true(schema.precondition, binding, atoms)


def execute(action, atoms):
    """Execute by the letter of PDDL: conditions first, then deletes, then adds."""
    schema, binding = bound(action)
    added, deleted = set(), set()
    for effect in schema.effects:
        for scope in ground(effect.forall, binding):
            if true(effect.condition, scope, atoms):
                added |= {x.ground(scope) for x in effect.add}
                deleted |= {x.ground(scope) for x in effect.delete}
    return (frozenset(atoms) - deleted) | added


@given(states)
def test_applicable_actions_are_all_that_can_be_done(state):
    found = MODEL.applicable(state)
    assert len(set(found)) == len(found)
    assert set(found) == {action for action in ACTIONS if can(action, state.atoms)}
    assert found == MODEL.applicable(State(sorted(state.atoms, reverse=True), OBJECTS))


@given(states, actions)
def test_a_single_action_is_judged_like_the_list(state, action):
    possible = can(action, state.atoms)
    assert MODEL.applies(state, action) is Value(possible)
    facts = MODEL.explain(state, action)
    assert all(fact.value is state.value(fact.atom) for fact in facts)
    if possible:
        assert not facts
    else:
        assert facts or types_forbid(action)
        with pytest.raises(ValueError, match='cannot be done'):
            MODEL.project(state, action)


def types_forbid(action):
    """Tell whether no state at all allows an action."""
    switches = ('sinkbasin', 'microwave', 'desklamp')
    return action.name == 'toggle' and OBJECTS[action.args[0]] not in switches


@given(sane_states(), st.data())
def test_a_projection_equals_the_execution(state, data):
    for _ in range(3):
        action = data.draw(st.sampled_from(MODEL.applicable(state)))
        difference = MODEL.project(state, action)
        after = MODEL.advance(state, action)
        assert after.atoms == execute(action, state.atoms)
        assert difference.added == after.atoms - state.atoms
        assert difference.deleted == state.atoms - after.atoms
        state = after


@given(sane_states(), st.data())
def test_the_hash_follows_the_changes(state, data):
    assert state.digest >= 0
    for _ in range(4):
        state = MODEL.advance(state, data.draw(st.sampled_from(MODEL.applicable(state))))
        assert state.digest == State(state.atoms, OBJECTS).digest


@given(states, states)
def test_hashes_are_equal_for_equal_states_only(left, right):
    assert (MODEL.hash(left) == MODEL.hash(right)) is (left == right)
    shuffled = dict(random.Random(1).sample(list(OBJECTS.items()), len(OBJECTS)))
    assert MODEL.hash(State(sorted(left.atoms), shuffled)) == MODEL.hash(left)
    fewer = State(left.atoms, {k: v for k, v in OBJECTS.items() if k != 'cloth_1'})
    assert MODEL.hash(fewer) != MODEL.hash(left)


def test_the_hash_is_the_same_in_every_process():
    state = State([('in', 'mug_1', 'desk_1'), ('hand_empty',)], {'mug_1': 'mug', 'desk_1': 'desk'})
    assert MODEL.hash(state) == '42f3669267d1d1542e62a0659936c953'


unknown_atoms = st.lists(st.sampled_from(ATOMS), max_size=5, unique=True)


def with_unknown(state, unknown):
    return lambda atom: Value.UNKNOWN if atom in unknown else state.value(atom)


def completions(state, unknown):
    for size in range(1 << len(unknown)):
        chosen = {atom for i, atom in enumerate(unknown) if size >> i & 1}
        yield (state.atoms - set(unknown)) | chosen


@given(sane_states(), unknown_atoms, actions)
def test_three_valued_admission_never_contradicts_a_completion(state, unknown, action):
    value, false, unsure = MODEL.precondition(action, with_unknown(state, unknown))
    for fact in false:
        assert fact.value is not Value.UNKNOWN or fact.atom in unknown
    assert {fact.atom for fact in unsure} <= set(unknown)
    if value is Value.TRUE:
        assert not false
        assert not unsure
    elif value is Value.UNKNOWN:
        assert not false
        assert unsure
    else:
        assert false or types_forbid(action)
    if value is not Value.UNKNOWN:
        for atoms in completions(state, unknown):
            assert can(action, atoms) is bool(value)


@given(sane_states(), unknown_atoms, st.data())
def test_predicted_facts_never_contradict_a_completion(state, unknown, data):
    action = data.draw(st.sampled_from(MODEL.applicable(state)))
    predicted = MODEL.effects(action, with_unknown(state, unknown))
    atoms = [fact.atom for fact in predicted]
    assert len(set(atoms)) == len(atoms)
    for before in completions(state, unknown):
        after = execute(action, before)
        for fact in predicted:
            if fact.value is not Value.UNKNOWN:
                assert Value(fact.atom in after) is fact.value
        # What is not predicted stays.
        assert (after ^ before) <= set(atoms)


def test_a_refusal_names_its_facts():
    state = State([('at', 'desk_1'), ('in', 'mug_1', 'fridge_1'), ('hand_empty',)], OBJECTS)
    value, false, unsure = MODEL.precondition(
        GroundAction('pick', ('mug_1', 'fridge_1')),
        lambda atom: Value.UNKNOWN if atom[0] == 'openable' else state.value(atom),
    )
    assert value is Value.FALSE
    assert false == (Fact('at', ('fridge_1',), Value.FALSE),)
    assert unsure == (Fact('openable', ('fridge_1',), Value.UNKNOWN),)


def test_an_unknown_condition_gives_an_unknown_effect():
    lookup = State([('in', 'mug_1', 'sinkbasin_1')], OBJECTS).value
    predicted = MODEL.effects(
        GroundAction('toggle', ('sinkbasin_1',)),
        lambda atom: Value.UNKNOWN if atom[0] == 'on' else lookup(atom),
    )
    assert predicted == (
        Fact('on', ('sinkbasin_1',), Value.UNKNOWN),
        Fact('clean', ('mug_1',), Value.UNKNOWN),
    )


def test_what_is_left_is_left_whether_known_or_not():
    predicted = MODEL.effects(
        GroundAction('goto', ('desk_1',)),
        lambda atom: Value.UNKNOWN if atom == ('at', 'fridge_1') else Value.FALSE,
    )
    assert predicted == (Fact('at', ('desk_1',)), Fact('at', ('fridge_1',), Value.FALSE))


@pytest.mark.parametrize(
    ('action', 'words'),
    [
        (GroundAction('fly'), 'unknown action'),
        (GroundAction('goto', ('mug_1',)), 'not receptacle'),
        (GroundAction('goto', ('desk_9',)), 'unknown object'),
        (GroundAction('goto', ()), '0 arguments, 1 are needed'),
    ],
)
def test_bad_actions_are_refused(action, words):
    state = State([('at', 'desk_1')], OBJECTS)
    assert MODEL.applies(state, action) is Value.FALSE
    for judge in (
        lambda: MODEL.project(state, action),
        lambda: MODEL.precondition(action, state.value),
        lambda: MODEL.effects(action, state.value),
    ):
        with pytest.raises(ValueError, match=words):
            judge()


def test_a_model_takes_only_its_actions():
    model = PddlModel(DOMAIN, OBJECTS, ['goto', 'look'])
    state = State([('at', 'desk_1'), ('hand_empty',), ('in', 'mug_1', 'desk_1')], OBJECTS)
    assert {action.name for action in model.applicable(state)} == {'goto', 'look'}
    pick = GroundAction('pick', ('mug_1', 'desk_1'))
    assert model.applies(state, pick) is Value.FALSE
    assert MODEL.applies(state, pick) is Value.TRUE
    with pytest.raises(ValueError, match="no action 'fly'"):
        PddlModel(DOMAIN, OBJECTS, ['fly'])


def test_objects_may_come_later():
    objects = {**OBJECTS, 'mug_2': 'mug'}
    lookup = State([('at', 'desk_1'), ('hand_empty',), ('in', 'mug_2', 'desk_1')], objects).value
    pick = GroundAction('pick', ('mug_2', 'desk_1'))
    assert MODEL.precondition(pick, lookup, objects)[0] is Value.TRUE
    with pytest.raises(ValueError, match='unknown object'):
        MODEL.precondition(pick, lookup)


def do(atoms, *texts):
    state = State(atoms, OBJECTS)
    for text in texts:
        name, _, args = text.partition(' ')
        state = MODEL.advance(state, GroundAction(name, tuple(args.split())))
    return state


def test_running_water_cleans_what_is_in_the_basin():
    state = do(
        [('at', 'sinkbasin_1'), ('holding', 'mug_1'), ('in', 'apple_1', 'desk_1')],
        'put mug_1 sinkbasin_1',
        'toggle sinkbasin_1',
    )
    assert ('clean', 'mug_1') in state
    assert ('clean', 'apple_1') not in state
    assert ('on', 'sinkbasin_1') in state


def test_a_microwave_heats_only_when_closed_and_stops_when_opened():
    state = do(
        [
            ('at', 'microwave_1'),
            ('openable', 'microwave_1'),
            ('open', 'microwave_1'),
            ('holding', 'apple_1'),
            ('cool', 'apple_1'),
        ],
        'put apple_1 microwave_1',
    )
    toggle = GroundAction('toggle', ('microwave_1',))
    assert MODEL.applies(state, toggle) is Value.FALSE
    state = do(state.atoms, 'close microwave_1', 'toggle microwave_1')
    assert ('hot', 'apple_1') in state
    assert ('cool', 'apple_1') not in state
    assert ('on', 'microwave_1') in state
    assert ('on', 'microwave_1') not in do(state.atoms, 'open microwave_1')


def test_what_is_shut_in_a_fridge_becomes_cool():
    state = do(
        [
            ('at', 'fridge_1'),
            ('openable', 'fridge_1'),
            ('open', 'fridge_1'),
            ('in', 'apple_1', 'fridge_1'),
            ('hot', 'apple_1'),
        ],
        'close fridge_1',
    )
    assert ('cool', 'apple_1') in state
    assert ('hot', 'apple_1') not in state


def test_macros_leave_the_thing_in_the_hand():
    state = do(
        [('at', 'fridge_1'), ('openable', 'fridge_1'), ('holding', 'apple_1')],
        'cool apple_1 fridge_1',
        'goto microwave_1',
        'heat apple_1 microwave_1',
        'goto sinkbasin_1',
        'clean apple_1 sinkbasin_1',
    )
    assert ('holding', 'apple_1') in state
    assert ('hot', 'apple_1') in state
    assert ('cool', 'apple_1') not in state
    assert ('clean', 'apple_1') in state
    assert [a for a in state.atoms if a[0] == 'at'] == [('at', 'sinkbasin_1')]


def test_a_lamp_is_switched_where_it_stands():
    atoms = [('at', 'desk_1'), ('in', 'desklamp_1', 'desk_1')]
    assert ('on', 'desklamp_1') in do(atoms, 'toggle desklamp_1')
    assert ('on', 'desklamp_1') not in do(atoms, 'toggle desklamp_1', 'toggle desklamp_1')
    elsewhere = State([('at', 'fridge_1'), ('in', 'desklamp_1', 'desk_1')], OBJECTS)
    assert MODEL.applies(elsewhere, GroundAction('toggle', ('desklamp_1',))) is Value.FALSE


def test_slicing_needs_the_knife_in_the_hand_and_the_food_in_reach():
    atoms = [('at', 'desk_1'), ('in', 'apple_1', 'desk_1'), ('holding', 'knife_1')]
    assert ('sliced', 'apple_1') in do(atoms, 'slice apple_1 knife_1')
    for missing in atoms:
        fewer = State([a for a in atoms if a != missing], OBJECTS)
        assert MODEL.applies(fewer, GroundAction('slice', ('apple_1', 'knife_1'))) is Value.FALSE
