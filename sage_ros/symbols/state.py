"""Fully known states, ground actions and what actions change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from sage_ros.symbols.facts import Atom, Value, format_atom
from sage_ros.symbols.join import Index

_MODULUS = 1 << 128


class GroundAction(NamedTuple):
    """An action on objects."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return format_atom((self.name, *self.args))


@dataclass(frozen=True, slots=True)
class Difference:
    """What an action changes: atoms that become true and atoms that become false."""

    added: frozenset[Atom]
    deleted: frozenset[Atom]


class State:
    """A fully known world: the true atoms over typed objects (name to type).

    Never changed after construction, and neither must the mapping of the objects be.
    """

    __slots__ = ('_digest', '_index', 'atoms', 'objects')

    def __init__(self, atoms: Iterable[Atom], objects: Mapping[str, str]) -> None:
        self.atoms = frozenset(atoms)
        self.objects = objects
        self._digest: int | None = None
        self._index: Index | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.atoms == other.atoms and self.objects == other.objects

    def __hash__(self) -> int:
        return hash(self.digest)

    def __contains__(self, atom: object) -> bool:
        return atom in self.atoms

    def __repr__(self) -> str:
        facts = ', '.join(format_atom(atom) for atom in sorted(self.atoms))
        return f'State({facts}; {len(self.objects)} objects)'

    def value(self, atom: Atom) -> Value:
        """Look an atom up: true or false."""
        return Value.TRUE if atom in self.atoms else Value.FALSE

    @property
    def digest(self) -> int:
        """The canonical hash, 128 bits: equal for equal states, whatever led to them."""
        if self._digest is None:
            objects = sum(_mix('object', item) for item in self.objects.items())
            self._digest = (objects + sum(_mix('fact', a) for a in self.atoms)) % _MODULUS
        return self._digest

    @property
    def index(self) -> Index:
        """The atoms by predicate and argument, in a stable order; built at first use."""
        if self._index is None:
            self._index = Index(sorted(self.atoms))
        return self._index

    def change(self, difference: Difference) -> 'State':
        """Return the state with atoms added and deleted; the hash follows from the difference."""
        changed = State((self.atoms - difference.deleted) | difference.added, self.objects)
        if self._digest is not None:
            gained = sum(_mix('fact', a) for a in difference.added if a not in self.atoms)
            lost = sum(
                _mix('fact', a)
                for a in difference.deleted
                if a in self.atoms and a not in difference.added
            )
            changed._digest = (self._digest + gained - lost) % _MODULUS
        return changed


@lru_cache(maxsize=1 << 16)
def _mix(kind: str, words: tuple[str, ...]) -> int:
    text = '\x1f'.join((kind, *words))
    return int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), 'little')
