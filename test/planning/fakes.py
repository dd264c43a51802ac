"""A link whose monitor and memory do as a test wants, and a backend that plays a list."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sage_ros.contract.execution import ActionInfo, BridgeInfo
from sage_ros.contract.judgement import (
    Decision,
    Episode,
    EpisodeOutcome,
    EpisodePhase,
    Verdict,
)
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.contract.remembering import ContextReply, ContextRequest
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, Reply, SetGoal
from sage_ros.contract.task import Tokens
from sage_ros.planning.backend import Context, Done, NoPlan, Proposal
from sage_ros.planning.link import LinkLost
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Observation, SceneObject
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.facts import Fact
from sage_ros.symbols.goals import parse_goal

EPISODE = 'e-1'
SECOND = 1_000_000_000
INFO = BridgeInfo(environment='home', actions=(ActionInfo('goto', ('receptacle',)),))
STEP = PlanStep('goto', ('desk_1',))
GOAL = parse_goal('at(desk_1)').facts
BELIEF = Belief(episode_id=EPISODE, seq=1, objects={'desk_1': 'desk', 'mug_1': 'mug'})


def record(belief: Belief = BELIEF) -> BeliefRecord:
    """Write a belief of objects only, with its true hash."""
    objects = tuple(SceneObject(*item) for item in belief.objects.items())
    first = Observation(episode_id=belief.episode_id, seq=1, objects=objects)
    return BeliefRecord.of(fold(Belief(episode_id=belief.episode_id), first))


def fates(plan: Plan, *decisions: Decision) -> list[Verdict]:
    """Give every step these verdicts, in order."""
    return [
        Verdict(
            episode_id=plan.episode_id,
            plan_seq=plan.plan_seq,
            step=index,
            action=step.action,
            args=step.args,
            decision=decision,
            reason='because' if decision is Decision.REFUSED else '',
            observation_seq=1,
        )
        for index, step in enumerate(plan.steps)
        for decision in decisions
    ]


def confirm(plan: Plan) -> list[Verdict]:
    """Carry every step out."""
    return fates(plan, Decision.ADMITTED, Decision.CONFIRMED)


Answer = Callable[[Plan], Iterable[Verdict | Episode]]


@dataclass
class FakeLink:
    """Plays monitor and memory. ``answer`` says what a plan leads to; None says nothing."""

    answer: Answer = confirm
    silent: Sequence[str] = ()
    refuse_goal: str = ''
    ended_by: EndEpisode | None = None
    plans: list[Plan] = field(default_factory=list)
    goals: list[tuple[Fact, ...]] = field(default_factory=list)
    begun: list[BeginEpisode] = field(default_factory=list)
    _now: int = SECOND
    _inbox: deque[Verdict | Episode] = field(default_factory=deque)

    def now(self) -> int:
        return self._now

    def _call(self, name: str, timeout_s: float) -> None:
        if name in self.silent:
            self._now += round(timeout_s * SECOND)
            raise LinkLost(f'no {name} within {timeout_s:g} s')

    def bridge(self, timeout_s: float) -> BridgeInfo:
        self._call('bridge', timeout_s)
        return INFO

    def begin_episode(self, request: BeginEpisode, timeout_s: float) -> Reply:
        self._call('begin_episode', timeout_s)
        self.begun.append(request)
        return Reply(True, '', EPISODE, request.goal or 'what the world asks')

    def set_goal(self, request: SetGoal, timeout_s: float) -> Reply:
        self._call('set_goal', timeout_s)
        if self.refuse_goal:
            return Reply(False, self.refuse_goal, EPISODE)
        self.goals.append(request.goal_facts)
        return Reply(True, '', EPISODE)

    def end_episode(self, request: EndEpisode, timeout_s: float) -> Reply:
        self._call('end_episode', timeout_s)
        self.ended_by = request
        outcome = {
            EndCause.CLAIMED: EpisodeOutcome.CLAIMED,
            EndCause.CANCELLED: EpisodeOutcome.CANCELLED,
            EndCause.STEP_LIMIT: EpisodeOutcome.STEP_LIMIT,
            EndCause.NO_PLAN: EpisodeOutcome.NO_PLAN,
            EndCause.ERROR: EpisodeOutcome.ERROR,
        }[request.cause]
        self._inbox.append(ended(outcome, request.reason))
        return Reply(True, '', EPISODE)

    def context(self, request: ContextRequest, timeout_s: float) -> ContextReply:
        self._call('context', timeout_s)
        return ContextReply(belief=record())

    def submit(self, plan: Plan) -> None:
        self.plans.append(plan)
        self._inbox.extend(self.answer(plan))

    def wait(self, timeout_s: float) -> Verdict | Episode | None:
        if self._inbox:
            return self._inbox.popleft()
        self._now += round(timeout_s * SECOND)
        return None


def ended(outcome: EpisodeOutcome, reason: str = '') -> Episode:
    """Return the end of the episode."""
    return Episode(episode_id=EPISODE, phase=EpisodePhase.ENDED, outcome=outcome, reason=reason)


def stranger(event: Verdict | Episode) -> Verdict | Episode:
    """Give an event to another episode."""
    return replace(event, episode_id='other')


@dataclass
class FakeBackend:
    """Plays a list of proposals, the last one for ever; an exception in it is raised."""

    proposals: Sequence[Proposal | Done | NoPlan | Exception]
    wanted: tuple[Fact, ...] | Exception = GOAL
    contexts: list[Context] = field(default_factory=list)
    name: str = 'fake'
    calls: int = 0
    tokens: Tokens = field(default_factory=Tokens)

    def goal(self, text: str, context: Context) -> tuple[Fact, ...]:
        if isinstance(self.wanted, Exception):
            raise self.wanted
        return self.wanted

    def propose(self, context: Context) -> Proposal | Done | NoPlan:
        chosen = self.proposals[min(len(self.contexts), len(self.proposals) - 1)]
        self.contexts.append(context)
        if isinstance(chosen, Exception):
            raise chosen
        return chosen
