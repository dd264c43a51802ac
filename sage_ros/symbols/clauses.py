"""Formulas as alternatives of conjunctions, the shape that joins and grounding work on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import count

from sage_ros.symbols.formula import (
    And,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Not,
    Or,
)
from sage_ros.symbols.types import Parameter, TypeTree


@dataclass(frozen=True, slots=True)
class Clause:
    """One alternative: literals that hold and that do not, over typed variables.

    ``allowed`` lists every variable with the types its object may have. ``renamed`` maps each
    variable that equalities removed to what stands for it: a variable or an object.
    ``residual`` are universal parts, checked on full bindings only.
    """

    allowed: Mapping[str, frozenset[str]]
    renamed: Mapping[str, str]
    pos: tuple[Literal, ...]
    neg: tuple[Literal, ...]
    differ: tuple[tuple[str, str], ...]
    residual: tuple[Formula, ...]

    def term(self, term: str) -> str:
        """Return what stands for a term after the equalities."""
        return self.renamed.get(term, term)

    def literal(self, literal: Literal) -> Literal:
        """Rewrite a literal over the original variables."""
        return Literal(literal.predicate, tuple(self.term(t) for t in literal.terms))

    def keep(self, negative: frozenset[str]) -> 'Clause':
        """Drop negative literals except those of the given predicates, and universal parts."""
        kept = tuple(literal for literal in self.neg if literal.predicate in negative)
        return replace(self, neg=kept, residual=())


def clauses(
    formula: Formula,
    scope: Sequence[Parameter],
    types: TypeTree,
    constants: Mapping[str, str],
) -> tuple[Clause, ...]:
    """Split a formula over the variables of ``scope`` into alternatives; impossible ones go."""
    found = []
    for raw in _normalise(formula, True, {}, count(1)):
        clause = _settle(raw, scope, types, constants)
        if clause is not None:
            found.append(clause)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Raw:
    """A conjunction before the equalities are worked in."""

    variables: tuple[Parameter, ...] = ()
    pos: tuple[Literal, ...] = ()
    neg: tuple[Literal, ...] = ()
    equal: tuple[tuple[str, str], ...] = ()
    differ: tuple[tuple[str, str], ...] = ()
    residual: tuple[Formula, ...] = ()

    def __add__(self, other: '_Raw') -> '_Raw':
        return _Raw(
            self.variables + other.variables,
            self.pos + other.pos,
            self.neg + other.neg,
            self.equal + other.equal,
            self.differ + other.differ,
            self.residual + other.residual,
        )


def _normalise(
    formula: Formula, sign: bool, names: Mapping[str, str], fresh: Iterator[int]
) -> list[_Raw]:
    """List the alternatives of a formula or of its negation; ``names`` renames variables."""
    match formula:
        case Literal():
            literal = substitute(formula, names)
            assert isinstance(literal, Literal)
            return [_Raw(pos=(literal,)) if sign else _Raw(neg=(literal,))]
        case Equals(left, right):
            pair = (names.get(left, left), names.get(right, right))
            return [_Raw(equal=(pair,)) if sign else _Raw(differ=(pair,))]
        case Not(body):
            return _normalise(body, not sign, names, fresh)
        case Imply(left, right):
            return _normalise(Or((Not(left), right)), sign, names, fresh)
        case And(parts) | Or(parts):
            split = [_normalise(part, sign, names, fresh) for part in parts]
            if isinstance(formula, And) is sign:
                return reduce(lambda a, b: [x + y for x in a for y in b], split, [_Raw()])
            return [raw for part in split for raw in part]
        case Exists(variables, body) | Forall(variables, body):
            if isinstance(formula, Exists) is not sign:
                whole = substitute(formula, names)
                return [_Raw(residual=(whole if sign else Not(whole),))]
            renamed = [Parameter(f'{v.name}.{next(fresh)}', v.type) for v in variables]
            inner = {**names, **{v.name: r.name for v, r in zip(variables, renamed, strict=True)}}
            own = _Raw(variables=tuple(renamed))
            return [own + raw for raw in _normalise(body, sign, inner, fresh)]


def substitute(formula: Formula, names: Mapping[str, str]) -> Formula:
    """Replace free terms; bound variables are left alone."""
    match formula:
        case Literal(predicate, terms):
            return Literal(predicate, tuple(names.get(t, t) for t in terms))
        case Equals(left, right):
            return Equals(names.get(left, left), names.get(right, right))
        case Not(body):
            return Not(substitute(body, names))
        case And(parts):
            return And(tuple(substitute(p, names) for p in parts))
        case Or(parts):
            return Or(tuple(substitute(p, names) for p in parts))
        case Imply(left, right):
            return Imply(substitute(left, names), substitute(right, names))
        case Forall(variables, body) | Exists(variables, body):
            bound = {v.name for v in variables}
            inner = {k: v for k, v in names.items() if k not in bound}
            return type(formula)(variables, substitute(body, inner))


def _settle(
    raw: _Raw, scope: Sequence[Parameter], types: TypeTree, constants: Mapping[str, str]
) -> Clause | None:
    """Work the equalities into the other parts; None if they cannot hold."""
    variables = (*scope, *raw.variables)
    allowed = {v.name: types.subtypes(v.type) for v in variables}
    stands: dict[str, str] = {}

    def find(term: str) -> str:
        while term in stands:
            term = stands[term]
        return term

    rank = {v.name: i for i, v in enumerate(variables)}
    for left, right in raw.equal:
        # Objects stand for variables, and earlier variables for later ones.
        first, second = sorted((find(left), find(right)), key=lambda t: rank.get(t, -1))
        if first == second:
            continue
        if second not in rank:
            return None
        stands[second] = first
        if first in rank:
            allowed[first] &= allowed[second]
        elif constants[first] not in allowed[second]:
            return None
    kept = {name: kinds for name, kinds in allowed.items() if name not in stands}
    differ = tuple((find(a), find(b)) for a, b in raw.differ)
    if not all(kept.values()) or any(a == b for a, b in differ):
        return None
    renamed = {name: find(name) for name in stands}
    pos = tuple(dict.fromkeys(_rename(literal, renamed) for literal in raw.pos))
    neg = tuple(dict.fromkeys(_rename(literal, renamed) for literal in raw.neg))
    if not set(pos).isdisjoint(neg):
        return None
    residual = tuple(substitute(formula, renamed) for formula in raw.residual)
    return Clause(kept, renamed, pos, neg, differ, residual)


def _rename(literal: Literal, names: Mapping[str, str]) -> Literal:
    return Literal(literal.predicate, tuple(names.get(t, t) for t in literal.terms))
