"""The journal: every input of the gate in the order it was handled; what replay feeds."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Self

from sage_ros.contract.execution import Admissible, BridgeInfo, Outcome
from sage_ros.contract.judging import JudgeReply
from sage_ros.contract.plan import Plan
from sage_ros.contract.requests import BeginEpisode, EndEpisode, Hold, SetGoal
from sage_ros.scene.observation import Header, Observation


@dataclass(frozen=True, slots=True)
class Tick:
    """The clock went on; deadlines are looked at."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The monitor became active or inactive."""

    active: bool = True


@dataclass(frozen=True, slots=True)
class Conflict:
    """Who else publishes on the monitor's topics; empty when nobody does any more."""

    publishers: tuple[str, ...] = ()


Event = (
    Plan
    | Outcome
    | Observation
    | Admissible
    | BridgeInfo
    | JudgeReply
    | BeginEpisode
    | SetGoal
    | EndEpisode
    | Hold
    | Tick
    | Lifecycle
    | Conflict
)
"""Every input of the gate."""


class JournalKind(IntEnum):
    """Which input an entry holds."""

    PLAN = 0
    OUTCOME = 1
    OBSERVATION = 2
    ADMISSIBLE = 3
    BRIDGE_INFO = 4
    JUDGE_REPLY = 5
    BEGIN_EPISODE = 6
    SET_GOAL = 7
    END_EPISODE = 8
    HOLD = 9
    TICK = 10
    LIFECYCLE = 11
    CONFLICT = 12


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One input: ``seq`` counts from 1 in each session, ``handled_at`` is the gate's clock.

    Of the fields that hold inputs at most one has an element, the one that ``kind`` names.
    ``active`` belongs to LIFECYCLE, ``names`` to CONFLICT; TICK has no content.
    """

    header: Header = field(default_factory=Header)
    session_id: str = ''
    seq: int = 0
    handled_at: int = 0
    kind: JournalKind = JournalKind.TICK
    plan: tuple[Plan, ...] = ()
    outcome: tuple[Outcome, ...] = ()
    observation: tuple[Observation, ...] = ()
    admissible: tuple[Admissible, ...] = ()
    bridge_info: tuple[BridgeInfo, ...] = ()
    judge_reply: tuple[JudgeReply, ...] = ()
    begin_episode: tuple[BeginEpisode, ...] = ()
    set_goal: tuple[SetGoal, ...] = ()
    end_episode: tuple[EndEpisode, ...] = ()
    hold: tuple[Hold, ...] = ()
    active: bool = False
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, event: Event, session_id: str, seq: int, now: int) -> Self:
        """Wrap an input of the gate."""
        kind, name = _KINDS[type(event)]
        content: dict[str, object] = {} if name is None else {name: (event,)}
        if isinstance(event, Lifecycle):
            content['active'] = event.active
        elif isinstance(event, Conflict):
            content['names'] = event.publishers
        return cls(Header(now), session_id, seq, now, kind, **content)  # type: ignore[arg-type]

    @property
    def event(self) -> Event:
        """The input; ValueError if the entry does not hold what its kind names."""
        if self.kind is JournalKind.TICK:
            return Tick()
        if self.kind is JournalKind.LIFECYCLE:
            return Lifecycle(self.active)
        if self.kind is JournalKind.CONFLICT:
            return Conflict(self.names)
        content: tuple[Event, ...] = getattr(self, self.kind.name.lower())
        if len(content) != 1:
            raise ValueError(f'journal entry {self.seq}: no {self.kind.name} in it')
        return content[0]


_KINDS: dict[type, tuple[JournalKind, str | None]] = {
    Plan: (JournalKind.PLAN, 'plan'),
    Outcome: (JournalKind.OUTCOME, 'outcome'),
    Observation: (JournalKind.OBSERVATION, 'observation'),
    Admissible: (JournalKind.ADMISSIBLE, 'admissible'),
    BridgeInfo: (JournalKind.BRIDGE_INFO, 'bridge_info'),
    JudgeReply: (JournalKind.JUDGE_REPLY, 'judge_reply'),
    BeginEpisode: (JournalKind.BEGIN_EPISODE, 'begin_episode'),
    SetGoal: (JournalKind.SET_GOAL, 'set_goal'),
    EndEpisode: (JournalKind.END_EPISODE, 'end_episode'),
    Hold: (JournalKind.HOLD, 'hold'),
    Tick: (JournalKind.TICK, None),
    Lifecycle: (JournalKind.LIFECYCLE, None),
    Conflict: (JournalKind.CONFLICT, None),
}
