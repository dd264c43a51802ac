from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from sage_ros.symbols.clauses import clauses
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.formula import (
    FALSE,
    TRUE,
    And,
    Equals,
    Exists,
    Forall,
    Imply,
    Literal,
    Not,
    Or,
    evaluate,
    literals,
    reasons,
)
from sage_ros.symbols.join import Index, ObjectTable, solutions
from sage_ros.symbols.types import Parameter, TypeTree

TYPES = TypeTree({'thing': 'object', 'red': 'thing', 'blue': 'thing'})
OBJECTS = {'a': 'red', 'b': 'blue', 'c': 'red'}
CONSTANTS = {'k': 'blue'}
TABLE = ObjectTable(OBJECTS, TYPES, CONSTANTS)
ALL = [*CONSTANTS, *OBJECTS]
SCOPE = (Parameter('?x', 'thing'), Parameter('?y', 'red'))
ATOMS = [('p',), *(('q', o) for o in ALL), *(('r', o, u) for o in ALL for u in ALL)]

terms = st.sampled_from(['?x', '?y', '?z', 'k'])


def nested(inner):
    variables = st.sampled_from(
        [(Parameter('?z', 'red'),), (Parameter('?x', 'blue'), Parameter('?z', 'thing'))]
    )
    parts = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, parts),
        st.builds(Or, parts),
        st.builds(Imply, inner, inner),
        st.builds(Exists, variables, inner),
        st.builds(Forall, variables, inner),
    )


leaves = st.one_of(
    st.just(Literal('p')),
    st.builds(lambda t: Literal('q', (t,)), terms),
    st.builds(lambda t, u: Literal('r', (t, u)), terms, terms),
    st.builds(Equals, terms, terms),
)
# What has a free ?z is closed by a quantifier around it.
formulas = st.recursive(leaves, nested, max_leaves=6).map(
    lambda f: Exists((Parameter('?z', 'red'),), f)
)
worlds = st.sets(st.sampled_from(ATOMS)).map(frozenset)
partial_worlds = st.dictionaries(st.sampled_from(ATOMS), st.sampled_from(Value), min_size=3)


def brute(formula, binding, world):
    """Evaluate classically, without any short cut."""
    match formula:
        case Literal(predicate, args):
            return (predicate, *(binding.get(t, t) for t in args)) in world
        case Equals(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Not(body):
            return not brute(body, binding, world)
        case And(parts):
            return all(brute(p, binding, world) for p in parts)
        case Or(parts):
            return any(brute(p, binding, world) for p in parts)
        case Imply(left, right):
            return not brute(left, binding, world) or brute(right, binding, world)
        case Forall(variables, body) | Exists(variables, body):
            names = [v.name for v in variables]
            found = [
                brute(body, {**binding, **dict(zip(names, each, strict=True))}, world)
                for each in product(*(TABLE.of_type(v.type) for v in variables))
            ]
            return all(found) if isinstance(formula, Forall) else any(found)


def in_world(world):
    return lambda atom: Value(atom in world)


@given(formulas, worlds, st.sampled_from(ALL), st.sampled_from('ac'))
def test_known_worlds_are_evaluated_classically(formula, world, x, y):
    binding = {'?x': x, '?y': y}
    value = evaluate(formula, binding, in_world(world), TABLE.of_type)
    assert value is Value(brute(formula, binding, world))


@given(formulas, worlds)
def test_clauses_have_the_solutions_of_their_formula(formula, world):
    index = Index(sorted(world))
    found = set()
    for clause in clauses(formula, SCOPE, TYPES, CONSTANTS):
        for scope in solutions(clause, index, TABLE, {}):
            found.add(tuple(scope.get(clause.term(p.name), clause.term(p.name)) for p in SCOPE))
    expected = {
        (x, y)
        for x, y in product(*(TABLE.of_type(p.type) for p in SCOPE))
        if brute(formula, {'?x': x, '?y': y}, world)
    }
    assert found == expected


@given(formulas, partial_worlds, st.data())
def test_three_values_never_contradict_a_completion(formula, known, data):
    binding = {'?x': 'b', '?y': 'c'}
    value = evaluate(formula, binding, lambda atom: known.get(atom, Value.FALSE), TABLE.of_type)
    assume(value is not Value.UNKNOWN)
    world = {atom for atom, v in known.items() if v is Value.TRUE}
    unknown = [atom for atom, v in known.items() if v is Value.UNKNOWN]
    if unknown:
        world |= data.draw(st.sets(st.sampled_from(unknown)))
    assert brute(formula, binding, world) is bool(value)


def quantifier_free(formula):
    match formula:
        case Forall() | Exists():
            return False
        case Not(body):
            return quantifier_free(body)
        case And(parts) | Or(parts):
            return all(quantifier_free(p) for p in parts)
        case Imply(left, right):
            return quantifier_free(left) and quantifier_free(right)
    return True


@given(st.recursive(leaves, nested, max_leaves=6).filter(quantifier_free), worlds, worlds)
def test_reasons_suffice_for_the_falsehood(formula, world, other):
    binding = {'?x': 'b', '?y': 'c', '?z': 'a'}
    facts = reasons(formula, binding, in_world(world), TABLE.of_type)
    if brute(formula, binding, world):
        assert facts == ()
        return
    for fact in facts:
        assert fact.value is Value(fact.atom in world)
    # In any world that agrees on the reasons the formula is false too.
    mixed = (other | {f.atom for f in facts if f.value}) - {f.atom for f in facts if not f.value}
    assert not brute(formula, binding, mixed)


def test_reasons_of_an_unknown_formula_are_its_unknown_facts():
    formula = And((Literal('p'), Or((Not(Literal('q', ('?x',))), Literal('q', ('k',))))))
    known = {('p',): Value.TRUE, ('q', 'a'): Value.TRUE}
    found = reasons(
        formula, {'?x': 'a'}, lambda atom: known.get(atom, Value.UNKNOWN), TABLE.of_type
    )
    assert found == (Fact('q', ('k',), Value.UNKNOWN),)


def test_the_closest_object_speaks_for_an_existence_without_any():
    formula = Exists((Parameter('?z', 'thing'),), And((Literal('q', ('?z',)), Literal('p'))))
    facts = reasons(formula, {}, in_world({('q', 'c')}), TABLE.of_type)
    assert facts == (Fact('p', (), Value.FALSE),)


def test_constants_of_truth():
    assert evaluate(TRUE, {}, in_world(()), TABLE.of_type) is Value.TRUE
    assert evaluate(FALSE, {}, in_world(()), TABLE.of_type) is Value.FALSE


def test_literals_are_found_everywhere():
    formula = Imply(Not(Literal('p')), Forall((Parameter('?z'),), Or((Literal('q', ('?z',)),))))
    assert list(literals(formula)) == [Literal('p'), Literal('q', ('?z',))]
