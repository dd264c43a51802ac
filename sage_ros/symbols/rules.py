"""Action schemas prepared for joins: their alternatives, their effects and who achieves what."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sage_ros.symbols.clauses import Clause, clauses
from sage_ros.symbols.domain import ActionSchema, Domain, Effect
from sage_ros.symbols.formula import And, Literal


@dataclass(frozen=True, slots=True)
class ConditionalEffect:
    """One alternative of an effect's condition over parameters and quantified variables.

    ``relaxed`` is the clause without the negative literals that may change.
    With ``always`` it may fire whatever the state: the clause only says for which objects.
    """

    clause: Clause
    relaxed: Clause
    add: tuple[Literal, ...]
    delete: tuple[Literal, ...]
    always: bool


@dataclass(frozen=True, slots=True)
class Achiever:
    """A way to make a literal of a predicate true or false: under which conjunction, and which.

    ``relaxed`` leaves out the negative literals that may change, ``bare`` also the positive.
    """

    schema: ActionSchema
    clause: Clause
    relaxed: Clause
    bare: Clause
    literal: Literal


class Rules:
    """What search and grounding need to know of some action schemas."""

    def __init__(self, domain: Domain, schemas: Mapping[str, ActionSchema]) -> None:
        self.domain = domain
        self.schemas = schemas
        changing = {
            literal.predicate
            for schema in schemas.values()
            for effect in schema.effects
            for literal in (*effect.add, *effect.delete)
        }
        self.static = frozenset(domain.predicates) - changing
        self.preconditions = {
            name: clauses(s.precondition, s.parameters, domain.types, domain.constants)
            for name, s in schemas.items()
        }
        self.relaxed = {
            name: tuple(map(self._relax, found)) for name, found in self.preconditions.items()
        }
        self.effects = {
            name: tuple(
                part for effect in schema.effects for part in self._conditional(schema, effect)
            )
            for name, schema in schemas.items()
        }
        self.achievers: dict[tuple[str, bool], list[Achiever]] = {}
        self._watched: dict[tuple[str, bool], frozenset[str]] = {}
        for schema in schemas.values():
            for effect in schema.effects:
                self._note_achievers(schema, effect)

    def fluent(self, predicate: str) -> bool:
        """Tell whether some action changes the predicate."""
        return predicate not in self.static

    def arguments(
        self, schema: ActionSchema, clause: Clause, scope: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Read an action's arguments off a solution of one of its clauses."""
        terms = (clause.term(p.name) for p in schema.parameters)
        return tuple(scope.get(term, term) for term in terms)

    def watched(self, key: tuple[str, bool]) -> frozenset[str]:
        """Return the predicates that decide which actions achieve a predicate with a sign."""
        found = self._watched.get(key)
        if found is None:
            achievers = self.achievers.get(key, ())
            found = frozenset(lit.predicate for a in achievers for lit in a.clause.pos)
            self._watched[key] = found
        return found

    def _relax(self, clause: Clause) -> Clause:
        """Drop what actions could still make true: negative literals that may change."""
        return clause.keep(self.static)

    def _conditional(self, schema: ActionSchema, effect: Effect) -> list[ConditionalEffect]:
        scope = (*schema.parameters, *effect.forall)
        found = []
        for clause in clauses(effect.condition, scope, self.domain.types, self.domain.constants):
            add = tuple(map(clause.literal, effect.add))
            delete = tuple(map(clause.literal, effect.delete))
            # What deletes exactly its condition deletes it always.
            itself = clause.pos == delete and not (clause.neg or clause.residual or add)
            found.append(
                ConditionalEffect(clause, self._relax(clause), add, delete, always=itself)
            )
        return found

    def _note_achievers(self, schema: ActionSchema, effect: Effect) -> None:
        scope = (*schema.parameters, *effect.forall)
        both = And((schema.precondition, effect.condition))
        for clause in clauses(both, scope, self.domain.types, self.domain.constants):
            relaxed = self._relax(clause)
            fixed = tuple(lit for lit in clause.pos if lit.predicate in self.static)
            bare = replace(relaxed, pos=fixed)
            for sign, literals in ((True, effect.add), (False, effect.delete)):
                for literal in literals:
                    own = clause.literal(literal)
                    achiever = Achiever(schema, clause, relaxed, bare, own)
                    self.achievers.setdefault((literal.predicate, sign), []).append(achiever)
