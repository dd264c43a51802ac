"""States, ground actions and the transition model of a PDDL domain."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Atom, Fact, Value
from sage_ros.symbols.formula import Lookup
from sage_ros.symbols.goals import Goal


class GroundAction(NamedTuple):
    """An action on objects."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f'{self.name}({", ".join(self.args)})'


@dataclass(frozen=True, slots=True)
class Difference:
    """What an action changes: atoms that become true and atoms that become false."""

    added: frozenset[Atom]
    deleted: frozenset[Atom]


class State:
    """A fully known world: the true atoms over typed objects. Never changed after construction."""

    def __init__(self, atoms: Iterable[Atom], objects: Mapping[str, str]) -> None:
        self.atoms = frozenset(atoms)
        self.objects = objects

    def value(self, atom: Atom) -> Value:
        """Look an atom up: true or false."""
        return Value(atom in self.atoms)


class TransitionModel(Protocol):
    """A deterministic model T(s, a) of an environment."""

    def applicable(self, state: State) -> list[GroundAction]:
        """List the actions that can be done, in a stable order."""

    def applies(self, state: State, action: GroundAction) -> Value:
        """Tell whether an action can be done; UNKNOWN never for a full state."""

    def explain(self, state: State, action: GroundAction) -> tuple[Fact, ...]:
        """Name the facts that forbid an action; empty if it can be done."""

    def project(self, state: State, action: GroundAction) -> Difference:
        """Say what an action would change; ValueError if it cannot be done."""

    def advance(self, state: State, action: GroundAction) -> State:
        """Return the state after an action; ValueError if it cannot be done."""

    def hash(self, state: State) -> str:
        """Return the canonical hash, 32 hexadecimal digits; equal exactly for equal states."""

    def goal(self, state: State, goal: Goal) -> bool:
        """Tell whether a goal holds."""


class PddlModel:
    """The transition model of a domain over given objects (name to type).

    ``actions`` restricts it to some actions of the domain (None: all).
    """

    def __init__(
        self,
        domain: Domain,
        objects: Mapping[str, str],
        actions: Collection[str] | None = None,
    ) -> None:
        self.domain = domain
        self.objects = objects

    def precondition(
        self, action: GroundAction, lookup: Lookup, objects: Mapping[str, str] | None = None
    ) -> tuple[Value, tuple[Fact, ...], tuple[Fact, ...]]:
        """Evaluate a precondition in three values: its value, its false and its unknown facts."""
        raise NotImplementedError

    def effects(
        self, action: GroundAction, lookup: Lookup, objects: Mapping[str, str] | None = None
    ) -> tuple[Fact, ...]:
        """Predict the facts after an action; UNKNOWN where a condition is not known."""
        raise NotImplementedError
