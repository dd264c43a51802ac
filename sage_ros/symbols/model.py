"""Transition models: what can be done in a state and what follows from it."""

from collections.abc import Collection, Mapping
from typing import Protocol

from sage_ros.symbols.domain import ActionSchema, Domain, Effect
from sage_ros.symbols.facts import Atom, Fact, Value, kleene_and
from sage_ros.symbols.formula import Literal, Lookup, Not, conjuncts, evaluate, extend, reasons
from sage_ros.symbols.goals import Goal, satisfied
from sage_ros.symbols.join import ObjectTable, solutions
from sage_ros.symbols.rules import Rules
from sage_ros.symbols.state import Difference, GroundAction, State

__all__ = ['Difference', 'GroundAction', 'PddlModel', 'State', 'TransitionModel']


class TransitionModel(Protocol):
    """A deterministic model T(s, a) of an environment."""

    def applicable(self, state: State) -> list[GroundAction]:
        """List the actions that can be done, in a stable order."""

    def applies(self, state: State, action: GroundAction) -> Value:
        """Tell whether an action can be done."""

    def explain(self, state: State, action: GroundAction) -> tuple[Fact, ...]:
        """Name the facts that forbid an action; empty if it can be done."""

    def project(self, state: State, action: GroundAction) -> Difference:
        """Say what an action would change; ValueError if it cannot be done."""

    def advance(self, state: State, action: GroundAction) -> State:
        """Return the state after an action; ValueError if it cannot be done."""

    def hash(self, state: State) -> str:
        """Return the canonical hash, 32 hexadecimal digits; equal for equal states."""

    def goal(self, state: State, goal: Goal) -> bool:
        """Tell whether a goal holds."""


class PddlModel:
    """The transition model of a domain over given objects (name to type).

    ``actions`` restricts it to some actions of the domain (None: all); an unknown name is a
    ValueError. The methods on states take the objects of the state, those on lookups the
    objects given to them or else the model's own. Mappings of objects must not change.
    """

    def __init__(
        self,
        domain: Domain,
        objects: Mapping[str, str],
        actions: Collection[str] | None = None,
    ) -> None:
        unknown = sorted(set(actions or ()) - set(domain.actions))
        if unknown:
            raise ValueError(f'{domain.name} has no action {unknown[0]!r}')
        self.domain = domain
        self.objects = objects
        self.schemas: Mapping[str, ActionSchema] = {
            name: schema
            for name, schema in domain.actions.items()
            if actions is None or name in actions
        }
        self.rules = Rules(domain, self.schemas)
        self._table = ObjectTable(objects, domain.types, domain.constants)

    # ------------------------------------------------------------ full states

    def applicable(self, state: State) -> list[GroundAction]:
        """List the actions that can be done, by action in the domain's order, then arguments."""
        table = self.table(state.objects)
        found: list[GroundAction] = []
        for name, schema in self.schemas.items():
            args = {
                self.rules.arguments(schema, clause, scope)
                for clause in self.rules.preconditions[name]
                for scope in solutions(clause, state.index, table, {})
            }
            found.extend(GroundAction(name, each) for each in sorted(args))
        return found

    def applies(self, state: State, action: GroundAction) -> Value:
        """Tell whether an action can be done; false for one that is unknown or ill-typed."""
        if self.check(action, state.objects) is not None:
            return Value.FALSE
        schema, scope = self._bind(action)
        objects_of = self.table(state.objects).of_type
        return evaluate(schema.precondition, scope, state.value, objects_of)

    def explain(self, state: State, action: GroundAction) -> tuple[Fact, ...]:
        """Name the facts that forbid an action, none if it can be done or only types forbid it.

        ValueError for an unknown or ill-typed action.
        """
        return self.precondition(action, state.value, state.objects)[1]

    def project(self, state: State, action: GroundAction) -> Difference:
        """Say what an action would change; ValueError if it cannot be done."""
        if self.applies(state, action) is not Value.TRUE:
            problem = self.check(action, state.objects)
            facts = '' if problem else ', '.join(map(str, self.explain(state, action)))
            raise ValueError(f'{action} cannot be done: {problem or facts}')
        added: set[Atom] = set()
        deleted: set[Atom] = set()
        for fact in self.effects(action, state.value, state.objects):
            if fact.value is Value.TRUE:
                added.add(fact.atom)
            else:
                deleted.add(fact.atom)
        return Difference(frozenset(added - state.atoms), frozenset(deleted & state.atoms))

    def advance(self, state: State, action: GroundAction) -> State:
        """Return the state after an action; ValueError if it cannot be done."""
        return state.change(self.project(state, action))

    def hash(self, state: State) -> str:
        """Return the canonical hash, 32 hexadecimal digits; equal for equal states."""
        return f'{state.digest:032x}'

    def goal(self, state: State, goal: Goal) -> bool:
        """Tell whether a goal holds."""
        return satisfied(goal, state.index, self.table(state.objects), self.domain.types)

    # ------------------------------------------------------------ three values

    def check(self, action: GroundAction, objects: Mapping[str, str] | None = None) -> str | None:
        """Say what is wrong with an action's name, arguments or types, or None."""
        if action.name not in self.schemas:
            return f'unknown action {action.name!r} in {action}'
        known = self.objects if objects is None else objects
        return self.domain.check_action(action.name, action.args, known)

    def precondition(
        self, action: GroundAction, lookup: Lookup, objects: Mapping[str, str] | None = None
    ) -> tuple[Value, tuple[Fact, ...], tuple[Fact, ...]]:
        """Evaluate a precondition in three values: its value, its false and its unknown facts.

        The facts carry their present values: of every conjunct that is false those that make it
        false, of every one that is unknown those that would settle it. A precondition that types
        and equalities alone make false has none. ValueError for an unknown or ill-typed action.
        """
        objects = self.objects if objects is None else objects
        self._require(action, objects)
        schema, scope = self._bind(action)
        objects_of = self.table(objects).of_type
        values: list[Value] = []
        false: dict[Fact, None] = {}
        unknown: dict[Fact, None] = {}
        for part in conjuncts(schema.precondition):
            value = evaluate(part, scope, lookup, objects_of)
            values.append(value)
            if value is not Value.TRUE:
                facts = reasons(part, scope, lookup, objects_of)
                (false if value is Value.FALSE else unknown).update(dict.fromkeys(facts))
        return kleene_and(values), tuple(false), tuple(unknown)

    def effects(
        self, action: GroundAction, lookup: Lookup, objects: Mapping[str, str] | None = None
    ) -> tuple[Fact, ...]:
        """Predict the facts that an action touches, as they are after it, in a stable order.

        A fact is UNKNOWN where it depends on a condition that is not known. The precondition is
        not looked at. ValueError for an unknown or ill-typed action.
        """
        objects = self.objects if objects is None else objects
        self._require(action, objects)
        schema, scope = self._bind(action)
        objects_of = self.table(objects).of_type
        outcomes: dict[Atom, _Outcome] = {}
        for effect in schema.effects:
            for inner in extend(effect.forall, scope, objects_of, effect.condition):
                fires = evaluate(effect.condition, inner, lookup, objects_of)
                if fires is Value.FALSE:
                    continue
                for sign, literals in ((False, effect.delete), (True, effect.add)):
                    for literal in literals:
                        outcome = outcomes.setdefault(literal.ground(inner), _Outcome())
                        outcome.note(sign, fires, _tests_itself(effect, literal, sign))
        return tuple(Fact.of(atom, o.value(lookup(atom))) for atom, o in outcomes.items())

    # ------------------------------------------------------------ for search

    def table(self, objects: Mapping[str, str]) -> ObjectTable:
        """Return the objects by type; the last mapping used is remembered."""
        if self._table.objects is not objects:
            self._table = ObjectTable(objects, self.domain.types, self.domain.constants)
        return self._table

    def _require(self, action: GroundAction, objects: Mapping[str, str]) -> None:
        problem = self.check(action, objects)
        if problem is not None:
            raise ValueError(problem)

    def _bind(self, action: GroundAction) -> tuple[ActionSchema, dict[str, str]]:
        schema = self.schemas[action.name]
        names = (p.name for p in schema.parameters)
        return schema, dict(zip(names, action.args, strict=True))


class _Outcome:
    """The values that an atom can have after an action."""

    __slots__ = ('_added', '_certain', '_possible', '_stays')

    def __init__(self) -> None:
        self._added = False
        self._certain = False
        self._stays = False
        self._possible: set[bool] = set()

    def note(self, sign: bool, fires: Value, tests_itself: bool) -> None:
        """Take in an effect that adds or deletes the atom, if it fires."""
        self._possible.add(sign)
        if fires is Value.TRUE:
            self._certain = True
            self._added |= sign
        elif not tests_itself:
            self._stays = True

    def value(self, before: Value) -> Value:
        """Return the value after; adding wins over deleting."""
        if self._added:
            return Value.TRUE
        possible = {Value(sign) for sign in self._possible}
        if self._stays and not self._certain:
            possible.add(before)
        return possible.pop() if len(possible) == 1 else Value.UNKNOWN


def _tests_itself(effect: Effect, literal: Literal, sign: bool) -> bool:
    """Tell whether an effect that does not fire leaves the atom as it would have made it."""
    return effect.condition == (Not(literal) if sign else literal)
