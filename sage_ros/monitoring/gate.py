"""The gate: a pure state machine between the planner and the bridge.

It has no clock, no randomness and no input or output: the same inputs give the same effects.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from sage_ros.contract.admission import AdmissionTable
from sage_ros.contract.execution import Admissible, BridgeInfo, Outcome
from sage_ros.contract.journal import (
    Conflict,
    Event,
    JournalEntry,
    Lifecycle,
    Tick,
)
from sage_ros.contract.judgement import (
    Decision,
    Episode,
    EpisodeOutcome,
    MonitorPhase,
    MonitorState,
)
from sage_ros.contract.judging import JudgeReply
from sage_ros.contract.plan import Plan
from sage_ros.contract.requests import BeginEpisode, EndEpisode, Hold, Reply, SetGoal
from sage_ros.monitoring.admission import Admission
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.dispatch import Dispatcher
from sage_ros.monitoring.effects import Effect
from sage_ros.monitoring.episodes import Episodes
from sage_ros.monitoring.fates import Fates
from sage_ros.monitoring.plans import Plans
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.monitoring.session import Session
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import Observation
from sage_ros.symbols.domain import Domain


class Gate:
    """Takes inputs one at a time and says what is to be published, in order.

    It starts inactive. ``session_id`` is new for every gate; ids of episodes and commands begin
    with it. ValueError if the admission table does not fit the domain.
    """

    def __init__(
        self, config: GateConfig, domain: Domain, admission: AdmissionTable, session_id: str
    ) -> None:
        self._session = session = Session(config, domain, admission, session_id)
        self._plans = Plans(session)
        self._fates = Fates(session, self._plans)
        self._dispatcher = Dispatcher(session, self._plans)
        self._episodes = Episodes(session, self._plans, self._fates)
        self._state: tuple[MonitorPhase, str, str] | None = None
        self._handlers: dict[type[Event], Callable[[Any], None]] = {
            Plan: self._plans.receive,
            Outcome: self._ended,
            Observation: self._observed,
            Admissible: self._nothing,
            BridgeInfo: self._bridge,
            JudgeReply: self._fates.replied,
            BeginEpisode: self._episodes.begin,
            SetGoal: self._episodes.set_goal,
            EndEpisode: self._episodes.end,
            Hold: self._hold,
            Tick: self._nothing,
            Lifecycle: self._lifecycle,
            Conflict: self._conflict,
        }

    # ------------------------------------------------------------ what others may know

    @property
    def belief(self) -> Belief:
        """The belief of the present episode, or of the last one."""
        return self._session.belief

    @property
    def episode(self) -> Episode | None:
        """The episode that is running; ``steps`` counts its commands."""
        return self._session.episode

    @property
    def admission(self) -> Admission:
        """The rules for single steps."""
        return self._session.admission

    @property
    def config(self) -> GateConfig:
        """The parameters."""
        return self._session.config

    @property
    def bridge(self) -> BridgeInfo | None:
        """What the bridge has said of itself."""
        return self._session.bridge

    @property
    def taken(self) -> frozenset[str]:
        """The names of the actions that the bridge takes."""
        return self._session.taken

    @property
    def held(self) -> str | None:
        """Why nothing is admitted; None if the gate is not held."""
        return self._session.held

    @property
    def config_hash(self) -> str:
        """The SHA-256 of configuration, admission table and domain."""
        return self._session.config_hash

    @property
    def busy(self) -> bool:
        """Whether a step is out or is to be judged as soon as something is observed."""
        session = self._session
        return session.moving or session.running is not None or session.batch is not None

    @property
    def counts(self) -> Counter[str]:
        """How many inputs were of no use, by kind; for diagnostics."""
        return self._session.counts

    def next_deadline(self) -> int | None:
        """Return when a Tick is needed next, if nothing else happens before."""
        first = min((time for time, _ in self._timers()), default=None)
        return None if first is None else self._session.clock.external(first)

    # ------------------------------------------------------------ one step

    def step(self, event: Event, now: int) -> list[Effect]:
        """Take an input in at a time in nanoseconds; KeyError for what is no input.

        Every input is journaled, a Tick only if it changed something.
        """
        session = self._session
        jumped = session.clock.set(now)
        self._handlers[type(event)](event)
        self._settle()
        self._expire()
        self._say_state()
        effects = session.effects
        if effects or jumped or not isinstance(event, Tick):
            session.clock.keep()
            effects.append(JournalEntry.of(event, session.session_id, session.input_seq, now))
            session.input_seq += 1
            session.effects = []
        return effects

    def _settle(self) -> None:
        """Do all that can be done now: end what is over, judge the next steps."""
        while self._episodes.settle() or self._dispatcher.advance():
            pass

    def _expire(self) -> None:
        """Do what is due by itself, in the order of the times."""
        while True:
            due = [timer for timer in self._timers() if timer[0] <= self._session.clock.time]
            if not due:
                return
            min(due, key=lambda timer: timer[0])[1]()
            self._settle()

    def _timers(self) -> Iterator[tuple[int, Callable[[], None]]]:
        yield from self._fates.timers()
        yield from self._dispatcher.timers()
        yield from self._episodes.timers()

    def _say_state(self) -> None:
        """Publish the monitor's state when it has changed."""
        session = self._session
        episode = session.episode
        phase, reason = self._phase()
        state = (phase, '' if episode is None else episode.episode_id, reason)
        if state != self._state:
            self._state = state
            session.effects.append(MonitorState(session.header(), *state))

    def _phase(self) -> tuple[MonitorPhase, str]:
        session = self._session
        if session.held is not None:
            return MonitorPhase.HELD, session.held
        if session.running is not None and session.running.judging:
            return MonitorPhase.JUDGING, ''
        if session.running is not None:
            return MonitorPhase.DISPATCHED, ''
        if session.beginning is not None:
            return MonitorPhase.DISPATCHED, 'reset'
        if session.lost is not None:
            return MonitorPhase.CHECKING, 'waiting for an outcome'
        if session.batch is not None:
            return MonitorPhase.CHECKING, 'waiting for a snapshot'
        return MonitorPhase.IDLE, '' if session.active else 'inactive'

    # ------------------------------------------------------------ inputs

    def _nothing(self, event: Event) -> None:
        """Only journal the input."""

    def _ended(self, outcome: Outcome) -> None:
        if not self._episodes.reset_ended(outcome):
            self._fates.ended(outcome)

    def _observed(self, observation: Observation) -> None:
        session, episode = self._session, self._session.episode
        if self._episodes.first_seen(observation):
            return
        if episode is None or observation.episode_id != episode.episode_id:
            session.counts['observation.foreign'] += 1
            return
        session.heard_at = session.clock.time
        before = session.belief.digest
        taken = session.take(observation)
        own = self._fates.observed(observation)
        if taken and not own and session.belief.digest != before:
            self._dispatcher.recheck()

    def _bridge(self, info: BridgeInfo) -> None:
        session, episode = self._session, self._session.episode
        session.bridge = info
        session.taken = frozenset(action.name for action in info.actions)
        if episode is None:
            return
        if (info.environment, info.domain_hash) != (episode.environment, episode.domain_hash):
            reason = f'another bridge came: {info.environment}'
            session.stop(reason)
            self._episodes.finish(EpisodeOutcome.BRIDGE_LOST, reason)

    def _hold(self, request: Hold) -> None:
        session = self._session
        reply = Reply(True)
        if request.active:
            self._hold_now(request.reason or 'held')
        elif session.conflict:
            reply = Reply(False, _publishers(session.conflict))
        else:
            session.held = None
            session.idle_since = session.clock.time
        session.answer(Hold, session.input_seq, reply)

    def _conflict(self, conflict: Conflict) -> None:
        """Hold while somebody else publishes; only a person releases it afterwards."""
        self._session.conflict = conflict.publishers
        if conflict.publishers:
            self._hold_now(_publishers(conflict.publishers))

    def _hold_now(self, reason: str) -> None:
        session = self._session
        session.held = reason
        if session.moving:
            session.stop(reason)
        self._plans.drop(Decision.HELD, Rule.MONITOR_HELD, reason)
        self._episodes.abandon(f'held: {reason}')

    def _lifecycle(self, lifecycle: Lifecycle) -> None:
        session = self._session
        if session.active and not lifecycle.active:
            reason = 'the monitor was deactivated'
            session.stop(reason)
            self._episodes.abandon(reason)
            if session.episode is not None:
                self._episodes.finish(EpisodeOutcome.MONITOR_STOPPED, reason)
        session.active = lifecycle.active


def _publishers(names: tuple[str, ...]) -> str:
    listed = ', '.join(names)
    return f'other publishers of commands: {listed}; when they are gone, call hold with false'
