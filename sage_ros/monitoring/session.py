"""What the parts of the gate share: its state, its clock, and how effects are said."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256

from sage_ros.contract.admission import AdmissionTable
from sage_ros.contract.execution import BridgeInfo, Command, Outcome, Stop
from sage_ros.contract.judgement import Decision, Episode, EpisodeOutcome, Stage, Verdict
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.contract.requests import BeginEpisode, Reply
from sage_ros.monitoring.admission import Admission, Refusal
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Answer, Effect, Request, Resync
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Header, Observation
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Fact

NANOSECONDS = 1_000_000_000


class Clock:
    """Nanoseconds: ``now`` as the shell says it, ``time`` which never goes back.

    Waiting is measured in ``time``, so a clock that jumps back makes nothing wait longer.
    """

    def __init__(self) -> None:
        self.now = 0
        self.time = 0
        self._offset = 0
        self._last: int | None = None

    def set(self, now: int) -> bool:
        """Move to the shell's time; True if it lies before the last time kept."""
        jumped = self._last is not None and now + self._offset < self._last
        if jumped:
            assert self._last is not None
            self._offset = self._last - now
        self.now = now
        self.time = now + self._offset
        return jumped

    def keep(self) -> None:
        """Keep the present time: what comes later lies after it."""
        self._last = self.time

    def external(self, time: int) -> int:
        """Translate a ``time`` into the shell's clock."""
        return time - self._offset


@dataclass(slots=True)
class Batch:
    """A plan as it was taken: its steps by their own names, and which one is next."""

    plan: Plan
    steps: tuple[PlanStep, ...]
    next: int = 0
    wait_until: int | None = None
    """Until when the next step waits for a snapshot."""

    @property
    def pending(self) -> range:
        """The numbers of the steps that have no fate yet."""
        return range(self.next, len(self.steps))


@dataclass(slots=True)
class Running:
    """The step whose command is out, and what is known of its end."""

    batch: Batch
    index: int
    command: Command
    unknown_facts: tuple[Fact, ...]
    before: Belief
    wait_until: int
    """Until when the outcome, then the observation, then the judge is waited for."""
    outcome: Outcome | None = None
    observation: Observation | None = None
    seen: Belief | None = None
    """The first belief that is not stale and holds the observation."""
    judging: bool = False

    @property
    def step(self) -> PlanStep:
        return self.batch.steps[self.index]


@dataclass(slots=True)
class Lost:
    """A command that got no outcome in time. Nothing is sent until it ends, or all is lost."""

    command_id: str
    wait_until: int


@dataclass(slots=True)
class Beginning:
    """An episode that is asked for: its reset command is out."""

    request: BeginEpisode
    input_seq: int
    episode_id: str
    command_id: str
    wait_until: int
    outcome: Outcome | None = None
    resync_at: int | None = None
    resynced: bool = False


@dataclass(slots=True)
class Ending:
    """An episode that ends as soon as the running command has; ``asked`` are open requests."""

    outcome: EpisodeOutcome
    reason: str
    wait_until: int
    asked: list[int] = field(default_factory=list)


class Session:
    """The state of the gate. Only the gate and its parts change it, within one step."""

    def __init__(
        self, config: GateConfig, domain: Domain, table: AdmissionTable, session_id: str
    ) -> None:
        self.config = config
        self.domain = domain
        self.table = table
        self.session_id = session_id
        self.admission = Admission(domain, table)
        self.config_hash = _hash_of(config, table, domain)
        self.clock = Clock()
        self.effects: list[Effect] = []
        self.input_seq = 1
        self.counts: Counter[str] = Counter()

        self.active = False
        self.held: str | None = None
        self.conflict: tuple[str, ...] = ()
        self.bridge: BridgeInfo | None = None
        self.taken: frozenset[str] = frozenset()

        self.belief = Belief()
        self.seen_at: int | None = None
        self.heard_at = 0
        self.resync_asked = False

        self.counter = 0
        self.episodes = 0
        self.episode: Episode | None = None
        self.beginning: Beginning | None = None
        self.ending: Ending | None = None
        self.next_begin: tuple[BeginEpisode, int] | None = None

        self.plan_seq = -1
        self.batch: Batch | None = None
        self.running: Running | None = None
        self.lost: Lost | None = None
        self.idle_since = 0
        self.tried: set[tuple[int, str, tuple[str, ...]]] = set()
        self.unknowns = 0
        self.judged = False

    # ------------------------------------------------------------ time

    def after(self, seconds: float) -> int:
        """Say which ``time`` it is some seconds from now."""
        return self.clock.time + nanoseconds(seconds)

    @property
    def age(self) -> float:
        """Seconds since the newest observation was taken in; negative if there is none."""
        if self.seen_at is None:
            return -1.0
        return (self.clock.time - self.seen_at) / NANOSECONDS

    # ------------------------------------------------------------ the belief

    def take(self, observation: Observation) -> bool:
        """Fold an observation into the belief; False if it changes nothing, not even its age."""
        before = self.belief
        self.belief = fold(before, observation)
        if self.belief is before:
            self.counts['observation.old'] += 1
            return False
        self.seen_at = self.clock.time
        if self.belief.stale:
            self.ask_resync()
        else:
            self.resync_asked = False
        return True

    def distrust(self) -> None:
        """Wait for a snapshot before anything else is admitted: nobody knows what was done."""
        self.belief = replace(self.belief, stale=True)
        self.ask_resync()

    def ask_resync(self) -> None:
        """Ask for a snapshot, once until one comes or waiting for it was in vain."""
        if not self.resync_asked:
            self.resync_asked = True
            self.effects.append(Resync())

    # ------------------------------------------------------------ what is said

    def header(self) -> Header:
        """Stamp a message."""
        return Header(self.clock.now)

    def answer(self, request: type[Request], input_seq: int, reply: Reply) -> None:
        """Reply to a request."""
        self.effects.append(Answer(request, reply, input_seq))

    def stop(self, reason: str) -> None:
        """Stop whatever the bridge is doing."""
        self.effects.append(Stop(self.header(), self.session_id, reason))

    @property
    def moving(self) -> bool:
        """Whether the bridge may be carrying something out."""
        running = self.running
        awaited = running is not None and running.outcome is None
        return awaited or self.lost is not None or self.beginning is not None

    def refuse(self, batch: Batch, index: int, stage: Stage, refusal: Refusal) -> None:
        """Say that a step is refused."""
        self.verdict(
            batch,
            index,
            stage,
            Decision.REFUSED,
            refusal.rule,
            refusal.reason,
            facts=refusal.facts,
            unknown_facts=refusal.unknown_facts,
        )

    def verdict(
        self,
        batch: Batch,
        index: int,
        stage: Stage,
        decision: Decision,
        rule: Rule,
        reason: str,
        *,
        facts: tuple[Fact, ...] = (),
        unknown_facts: tuple[Fact, ...] = (),
        command_id: str = '',
        belief: Belief | None = None,
    ) -> None:
        """Say what was decided about a step, on the present belief or on another."""
        belief = belief or self.belief
        step = batch.steps[index]
        self.effects.append(
            Verdict(
                header=self.header(),
                episode_id=batch.plan.episode_id,
                plan_seq=batch.plan.plan_seq,
                step=index,
                command_id=command_id,
                action=step.action,
                args=step.args,
                numbers=step.numbers,
                expectation=step.expectation,
                stage=stage,
                decision=decision,
                rule_id=rule.value,
                reason=reason,
                facts=facts,
                unknown_facts=unknown_facts,
                input_seq=self.input_seq,
                observation_seq=belief.seq,
                belief_hash=belief.hash,
                config_hash=self.config_hash,
                observation_age=self.age,
                decided_at=self.clock.now,
            )
        )


def nanoseconds(seconds: float) -> int:
    """Convert a duration."""
    return round(seconds * NANOSECONDS)


def _hash_of(config: GateConfig, table: AdmissionTable, domain: Domain) -> str:
    content = [asdict(config), asdict(table), domain.digest]
    text = json.dumps(content, sort_keys=True, default=sorted)
    return sha256(text.encode()).hexdigest()
