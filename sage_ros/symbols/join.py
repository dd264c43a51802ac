"""Joins of clauses with indexed facts: all bindings that make a clause true."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sage_ros.symbols.clauses import Clause
from sage_ros.symbols.facts import Atom, Value
from sage_ros.symbols.formula import Literal, evaluate
from sage_ros.symbols.types import OBJECT, TypeTree

Args = tuple[str, ...]


class ObjectTable:
    """Objects by type. The mapping (name to type) must not change while the table is used."""

    def __init__(
        self, objects: Mapping[str, str], types: TypeTree, constants: Mapping[str, str]
    ) -> None:
        self.objects = objects
        self._types = types
        self._all = {**constants, **objects} if constants else objects
        self._of_kinds: dict[frozenset[str], list[str]] = {}

    def type(self, name: str) -> str:
        """Return the type of an object; ``object`` if it is not known."""
        return self._all.get(name, OBJECT)

    def of(self, kinds: frozenset[str]) -> Sequence[str]:
        """List the objects whose type is among some types, in the order of the mapping."""
        found = self._of_kinds.get(kinds)
        if found is None:
            found = [name for name, kind in self._all.items() if kind in kinds]
            self._of_kinds[kinds] = found
        return found

    def of_type(self, name: str) -> Sequence[str]:
        """List the objects of a type and of the types below it."""
        return self.of(self._types.subtypes(name))


class Index:
    """A growing set of atoms, found by predicate and by any one argument."""

    __slots__ = ('_by_arg', 'rows')

    def __init__(self, atoms: Iterable[Atom] = ()) -> None:
        # Dictionaries serve as ordered sets.
        self.rows: dict[str, dict[Args, None]] = {}
        self._by_arg: dict[tuple[str, int, str], list[Args]] = {}
        for atom in atoms:
            self.add(atom)

    def __contains__(self, atom: Atom) -> bool:
        rows = self.rows.get(atom[0])
        return rows is not None and atom[1:] in rows

    def add(self, atom: Atom) -> bool:
        """Add an atom; false if it was there."""
        name, args = atom[0], atom[1:]
        rows = self.rows.setdefault(name, {})
        if args in rows:
            return False
        rows[args] = None
        for position, arg in enumerate(args):
            self._by_arg.setdefault((name, position, arg), []).append(args)
        return True

    def value(self, atom: Atom) -> Value:
        """Look an atom up: true or false."""
        return Value(atom in self)

    def select(self, literal: Literal, binding: Mapping[str, str]) -> list[Args]:
        """List the rows that can match a literal: those of its most selective bound argument."""
        best: list[Args] | None = None
        for position, term in enumerate(literal.terms):
            arg = term if term[0] != '?' else binding.get(term)
            if arg is not None:
                rows = self._by_arg.get((literal.predicate, position, arg))
                if rows is None:
                    return []
                if best is None or len(rows) < len(best):
                    best = rows
        # A copy: callers may add atoms while they walk the rows.
        return list(self.rows.get(literal.predicate, ()) if best is None else best)


def solutions(
    clause: Clause,
    index: Index,
    table: ObjectTable,
    binding: Mapping[str, str],
    *,
    soft: Callable[[str], bool] | None = None,
    guess: bool = True,
) -> Iterator[dict[str, str]]:
    """Iterate over the bindings of a clause's variables that extend a given one.

    Objects may be bound to any variable of the clause's scope. Where ``soft`` holds for a
    predicate, its literals are matched if there is anything to match, and left open otherwise.
    With ``guess`` variables that no literal binds run over all objects of their types, without
    it such bindings are left out. The same dictionary is yielded again and again: copy what is
    kept.
    """
    scope = _enter(clause, table, binding)
    if scope is not None:
        for found in _join(clause, index, table, scope, list(clause.pos), soft):
            free = [name for name in clause.allowed if name not in found]
            if guess or not free:
                yield from _enumerate(clause, index, table, found, free)


def _enter(
    clause: Clause, table: ObjectTable, binding: Mapping[str, str]
) -> dict[str, str] | None:
    """Translate a binding to the clause's own variables; None if it contradicts them."""
    scope: dict[str, str] = {}
    for name, value in binding.items():
        own = clause.renamed.get(name, name)
        if own[0] != '?':
            if own != value:
                return None
            continue
        kinds = clause.allowed.get(own)
        if kinds is None:
            continue
        if table.type(value) not in kinds or scope.setdefault(own, value) != value:
            return None
    return scope


def _join(
    clause: Clause,
    index: Index,
    table: ObjectTable,
    scope: dict[str, str],
    todo: list[Literal],
    soft: Callable[[str], bool] | None,
) -> Iterator[dict[str, str]]:
    if not todo:
        yield scope
        return
    chosen, closed = _most_bound(todo, scope)
    rest = [literal for literal in todo if literal is not chosen]
    if closed:
        if chosen.ground(scope) in index or (soft is not None and soft(chosen.predicate)):
            yield from _join(clause, index, table, scope, rest, soft)
        return
    allowed = clause.allowed
    matched = False
    for row in index.select(chosen, scope):
        new: list[str] = []
        for term, arg in zip(chosen.terms, row, strict=True):
            if term[0] != '?':
                if term != arg:
                    break
            elif (known := scope.get(term)) is not None:
                if known != arg:
                    break
            elif table.type(arg) in allowed[term]:
                scope[term] = arg
                new.append(term)
            else:
                break
        else:
            matched = True
            if not new or _differ(clause, scope):
                yield from _join(clause, index, table, scope, rest, soft)
        for term in new:
            del scope[term]
    if not matched and soft is not None and soft(chosen.predicate):
        yield from _join(clause, index, table, scope, rest, soft)


def _most_bound(todo: list[Literal], scope: Mapping[str, str]) -> tuple[Literal, bool]:
    """Choose the literal with the fewest open terms, then the most bound ones, then the first.

    Tells also whether it has no open term at all.
    """
    best, best_rank = todo[0], (1 << 30, 0)
    for literal in todo:
        open_terms = sum(t[0] == '?' and t not in scope for t in literal.terms)
        if not open_terms:
            return literal, True
        rank = (open_terms, open_terms - len(literal.terms))
        if rank < best_rank:
            best, best_rank = literal, rank
    return best, False


def _enumerate(
    clause: Clause, index: Index, table: ObjectTable, scope: dict[str, str], free: list[str]
) -> Iterator[dict[str, str]]:
    """Try all objects for variables that no literal bound."""
    if not free:
        if _admits(clause, index, table, scope):
            yield scope
        return
    name, *rest = free
    for value in table.of(clause.allowed[name]):
        scope[name] = value
        yield from _enumerate(clause, index, table, scope, rest)
    scope.pop(name, None)


def _differ(clause: Clause, scope: Mapping[str, str]) -> bool:
    """Tell whether no two terms that have to differ are bound to the same object."""
    return all(scope.get(a, a) != scope.get(b, b) for a, b in clause.differ)


def _admits(clause: Clause, index: Index, table: ObjectTable, scope: dict[str, str]) -> bool:
    if not _differ(clause, scope):
        return False
    for literal in clause.neg:
        if literal.ground(scope) in index:
            return False
    return all(
        evaluate(formula, scope, index.value, table.of_type) is Value.TRUE
        for formula in clause.residual
    )
