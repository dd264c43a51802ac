"""Goals: conjunctions of fact patterns with typed variables such as ``in(?o:mug, ?r:desk)``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.formula import Lookup
from sage_ros.symbols.types import TypeTree


@dataclass(frozen=True, slots=True)
class Goal:
    """Facts that shall all have their value under one assignment of the variables.

    An argument ``?name:type`` is a variable (the type may be left out after its first use, or
    altogether). Different variables are different objects.
    """

    facts: tuple[Fact, ...]


def parse_goal(text: str, domain: Domain | None = None) -> Goal:
    """Read facts joined by commas or ``and``; ValueError says which one is wrong.

    With a domain, variables without a type get that of the predicate's argument.
    """
    raise NotImplementedError


def check(goal: Goal, domain: Domain, objects: Mapping[str, str]) -> list[str]:
    """List what is wrong with a goal over these objects (name to type); empty if nothing."""
    raise NotImplementedError


def holds(goal: Goal, lookup: Lookup, objects: Mapping[str, str], types: TypeTree) -> Value:
    """Tell whether some assignment makes all facts have their value, in three values."""
    raise NotImplementedError


def bindings(goal: Goal, objects: Mapping[str, str], types: TypeTree) -> Iterator[dict[str, str]]:
    """Iterate over all assignments (variable name with ``?`` to object), in a stable order."""
    raise NotImplementedError
