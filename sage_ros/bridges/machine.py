"""The bridge as a pure state machine: checks commands, runs one at a time, numbers its reports."""

import math
from dataclasses import dataclass

from sage_ros.bridges.events import (
    BridgeEffect,
    BridgeEvent,
    Finished,
    Halt,
    Look,
    Looked,
    MachineConfig,
    Notice,
    Report,
    ReportFilter,
    ResyncRequest,
    Start,
)
from sage_ros.bridges.outbox import Outbox
from sage_ros.contract.environment import View
from sage_ros.contract.execution import (
    RESET_ACTION,
    Admissible,
    BridgeInfo,
    Command,
    Failure,
    Heartbeat,
    Outcome,
    Status,
    Stop,
)
from sage_ros.contract.journal import Tick
from sage_ros.contract.signing import verify
from sage_ros.scene.observation import Header, Observation, ObservationKind

__all__ = [
    'BridgeEffect',
    'BridgeEvent',
    'BridgeMachine',
    'Finished',
    'Halt',
    'Look',
    'Looked',
    'MachineConfig',
    'Notice',
    'Report',
    'ReportFilter',
    'ResyncRequest',
    'Start',
]

_NANOSECONDS = 1_000_000_000
_REMEMBERED = 4096
"""How many ids of commands are remembered, so that none gets a second outcome."""


@dataclass(slots=True)
class _Running:
    """The command in the environment's hands, and why it was halted."""

    command: Command
    sign_of_life: int
    halted: Failure = Failure.NONE
    why: str = ''
    give_up_at: int = 0
    answered: bool = False

    @property
    def is_reset(self) -> bool:
        return self.command.action == RESET_ACTION


class BridgeMachine:
    """One environment's bridge. All times are nanoseconds of the bridge's clock.

    While a command runs the environment is not called: an environment that declares
    ``static_between_commands`` is then reported UNCHANGED (what the command does is reported when
    it ends), any other is silent until the command ends. A command that was given up keeps the
    bridge busy, and silent, until the environment lets go of it.
    """

    def __init__(
        self,
        info: BridgeInfo,
        key: bytes,
        config: MachineConfig | None = None,
        report_filter: ReportFilter | None = None,
    ) -> None:
        config = config or MachineConfig()
        self.info = info
        self._key = key
        self._outbox = Outbox(report_filter)
        self._lease = _nanoseconds(config.monitor_lease)
        self._snapshot_period = _nanoseconds(config.snapshot_period)
        self._grace = _nanoseconds(config.halt_grace)
        self._observation_period = _nanoseconds(info.observation_period)
        self._actions = {action.name: action for action in info.actions}
        self._session = ''
        self._past_sessions: set[str] = set()
        self._counter = 0
        self._episode = ''
        self._seq = 0
        self._running: _Running | None = None
        self._looking = False
        self._snapshot_due = 0
        self._observation_due = 0
        self._last_view = View()
        self._taken: dict[str, None] = {}
        self._forged: dict[str, None] = {}

    @property
    def episode_id(self) -> str:
        """The episode that commands must name; empty before a reset and when the world is lost."""
        return self._episode

    @property
    def session_id(self) -> str:
        """The monitor session that is obeyed."""
        return self._session

    @property
    def busy(self) -> bool:
        """Whether the environment has a command in its hands."""
        return self._running is not None

    def step(self, event: BridgeEvent, now: int) -> list[BridgeEffect]:
        """Take an event in and say what to do and to publish, in this order."""
        effects: list[BridgeEffect] = []
        match event:
            case Command():
                self._on_command(event, now, effects)
            case Stop():
                if self._running is not None:
                    self._halt(Failure.STOPPED, event.reason or 'stop', now, effects)
            case Heartbeat():
                if self._running is not None and event.session_id == self._session:
                    self._running.sign_of_life = now
            case ResyncRequest():
                self._snapshot_due = now
            case Finished():
                self._on_finished(event, now, effects)
            case Looked():
                self._on_looked(event, now, effects)
            case Tick():
                pass
        self._watch_running(now, effects)
        self._observe_in_time(now, effects)
        return self._outbox.pass_on(effects, now)

    def next_deadline(self) -> int | None:
        """Return when a Tick is needed next, if nothing else happens before."""
        times: list[int] = []
        running = self._running
        if running is not None and not running.answered:
            if running.halted is Failure.NONE:
                times.append(running.command.deadline)
                if not running.is_reset:
                    times.append(running.sign_of_life + self._lease)
            else:
                times.append(running.give_up_at)
        if self._may_observe():
            if running is None:
                times.append(self._snapshot_due)
            if running is None or self.info.static_between_commands:
                times.append(self._observation_due)
        if self._outbox.next_time is not None:
            times.append(self._outbox.next_time)
        return min(times, default=None)

    # ------------------------------------------------------------ commands

    def _on_command(self, command: Command, now: int, effects: list[BridgeEffect]) -> None:
        if command.command_id in self._taken:
            effects.append(Notice(f'{command} came again: id {command.command_id} is taken'))
            return
        refusal = self._check(command, now, effects)
        if refusal is not None:
            failure, reason = refusal
            # What is not signed cannot use up the id of a command that is.
            forged = failure is Failure.BAD_SIGNATURE
            if forged and command.command_id in self._forged:
                effects.append(Notice(f'id {command.command_id} came unsigned again'))
                return
            _remember(self._forged if forged else self._taken, command.command_id)
            effects.append(self._outcome(command, Status.REFUSED, failure, reason, now))
            return
        _remember(self._taken, command.command_id)
        if command.action == RESET_ACTION:
            self._episode = ''
        self._running = _Running(command, sign_of_life=now)
        effects.append(Start(command))

    def _check(
        self, command: Command, now: int, effects: list[BridgeEffect]
    ) -> tuple[Failure, str] | None:
        """Say why a command is refused; takes note of session and counter of a signed one."""
        if not verify(self._key, command):
            return Failure.BAD_SIGNATURE, 'the signature does not fit the command and the key'
        is_reset = command.action == RESET_ACTION
        expired = now >= command.deadline
        if command.session_id != self._session:
            if not command.session_id or command.session_id in self._past_sessions:
                return Failure.BAD_SESSION, f'session {command.session_id!r} is over'
            if not is_reset:
                return Failure.BAD_SESSION, 'a new session begins with a reset'
            if command.counter < 1:
                return Failure.BAD_COUNTER, 'counters start at 1'
            if not expired:
                self._take_session(command, now, effects)
        elif command.counter <= self._counter:
            last = self._counter
            return Failure.BAD_COUNTER, f'counter {command.counter} comes after {last}'
        else:
            self._counter = command.counter
        wrong = self._wrong_episode(command)
        if wrong is not None:
            return Failure.WRONG_EPISODE, wrong
        if expired:
            late = (now - command.deadline) / _NANOSECONDS
            return Failure.EXPIRED, f'the deadline passed {late:.3f} s ago'
        wrong = self._wrong_action(command)
        if wrong is not None:
            return Failure.UNKNOWN_ACTION, wrong
        if self._running is not None:
            return Failure.BUSY, f'{self._running.command} is still running'
        return None

    def _take_session(self, command: Command, now: int, effects: list[BridgeEffect]) -> None:
        if self._session:
            self._past_sessions.add(self._session)
        self._session = command.session_id
        self._counter = command.counter
        self._episode = ''
        if self._running is not None:
            self._halt(Failure.STOPPED, 'a new monitor session began', now, effects)

    def _wrong_episode(self, command: Command) -> str | None:
        if command.action == RESET_ACTION:
            if not command.episode_id or command.episode_id == self._episode:
                return f'a reset needs a new episode, not {command.episode_id!r}'
        elif not self._episode:
            return 'no episode: reset first'
        elif command.episode_id != self._episode:
            return f'the episode is {self._episode}, not {command.episode_id}'
        return None

    def _wrong_action(self, command: Command) -> str | None:
        if command.action == RESET_ACTION:
            if len(command.args) != 2:
                return 'reset takes a scene and a goal text'
        else:
            action = self._actions.get(command.action)
            if action is None:
                return f'{self.info.environment} does not take {command.action!r}'
            if len(command.args) != len(action.types):
                return f'{command.action} takes {len(action.types)} arguments: {command}'
        for number in command.numbers:
            if not math.isfinite(number.value):
                return f'{number.name} is not a finite number'
        return None

    # ------------------------------------------------------------ the running command

    def _halt(self, failure: Failure, why: str, now: int, effects: list[BridgeEffect]) -> None:
        running = self._running
        assert running is not None
        if running.halted is not Failure.NONE:
            return
        running.halted, running.why = failure, why
        running.give_up_at = now + self._grace
        effects.append(Halt(running.command.command_id))

    def _watch_running(self, now: int, effects: list[BridgeEffect]) -> None:
        running = self._running
        if running is None or running.answered:
            return
        if running.halted is Failure.NONE:
            silent = now - running.sign_of_life
            if now >= running.command.deadline:
                self._halt(Failure.TIMEOUT, 'the deadline passed', now, effects)
            elif silent >= self._lease and not running.is_reset:
                why = f'no heartbeat for {silent / _NANOSECONDS:.3f} s'
                self._halt(Failure.LEASE_LOST, why, now, effects)
        elif now >= running.give_up_at:
            running.answered = True
            reason = f'{running.why}; the environment has not ended the action'
            outcome = self._outcome(running.command, Status.UNKNOWN, running.halted, reason, now)
            effects.append(outcome)

    def _on_finished(self, event: Finished, now: int, effects: list[BridgeEffect]) -> None:
        running = self._running
        if running is None or running.command.command_id != event.command_id:
            effects.append(Notice(f'an end of {event.command_id!r}, which does not run'))
            return
        self._running = None
        command, performed = running.command, event.performed
        lost = performed.failure is Failure.ENVIRONMENT_LOST
        begun = running.is_reset and performed.status is Status.DONE
        if not running.answered:
            status, failure, reason = performed.status, performed.failure, performed.reason
            if running.halted is not Failure.NONE and not lost:
                begun = False
                timeout = running.halted is Failure.TIMEOUT
                status = Status.FAILED if timeout else Status.STOPPED
                failure = running.halted
                reason = '; '.join(filter(None, (running.why, reason)))
            outcome = self._outcome(command, status, failure, reason, now, event.task)
            effects.append(outcome)
        elif running.is_reset:
            begun = False
        if lost:
            self._episode = ''
        elif running.is_reset:
            if begun and command.session_id == self._session:
                self._episode = command.episode_id
                self._seq = 0
                self._publish(ObservationKind.SNAPSHOT, command, performed.view, now, effects)
        elif self._episode == command.episode_id:
            self._publish(ObservationKind.DELTA, command, performed.view, now, effects)

    # ------------------------------------------------------------ observations

    def _may_observe(self) -> bool:
        if not self._episode or self._looking:
            return False
        return self._running is None or not self._running.answered

    def _observe_in_time(self, now: int, effects: list[BridgeEffect]) -> None:
        if not self._may_observe():
            return
        idle = self._running is None
        if idle and now >= self._snapshot_due:
            self._looking = True
            effects.append(Look(full=True))
        elif now >= self._observation_due:
            if self.info.static_between_commands:
                self._publish(ObservationKind.UNCHANGED, None, None, now, effects)
            elif idle:
                self._looking = True
                effects.append(Look(full=False))

    def _on_looked(self, event: Looked, now: int, effects: list[BridgeEffect]) -> None:
        self._looking = False
        if event.lost:
            self._episode = ''
            effects.append(Notice(f'the environment is lost: {event.lost}'))
        elif not self._episode:
            return
        elif event.view is None:
            if not event.full:
                self._publish(ObservationKind.UNCHANGED, None, None, now, effects)
        else:
            kind = ObservationKind.SNAPSHOT if event.full else ObservationKind.DELTA
            self._publish(kind, None, event.view, now, effects)

    def _publish(
        self,
        kind: ObservationKind,
        command: Command | None,
        view: View | None,
        now: int,
        effects: list[BridgeEffect],
    ) -> None:
        base, self._seq = self._seq, self._seq + 1
        self._observation_due = now + self._observation_period
        if kind is ObservationKind.SNAPSHOT:
            self._snapshot_due = now + self._snapshot_period
        if view is not None:
            self._last_view = view
        last = self._last_view
        said = view or View()
        effects.append(
            Observation(
                header=Header(now),
                episode_id=self._episode,
                seq=self._seq,
                base_seq=base,
                kind=kind,
                command_id=command.command_id if command else '',
                text=said.text,
                objects=said.objects,
                gone=said.gone,
                facts=said.facts,
                covers=said.covers,
                fluents=said.fluents,
                env_done=last.done,
                env_success=last.success,
                score=last.score,
            )
        )
        if self.info.lists_admissible:
            effects.append(Admissible(Header(now), self._episode, self._seq, last.admissible))

    # ------------------------------------------------------------ reports

    def _outcome(
        self,
        command: Command,
        status: Status,
        failure: Failure,
        reason: str,
        now: int,
        task: str = '',
    ) -> Outcome:
        header = Header(now)
        return Outcome(
            header, command.episode_id, command.command_id, status, failure, reason, task
        )


def _remember(ids: dict[str, None], command_id: str) -> None:
    ids[command_id] = None
    if len(ids) > _REMEMBERED:
        del ids[next(iter(ids))]


def _nanoseconds(seconds: float) -> int:
    return round(seconds * _NANOSECONDS)
