"""A belief as a flat record, in which it travels and from which it is rebuilt exactly."""

from dataclasses import dataclass, field
from typing import Self

from sage_ros.scene.belief import Belief, Entry, digest_of
from sage_ros.scene.observation import Header, Pattern, SceneObject
from sage_ros.symbols.facts import Atom, Fact, Fluent, Value


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact, the number of the observation it came from and that observation's stamp."""

    fact: Fact
    seq: int = 0
    stamp: int = 0


@dataclass(frozen=True, slots=True)
class KnownPattern:
    """A pattern whose unlisted atoms are false, with the observation that said so."""

    pattern: Pattern
    seq: int = 0
    stamp: int = 0


@dataclass(frozen=True, slots=True)
class BeliefRecord:
    """Everything that a belief holds, in a stable order. ``hash`` is 32 hexadecimal digits."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    seq: int = 0
    stale: bool = False
    env_done: bool = False
    env_success: bool = False
    score: float = 0.0
    objects: tuple[SceneObject, ...] = ()
    facts: tuple[KnownFact, ...] = ()
    closed: tuple[KnownPattern, ...] = ()
    fluents: tuple[Fluent, ...] = ()
    hash: str = ''

    @classmethod
    def of(cls, belief: Belief) -> Self:
        """Flatten a belief; the header carries the stamp of its newest observation."""
        return cls(
            header=Header(belief.stamp),
            episode_id=belief.episode_id,
            seq=belief.seq,
            stale=belief.stale,
            env_done=belief.env_done,
            env_success=belief.env_success,
            score=belief.score,
            objects=tuple(SceneObject(*item) for item in sorted(belief.objects.items())),
            facts=tuple(
                KnownFact(Fact.of(atom, entry.value), entry.seq, entry.stamp)
                for name in sorted(belief.facts)
                for atom, entry in sorted(belief.facts[name].items())
            ),
            closed=tuple(
                KnownPattern(Pattern(atom[0], atom[1:]), entry.seq, entry.stamp)
                for name in sorted(belief.closed)
                for atom, entry in sorted(belief.closed[name].items())
            ),
            fluents=tuple(belief.fluents[key] for key in sorted(belief.fluents)),
            hash=belief.hash,
        )

    def belief(self) -> Belief:
        """Rebuild the belief; ValueError if the content does not have the hash it claims."""
        facts: dict[str, dict[Atom, Entry]] = {}
        for known in self.facts:
            entry = Entry(known.fact.value, known.seq, known.stamp)
            facts.setdefault(known.fact.predicate, {})[known.fact.atom] = entry
        closed: dict[str, dict[Atom, Entry]] = {}
        for shut in self.closed:
            entry = Entry(Value.FALSE, shut.seq, shut.stamp)
            closed.setdefault(shut.pattern.predicate, {})[shut.pattern.atom] = entry
        objects = {item.name: item.type for item in self.objects}
        fluents = {(fluent.name, *fluent.args): fluent for fluent in self.fluents}
        belief = Belief(
            episode_id=self.episode_id,
            seq=self.seq,
            stamp=self.header.stamp,
            objects=objects,
            facts=facts,
            closed=closed,
            fluents=fluents,
            stale=self.stale,
            env_done=self.env_done,
            env_success=self.env_success,
            score=self.score,
            digest=digest_of(objects, facts, closed, fluents),
        )
        if belief.hash != self.hash:
            raise ValueError(f'a belief of hash {belief.hash} claims the hash {self.hash}')
        return belief
