"""What a bridge reports of the world: numbered observations in facts and in its own words."""

from dataclasses import dataclass, field
from enum import IntEnum

from sage_ros.symbols.facts import Atom, Fact, Fluent

ANY = ''
"""The argument of a pattern that stands for every object."""


@dataclass(frozen=True, slots=True)
class Header:
    """When and in which frame something was said: nanoseconds of the sender's clock."""

    stamp: int = 0
    frame_id: str = ''


class ObservationKind(IntEnum):
    """How much an observation says."""

    SNAPSHOT = 0
    """All that the bridge observes now."""
    DELTA = 1
    """What changed since the observation ``base_seq``."""
    UNCHANGED = 2
    """Looked again, nothing changed."""


@dataclass(frozen=True, slots=True)
class SceneObject:
    """A thing in the world and its type in the domain."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of atoms: a predicate whose arguments are fixed or any object (empty)."""

    predicate: str
    args: tuple[str, ...] = ()

    @property
    def atom(self) -> Atom:
        """The pattern written as an atom, with empty arguments for any object."""
        return (self.predicate, *self.args)

    def matches(self, atom: Atom) -> bool:
        """Tell whether the atom belongs to the set."""
        return (
            atom[0] == self.predicate
            and len(atom) == len(self.args) + 1
            and all(a in (ANY, b) for a, b in zip(self.args, atom[1:], strict=True))
        )


@dataclass(frozen=True, slots=True)
class Observation:
    """One numbered report of the world.

    A fact that matches a pattern of ``covers`` and is not listed is false; every other unlisted
    fact is untouched. ``command_id`` is empty when no command led to the observation.
    """

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    seq: int = 0
    base_seq: int = 0
    kind: ObservationKind = ObservationKind.SNAPSHOT
    command_id: str = ''
    text: str = ''
    objects: tuple[SceneObject, ...] = ()
    gone: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    covers: tuple[Pattern, ...] = ()
    fluents: tuple[Fluent, ...] = ()
    env_done: bool = False
    env_success: bool = False
    score: float = 0.0
