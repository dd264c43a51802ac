"""One task from its goal to its result: begins an episode, plans, waits for fates, ends it."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sage_ros.contract.judgement import (
    Decision,
    Episode,
    EpisodeOutcome,
    EpisodePhase,
    Verdict,
)
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.contract.remembering import ContextRequest, ContextStatus
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, SetGoal
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.planning.attempts import Attempts, failed_here
from sage_ros.planning.backend import (
    Backend,
    BackendError,
    Context,
    Done,
    GoalError,
    NoPlan,
    Proposal,
    never,
)
from sage_ros.planning.link import Link, LinkLost
from sage_ros.planning.world import World, load_world
from sage_ros.scene.observation import Header
from sage_ros.symbols.goals import Goal

_NANOSECONDS = 1_000_000_000
_UNEXPECTED = frozenset(
    (Decision.REFUSED, Decision.EXPIRED, Decision.HELD, Decision.MISMATCH, Decision.UNKNOWN)
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a session waits (seconds) and how often it tries again.

    ``fate``: wait for a fate beyond the deadline of the step; ``refused``: plans in a row of
    which no step was carried out; ``held``: longest hold that is waited out, ``retry`` the time
    between two plans meanwhile.
    """

    bridge: float = 5.0
    begin: float = 130.0
    reply: float = 10.0
    context: float = 5.0
    fate: float = 30.0
    ended: float = 2.0
    held: float = 300.0
    retry: float = 1.0
    poll: float = 0.1
    steps: int = 50
    refused: int = 5


OpenBackend = Callable[[World], Backend]
OnVerdict = Callable[[Verdict], None]


def run_task(
    link: Link,
    request: TaskRequest,
    open_backend: OpenBackend,
    *,
    limits: Limits = Limits(),
    cancelled: Callable[[], bool] = never,
    on_verdict: OnVerdict | None = None,
) -> TaskResult:
    """Carry a task through and say how it went.

    Whatever happens after the episode began, it is ended. What goes wrong is an outcome with a
    reason. Raised are what is wrong with the request or the configuration (before anything
    moves: ValueError, FileNotFoundError, ImportError) and faults in the code of a backend.
    """
    session = _Session(link, request, limits, cancelled, on_verdict)
    return session.run(open_backend)


class _Ended(Exception):  # noqa: N818  not an error
    """The episode is over, or is to be ended for a cause."""

    def __init__(self, cause: EndCause | None = None, reason: str = '') -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason


class _Session:
    def __init__(
        self,
        link: Link,
        request: TaskRequest,
        limits: Limits,
        cancelled: Callable[[], bool],
        on_verdict: OnVerdict | None,
    ) -> None:
        self._link = link
        self._request = request
        self._limits = limits
        self._cancelled = cancelled
        self._on_verdict = on_verdict
        self._max_steps = request.max_steps or limits.steps
        self._attempts = Attempts()
        self._counts: Counter[Decision] = Counter()
        self._actions: list[str] = []
        self._result = TaskResult(goal=request.goal)
        self._episode_id = ''
        self._episode: Episode | None = None
        self._world: World | None = None
        self._seen_seq = 0
        self._plan_seq = 0
        self._replans = 0
        self._refusal = ''
        self._held_since: int | None = None
        self._began = time.monotonic()

    def run(self, open_backend: OpenBackend) -> TaskResult:
        """Carry the task through."""
        if self._request.executor:
            raise ValueError(
                f'unknown executor {self._request.executor!r}: leave it empty; '
                'every batch is verified step by step'
            )
        try:
            info = self._link.bridge(self._limits.bridge)
        except LinkLost as error:
            return self._finish(EpisodeOutcome.BRIDGE_LOST, str(error))
        wanted = self._request.environment
        if wanted and wanted != info.environment:
            raise ValueError(f'the bridge that runs is {info.environment}, not {wanted}')
        self._world = world = load_world(info)
        try:
            backend = open_backend(world)
        except BackendError as error:
            return self._finish(EpisodeOutcome.ERROR, str(error))
        try:
            problem = self._begin()
        except LinkLost as error:
            problem = str(error)
        if problem:
            return self._finish(EpisodeOutcome.ERROR, problem, backend)
        try:
            self._carry_out(world, backend)
        except _Ended as ended:
            self._end(ended.cause, ended.reason)
        except LinkLost as error:
            self._end(EndCause.ERROR, str(error))
        except BaseException as error:
            self._end(EndCause.ERROR, f'the planner failed: {type(error).__name__}: {error}')
            raise
        episode = self._episode
        if episode is None:
            return self._finish(EpisodeOutcome.ERROR, self._result.reason, backend)
        return self._finish(episode.outcome, episode.reason, backend)

    def _finish(
        self, outcome: EpisodeOutcome, reason: str, backend: Backend | None = None
    ) -> TaskResult:
        counts = self._counts
        return replace(
            self._result,
            success=outcome is EpisodeOutcome.SUCCESS,
            outcome=outcome,
            reason=reason,
            steps=counts[Decision.ADMITTED],
            actions=tuple(self._actions),
            calls=backend.calls if backend is not None else 0,
            tokens=backend.tokens if backend is not None else self._result.tokens,
            admitted=counts[Decision.ADMITTED],
            refused=counts[Decision.REFUSED],
            mismatches=counts[Decision.MISMATCH],
            replans=self._replans,
            wall_s=time.monotonic() - self._began,
            episode_id=self._episode_id,
        )

    # ------------------------------------------------------------ beginning and ending

    def _begin(self) -> str:
        """Begin the episode; return why it could not be begun, empty if it was."""
        request = self._request
        reply = self._link.begin_episode(
            BeginEpisode(request.goal, request.environment, request.scene, request.seed),
            self._limits.begin,
        )
        if not reply.accepted:
            return f'no episode was begun: {reply.reason}'
        self._episode_id = reply.episode_id
        self._result = replace(self._result, goal=reply.goal)
        return ''

    def _end(self, cause: EndCause | None, reason: str) -> None:
        """See to it that the episode ends, and learn how it did."""
        self._result = replace(self._result, reason=reason)
        try:
            if cause is not None and self._episode is None:
                request = EndEpisode(self._episode_id, cause, reason)
                self._link.end_episode(request, self._limits.reply)
            deadline = self._after(self._limits.ended)
            while self._episode is None and self._link.now() < deadline:
                self._receive(self._limits.poll)
        except LinkLost as error:
            parts = [reason, f'and the episode could not be ended: {error}']
            self._result = replace(self._result, reason='; '.join(filter(None, parts)))

    # ------------------------------------------------------------ carrying out

    def _carry_out(self, world: World, backend: Backend) -> None:
        """Plan and wait for fates until the episode is over; raises _Ended."""
        self._check_cancelled()
        context = self._context()
        try:
            facts = backend.goal(self._result.goal, context)
        except GoalError as error:
            raise _Ended(EndCause.NO_PLAN, f'the goal is not understood: {error}') from error
        self._check_cancelled()
        reply = self._link.set_goal(SetGoal(self._episode_id, facts), self._limits.reply)
        if not reply.accepted:
            raise _Ended(EndCause.ERROR, f'the monitor does not take the goal: {reply.reason}')
        self._result = replace(self._result, goal_facts=facts)
        goal = Goal(facts)
        fruitless = 0
        while True:
            self._catch_up()
            left = self._max_steps - self._counts[Decision.ADMITTED]
            if left <= 0:
                reason = f'{self._max_steps} steps were carried out'
                raise _Ended(EndCause.STEP_LIMIT, reason)
            context = replace(self._context(), goal=goal, steps_left=left)
            # Planning may be dear, and the end of the episode often comes just behind a fate.
            self._catch_up()
            proposal = backend.propose(context)
            self._catch_up()
            match proposal:
                case Done():
                    raise _Ended(EndCause.CLAIMED, proposal.reason)
                case NoPlan():
                    raise _Ended(EndCause.NO_PLAN, proposal.reason)
                case Proposal():
                    before = self._counts[Decision.ADMITTED]
                    held = self._submit(world, backend, proposal, context, left)
            if held:
                self._wait_out_hold()
            elif self._counts[Decision.ADMITTED] > before:
                fruitless = 0
                self._held_since = None
            else:
                fruitless += 1
            if fruitless >= self._limits.refused:
                reason = f'{fruitless} plans in a row came to nothing: {self._refusal}'
                raise _Ended(EndCause.NO_PLAN, reason)

    def _wait_out_hold(self) -> None:
        """Wait a little before the next plan while the monitor is held, but not for ever."""
        now = self._link.now()
        if self._held_since is None:
            self._held_since = now
        elif now - self._held_since > self._limits.held * _NANOSECONDS:
            reason = f'the monitor was held for {self._limits.held:g} s: {self._refusal}'
            raise _Ended(EndCause.ERROR, reason)
        until = self._after(self._limits.retry)
        while self._link.now() < until:
            self._check_cancelled()
            self._receive(self._limits.poll)
            if self._episode is not None:
                raise _Ended

    def _context(self) -> Context:
        """Ask memory for the state of things, no older than what was seen by the monitor."""
        reply = self._link.context(
            ContextRequest(self._episode_id, self._seen_seq), self._limits.context
        )
        if reply.status is not ContextStatus.OK:
            raise _Ended(EndCause.ERROR, f'memory does not know the present state: {reply.reason}')
        belief = reply.belief.belief()
        # Where nothing changes by itself, what failed will fail again as long as nothing else is
        # known. Elsewhere another try is the first thing to do.
        world = self._world
        static = world is not None and world.bridge.static_between_commands
        futile = failed_here(reply.transitions, belief.hash) if static else frozenset()
        return Context(
            episode_id=self._episode_id,
            goal_text=self._result.goal,
            belief=belief,
            text=reply.text,
            observation_text=reply.observation_text,
            transitions=reply.transitions,
            loop_warning=reply.loop_warning,
            barred=self._attempts.barred(reply.transitions, belief.hash),
            failed_here=futile,
            refusal=self._refusal,
        )

    def _submit(
        self, world: World, backend: Backend, proposal: Proposal, context: Context, left: int
    ) -> bool:
        """Send a plan and wait until each of its steps has its fate; True if one was held."""
        if self._refusal:
            self._replans += 1
            self._refusal = ''
        self._plan_seq += 1
        steps = proposal.steps[:left]
        self._link.submit(
            Plan(
                header=Header(self._link.now()),
                episode_id=self._episode_id,
                plan_seq=self._plan_seq,
                based_on_seq=context.belief.seq,
                run_on=proposal.run_on,
                steps=steps,
                planner=backend.name,
            )
        )
        pending = set(range(len(steps)))
        held = False
        deadline = self._fate_deadline(world, steps)
        while pending:
            self._check_cancelled()
            verdict = self._receive(self._limits.poll)
            if self._episode is not None:
                self._drain(pending)
                raise _Ended
            if verdict is not None and verdict.plan_seq == self._plan_seq:
                held |= verdict.decision is Decision.HELD
                if verdict.decision is not Decision.ADMITTED:
                    pending.discard(verdict.step)
                deadline = self._fate_deadline(world, [steps[i] for i in pending])
            elif self._link.now() >= deadline:
                raise LinkLost(f'the monitor gave no fate for {steps[min(pending)]} in time')
        return held

    def _drain(self, pending: set[int]) -> None:
        """Take in the fates that are still on their way when the episode has ended."""
        deadline = self._after(self._limits.ended)
        while pending and self._link.now() < deadline:
            verdict = self._receive(self._limits.poll)
            if verdict is not None and verdict.decision is not Decision.ADMITTED:
                pending.discard(verdict.step)

    def _fate_deadline(self, world: World, steps: Sequence[PlanStep]) -> int:
        """Return when the monitor must have said something more about one of these steps."""
        policies = (world.admission.actions.get(step.action) for step in steps)
        longest = max((p.deadline_s for p in policies if p is not None), default=0.0)
        return self._after(self._limits.fate + longest)

    def _catch_up(self) -> None:
        """Take in what has arrived; raises _Ended if the episode is over or is to be."""
        self._check_cancelled()
        while (event := self._link.wait(0.0)) is not None:
            self._take(event)
        if self._episode is not None:
            raise _Ended

    def _receive(self, timeout_s: float) -> Verdict | None:
        """Wait for a verdict of this episode; takes note of the episode's end."""
        return self._take(self._link.wait(timeout_s))

    def _take(self, event: Verdict | Episode | None) -> Verdict | None:
        """Count a verdict of this episode and return it; takes note of the episode's end."""
        if isinstance(event, Episode):
            if event.episode_id == self._episode_id and event.phase is EpisodePhase.ENDED:
                self._episode = event
            return None
        if event is None or event.episode_id != self._episode_id:
            return None
        self._counts[event.decision] += 1
        self._attempts.note(event)
        if event.decision is Decision.ADMITTED and self._world is not None:
            self._actions.append(self._world.admission.say(event.action, event.args))
        self._seen_seq = max(self._seen_seq, event.observation_seq)
        if event.decision in _UNEXPECTED:
            self._refusal = f'{event}: {event.reason}' if event.reason else str(event)
        if self._on_verdict is not None:
            self._on_verdict(event)
        return event

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise _Ended(EndCause.CANCELLED, 'cancelled')

    def _after(self, seconds: float) -> int:
        return self._link.now() + round(seconds * _NANOSECONDS)
