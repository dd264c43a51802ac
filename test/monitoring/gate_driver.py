"""Drives a gate by hand: a clock, a bridge that says what it is told to, a small kitchen."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from sage_ros.contract.admission import AdmissionTable, read_admission
from sage_ros.contract.execution import (
    ActionInfo,
    BridgeInfo,
    Command,
    Failure,
    Outcome,
    Status,
)
from sage_ros.contract.journal import Event, JournalEntry, Lifecycle, Tick
from sage_ros.contract.judgement import Decision, Episode, Verdict
from sage_ros.contract.plan import Expectation, ExpectationKind, Plan, PlanStep
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, Hold, Reply
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Answer, Effect
from sage_ros.monitoring.gate import Gate
from sage_ros.scene.observation import (
    Header,
    Observation,
    ObservationKind,
    Pattern,
    SceneObject,
)
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Fact, parse_atom, parse_fact
from sage_ros.symbols.pddl_reader import read_domain

CONFIG = Path(__file__).parents[2] / 'config'
SECOND = 1_000_000_000
OBJECTS = {
    'countertop_1': 'countertop',
    'desk_1': 'desk',
    'fridge_1': 'fridge',
    'sinkbasin_1': 'sinkbasin',
    'mug_1': 'mug',
    'apple_1': 'apple',
}
FACTS = ('at(countertop_1)', 'in(mug_1, countertop_1)', 'openable(fridge_1)', 'hand_empty')
# in(x, fridge_1), in(x, sinkbasin_1), clean(x) and so on stay unknown.
COVERS = (
    ('at', ''),
    ('hand_empty',),
    ('holding', ''),
    ('in', '', 'countertop_1'),
    ('in', '', 'desk_1'),
    ('open', ''),
    ('openable', ''),
)


@cache
def household() -> Domain:
    """Read the household domain."""
    return read_domain(CONFIG / 'domains' / 'household.pddl')


@cache
def home_table() -> AdmissionTable:
    """Read the admission table of home."""
    return read_admission(CONFIG / 'admission' / 'home.yaml', household())


def bridge_info(**changes: object) -> BridgeInfo:
    """Describe a bridge of home that takes all admitted actions."""
    info = BridgeInfo(
        environment='home',
        domain_hash=household().digest,
        actions=tuple(ActionInfo(name) for name in home_table().actions),
    )
    return replace(info, **changes)


def facts(*texts: str) -> tuple[Fact, ...]:
    """Read facts."""
    return tuple(map(parse_fact, texts))


def step(text: str, *expected: str, skip: bool = False, said: str = '') -> PlanStep:
    """Read a step such as ``pick(mug_1, countertop_1)`` with the facts or the text it expects."""
    atom = parse_atom(text)
    expectation = Expectation()
    if expected:
        expectation = Expectation(ExpectationKind.FACTS, facts(*expected))
    elif said:
        expectation = Expectation(ExpectationKind.TEXT, (), said)
    return PlanStep(atom[0], atom[1:], (), expectation, skip)


GOTO_DESK = step('goto(desk_1)', 'at(desk_1)')
PICK_MUG = step('pick(mug_1, countertop_1)', 'holding(mug_1)')
PUT_MUG = step('put(mug_1, desk_1)', 'in(mug_1, desk_1)')
AT_DESK = ('at(desk_1)', 'not at(countertop_1)')
MUG_IN_HAND = ('holding(mug_1)', 'not hand_empty', 'not in(mug_1, countertop_1)')


class GateDriver:
    """A gate, its clock in nanoseconds, and everything that it has said."""

    def __init__(
        self,
        config: GateConfig | None = None,
        table: AdmissionTable | None = None,
        session_id: str = 's',
    ) -> None:
        self.config = config or GateConfig()
        self.table = table or home_table()
        self.session_id = session_id
        self.gate = self.fresh()
        self.now = 100 * SECOND
        self.seq = 0
        self.plan_seq = 0
        self.effects: list[Effect] = []
        self.last: list[Effect] = []

    def fresh(self) -> Gate:
        """Make another gate of the same kind."""
        return Gate(self.config, household(), self.table, self.session_id)

    # ------------------------------------------------------------ inputs

    def do(self, event: Event) -> list[Effect]:
        """Give the gate an input and keep what it says."""
        self.last = self.gate.step(event, self.now)
        self.effects += self.last
        return self.last

    def wait(self, seconds: float, *, observing: bool = False) -> list[Effect]:
        """Let time pass with a tick at every deadline; the bridge may look twice a second."""
        end = self.now + round(seconds * SECOND)
        said: list[Effect] = []
        look = self.now + SECOND // 2
        while self.now < end:
            due = self.gate.next_deadline()
            times = [end, *([due] if due is not None else []), *([look] if observing else [])]
            self.now = max(self.now, min(times))
            if observing and self.now == look:
                look += SECOND // 2
                said += self.unchanged()
            else:
                said += self.do(Tick())
        self.last = said
        return said

    def begin(self, goal: str = 'a goal', *texts: str, **info: object) -> str:
        """Activate the gate, connect the bridge and begin an episode with a first snapshot."""
        self.do(Lifecycle(True))
        self.do(bridge_info(**info))
        self.do(BeginEpisode(goal))
        reset = self.command()
        self.seq = 0
        self.done(reset, task='the task of the world')
        self.snapshot(*texts, command_id=reset.command_id)
        assert self.gate.episode is not None
        return self.gate.episode.episode_id

    def plan(self, *steps: PlanStep, **changes: object) -> list[Effect]:
        """Send the next plan."""
        self.plan_seq += 1
        plan = Plan(
            episode_id=self.episode_id,
            plan_seq=self.plan_seq,
            based_on_seq=self.gate.belief.seq,
            steps=steps,
        )
        return self.do(replace(plan, **changes))

    def done(
        self,
        command: Command | None = None,
        status: Status = Status.DONE,
        failure: Failure = Failure.NONE,
        reason: str = '',
        task: str = '',
    ) -> list[Effect]:
        """End a command, by default the last one."""
        command = command or self.command()
        outcome = Outcome(
            Header(self.now), command.episode_id, command.command_id, status, failure, reason, task
        )
        return self.do(outcome)

    def observe(self, *texts: str, **changes: object) -> list[Effect]:
        """Observe what the last command led to: facts, and whatever else is given."""
        command_id = self.command().command_id
        return self.seen(*texts, **{'command_id': command_id, **changes})

    def seen(self, *texts: str, **changes: object) -> list[Effect]:
        """Observe facts that no command led to."""
        self.seq += 1
        observation = Observation(
            header=Header(self.now),
            episode_id=self.gate.belief.episode_id,
            seq=self.seq,
            base_seq=self.seq - 1,
            kind=ObservationKind.DELTA,
            facts=facts(*texts),
        )
        return self.do(replace(observation, **changes))

    def unchanged(self) -> list[Effect]:
        """Observe that nothing has changed."""
        return self.seen(kind=ObservationKind.UNCHANGED)

    def snapshot(self, *texts: str, **changes: object) -> list[Effect]:
        """Observe the whole kitchen, with more facts or other ones."""
        more = facts(*texts)
        known = {fact.atom: fact for fact in (*facts(*FACTS), *more)}
        content: dict[str, object] = {
            'kind': ObservationKind.SNAPSHOT,
            'objects': tuple(SceneObject(*item) for item in OBJECTS.items()),
            'facts': tuple(known.values()),
            'covers': tuple(Pattern(atom[0], atom[1:]) for atom in COVERS),
        }
        return self.seen(**{**content, **changes})

    def carry_out(self, *texts: str, text: str = '') -> list[Effect]:
        """End the last command as DONE and observe facts after it."""
        self.last = [*self.done(), *self.observe(*texts, text=text)]
        return self.last

    def hold(self, active: bool = True) -> list[Effect]:
        """Hold or release."""
        return self.do(Hold(active, 'a person' if active else ''))

    def end(self, cause: EndCause = EndCause.CLAIMED, reason: str = '') -> list[Effect]:
        """End the episode."""
        return self.do(EndEpisode(self.episode_id, cause, reason))

    # ------------------------------------------------------------ what was said

    @property
    def episode_id(self) -> str:
        """The episode that is running."""
        assert self.gate.episode is not None
        return self.gate.episode.episode_id

    def command(self) -> Command:
        """Return the last command."""
        return of(Command, self.effects)[-1]

    def commands(self) -> list[str]:
        """List the commands of the last input as text."""
        return [str(command) for command in of(Command, self.last)]

    def verdicts(self) -> list[Verdict]:
        """List the verdicts of the last input."""
        return of(Verdict, self.last)

    def said(self) -> list[tuple[int, str, str]]:
        """List the verdicts of the last input: step, decision, rule."""
        return [(v.step, v.decision.name, v.rule_id) for v in self.verdicts()]

    def reply(self) -> Reply:
        """Return the answer in what was said last."""
        return of(Answer, self.last)[-1].reply

    def ended(self) -> Episode:
        """Return the last episode message."""
        return of(Episode, self.effects)[-1]

    def fates(self) -> dict[tuple[str, int, int], list[Decision]]:
        """Collect the decisions on every step, by episode, plan and step."""
        found: dict[tuple[str, int, int], list[Decision]] = {}
        for verdict in of(Verdict, self.effects):
            key = (verdict.episode_id, verdict.plan_seq, verdict.step)
            found.setdefault(key, []).append(verdict.decision)
        return found

    def journal(self) -> list[JournalEntry]:
        """List the journal."""
        return of(JournalEntry, self.effects)


def of(kind: type, effects: Iterable[Effect]) -> list:
    """Pick the effects of one kind."""
    return [effect for effect in effects if isinstance(effect, kind)]
