"""Which actions make no sense to try again: what failed, and what the monitor refused."""

from collections import Counter
from collections.abc import Iterable

from sage_ros.contract.execution import Failure, Status
from sage_ros.contract.judgement import Decision, Verdict
from sage_ros.contract.remembering import Transition
from sage_ros.symbols.state import GroundAction

FINAL = frozenset((Failure.NO_ROOM, Failure.UNKNOWN_OBJECT, Failure.UNKNOWN_ACTION))
"""Failures that another try does not mend."""

_FAILURES = 3
_REFUSALS = 3


class Attempts:
    """The refusals of one episode, read together with its transitions.

    An action is barred once it failed in a final way, or three times in a row in any way (also
    by changing nothing), or was refused three times; and one that was refused, for as long as the
    belief is the same.
    """

    def __init__(self) -> None:
        self._refused: Counter[GroundAction] = Counter()
        self._at: dict[GroundAction, str] = {}

    def note(self, verdict: Verdict) -> None:
        """Take a verdict in."""
        if verdict.decision is Decision.REFUSED:
            action = GroundAction(verdict.action, verdict.args)
            self._refused[action] += 1
            self._at[action] = verdict.belief_hash

    def barred(
        self, transitions: Iterable[Transition], belief_hash: str
    ) -> frozenset[GroundAction]:
        """List the actions not to be tried with this belief."""
        failed: Counter[GroundAction] = Counter()
        for transition in transitions:
            action = GroundAction(transition.action, transition.args)
            if transition.status in (Status.FAILED, Status.REFUSED):
                failed[action] += _FAILURES if transition.failure in FINAL else 1
            elif transition.status is Status.DONE and _in_vain(transition):
                failed[action] += 1
            elif transition.status is Status.DONE:
                failed[action] = 0
        barred = {action for action, count in failed.items() if count >= _FAILURES}
        barred |= {action for action, count in self._refused.items() if count >= _REFUSALS}
        barred |= {action for action, at in self._at.items() if at == belief_hash}
        return frozenset(barred)


def _in_vain(transition: Transition) -> bool:
    """Tell whether an action on something changed nothing; a look around need not."""
    return bool(transition.args) and transition.hash_before == transition.hash_after != ''


def failed_here(transitions: Iterable[Transition], belief_hash: str) -> frozenset[GroundAction]:
    """List the actions that failed with this belief."""
    return frozenset(
        GroundAction(transition.action, transition.args)
        for transition in transitions
        if transition.status is Status.FAILED and transition.hash_before == belief_hash
    )
