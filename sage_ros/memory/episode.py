"""What memory keeps of one episode: belief, hashes, commands and how they went."""

from collections import deque
from dataclasses import dataclass, field

from sage_ros.contract.execution import Failure, Outcome, Status
from sage_ros.contract.judgement import Decision, Verdict
from sage_ros.contract.remembering import Transition
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import Observation

KEPT = 512
"""How many observations, and hashes of beliefs, are kept for late verdicts and records."""


@dataclass(slots=True)
class Run:
    """One command of the episode, joined from topics whose order is not known."""

    admitted: Verdict | None = None
    outcome: Outcome | None = None
    fate: Verdict | None = None
    text: str = ''
    observation_seq: int = 0
    hash_after: str = ''

    def transition(self) -> Transition | None:
        """Return what is known so far; None until the action and how it ended are known."""
        verdict = self.admitted or self.fate
        if verdict is None or (self.outcome is None and self.fate is None):
            return None
        if self.outcome is not None:
            status, failure = self.outcome.status, self.outcome.failure
            reason = self.outcome.reason
        else:
            status, failure, reason = Status.UNKNOWN, Failure.NONE, ''
        if self.fate is not None and self.fate.decision is Decision.MISMATCH:
            reason = reason or self.fate.reason
            # What was reported as done and then not observed did not work.
            if status is Status.DONE:
                status, failure = Status.FAILED, Failure.NO_EFFECT
        return Transition(
            action=verdict.action,
            args=verdict.args,
            numbers=verdict.numbers,
            status=status,
            failure=failure,
            reason=reason,
            text=self.text,
            observation_seq=self.observation_seq,
            hash_before=self.admitted.belief_hash if self.admitted is not None else '',
            hash_after=self.hash_after,
        )


@dataclass(slots=True)
class EpisodeMemory:
    """One episode. ``sound`` says that the belief rests on every observation so far."""

    belief: Belief
    sound: bool = True
    hashes: dict[int, str] = field(default_factory=dict)
    recent: deque[Observation] = field(default_factory=lambda: deque(maxlen=KEPT))
    runs: dict[str, Run] = field(default_factory=dict)
    unchecked: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=KEPT))
    text: str = ''
    asked_at: int | None = None
    held: bool = False

    def run(self, command_id: str) -> Run:
        """Return the record of a command, a new one if it is not known yet."""
        return self.runs.setdefault(command_id, Run())

    def remember_hash(self) -> None:
        """Keep the hash of the present belief under its number."""
        self.hashes[self.belief.seq] = self.belief.hash
        while len(self.hashes) > KEPT:
            del self.hashes[next(iter(self.hashes))]

    def transitions(self) -> tuple[Transition, ...]:
        """List the executed actions in the order in which they were admitted."""
        known = [
            (verdict.plan_seq, verdict.step, transition)
            for run in self.runs.values()
            if (verdict := run.admitted or run.fate) is not None
            and (transition := run.transition()) is not None
        ]
        return tuple(item[2] for item in sorted(known, key=lambda item: item[:2]))
