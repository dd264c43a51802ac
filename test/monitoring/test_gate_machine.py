"""Whatever comes in whatever order, the gate keeps the rules that hold everywhere."""

from dataclasses import replace

from gate_driver import OBJECTS, SECOND, bridge_info, facts, home_table, household, step
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sage_ros.contract.execution import RESET_ACTION, Command, Outcome, Status
from sage_ros.contract.journal import Conflict, Event, JournalEntry, Lifecycle, Tick
from sage_ros.contract.judgement import Decision, Episode, EpisodePhase, Stage, Verdict
from sage_ros.contract.judging import Judgement, JudgeReply
from sage_ros.contract.plan import Number, Plan, PlanStep
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, Hold, SetGoal
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Answer
from sage_ros.monitoring.gate import Gate
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.scene.observation import (
    Header,
    Observation,
    ObservationKind,
    Pattern,
    SceneObject,
)

FIRST = {Decision.REFUSED, Decision.EXPIRED, Decision.HELD, Decision.DISCARDED, Decision.ADMITTED}
LAST = {Decision.CONFIRMED, Decision.MISMATCH, Decision.UNKNOWN, Decision.UNVERIFIED}
JUDGED_BY_WORLD = {Decision.CONFIRMED, Decision.UNVERIFIED}

CONFIG = GateConfig(judge=True, judge_timeout=3.0, max_steps=12, plan_timeout=40.0)

GOOD = [
    step('goto(desk_1)', 'at(desk_1)', skip=True),
    step('goto(countertop_1)', 'at(countertop_1)'),
    step('pick(mug_1, countertop_1)', 'holding(mug_1)', skip=True),
    step('pick(mug_1, desk_1)', 'holding(mug_1)'),
    step('put(mug_1, desk_1)', 'in(mug_1, desk_1)'),
    step('pick(apple_1, fridge_1)'),
    step('open(fridge_1)', said='You open the fridge.'),
    step('look()', said='You see a mug.', skip=True),
]
TOUR = [GOOD[2], GOOD[0], GOOD[4], GOOD[3]]
BAD = [
    step('fly(desk_1)'),
    step('goto(desk_9)'),
    step('goto(mug_1)'),
    step('pick(mug_1)'),
    replace(GOOD[0], numbers=(Number('speed', float('nan')),)),
]
WORLD = (
    *('at(countertop_1)', 'not at(countertop_1)', 'at(desk_1)', 'not at(desk_1)'),
    *('in(mug_1, countertop_1)', 'in(mug_1, desk_1)', 'not in(mug_1, countertop_1)'),
    *('holding(mug_1)', 'not holding(mug_1)', 'hand_empty', 'not hand_empty', 'open(fridge_1)'),
    *('at(fridge_1)', 'not at(fridge_1)', 'not open(fridge_1)', 'openable(fridge_1)'),
)
START = facts('at(countertop_1)', 'hand_empty', 'in(mug_1, countertop_1)')
TEXTS = ('', 'You open a fridge', 'Nothing happens.', 'Something else.')
SNAPSHOT = {
    'kind': ObservationKind.SNAPSHOT,
    'objects': tuple(SceneObject(*item) for item in OBJECTS.items()),
    'covers': (Pattern('at', ('',)), Pattern('hand_empty'), Pattern('holding', ('',))),
}

steps = st.one_of(
    st.integers(1, 4).map(lambda size: TOUR[:size]),
    st.lists(st.sampled_from(GOOD), min_size=1, max_size=4),
    st.lists(st.sampled_from([*GOOD, *BAD]), max_size=5),
)
mostly = st.sampled_from([True, True, True, True, False])
world = st.lists(st.sampled_from(WORLD), max_size=4, unique=True).map(lambda t: facts(*t))
texts = st.sampled_from(TEXTS)
causes = st.sampled_from(EndCause)


class GateMachine(RuleBasedStateMachine):
    """Feeds a gate with anything and keeps account of what it may say."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = self.fresh()
        self.now = 10 * SECOND
        self.effects: list[object] = []
        self.active = False
        self.held = False
        self.conflict = False
        self.episode = ''
        self.seq = 0
        self.plan_seq = 0
        self.commands: list[Command] = []
        self.outcomes: dict[str, Status] = {}
        self.outstanding: str | None = None
        self.overdue: str | None = None
        self.open: dict[tuple[str, int, int], Decision | None] = {}
        self.requests: dict[int, type] = {}

    def fresh(self) -> Gate:
        return Gate(CONFIG, household(), home_table(), 's')

    # ------------------------------------------------------------ the account

    def feed(self, event: Event) -> None:
        """Give the gate an input and check all that it says about it."""
        self._note(event)
        held_before, active_before = self.held, self.active
        effects = self.gate.step(event, self.now)
        self.effects += effects
        if isinstance(event, Hold) and not event.active and not self.conflict:
            self.held = False
        kinds = [type(effect) for effect in effects]
        assert kinds.count(JournalEntry) == bool(effects)
        assert not effects or kinds[-1] is JournalEntry
        assert effects or isinstance(event, Tick)
        if isinstance(event, BeginEpisode | SetGoal | EndEpisode | Hold):
            assert isinstance(effects[-1], JournalEntry)
            self.requests[effects[-1].seq] = type(event)
        if isinstance(event, Plan):
            self._check_receipt(event, effects)
        admitted: set[str] = set()
        for effect in effects:
            match effect:
                case Verdict():
                    if effect.decision is Decision.ADMITTED:
                        admitted.add(effect.command_id)
                    self._check_verdict(effect, event)
                case Command():
                    self._check_command(effect, admitted, held_before, active_before)
                case Episode():
                    self._check_episode(effect)
                case Answer():
                    assert self.requests.pop(effect.input_seq) is effect.request
                    if effect.input_seq != effects[-1].seq and self.resetting:
                        self.outstanding = None

    @property
    def resetting(self) -> bool:
        """Whether the command that is out is a reset."""
        return self.outstanding == f'{self.episode}/{RESET_ACTION}'

    def _note(self, event: Event) -> None:
        match event:
            case Outcome():
                self.outcomes.setdefault(event.command_id, event.status)
                if event.command_id == self.overdue:
                    self.overdue = None
            case Hold() if event.active:
                self.held = True
            case Conflict():
                self.conflict = bool(event.publishers)
                self.held = self.held or self.conflict
            case Lifecycle():
                self.active = event.active

    def _check_receipt(self, plan: Plan, effects: list) -> None:
        """All steps get their fate on arrival, or the plan is taken and they are open."""
        numbers = [
            effect.step
            for effect in effects
            if isinstance(effect, Verdict) and effect.stage is Stage.RECEIPT
        ]
        if numbers:
            assert numbers == list(range(max(1, len(plan.steps))))
            return
        keys = {(plan.episode_id, plan.plan_seq, index) for index in range(len(plan.steps))}
        assert keys
        assert keys.isdisjoint(self.open)
        self.open.update(dict.fromkeys(keys))

    def _check_verdict(self, verdict: Verdict, event: Event) -> None:
        assert verdict.rule_id in set(Rule)
        assert verdict.reason or verdict.decision in {Decision.ADMITTED, *LAST}
        assert verdict.decided_at == self.now
        key = (verdict.episode_id, verdict.plan_seq, verdict.step)
        if verdict.stage is Stage.RECEIPT:
            assert isinstance(event, Plan)
            assert verdict.decision in FIRST - {Decision.ADMITTED}
            return
        before = self.open[key]
        if before is None:
            assert verdict.decision in FIRST
        else:
            assert before is Decision.ADMITTED
            assert verdict.decision in LAST
            assert verdict.command_id == self.outstanding
            self.outstanding = None
            if verdict.rule_id == Rule.OUTCOME_MISSING:
                self.overdue = verdict.command_id
        self.open[key] = verdict.decision
        status = self.outcomes.get(verdict.command_id)
        if verdict.decision in JUDGED_BY_WORLD:
            assert status is Status.DONE
        if verdict.decision in LAST and status in {Status.FAILED, Status.REFUSED, Status.STOPPED}:
            assert verdict.decision is Decision.MISMATCH or verdict.rule_id == Rule.EPISODE_ENDED

    def _check_command(
        self, command: Command, admitted: set[str], held: bool, active: bool
    ) -> None:
        assert self.active
        assert active or command.action == RESET_ACTION
        assert not self.held
        assert not held
        assert self.outstanding is None
        assert command.counter == len(self.commands) + 1
        self.commands.append(command)
        self.outstanding = command.command_id
        if command.action == RESET_ACTION:
            self.episode, self.seq, self.overdue = command.episode_id, 0, None
            return
        assert self.overdue is None
        assert command.command_id in admitted
        assert self.gate.episode is not None
        assert self.gate.episode.episode_id == command.episode_id
        assert not self.gate.belief.stale
        assert self.gate.belief.seq > 0
        verdict = next(
            e
            for e in reversed(self.effects)
            if isinstance(e, Verdict) and e.command_id == command.command_id
        )
        assert 0 <= verdict.observation_age <= CONFIG.observation_max_age

    def _check_episode(self, episode: Episode) -> None:
        if episode.phase is EpisodePhase.BEGUN:
            return
        assert episode.outcome.name != 'NONE'
        # All steps of the episode's plans have got their fate.
        for key, decision in self.open.items():
            assert key[0] != episode.episode_id or decision not in {None, Decision.ADMITTED}

    @invariant()
    def deadlines_lie_ahead(self) -> None:
        due = self.gate.next_deadline()
        assert due is None or due > self.now

    # ------------------------------------------------------------ what may happen

    @initialize()
    def connect(self) -> None:
        self.feed(Lifecycle(True))
        self.feed(bridge_info())
        self.begin()
        self.first_snapshot(START)

    def begin(self) -> None:
        self.feed(BeginEpisode('a goal'))

    def make_ready(self) -> None:
        """Mend whatever keeps plans from being taken, as people and a good bridge would."""
        if self.gate.held is not None:
            self.feed(Conflict())
            self.feed(Hold(False))
        if self.gate.episode is None:
            self.feed(Lifecycle(True))
            self.feed(bridge_info())
            self.begin()
            self.first_snapshot(START)
            if len(self.commands) % 2:
                self.feed(SetGoal(self.episode, facts('in(?o:mug, desk_1)')))
        elif self.gate.belief.stale or not self.gate.belief.objects.keys() >= OBJECTS.keys():
            self.observe(facts=START, **SNAPSHOT)
        else:
            self.observe(kind=ObservationKind.UNCHANGED)

    @rule(known=world)
    def first_snapshot(self, known: tuple) -> None:
        """End a reset as it should be."""
        reset = self.commands[-1] if self.commands else None
        if reset is not None and reset.action == RESET_ACTION:
            self.outcome(reset, Status.DONE)
            self.observe(facts=known, command_id=reset.command_id, **SNAPSHOT)

    @rule(
        chosen=steps,
        run_on=st.booleans(),
        valid=st.sampled_from([0, 0, 0, 0, 0, 0, -1, 2 * SECOND]),
        ready=mostly,
    )
    def plan(self, chosen: list, run_on: bool, valid: int, ready: bool) -> None:
        if ready:
            self.make_ready()
        self.plan_seq += 1
        self.feed(
            Plan(
                episode_id=self.episode,
                plan_seq=self.plan_seq,
                valid_until=self.now + valid if valid else 0,
                run_on=run_on,
                steps=tuple(chosen),
            )
        )

    @rule(chosen=steps, back=st.integers(0, 2), ahead=st.integers(0, 3))
    def odd_plan(self, chosen: list, back: int, ahead: int) -> None:
        """Send a plan again, for another episode, or based on the future."""
        seq = self.gate.belief.seq + ahead
        episode = self.episode if back else 's-99'
        plan_seq = max(0, self.plan_seq - back)
        self.feed(Plan(Header(), episode, plan_seq, seq, steps=tuple(chosen)))

    @precondition(lambda self: self.outstanding)
    @rule(known=world, text=texts, first=st.booleans(), as_predicted=mostly)
    def carry_out(self, known: tuple, text: str, first: bool, as_predicted: bool) -> None:
        """End the command that is out as DONE, and observe, in either order."""
        command = self.commands[-1]
        if as_predicted and command.action != RESET_ACTION:
            belief = self.gate.belief
            done = PlanStep(command.action, command.args)
            known = self.gate.admission.effects(done, belief.value, OBJECTS)
            text = 'You open the fridge.'
        if first:
            self.observe(facts=known, command_id=command.command_id, text=text)
        self.outcome(command, Status.DONE)
        if not first:
            self.observe(facts=known, command_id=command.command_id, text=text)

    @precondition(lambda self: self.commands)
    @rule(index=st.integers(0, 3), status=st.sampled_from(Status))
    def any_outcome(self, index: int, status: Status) -> None:
        """Give an outcome: of the last command, again, or of an old one."""
        self.outcome(self.commands[-1 - index % len(self.commands)], status)

    @rule(status=st.sampled_from(Status))
    def outcome_of_nothing(self, status: Status) -> None:
        self.feed(Outcome(Header(self.now), self.episode, 'nothing', status))

    def outcome(self, command: Command, status: Status) -> None:
        self.feed(Outcome(Header(self.now), command.episode_id, command.command_id, status))

    def observe(self, **content: object) -> None:
        self.seq += 1
        base = {'kind': ObservationKind.DELTA, 'base_seq': self.seq - 1, **content}
        self.feed(Observation(Header(self.now), self.episode, self.seq, **base))

    @rule(known=world, text=texts, own=st.booleans())
    def observation(self, known: tuple, text: str, own: bool) -> None:
        mine = self.commands[-1].command_id if own and self.commands else ''
        self.observe(facts=known, text=text, command_id=mine)

    @rule(known=world, lost=st.integers(1, 2))
    def observation_after_lost_ones(self, known: tuple, lost: int) -> None:
        self.seq += lost
        self.observe(facts=known)

    @rule(known=world, back=st.integers(0, 2))
    def old_observation(self, known: tuple, back: int) -> None:
        old = max(0, self.seq - back)
        self.feed(
            Observation(Header(), self.episode, old, kind=ObservationKind.DELTA, facts=known)
        )

    @rule(known=world)
    def snapshot(self, known: tuple) -> None:
        self.observe(facts=known, **SNAPSHOT)

    @rule(gone=st.sampled_from(['', '', 'mug_1', 'desk_1']), success=st.booleans(), known=world)
    def something_vanishes_or_all_is_over(self, gone: str, success: bool, known: tuple) -> None:
        if gone:
            self.observe(gone=(gone,), facts=known)
        else:
            self.observe(facts=known, env_done=True, env_success=success)

    @precondition(lambda self: self.commands)
    @rule(judgement=st.sampled_from(Judgement))
    def judge_replies(self, judgement: Judgement) -> None:
        self.feed(JudgeReply(command_id=self.commands[-1].command_id, judgement=judgement))

    @rule(
        event=st.sampled_from(
            [
                Hold(True, 'a person'),
                Hold(False),
                Conflict(('/other',)),
                Conflict(),
                Lifecycle(False),
                Lifecycle(True),
                BeginEpisode('another goal'),
                bridge_info(),
                bridge_info(domain_hash='other'),
                bridge_info(actions=()),
            ]
        )
    )
    def somebody_interferes(self, event: Event) -> None:
        self.feed(event)

    @rule(goal=st.sampled_from(['in(?o:mug, desk_1)', 'shiny(mug_1)']), cause=st.none() | causes)
    def goal_or_end(self, goal: str, cause: EndCause | None) -> None:
        """Set the goal or end the episode."""
        goal_facts = facts(goal)
        self.feed(
            SetGoal(self.episode, goal_facts) if cause is None else EndEpisode(self.episode, cause)
        )

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 2.1, 6.0, 22.0]))
    def time_passes(self, seconds: float) -> None:
        """Let time pass with a tick at every deadline."""
        end = self.now + round(seconds * SECOND)
        while self.now < end:
            due = self.gate.next_deadline()
            self.now = end if due is None else min(end, max(due, self.now))
            self.feed(Tick())

    @rule(seconds=st.sampled_from([1.0, 100.0]))
    def time_jumps_back(self, seconds: float) -> None:
        self.now -= round(seconds * SECOND)
        self.feed(Tick())

    @rule(seconds=st.sampled_from([0.5, 30.0]))
    def time_jumps_ahead_unnoticed(self, seconds: float) -> None:
        """Nobody ticks: the next input finds everything overdue."""
        self.now += round(seconds * SECOND)
        self.observe(kind=ObservationKind.UNCHANGED)

    # ------------------------------------------------------------ in the end

    def teardown(self) -> None:
        self.feed(Lifecycle(False))
        assert self.gate.episode is None
        assert not self.gate.busy
        assert all(d not in {None, Decision.ADMITTED} for d in self.open.values())
        assert self.requests == {}
        again = self.fresh()
        entries = [e for e in self.effects if isinstance(e, JournalEntry)]
        assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
        replayed = [e for entry in entries for e in again.step(entry.event, entry.handled_at)]
        assert replayed == self.effects


TestGateMachine = GateMachine.TestCase
TestGateMachine.settings = settings(max_examples=200, stateful_step_count=60)
