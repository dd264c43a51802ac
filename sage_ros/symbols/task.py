"""Ground planning tasks: atoms as bits, actions as masks, complements for negative conditions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sage_ros.symbols.clauses import Clause
from sage_ros.symbols.facts import Atom, Fact, Value
from sage_ros.symbols.formula import Formula, Literal, evaluate
from sage_ros.symbols.join import Index, ObjectTable, solutions
from sage_ros.symbols.rules import ConditionalEffect, Rules
from sage_ros.symbols.state import GroundAction, State

Check = tuple[Formula, Mapping[str, str]]
"""A universal condition with its binding, evaluated on the whole state."""


@dataclass(slots=True)
class Change:
    """What becomes true and false if all bits of the condition are set.

    ``gone`` are the complements of what is added, ``freed`` those of what is deleted.
    """

    condition: int
    add: int
    delete: int
    gone: int
    freed: int
    checks: tuple[Check, ...]


@dataclass(slots=True)
class Operator:
    """One alternative of a ground action."""

    action: GroundAction
    cost: float
    condition: int
    checks: tuple[Check, ...]
    changes: tuple[Change, ...]


class Task:
    """Operators over numbered atoms; an atom tested for being false has a complement bit."""

    def __init__(
        self,
        rules: Rules,
        state: State,
        table: ObjectTable,
        actions: Iterable[GroundAction],
        reached: Index,
        goals: Iterable[Sequence[Fact]],
    ) -> None:
        self.operators: list[Operator] = []
        self._rules = rules
        self._state = state
        self._table = table
        self._reached = reached
        self._bits: dict[Atom, int] = {}
        self._complements: dict[Atom, int] = {}
        self._size = 0
        raw = [op for action in actions for op in self._ground(action)]
        self.goals = [mask for goal in goals if (mask := self._goal(goal)) is not None]
        # Complements are known only now, so the changes are worked out last.
        for action, cost, condition, checks, changes in raw:
            done = tuple(self._change(*change) for change in changes)
            self.operators.append(Operator(action, cost, condition, checks, done))
        self.start = 0
        for atom, bit in self._bits.items():
            self.start |= bit if atom in state else self._complements.get(atom, 0)
        for atom, bit in self._complements.items():
            if atom not in self._bits and atom not in state:
                self.start |= bit

    @property
    def size(self) -> int:
        """The number of bits."""
        return self._size

    def lacks(self, atom: Atom, sign: bool, missing: int) -> bool:
        """Tell whether an atom's bit, or for a false sign its complement, is in a mask."""
        bit = (self._bits if sign else self._complements).get(atom)
        if bit is None:
            return sign and atom not in self._state
        return bool(bit & missing)

    def reached(self, bits: int) -> bool:
        """Tell whether a goal holds."""
        return any(bits & goal == goal for goal in self.goals)

    def applicable(self, bits: int, operator: Operator) -> bool:
        """Tell whether an operator can be done."""
        condition = operator.condition
        return bits & condition == condition and self._passes(bits, operator.checks)

    def advance(self, bits: int, operator: Operator) -> int:
        """Return the bits after an operator."""
        add = delete = gone = freed = 0
        for change in operator.changes:
            condition = change.condition
            if bits & condition == condition and self._passes(bits, change.checks):
                add |= change.add
                delete |= change.delete
                gone |= change.gone
                freed |= change.freed
        return (bits & ~((delete & ~add) | gone)) | add | (freed & ~gone)

    # ------------------------------------------------------------ grounding

    def _bit(self, atom: Atom) -> int:
        bit = self._bits.get(atom)
        if bit is None:
            bit = self._bits[atom] = 1 << self._size
            self._size += 1
        return bit

    def _complement(self, atom: Atom) -> int:
        bit = self._complements.get(atom)
        if bit is None:
            bit = self._complements[atom] = 1 << self._size
            self._size += 1
        return bit

    def _condition(self, clause: Clause, scope: Mapping[str, str]) -> int:
        """Return the mask of a clause's literals; what never changes was checked by the join."""
        mask = 0
        for literal in clause.pos:
            if self._rules.fluent(literal.predicate):
                mask |= self._bit(literal.ground(scope))
        for literal in clause.neg:
            if self._rules.fluent(literal.predicate):
                atom = literal.ground(scope)
                if atom in self._reached:
                    mask |= self._complement(atom)
        return mask

    def _ground(
        self, action: GroundAction
    ) -> list[tuple[GroundAction, float, int, tuple[Check, ...], list['_Raw']]]:
        schema = self._rules.schemas[action.name]
        names = (p.name for p in schema.parameters)
        binding = dict(zip(names, action.args, strict=True))
        conditions: dict[int, tuple[Check, ...]] = {}
        variants = zip(
            self._rules.preconditions[action.name], self._rules.relaxed[action.name], strict=True
        )
        for clause, relaxed in variants:
            for scope in solutions(relaxed, self._reached, self._table, binding):
                conditions.setdefault(self._condition(clause, scope), _checks(clause, scope))
        if not conditions:
            return []
        changes = [
            change
            for effect in self._rules.effects[action.name]
            for change in self._effects(effect, binding)
        ]
        merged = _merge(changes)
        return [
            (action, schema.cost, condition, checks, merged)
            for condition, checks in conditions.items()
        ]

    def _effects(self, effect: ConditionalEffect, binding: Mapping[str, str]) -> list['_Raw']:
        found = []
        for scope in solutions(effect.relaxed, self._reached, self._table, binding):
            condition = 0 if effect.always else self._condition(effect.clause, scope)
            add = tuple(_ground(effect.add, scope))
            delete = tuple(a for a in _ground(effect.delete, scope) if a in self._reached)
            for atom in (*add, *delete):
                self._bit(atom)
            found.append((condition, add, delete, _checks(effect.clause, scope)))
        return found

    def _change(
        self,
        condition: int,
        add: tuple[Atom, ...],
        delete: tuple[Atom, ...],
        checks: tuple[Check, ...],
    ) -> Change:
        change = Change(condition, 0, 0, 0, 0, checks)
        for atom in add:
            change.add |= self._bits[atom]
            change.gone |= self._complements.get(atom, 0)
        for atom in delete:
            if atom not in add:
                change.delete |= self._bits[atom]
                change.freed |= self._complements.get(atom, 0)
        return change

    def _goal(self, facts: Sequence[Fact]) -> int | None:
        """Return a goal's mask; None if it cannot be reached."""
        mask = 0
        for fact in facts:
            atom, known = fact.atom, fact.atom in self._reached
            if self._rules.fluent(fact.predicate):
                if fact.value is Value.TRUE:
                    mask |= self._bit(atom)
                elif known:
                    mask |= self._complement(atom)
            if not known and fact.value is Value.TRUE:
                return None
            if known and fact.value is Value.FALSE and not self._rules.fluent(fact.predicate):
                return None
        return mask

    def _passes(self, bits: int, checks: tuple[Check, ...]) -> bool:
        if not checks:
            return True

        def lookup(atom: Atom) -> Value:
            bit = self._bits.get(atom)
            return Value(bool(bits & bit) if bit is not None else atom in self._state)

        objects_of = self._table.of_type
        return all(evaluate(f, scope, lookup, objects_of) is Value.TRUE for f, scope in checks)


_Raw = tuple[int, tuple[Atom, ...], tuple[Atom, ...], tuple[Check, ...]]


def _merge(changes: list[_Raw]) -> list[_Raw]:
    """Put the changes without a condition into one."""
    always = [c for c in changes if not c[0] and not c[3]]
    rest = [c for c in changes if c[0] or c[3]]
    add = tuple(dict.fromkeys(atom for c in always for atom in c[1]))
    delete = tuple(dict.fromkeys(atom for c in always for atom in c[2]))
    return [(0, add, delete, ()), *rest] if always else rest


def _ground(literals: tuple[Literal, ...], scope: Mapping[str, str]) -> list[Atom]:
    return [literal.ground(scope) for literal in literals]


def _checks(clause: Clause, scope: Mapping[str, str]) -> tuple[Check, ...]:
    return tuple((formula, dict(scope)) for formula in clause.residual)
