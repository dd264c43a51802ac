"""Goals: conjunctions of fact patterns with typed variables such as ``in(?o:mug, ?r:desk)``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from sage_ros.symbols.clauses import Clause
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Atom, Fact, Value, kleene_not, parse_fact
from sage_ros.symbols.formula import Literal, Lookup
from sage_ros.symbols.join import Index, ObjectTable, solutions
from sage_ros.symbols.types import OBJECT, TypeTree

_JOINT = re.compile(r'\s*(?:,\s*and\b|,|\band\b)\s*(?![^(]*\))')
_MOST_FACTS = 32
_MOST_VARIABLES = 8
_MOST_TESTS = 200_000
"""How many facts are looked up for one answer whether a goal holds: some tenths of a second."""

_VARIABLE = re.compile(r'\?[A-Za-z_]\w*(?::[\w-]+)?\Z')


class _TooMany(Exception):  # noqa: N818  not an error
    """There are more assignments than can be tried."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Facts that shall all have their value under one assignment of the variables.

    An argument ``?name:type`` is a variable; where no use of it has a type, it is any object.
    Different variables are different objects.
    """

    facts: tuple[Fact, ...] = ()

    def __str__(self) -> str:
        return ', '.join(map(str, self.facts))

    @property
    def variables(self) -> dict[str, str]:
        """The variables (with their ``?``) and their types, in the order of their first use."""
        found: dict[str, str] = {}
        for fact in self.facts:
            for arg in fact.args:
                if is_variable(arg):
                    name, _, kind = arg.partition(':')
                    if found.get(name, OBJECT) == OBJECT:
                        found[name] = kind or OBJECT
        return found

    def ground(self, assignment: Mapping[str, str]) -> tuple[Fact, ...]:
        """Replace the variables; KeyError if one is not assigned."""
        return tuple(
            Fact(
                fact.predicate,
                tuple(assignment[variable(a)] if is_variable(a) else a for a in fact.args),
                fact.value,
            )
            for fact in self.facts
        )


def is_variable(arg: str) -> bool:
    """Tell whether an argument of a goal is a variable."""
    return arg.startswith('?')


def variable(arg: str) -> str:
    """Return a variable without its type."""
    return arg.partition(':')[0]


def _atom(fact: Fact) -> Atom:
    """Return the atom of a goal fact with its variables' names only."""
    return (fact.predicate, *map(variable, fact.args))


def parse_goal(text: str, domain: Domain | None = None) -> Goal:
    """Read facts joined by commas or ``and``; ValueError says which one is wrong.

    With a domain, a variable of no type gets the narrowest type that its predicates declare.
    """
    parts = [part for part in _JOINT.split(text) if part.strip()]
    if not parts:
        raise ValueError('an empty goal (expected facts such as in(mug_1, desk_1))')
    goal = Goal(tuple(parse_fact(part) for part in parts))
    return goal if domain is None else typed(goal, domain)


def typed(goal: Goal, domain: Domain) -> Goal:
    """Write into a goal the types that its predicates imply for variables without one."""
    types = {name: kind for name, kind in goal.variables.items() if kind != OBJECT}
    for fact in goal.facts:
        signature = domain.predicates.get(fact.predicate, ())
        for arg, wanted in zip(fact.args, signature, strict=False):
            name = variable(arg)
            if is_variable(arg) and domain.types.is_a(wanted, types.get(name, OBJECT)):
                types[name] = wanted
    facts = []
    for fact in goal.facts:
        names = (variable(a) for a in fact.args)
        args = tuple(f'{n}:{types[n]}' if types.get(n, OBJECT) != OBJECT else n for n in names)
        facts.append(Fact(fact.predicate, args, fact.value))
    return Goal(tuple(facts))


def check(goal: Goal, domain: Domain, objects: Mapping[str, str]) -> list[str]:
    """List what is wrong with a goal over these objects (name to type); empty if nothing.

    That no object of a variable's type is known yet is no error.
    """
    if not goal.facts:
        return ['the goal has no facts']
    stand_ins = goal.variables
    if len(goal.facts) > _MOST_FACTS or len(stand_ins) > _MOST_VARIABLES:
        size = f'{len(goal.facts)} facts with {len(stand_ins)} variables'
        limit = f'at most {_MOST_FACTS} with {_MOST_VARIABLES} are taken'
        return [f'the goal is too large: {size}, {limit}']
    errors = []
    true = {_atom(fact) for fact in goal.facts if fact.value is Value.TRUE}
    for fact in goal.facts:
        if fact.value is Value.UNKNOWN:
            errors.append(f'{fact}: a goal fact is true or false')
        elif fact.value is Value.FALSE and _atom(fact) in true:
            errors.append(f'{fact}: the goal wants its opposite as well')
        for arg in fact.args:
            name, _, kind = arg.partition(':')
            if is_variable(arg) and not _VARIABLE.match(arg):
                errors.append(f'{fact}: bad variable {arg!r} (expected ?name or ?name:type)')
            elif is_variable(arg) and kind and kind not in domain.types:
                errors.append(f'{fact}: unknown type {kind!r}')
            elif is_variable(arg) and kind and kind != stand_ins[name]:
                errors.append(f'{fact}: {name} is of type {stand_ins[name]} elsewhere')
    if errors:
        return errors
    # A variable of no type is checked as an object of the type that its place wants.
    stand_ins = typed(goal, domain).variables
    for fact in goal.facts:
        problem = domain.check_atom(_atom(fact), {**objects, **stand_ins})
        if problem is not None:
            errors.append(problem)
    return errors


def holds(goal: Goal, lookup: Lookup, objects: Mapping[str, str], types: TypeTree) -> Value:
    """Tell whether some assignment makes all facts have their value, in three values.

    Unknown as well if none was found among as many as can be tried in a moment.
    """
    # A true assignment is looked for first: it needs no facts that are merely unknown.
    for floor in (Value.TRUE, Value.UNKNOWN):
        try:
            if next(_assignments(goal, objects, types, lookup, floor), None) is not None:
                return floor
        except _TooMany:
            return Value.UNKNOWN
    return Value.FALSE


def assignment(
    goal: Goal, lookup: Lookup, objects: Mapping[str, str], types: TypeTree
) -> dict[str, str] | None:
    """Find an assignment with which all facts have their value; None if none is found."""
    try:
        return next(_assignments(goal, objects, types, lookup, Value.TRUE), None)
    except _TooMany:
        return None


def bindings(goal: Goal, objects: Mapping[str, str], types: TypeTree) -> Iterator[dict[str, str]]:
    """Iterate over all assignments (variable name with ``?`` to object), in a stable order."""
    return _assignments(goal, objects, types, None, Value.UNKNOWN)


def goal_clause(goal: Goal, types: TypeTree) -> Clause:
    """Write a goal as a clause, whose solutions in a state are the assignments that reach it."""
    variables = goal.variables
    literals = {
        sign: tuple(
            Literal(fact.predicate, tuple(map(variable, fact.args)))
            for fact in goal.facts
            if fact.value is sign
        )
        for sign in (Value.TRUE, Value.FALSE)
    }
    return Clause(
        allowed={name: types.subtypes(kind) for name, kind in variables.items()},
        renamed={},
        pos=literals[Value.TRUE],
        neg=literals[Value.FALSE],
        differ=tuple(combinations(variables, 2)),
        residual=(),
    )


def satisfied(goal: Goal, index: Index, table: ObjectTable, types: TypeTree) -> bool:
    """Tell whether a goal holds in indexed facts, everything else being false."""
    if any(fact.value is Value.UNKNOWN for fact in goal.facts):
        return False
    clause = goal_clause(goal, types)
    return next(solutions(clause, index, table, {}), None) is not None


def _assignments(
    goal: Goal,
    objects: Mapping[str, str],
    types: TypeTree,
    lookup: Lookup | None,
    floor: Value,
) -> Iterator[dict[str, str]]:
    """Backtrack over the variables; each fact is tested as soon as it has no open one.

    With a lookup, facts have to have their value, or may be unknown if ``floor`` is UNKNOWN;
    _TooMany is raised when too many were tested.
    """
    variables = goal.variables
    names = list(variables)
    choices = {name: types.select(objects, variables[name]) for name in names}
    assigned: dict[str, str] = {}
    tests = 0

    def fits(fact: Fact) -> bool:
        nonlocal tests
        if lookup is None:
            return True
        tests += 1
        if tests > _MOST_TESTS:
            raise _TooMany
        atom: Atom = (
            fact.predicate,
            *(assigned[variable(a)] if is_variable(a) else a for a in fact.args),
        )
        value = lookup(atom)
        wanted = fact.value
        if value is Value.UNKNOWN or wanted is Value.UNKNOWN:
            return floor is Value.UNKNOWN
        return value is not kleene_not(wanted)

    uses = [(fact, {variable(a) for a in fact.args if is_variable(a)}) for fact in goal.facts]
    if lookup is not None:
        # What one fact alone rules out is never tried together with other variables.
        for fact, used in uses:
            if len(used) == 1:
                (name,) = used
                kept = []
                for choice in choices[name]:
                    assigned[name] = choice
                    if fits(fact):
                        kept.append(choice)
                choices[name] = kept
                assigned.clear()
        names.sort(key=lambda name: len(choices[name]))
    due: list[list[Fact]] = [[] for _ in range(len(names) + 1)]
    for fact, used in uses:
        due[max((names.index(name) + 1 for name in used), default=0)].append(fact)

    def descend(depth: int) -> Iterator[dict[str, str]]:
        if not all(fits(fact) for fact in due[depth]):
            return
        if depth == len(names):
            yield dict(assigned)
            return
        taken = set(assigned.values())
        for choice in choices[names[depth]]:
            if choice not in taken:
                assigned[names[depth]] = choice
                yield from descend(depth + 1)
                del assigned[names[depth]]

    return descend(0)
