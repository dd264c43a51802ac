"""Monitor, bridge, memory and environment in one process; time passes when nothing else does.

The machines are those that the nodes drive, so the verdicts are the same as over ROS.
"""

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from sage_ros.bridges.machine import (
    Finished,
    Halt,
    Look,
    Looked,
    MachineConfig,
    ResyncRequest,
    Start,
)
from sage_ros.bridges.registry import make_environment, make_machine
from sage_ros.bridges.worker import carry_out
from sage_ros.contract.admission import AdmissionTable
from sage_ros.contract.environment import Environment
from sage_ros.contract.execution import (
    Admissible,
    BridgeInfo,
    Command,
    Heartbeat,
    Outcome,
    Stop,
)
from sage_ros.contract.journal import Event, JournalEntry, Lifecycle, Tick
from sage_ros.contract.judgement import Episode, Verdict
from sage_ros.contract.plan import Plan
from sage_ros.contract.remembering import ContextReply, ContextRequest
from sage_ros.contract.requests import BeginEpisode, EndEpisode, Hold, Reply, SetGoal
from sage_ros.contract.signing import KEY_BYTES, sign
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.memory.core import HoldRequest, MemoryCore
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Answer, Resync
from sage_ros.monitoring.gate import Gate
from sage_ros.planning.backend import Backend, Settings, make_backend, never
from sage_ros.planning.link import LinkLost
from sage_ros.planning.session import Limits, OnVerdict, run_task
from sage_ros.planning.world import World, configuration
from sage_ros.runtime.clock import NANOSECONDS, SimulatedClock
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import Observation
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.domain import Domain

_HEARTBEAT = NANOSECONDS // 10
_CALL = NANOSECONDS // 1000
"""How long a call of the environment takes by the simulated clock, at least."""

DEFAULT_ENVIRONMENT = 'home'

OnJournal = Callable[[JournalEntry], None]


class LocalStack:
    """Drives the machines around one environment and is the planner's link to them."""

    def __init__(
        self,
        environment: Environment,
        *,
        domain: Domain | None = None,
        admission: AdmissionTable | None = None,
        gate: GateConfig | None = None,
        machine: MachineConfig | None = None,
        session_id: str = 'local',
        on_journal: OnJournal | None = None,
    ) -> None:
        info = environment.info
        if domain is None or admission is None:
            domain, admission, _ = configuration(info.environment)
        self.clock = SimulatedClock()
        self.gate = Gate(gate or GateConfig(), domain, admission, session_id)
        self.memory = MemoryCore(domain)
        self._session_id = session_id
        self._environment = environment
        self._key = secrets.token_bytes(KEY_BYTES)
        self._machine = make_machine(environment, self._key, machine)
        self._info = info
        self._on_journal = on_journal
        self._queue: deque[Callable[[], None]] = deque()
        self._wishes: deque[Start | Look] = deque()
        self._answers: list[Answer] = []
        self._outbox: deque[Verdict | Episode] = deque()
        self._stop: _StopSignal | None = None
        self._beats = 0
        self._to_gate(info)
        self._to_gate(Lifecycle(True))
        self._settle()

    @property
    def belief(self) -> Belief:
        """The monitor's belief."""
        return self.gate.belief

    # ------------------------------------------------------------ the planner's link

    def now(self) -> int:
        """Return the time in nanoseconds."""
        return self.clock.now

    def bridge(self, timeout_s: float) -> BridgeInfo:
        """Return what the bridge says of itself."""
        del timeout_s
        return self._info

    def begin_episode(self, request: BeginEpisode, timeout_s: float) -> Reply:
        """Ask the monitor to begin an episode."""
        return self._ask(request, timeout_s)

    def set_goal(self, request: SetGoal, timeout_s: float) -> Reply:
        """Tell the monitor the goal facts."""
        return self._ask(request, timeout_s)

    def end_episode(self, request: EndEpisode, timeout_s: float) -> Reply:
        """Ask the monitor to end an episode."""
        return self._ask(request, timeout_s)

    def hold(self, request: Hold) -> Reply:
        """Stop now, or go on."""
        return self._ask(request, 1.0)

    def context(self, request: ContextRequest, timeout_s: float) -> ContextReply:
        """Ask memory for the belief and the transitions."""
        until = self.clock.after(timeout_s)
        while (reply := self.memory.context(request)) is None:
            if not self._pass_time(until):
                reply = self.memory.context(request, give_up=True)
                assert reply is not None
                break
        return reply

    def submit(self, plan: Plan) -> None:
        """Send a plan to the monitor."""
        self._to_gate(plan)
        self._settle()

    def wait(self, timeout_s: float) -> Verdict | Episode | None:
        """Return the next verdict or episode; lets time pass while there is none."""
        until = self.clock.after(timeout_s)
        while not self._outbox:
            if not self._pass_time(until):
                return None
        return self._outbox.popleft()

    def _ask(self, request: BeginEpisode | SetGoal | EndEpisode | Hold, timeout_s: float) -> Reply:
        until = self.clock.after(timeout_s)
        self._answers.clear()
        self._to_gate(request)
        self._settle()
        while True:
            for answer in self._answers:
                if answer.request is type(request):
                    return answer.reply
            if not self._pass_time(until):
                name = type(request).__name__
                raise LinkLost(f'the monitor did not answer {name} within {timeout_s:g} s')

    # ------------------------------------------------------------ time

    def _pass_time(self, until: int) -> bool:
        """Go on to the next thing that happens by itself, ``until`` at the latest.

        False if it is that late already.
        """
        if self.clock.now >= until:
            return False
        times = [until]
        times += filter(None, (self.gate.next_deadline(), self._machine.next_deadline()))
        if self._stop is not None:
            times.append(self.clock.now + _HEARTBEAT)
        self.clock.move_to(min(times))
        if self._stop is not None:
            self._beats += 1
            self._to_machine(Heartbeat(count=self._beats, session_id=self._session_id))
        self._to_machine(Tick())
        self._to_gate(Tick())
        self._settle()
        return True

    def sleep_in_action(self, seconds: float, stop: '_StopSignal') -> bool:
        """Let time pass while an action runs; True as soon as it is to end."""
        until = self.clock.after(seconds)
        while not stop.is_set() and self._pass_time(until):
            pass
        return stop.is_set()

    def _settle(self) -> None:
        """Do everything that is due at this time."""
        while True:
            if self._queue:
                self._queue.popleft()()
            elif self._wishes and self._stop is None:
                self._grant(self._wishes.popleft())
            else:
                return

    def _grant(self, wish: Start | Look) -> None:
        """Call the environment."""
        self._stop = stop = _StopSignal(self)
        finished = carry_out(self._environment, wish, stop)
        self._stop = None
        self.clock.move_to(self.clock.now + _CALL)
        self._to_machine(finished)

    # ------------------------------------------------------------ the machines

    def _to_gate(self, event: Event) -> None:
        self._queue.append(lambda: self._step_gate(event))

    def _to_machine(
        self, event: Command | Stop | Heartbeat | ResyncRequest | Finished | Looked | Tick
    ) -> None:
        self._queue.append(lambda: self._step_machine(event))

    def _to_memory(self, event: Observation | Outcome | Verdict | Episode) -> None:
        self._queue.append(lambda: self._step_memory(event))

    def _step_gate(self, event: Event) -> None:
        for effect in self.gate.step(event, self.clock.now):
            match effect:
                case Verdict() | Episode():
                    self._outbox.append(effect)
                    self._to_memory(effect)
                case Command():
                    self._to_machine(_signed(self._key, effect))
                case Stop():
                    self._to_machine(effect)
                case Resync():
                    self._to_machine(ResyncRequest())
                case Answer():
                    self._answers.append(effect)
                case JournalEntry() if self._on_journal is not None:
                    self._on_journal(effect)
                case _:
                    pass

    def _step_machine(
        self, event: Command | Stop | Heartbeat | ResyncRequest | Finished | Looked | Tick
    ) -> None:
        for effect in self._machine.step(event, self.clock.now):
            match effect:
                case Start() | Look():
                    self._wishes.append(effect)
                case Halt():
                    if self._stop is not None:
                        self._stop.set()
                case Outcome() | Observation():
                    self._to_gate(effect)
                    self._to_memory(effect)
                case Admissible():
                    self._to_gate(effect)
                case _:
                    pass

    def _step_memory(self, event: Observation | Outcome | Verdict | Episode) -> None:
        for effect in self.memory.step(event, self.clock.now):
            if isinstance(effect, HoldRequest):
                self._to_gate(Hold(True, effect.reason))
            else:
                self.memory.adopt(BeliefRecord.of(self.gate.belief))


class _StopSignal:
    """Tells the environment's running action to end; its waiting is the stack's time."""

    def __init__(self, stack: LocalStack) -> None:
        self._stack = stack
        self._set = False

    def set(self) -> None:
        """End the action."""
        self._set = True

    def is_set(self) -> bool:
        """Tell whether the action is to end."""
        return self._set

    def wait(self, seconds: float) -> bool:
        """Let time pass; True as soon as the action is to end."""
        return self._stack.sleep_in_action(seconds, self)


def _signed(key: bytes, command: Command) -> Command:
    return replace(command, signature=sign(key, command))


def run_local(
    request: TaskRequest,
    *,
    environment: Environment | None = None,
    settings: Settings | None = None,
    limits: Limits | None = None,
    gate: GateConfig | None = None,
    cancelled: Callable[[], bool] = never,
    on_verdict: OnVerdict | None = None,
    on_journal: OnJournal | None = None,
) -> TaskResult:
    """Carry out a task in this process.

    Without an ``environment`` one is made by the name in the request, and closed at the end.
    Raises ValueError and its kind, FileNotFoundError or ImportError for a wrong request or
    configuration, before anything moves.
    """
    own = environment is None
    world = environment or make_environment(request.environment or DEFAULT_ENVIRONMENT)
    chosen = settings or Settings(model=request.model, cancelled=cancelled)

    def open_backend(known: World) -> Backend:
        return make_backend(request.planner, known, chosen)

    try:
        stack = LocalStack(world, gate=gate, on_journal=on_journal)
        return run_task(
            stack,
            request,
            open_backend,
            limits=limits or Limits(),
            cancelled=cancelled,
            on_verdict=on_verdict,
        )
    finally:
        if own:
            world.close()
