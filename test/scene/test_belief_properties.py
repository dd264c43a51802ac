"""The belief against a naive reference, over generated streams of observations."""

from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st

from sage_ros.scene.belief import Belief, digest_of, fold
from sage_ros.scene.observation import (
    ANY,
    Header,
    Observation,
    ObservationKind,
    Pattern,
    SceneObject,
)
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.facts import Atom, Fact, Fluent, Value

NAMES = ['a', 'b', 'c']
PREDICATES = {'p': 0, 'q': 1, 'r': 2, 's': 3}

names = st.sampled_from(NAMES)


def atoms(arguments: st.SearchStrategy[str]) -> st.SearchStrategy[Atom]:
    """Generate atoms over some arguments."""
    return st.sampled_from(sorted(PREDICATES)).flatmap(
        lambda p: st.tuples(st.just(p), *[arguments] * PREDICATES[p])
    )


facts = st.builds(Fact.of, atoms(names), st.sampled_from(Value))
patterns = atoms(st.sampled_from([*NAMES, ANY])).map(lambda a: Pattern(a[0], a[1:]))
fluents = st.builds(
    Fluent, st.just('t'), st.tuples(names), st.floats(0, 9, width=16), st.just('s')
)
contents = st.fixed_dictionaries(
    {
        'kind': st.sampled_from(ObservationKind),
        'facts': st.lists(facts, max_size=6).map(tuple),
        'covers': st.lists(patterns, max_size=3).map(tuple),
        'gone': st.lists(names, max_size=1).map(tuple),
        'objects': st.lists(
            st.builds(SceneObject, names, st.sampled_from(['x', 'y'])), max_size=4
        ).map(tuple),
        'fluents': st.lists(fluents, max_size=2).map(tuple),
        'env_done': st.booleans(),
    }
)
# How far the number goes on: 0 is a duplicate, -1 an old one, 2 a gap.
jumps = st.sampled_from([1, 1, 1, 1, 1, 1, 0, -1, 2, 3])


@st.composite
def streams(draw: st.DrawFn) -> list[Observation]:
    """Generate a stream with gaps, duplicates and observations out of order."""
    seq, stream = 0, []
    for _ in range(draw(st.integers(1, 9))):
        jump = draw(jumps)
        seq = max(1, seq + jump)
        stream.append(
            Observation(
                header=Header(seq * 10),
                episode_id='e',
                seq=seq,
                base_seq=seq - 1 if jump <= 1 else seq - 2 + draw(st.integers(0, 1)),
                **draw(contents),
            )
        )
    return stream


@dataclass
class Naive:
    """The same by listing what was observed, in order, and reading it backwards."""

    seq: int = 0
    stale: bool = False
    objects: dict[str, str] = field(default_factory=dict)
    # What was said: a fact, or a pattern whose atoms are false, with the observation's number.
    said: list[tuple[Pattern, Value, int]] = field(default_factory=list)

    def take(self, observation: Observation) -> None:
        """Take in what is new."""
        if observation.seq <= self.seq:
            return
        snapshot = observation.kind is ObservationKind.SNAPSHOT
        self.stale = not snapshot and (self.stale or observation.base_seq != self.seq)
        self.seq = observation.seq
        if observation.kind is ObservationKind.UNCHANGED:
            return
        gone = set(observation.gone) & set(self.objects)
        self.said = [one for one in self.said if gone.isdisjoint(one[0].args)]
        self.objects = {k: v for k, v in self.objects.items() if k not in gone}
        self.objects.update({each.name: each.type for each in observation.objects})
        self.said += [(pattern, Value.FALSE, self.seq) for pattern in observation.covers]
        self.said += [(Pattern(f.predicate, f.args), f.value, self.seq) for f in observation.facts]

    def value(self, atom: Atom) -> Value:
        """Find the last thing that was said of an atom."""
        for pattern, value, _ in reversed(self.said):
            if pattern.matches(atom):
                return value
        return Value.UNKNOWN


def every_atom() -> list[Atom]:
    """List all atoms over the names."""
    found: list[Atom] = []
    for predicate, arity in PREDICATES.items():
        ground: list[Atom] = [(predicate,)]
        for _ in range(arity):
            ground = [(*atom, name) for atom in ground for name in NAMES]
        found += ground
    return found


EVERY_ATOM = every_atom()


def folded(stream: list[Observation]) -> Belief:
    """Fold a stream."""
    belief = Belief(episode_id='e')
    for observation in stream:
        belief = fold(belief, observation)
    return belief


@given(streams())
def test_folding_equals_reading_everything_that_was_said(stream: list[Observation]) -> None:
    belief, naive = Belief(episode_id='e'), Naive()
    for observation in stream:
        belief = fold(belief, observation)
        naive.take(observation)
        assert (belief.seq, belief.stale) == (naive.seq, naive.stale)
        assert dict(belief.objects) == naive.objects
        for atom in EVERY_ATOM:
            assert belief.value(atom) is naive.value(atom)


@given(streams())
def test_the_running_hash_is_that_of_the_content(stream: list[Observation]) -> None:
    belief = Belief(episode_id='e')
    for observation in stream:
        belief = fold(belief, observation)
        assert belief.digest == digest_of(
            belief.objects, belief.facts, belief.closed, belief.fluents
        )


@given(streams())
def test_folding_changes_nothing_but_its_result(stream: list[Observation]) -> None:
    belief = Belief(episode_id='e')
    for observation in stream:
        before = BeliefRecord.of(belief)
        after = fold(belief, observation)
        assert BeliefRecord.of(belief) == before
        assert fold(after, observation) is after
        belief = after


@given(streams())
def test_a_record_gives_the_belief_back(stream: list[Observation]) -> None:
    belief = folded(stream)
    record = BeliefRecord.of(belief)
    again = record.belief()
    assert BeliefRecord.of(again) == record
    assert again.hash == belief.hash
    assert again.stale == belief.stale
    assert all(again.entry(atom) == belief.entry(atom) for atom in EVERY_ATOM)


@given(streams(), st.integers(0, 8))
def test_what_was_taken_over_from_a_record_folds_on_alike(
    stream: list[Observation], cut: int
) -> None:
    belief = folded(stream[:cut])
    taken = BeliefRecord.of(belief).belief()
    for observation in stream[cut:]:
        belief, taken = fold(belief, observation), fold(taken, observation)
    assert BeliefRecord.of(taken) == BeliefRecord.of(belief)


@given(streams(), st.integers(1, 1000))
def test_the_hash_depends_on_neither_ages_nor_numbers(
    stream: list[Observation], later: int
) -> None:
    moved = [
        replace(
            o,
            header=Header(o.header.stamp + later),
            seq=o.seq + later,
            base_seq=o.base_seq + later,
        )
        for o in stream
    ]
    assert folded(moved).hash == folded(stream).hash
