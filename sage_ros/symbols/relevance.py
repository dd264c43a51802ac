"""Which ground actions matter for a goal, found backwards from it through what can be had."""

from collections.abc import Callable, Iterable
from itertools import islice

from sage_ros.symbols.clauses import Clause
from sage_ros.symbols.facts import Atom, Fact, Value
from sage_ros.symbols.formula import Literal
from sage_ros.symbols.join import Index, ObjectTable, solutions
from sage_ros.symbols.rules import Achiever, Rules
from sage_ros.symbols.state import GroundAction, State

Need = tuple[Atom, bool]
"""An atom that shall be true or false."""

Stop = Callable[[], bool]

_MOST_ACTIONS = 20_000
_MOST_GUESSES = 8


class Relevance:
    """Grows the set of actions that serve a goal, with the atoms that they can make true.

    Actions are bound by what holds or can be had already, and only where that binds nothing by
    trying all objects. So the set is small, but a plan outside of it may exist. ``widen`` makes
    it complete for needs that turn out to be out of reach.
    """

    def __init__(self, rules: Rules, state: State, table: ObjectTable, stop: Stop) -> None:
        self.actions: dict[GroundAction, None] = {}
        self.reached = Index(sorted(state.atoms))
        self._rules = rules
        self._state = state
        self._table = table
        self._stop = stop
        self._needs: dict[Need, None] = {}
        # What actions of the set do: needs that they can fulfil, or undo.
        self._provided: set[Need] = set()
        self._settled: dict[Need, int] = {}
        self._widened: set[Need] = set()

    def close(self, goal: Iterable[Fact]) -> None:
        """Add all actions that serve the goal facts or the preconditions of actions added."""
        for fact in goal:
            self._require((fact.atom, fact.value is Value.TRUE))
        while not self._stop():
            if self._sweep(guess=False):
                continue
            if not self._sweep(guess=True):
                return

    def widen(self, missing: Callable[[Need], bool]) -> bool:
        """Add every action that could fulfil a missing need; false if there is none to add.

        If so, what is missing cannot be had by any action: the first action of all to fulfil a
        missing need would be in the set, and so would be what it needs itself.
        """
        before = len(self.actions)
        for need in list(self._needs):
            if need not in self._widened and missing(need):
                self._widened.add(need)
                for achiever in self._rules.achievers.get((need[0][0], need[1]), ()):
                    self._apply(achiever, achiever.bare, need, guess=True)
        self.close(())
        return len(self.actions) > before

    def _require(self, need: Need) -> None:
        if self._rules.fluent(need[0][0]):
            self._needs.setdefault(need)

    def _sweep(self, guess: bool) -> bool:
        """Look once for actions for every need; tell whether anything was added."""
        before = len(self.actions), len(self._needs)
        for need in list(self._needs):
            atom, sign = need
            if self._stop():
                break
            undone = (atom, not sign) in self._provided
            if (atom in self._state) is sign and not undone:
                continue
            if guess and need in self._provided:
                continue
            stamp = self._stamp(need)
            if not guess and self._settled.get(need) == stamp:
                continue
            self._settled[need] = stamp
            added = len(self.actions)
            for achiever in self._rules.achievers.get((atom[0], sign), ()):
                self._apply(
                    achiever, achiever.relaxed, need, guess, _MOST_GUESSES if guess else None
                )
            if guess and len(self.actions) > added:
                break
        return (len(self.actions), len(self._needs)) != before

    def _stamp(self, need: Need) -> int:
        """Count the atoms that a search for actions for a need looks at; they only grow."""
        rows = self.reached.rows
        predicates = self._rules.watched((need[0][0], need[1]))
        return sum(len(rows.get(predicate, ())) for predicate in predicates)

    def _apply(
        self, achiever: Achiever, bound: Clause, need: Need, guess: bool, most: int | None = None
    ) -> None:
        binding = unify(achiever.literal, need[0])
        if binding is None:
            return
        rules = self._rules
        found = solutions(
            bound, self.reached, self._table, binding, soft=rules.fluent, guess=guess
        )
        # A copy, for the set of reached atoms grows below.
        scopes = [dict(scope) for scope in islice(found, most)]
        clause = achiever.clause
        for scope in scopes:
            name = achiever.schema.name
            args = rules.arguments(achiever.schema, clause, scope)
            for literal in clause.pos:
                self._require((literal.ground(scope), True))
            for literal in clause.neg:
                self._require((literal.ground(scope), False))
            self._provide(need)
            self.add(GroundAction(name, args))

    def add(self, action: GroundAction) -> None:
        """Add an action and what it can make true now."""
        if action in self.actions:
            return
        self.actions[action] = None
        parameters = (p.name for p in self._rules.schemas[action.name].parameters)
        binding = dict(zip(parameters, action.args, strict=True))
        for effect in self._rules.effects[action.name]:
            scopes = solutions(effect.relaxed, self.reached, self._table, binding)
            changes = [
                (literal.ground(scope), sign)
                for scope in scopes
                for sign, literals in ((False, effect.delete), (True, effect.add))
                for literal in literals
            ]
            for change in changes:
                self._provide(change)

    def _provide(self, change: Need) -> None:
        self._provided.add(change)
        if change[1]:
            self.reached.add(change[0])


def reachable(rules: Rules, state: State, table: ObjectTable, stop: Stop) -> Relevance | None:
    """Collect all actions that can be done if nothing is ever undone.

    None if stopped, or if there are too many to search among.
    """
    found = Relevance(rules, state, table, stop)
    size = -1
    while size != (size := len(found.actions)):
        for name, schema in rules.schemas.items():
            for clause in rules.relaxed[name]:
                scopes = solutions(clause, found.reached, table, {})
                args: set[tuple[str, ...]] = set()
                for scope in scopes:
                    args.add(rules.arguments(schema, clause, scope))
                    if len(args) > _MOST_ACTIONS or stop():
                        return None
                for each in sorted(args):
                    found.add(GroundAction(name, each))
        if len(found.actions) > _MOST_ACTIONS:
            return None
    return found


def unify(literal: Literal, atom: Atom) -> dict[str, str] | None:
    """Bind the variables of a literal so that it becomes the atom; None if it cannot."""
    binding: dict[str, str] = {}
    for term, arg in zip(literal.terms, atom[1:], strict=True):
        if term[0] != '?':
            if term != arg:
                return None
        elif binding.setdefault(term, arg) != arg:
            return None
    return binding
