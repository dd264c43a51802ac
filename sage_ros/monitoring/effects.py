"""What the gate asks its shell to do, in the order of the list that a step returns."""

from dataclasses import dataclass

from sage_ros.contract.execution import Command, Stop
from sage_ros.contract.journal import JournalEntry
from sage_ros.contract.judgement import Episode, MonitorState, Verdict
from sage_ros.contract.judging import JudgeRequest
from sage_ros.contract.requests import BeginEpisode, EndEpisode, Hold, Reply, SetGoal

Request = BeginEpisode | SetGoal | EndEpisode | Hold


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to a request that came in as the journal entry ``input_seq``.

    Each request gets exactly one, in the step that takes it in or in a later one.
    """

    request: type[Request]
    reply: Reply
    input_seq: int = 0


@dataclass(frozen=True, slots=True)
class Resync:
    """Ask the bridge for a snapshot."""


Effect = (
    Verdict
    | Command
    | Stop
    | Episode
    | MonitorState
    | JudgeRequest
    | Answer
    | Resync
    | JournalEntry
)
"""Commands are not signed yet. The journal entry of a step stands last."""
