"""What actions must have changed out of sight: kept by the planner until it can be seen."""

from collections.abc import Iterable, Sequence

from sage_ros.contract.execution import Status
from sage_ros.contract.remembering import Transition
from sage_ros.scene.belief import Belief
from sage_ros.symbols.facts import Atom, Value
from sage_ros.symbols.state import Difference, GroundAction


class Predictions:
    """Effects of executed steps that no observation has confirmed or denied yet, in one episode.

    What a step does to its own arguments can be seen at once and is not predicted. Predictions
    serve planning only; nothing here is a fact.
    """

    def __init__(self) -> None:
        self._values: dict[Atom, tuple[Value, int]] = {}
        self._proposed: list[tuple[GroundAction, Difference]] = []
        self._known = 0

    def propose(self, steps: Iterable[tuple[GroundAction, Difference]]) -> None:
        """Remember what is proposed, with what each step is to change."""
        self._proposed = list(steps)

    def notice(
        self, belief: Belief, transitions: Sequence[Transition], in_sight: frozenset[str]
    ) -> None:
        """Take in what was executed and what can be seen now.

        ``in_sight`` are the objects whose properties the newest observation shows.
        """
        for transition in transitions[self._known :]:
            action = GroundAction(transition.action, transition.args)
            index = next((i for i, p in enumerate(self._proposed) if p[0] == action), None)
            if index is None:
                continue
            change = self._proposed.pop(index)[1]
            if transition.status is Status.DONE:
                own = set(action.args)
                for value, atoms in ((Value.TRUE, change.added), (Value.FALSE, change.deleted)):
                    for atom in atoms:
                        if not own.issuperset(atom[1:]):
                            self._values[atom] = (value, transition.observation_seq)
        self._known = len(transitions)
        for atom, (value, seq) in list(self._values.items()):
            entry = belief.entry(atom)
            seen = entry is not None and (entry.seq >= seq or entry.value is value)
            if seen or not in_sight.isdisjoint(atom[1:]):
                del self._values[atom]

    @property
    def values(self) -> dict[Atom, Value]:
        """The predictions that stand."""
        return {atom: value for atom, (value, _) in self._values.items()}
