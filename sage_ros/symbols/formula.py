"""First-order formulas over atoms, evaluated in Kleene's three values, with their reasons."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from sage_ros.symbols.facts import Atom, Fact, Value, kleene_and, kleene_not, kleene_or
from sage_ros.symbols.types import Parameter

Lookup = Callable[[Atom], Value]
"""The truth of a ground atom."""

ObjectsOf = Callable[[str], Sequence[str]]
"""The objects of a type and of the types below it."""

Binding = Mapping[str, str]
"""Variables (with their ``?``) to objects."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate on terms: variables begin with ``?``, everything else is an object."""

    predicate: str
    terms: tuple[str, ...] = ()

    def ground(self, binding: Binding) -> Atom:
        """Replace the variables; KeyError if one is not bound."""
        terms = (binding[t] if t[0] == '?' else t for t in self.terms)
        return (self.predicate, *terms)


@dataclass(frozen=True, slots=True)
class Equals:
    """Two terms name the same object."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    body: 'Formula'


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction; true if it has no parts."""

    parts: tuple['Formula', ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction; false if it has no parts."""

    parts: tuple['Formula', ...]


@dataclass(frozen=True, slots=True)
class Imply:
    """Implication."""

    left: 'Formula'
    right: 'Formula'


@dataclass(frozen=True, slots=True)
class Forall:
    """For all objects of the variables' types."""

    vars: tuple[Parameter, ...]
    body: 'Formula'


@dataclass(frozen=True, slots=True)
class Exists:
    """For some objects of the variables' types."""

    vars: tuple[Parameter, ...]
    body: 'Formula'


Formula = Literal | Equals | Not | And | Or | Imply | Forall | Exists

TRUE = And(())
FALSE = Or(())


def evaluate(formula: Formula, binding: Binding, lookup: Lookup, objects_of: ObjectsOf) -> Value:
    """Evaluate under a binding of the free variables; KeyError if one is not bound."""
    match formula:
        case Literal():
            return lookup(formula.ground(binding))
        case Equals(left, right):
            return Value(_term(left, binding) == _term(right, binding))
        case Not(body):
            return kleene_not(evaluate(body, binding, lookup, objects_of))
        case And(parts):
            return kleene_and(evaluate(p, binding, lookup, objects_of) for p in parts)
        case Or(parts):
            return kleene_or(evaluate(p, binding, lookup, objects_of) for p in parts)
        case Imply(left, right):
            return evaluate(Or((Not(left), right)), binding, lookup, objects_of)
        case Forall(variables, body):
            scopes = extend(variables, binding, objects_of)
            return kleene_and(evaluate(body, s, lookup, objects_of) for s in scopes)
        case Exists(variables, body):
            scopes = extend(variables, binding, objects_of, body)
            return kleene_or(evaluate(body, s, lookup, objects_of) for s in scopes)


def reasons(
    formula: Formula, binding: Binding, lookup: Lookup, objects_of: ObjectsOf
) -> tuple[Fact, ...]:
    """Give the ground facts, with their present values, that keep a formula from being true.

    For a false formula a smallest set that makes it false, for an unknown one the unknown facts
    that would settle it; empty for a true one. Where nothing satisfies an existence, the objects
    that come closest speak for all. An equality has no facts to show.
    """
    value, facts = _explain(formula, binding, lookup, objects_of)
    return () if value is Value.TRUE else tuple(dict.fromkeys(facts))


def conjuncts(formula: Formula) -> Iterator[Formula]:
    """Iterate over the parts of nested conjunctions."""
    if isinstance(formula, And):
        for part in formula.parts:
            yield from conjuncts(part)
    else:
        yield formula


def literals(formula: Formula) -> Iterator[Literal]:
    """Iterate over all literals of a formula, whatever their sign."""
    match formula:
        case Literal():
            yield formula
        case Equals():
            return
        case Not(body) | Forall(_, body) | Exists(_, body):
            yield from literals(body)
        case And(parts) | Or(parts):
            for part in parts:
                yield from literals(part)
        case Imply(left, right):
            yield from literals(left)
            yield from literals(right)


_Explained = tuple[Value, tuple[Fact, ...]]


def _explain(
    formula: Formula, binding: Binding, lookup: Lookup, objects_of: ObjectsOf
) -> _Explained:
    """Evaluate, and name the facts that suffice for the value (if unknown: all unknown)."""
    match formula:
        case Literal():
            atom = formula.ground(binding)
            value = lookup(atom)
            return value, (Fact.of(atom, value),)
        case Equals():
            return evaluate(formula, binding, lookup, objects_of), ()
        case Not(body):
            value, facts = _explain(body, binding, lookup, objects_of)
            return kleene_not(value), facts
        case And(parts):
            return _combine((_explain(p, binding, lookup, objects_of) for p in parts), Value.FALSE)
        case Or(parts):
            return _combine((_explain(p, binding, lookup, objects_of) for p in parts), Value.TRUE)
        case Imply(left, right):
            return _explain(Or((Not(left), right)), binding, lookup, objects_of)
        case Forall(variables, body):
            scopes = extend(variables, binding, objects_of)
            return _combine((_explain(body, s, lookup, objects_of) for s in scopes), Value.FALSE)
        case Exists(variables, body):
            tried = [dict(s) for s in extend(variables, binding, objects_of, body)]
            value = kleene_or(evaluate(body, s, lookup, objects_of) for s in tried)
            if value is Value.FALSE:
                tried = _closest(body, tried, lookup, objects_of)
            return _combine((_explain(body, s, lookup, objects_of) for s in tried), Value.TRUE)


def _closest(
    body: Formula, scopes: list[dict[str, str]], lookup: Lookup, objects_of: ObjectsOf
) -> list[dict[str, str]]:
    """Keep the binding under which the fewest conjuncts are false; the first one if equal."""

    def failing(scope: Binding) -> int:
        values = (evaluate(part, scope, lookup, objects_of) for part in conjuncts(body))
        return sum(value is Value.FALSE for value in values)

    return [min(scopes, key=failing)] if scopes else []


def _combine(parts: Iterable[_Explained], decisive: Value) -> _Explained:
    """Join the parts of a conjunction (decided by false) or a disjunction (decided by true)."""
    found = list(parts)
    deciding = [facts for value, facts in found if value is decisive]
    if deciding:
        return decisive, min(deciding, key=len)
    unknown = [facts for value, facts in found if value is Value.UNKNOWN]
    if unknown:
        return Value.UNKNOWN, tuple(fact for facts in unknown for fact in facts)
    return kleene_not(decisive), tuple(fact for _, facts in found for fact in facts)


def extend(
    variables: Sequence[Parameter],
    binding: Binding,
    objects_of: ObjectsOf,
    body: Formula = TRUE,
) -> Iterator[dict[str, str]]:
    """Iterate over the extensions of a binding by quantified variables.

    Where a conjunct of ``body`` equates a variable with a bound term, only that object is tried.
    The same dictionary is yielded again and again: copy what is kept.
    """
    scope = dict(binding)
    names = [v.name for v in variables]
    for name in names:
        scope.pop(name, None)
    fixed = _equated(names, scope, body)
    choices = [_choices(v, fixed.get(v.name), objects_of) for v in variables]
    for chosen in product(*choices):
        scope.update(zip(names, chosen, strict=True))
        yield scope


def _equated(names: Sequence[str], scope: Binding, body: Formula) -> dict[str, str]:
    fixed: dict[str, str] = {}
    for part in conjuncts(body):
        if isinstance(part, Equals):
            for name, other in ((part.left, part.right), (part.right, part.left)):
                value = scope.get(other) if other[0] == '?' else other
                if name in names and value is not None:
                    fixed[name] = value
    return fixed


def _choices(variable: Parameter, fixed: str | None, objects_of: ObjectsOf) -> Sequence[str]:
    objects = objects_of(variable.type)
    if fixed is None:
        return objects
    return (fixed,) if fixed in objects else ()


def _term(term: str, binding: Binding) -> str:
    return binding[term] if term[0] == '?' else term
