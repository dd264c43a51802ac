"""The belief: what the observations of one episode add up to, with what is not known kept apart.

``fold`` is pure; monitor and memory fold the same numbered stream and compare the hashes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from sage_ros.scene.observation import ANY, Observation, ObservationKind, Pattern
from sage_ros.symbols.facts import Atom, Fact, Fluent, Value

_MODULUS = 1 << 128


class Entry(NamedTuple):
    """A known value, the number of the observation it came from and its stamp (nanoseconds)."""

    value: Value
    seq: int
    stamp: int


@dataclass(frozen=True, slots=True)
class Belief:
    """Facts, closed patterns, objects and fluents after the observation ``seq``.

    A fact listed explicitly has its listed value; one that only matches a closed pattern is
    false; every other is unknown. The mappings are never changed after construction.
    ``stale`` says that an observation was missed and no snapshot has come since.
    """

    episode_id: str = ''
    seq: int = 0
    stamp: int = 0
    objects: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Mapping[Atom, Entry]] = field(default_factory=dict)
    closed: Mapping[str, Mapping[Atom, Entry]] = field(default_factory=dict)
    fluents: Mapping[tuple[str, ...], Fluent] = field(default_factory=dict)
    stale: bool = False
    env_done: bool = False
    env_success: bool = False
    score: float = 0.0
    digest: int = 0

    def value(self, atom: Atom) -> Value:
        """Look an atom up in three values."""
        entry = self.entry(atom)
        return Value.UNKNOWN if entry is None else entry.value

    def entry(self, atom: Atom) -> Entry | None:
        """Find what an atom's value rests on; None if it is unknown for want of observation."""
        known = self.facts.get(atom[0])
        if known is not None and (entry := known.get(atom)) is not None:
            return entry
        patterns = self.closed.get(atom[0])
        return None if patterns is None else _closing(patterns, atom)

    def covered(self, pattern: Atom) -> bool:
        """Tell whether every atom of the pattern (empty arguments: any) is known."""
        patterns = self.closed.get(pattern[0])
        return patterns is not None and _closing(patterns, pattern) is not None

    def true_atoms(self, predicate: str | None = None) -> Iterator[Atom]:
        """Iterate over the atoms known to be true, of one predicate or of all."""
        names = self.facts if predicate is None else (predicate,)
        for name in names:
            for atom, entry in self.facts.get(name, {}).items():
                if entry.value is Value.TRUE:
                    yield atom

    def all_facts(self) -> tuple[Fact, ...]:
        """List every explicit fact in a stable order."""
        return tuple(
            Fact.of(atom, entry.value)
            for name in sorted(self.facts)
            for atom, entry in sorted(self.facts[name].items())
        )

    def all_closed(self) -> tuple[Pattern, ...]:
        """List every closed pattern in a stable order."""
        return tuple(
            Pattern(atom[0], atom[1:])
            for name in sorted(self.closed)
            for atom in sorted(self.closed[name])
        )

    @property
    def hash(self) -> str:
        """The canonical hash: 32 hexadecimal digits, independent of ages and numbers."""
        return f'{self.digest:032x}'


def fold(belief: Belief, observation: Observation) -> Belief:
    """Take an observation in and return the new belief.

    One of another episode, or whose number is not newer, changes nothing. A gap in the numbers
    makes the belief stale until a snapshot. The first snapshot of an episode starts from nothing.
    """
    if observation.episode_id != belief.episode_id or observation.seq <= belief.seq:
        return belief
    snapshot = observation.kind is ObservationKind.SNAPSHOT
    stale = not snapshot and (belief.stale or observation.base_seq != belief.seq)
    stamp = observation.header.stamp
    seen = replace(
        belief,
        seq=observation.seq,
        stamp=stamp,
        stale=stale,
        env_done=observation.env_done,
        env_success=observation.env_success,
        score=observation.score,
    )
    if observation.kind is ObservationKind.UNCHANGED:
        return seen
    changes = _Changes(belief, Entry(Value.FALSE, observation.seq, stamp))
    changes.forget(observation.gone)
    for item in observation.objects:
        changes.set_object(item.name, item.type)
    changes.close(observation.covers)
    for fact in observation.facts:
        changes.set_fact(fact.atom, fact.value)
    for fluent in observation.fluents:
        changes.set_fluent(fluent)
    return replace(
        seen,
        objects=changes.objects,
        facts=changes.facts,
        closed=changes.closed,
        fluents=changes.fluents,
        digest=changes.digest % _MODULUS,
    )


def digest_of(
    objects: Mapping[str, str],
    facts: Mapping[str, Mapping[Atom, Entry]],
    closed: Mapping[str, Mapping[Atom, Entry]],
    fluents: Mapping[tuple[str, ...], Fluent],
) -> int:
    """Compute the canonical digest of a belief's content from nothing."""
    total = sum(_mix('object', item, 0) for item in objects.items())
    total += sum(_mix('fact', a, e.value) for known in facts.values() for a, e in known.items())
    total += sum(_mix('closed', atom, 0) for patterns in closed.values() for atom in patterns)
    total += sum(_mix_fluent(fluent) for fluent in fluents.values())
    return total % _MODULUS


class _Changes:
    """Copies of the mappings that an observation touches, and the running hash."""

    def __init__(self, belief: Belief, stamp: Entry) -> None:
        self.objects = dict(belief.objects)
        self.facts = dict(belief.facts)
        self.closed = dict(belief.closed)
        self.fluents = dict(belief.fluents)
        self.digest = belief.digest
        self._entry = stamp
        self._own: set[tuple[str, str]] = set()

    def _mutable(self, table: str, predicate: str) -> dict[Atom, Entry]:
        mapping = self.facts if table == 'fact' else self.closed
        if (table, predicate) not in self._own:
            mapping[predicate] = dict(mapping.get(predicate, {}))
            self._own.add((table, predicate))
        own = mapping[predicate]
        assert isinstance(own, dict)
        return own

    def set_object(self, name: str, type_name: str) -> None:
        old = self.objects.get(name)
        if old == type_name:
            return
        if old is not None:
            self.digest -= _mix('object', (name, old), 0)
        self.objects[name] = type_name
        self.digest += _mix('object', (name, type_name), 0)

    def set_fact(self, atom: Atom, value: Value) -> None:
        table = self._mutable('fact', atom[0])
        old = table.get(atom)
        if old is None or old.value is not value:
            if old is not None:
                self.digest -= _mix('fact', atom, old.value)
            self.digest += _mix('fact', atom, value)
        table[atom] = self._entry._replace(value=value)

    def drop_fact(self, atom: Atom) -> None:
        entry = self._mutable('fact', atom[0]).pop(atom)
        self.digest -= _mix('fact', atom, entry.value)

    def close(self, covers: Iterable[Pattern]) -> None:
        """Make all atoms of the patterns false; what is listed true is set afterwards."""
        for pattern in covers:
            known = self.facts.get(pattern.predicate, {})
            for atom in [atom for atom in known if pattern.matches(atom)]:
                self.drop_fact(atom)
            table = self._mutable('closed', pattern.predicate)
            if pattern.atom not in table:
                self.digest += _mix('closed', pattern.atom, 0)
            table[pattern.atom] = self._entry

    def set_fluent(self, fluent: Fluent) -> None:
        key = (fluent.name, *fluent.args)
        old = self.fluents.get(key)
        if old is not None:
            self.digest -= _mix_fluent(old)
        self.fluents[key] = fluent
        self.digest += _mix_fluent(fluent)

    def forget(self, gone: Iterable[str]) -> None:
        """Remove objects with everything that is said of them."""
        names = {name for name in gone if name in self.objects}
        if not names:
            return
        for name in names:
            self.digest -= _mix('object', (name, self.objects.pop(name)), 0)
        for predicate in list(self.facts):
            for atom in [a for a in self.facts[predicate] if not names.isdisjoint(a[1:])]:
                self.drop_fact(atom)
        for predicate in list(self.closed):
            for atom in [a for a in self.closed[predicate] if not names.isdisjoint(a[1:])]:
                del self._mutable('closed', predicate)[atom]
                self.digest -= _mix('closed', atom, 0)
        for key in [key for key in self.fluents if not names.isdisjoint(key[1:])]:
            self.digest -= _mix_fluent(self.fluents.pop(key))


def _closing(patterns: Mapping[Atom, Entry], atom: Atom) -> Entry | None:
    """Find the newest closed pattern that holds the atom."""
    best: Entry | None = None
    if len(patterns) <= 4:
        for pattern, entry in patterns.items():
            if _holds(pattern, atom) and (best is None or entry.seq > best.seq):
                best = entry
        return best
    # Arities are small, so trying every generalisation beats walking a long list of patterns.
    arity = len(atom) - 1
    for mask in range(1 << arity):
        key = (atom[0], *(ANY if mask >> i & 1 else atom[i + 1] for i in range(arity)))
        found = patterns.get(key)
        if found is not None and (best is None or found.seq > best.seq):
            best = found
    return best


def _holds(pattern: Atom, atom: Atom) -> bool:
    return len(pattern) == len(atom) and all(
        p in (ANY, a) for p, a in zip(pattern[1:], atom[1:], strict=True)
    )


@lru_cache(maxsize=1 << 16)
def _mix(kind: str, atom: Atom, value: int) -> int:
    text = '\x1f'.join((kind, str(int(value)), *atom))
    return int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), 'little')


def _mix_fluent(fluent: Fluent) -> int:
    return _mix('fluent', (fluent.name, *fluent.args, repr(fluent.value), fluent.unit), 0)
