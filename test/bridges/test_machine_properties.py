"""Whatever comes in whatever order: one outcome per command, no gap, nothing unsigned executed."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sage_ros.bridges.machine import (
    BridgeEvent,
    BridgeMachine,
    Finished,
    Halt,
    Look,
    Looked,
    MachineConfig,
    ResyncRequest,
    Start,
)
from sage_ros.contract.environment import Performed, View
from sage_ros.contract.execution import (
    RESET_ACTION,
    ActionInfo,
    BridgeInfo,
    Command,
    Failure,
    Heartbeat,
    Outcome,
    Status,
    Stop,
)
from sage_ros.contract.journal import Tick
from sage_ros.contract.signing import sign
from sage_ros.scene.observation import Observation, ObservationKind

KEY = bytes(32)
SECOND = 1_000_000_000
SESSIONS = ('s1', 's2', 's3')
ACTIONS = ('look', 'pick', 'fly')
VIEW = View(text='something')
ENDS = (
    Performed(Status.DONE, view=VIEW),
    Performed(Status.FAILED, Failure.NO_EFFECT, 'no', VIEW),
    Performed(Status.STOPPED, Failure.STOPPED, 'stopped', VIEW),
    Performed(Status.UNKNOWN, Failure.ENVIRONMENT_LOST, 'gone'),
)


class Bridge(RuleBasedStateMachine):
    """Feeds a bridge machine anything, and an environment that ends when it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.machine: BridgeMachine | None = None
        self.now = 50 * SECOND
        self.made = 0
        self.counters = dict.fromkeys(SESSIONS, 0)
        self.sent: dict[str, Command] = {}
        self.genuine: set[str] = set()
        self.outcomes: dict[str, Outcome] = {}
        self.started: dict[str, Command] = {}
        self.at_environment: list[Start | Look] = []
        self.seqs: dict[str, int] = {}
        self.best_counter = dict.fromkeys(SESSIONS, 0)
        self.order: list[str] = []

    @rule(static=st.booleans())
    @precondition(lambda self: self.machine is None)
    def begin(self, static: bool) -> None:
        info = BridgeInfo(
            environment='test',
            actions=(ActionInfo('look'), ActionInfo('pick', ('item', 'receptacle'))),
            static_between_commands=static,
        )
        self.machine = BridgeMachine(info, KEY, MachineConfig())

    def feed(self, event: BridgeEvent) -> None:
        assert self.machine is not None
        for effect in self.machine.step(event, self.now):
            match effect:
                case Outcome():
                    assert effect.command_id not in self.outcomes, 'a second outcome'
                    assert effect.command_id in self.sent
                    self.outcomes[effect.command_id] = effect
                case Observation():
                    self.check_number(effect)
                case Start(command):
                    self.check_start(command)
                    self.at_environment.append(effect)
                case Look():
                    self.at_environment.append(effect)
                case Halt(command_id):
                    assert command_id in self.started
        deadline = self.machine.next_deadline()
        assert deadline is None or deadline > self.now, 'a timer that is never done'

    def check_number(self, observation: Observation) -> None:
        last = self.seqs.get(observation.episode_id, 0)
        assert (observation.seq, observation.base_seq) == (last + 1, last)
        assert (last == 0) <= (observation.kind is ObservationKind.SNAPSHOT)
        self.seqs[observation.episode_id] = observation.seq

    def check_start(self, command: Command) -> None:
        assert command.signature == sign(KEY, command)
        assert command.command_id not in self.started, 'executed twice'
        assert command.deadline > self.now, 'executed too late'
        assert command.action != 'fly'
        assert not any(isinstance(wish, Start) for wish in self.at_environment), 'two at once'
        assert command.counter > self.best_counter[command.session_id], 'executed out of order'
        self.best_counter[command.session_id] = command.counter
        if command.action == RESET_ACTION:
            assert command.episode_id not in self.seqs
            if command.session_id not in self.order:
                self.order.append(command.session_id)
        else:
            assert command.episode_id in self.seqs
        assert command.session_id == self.order[-1], 'an old session was obeyed'
        self.started[command.command_id] = command

    def make(self, session: str, action: str, episode: str, lifetime: float) -> Command:
        self.made += 1
        self.counters[session] += 1
        args = {'pick': ('mug_1', 'desk_1'), RESET_ACTION: ('', '')}.get(action, ())
        command = Command(
            session_id=session,
            episode_id=episode,
            command_id=f'c{self.made}',
            counter=self.counters[session],
            action=action,
            args=args,
            deadline=self.now + round(lifetime * SECOND),
        )
        return replace(command, signature=sign(KEY, command))

    def send(self, command: Command) -> None:
        self.sent[command.command_id] = command
        self.feed(command)

    @rule(session=st.sampled_from(SESSIONS), lifetime=st.sampled_from([-1.0, 0.0, 3.0, 30.0]))
    @precondition(lambda self: self.machine)
    def send_reset(self, session: str, lifetime: float) -> None:
        self.send(self.make(session, RESET_ACTION, f'e{self.made}', lifetime))

    @rule(
        session=st.sampled_from(SESSIONS),
        action=st.sampled_from(ACTIONS),
        lifetime=st.sampled_from([-1.0, 0.0, 0.3, 30.0]),
        right=st.booleans(),
    )
    @precondition(lambda self: self.machine)
    def send_action(self, session: str, action: str, lifetime: float, right: bool) -> None:
        episode = self.machine.episode_id if right else 'elsewhere'
        session = (self.machine.session_id or session) if right else session
        self.send(self.make(session, action, episode, lifetime))

    @rule(action=st.sampled_from(ACTIONS))
    @precondition(lambda self: self.machine)
    def send_unsigned(self, action: str) -> None:
        session = self.machine.session_id or 's1'
        made = self.make(session, action, self.machine.episode_id, 30.0)
        self.send(replace(made, signature=bytes(32)))

    @rule(data=st.data())
    @precondition(lambda self: self.machine and self.sent)
    def send_again(self, data: st.DataObject) -> None:
        again = data.draw(st.sampled_from(sorted(self.sent)))
        self.feed(self.sent[again])

    @rule(session=st.sampled_from(SESSIONS))
    @precondition(lambda self: self.machine)
    def beat(self, session: str) -> None:
        self.feed(Heartbeat(session_id=session))

    @rule()
    @precondition(lambda self: self.machine)
    def stop(self) -> None:
        self.feed(Stop())

    @rule()
    @precondition(lambda self: self.machine)
    def resync(self) -> None:
        self.feed(ResyncRequest())

    @rule(seconds=st.sampled_from([0.01, 0.2, 0.5, 4.0, 11.0]))
    @precondition(lambda self: self.machine)
    def wait(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)
        self.feed(Tick())

    @rule(end=st.sampled_from(ENDS), saw=st.booleans())
    @precondition(lambda self: self.machine and self.at_environment)
    def environment_ends(self, end: Performed, saw: bool) -> None:
        wish = self.at_environment.pop(0)
        if isinstance(wish, Start):
            self.feed(Finished(wish.command.command_id, end, 'task'))
        elif end.failure is Failure.ENVIRONMENT_LOST:
            self.feed(Looked(wish.full, lost='gone'))
        else:
            self.feed(Looked(wish.full, VIEW if saw else None))

    @rule()
    @precondition(lambda self: self.machine)
    def stray_end(self) -> None:
        self.feed(Finished('nobody', ENDS[0]))

    @invariant()
    def done_means_executed(self) -> None:
        for command_id, outcome in self.outcomes.items():
            if outcome.status is Status.REFUSED:
                assert command_id not in self.started
            else:
                assert command_id in self.started

    def teardown(self) -> None:
        if self.machine is None:
            return
        self.now += 60 * SECOND
        self.feed(Tick())
        self.now += SECOND
        self.feed(Tick())
        assert set(self.outcomes) == set(self.sent), 'a command without outcome'


Bridge.TestCase.settings = settings(max_examples=300, stateful_step_count=40)
TestBridge = Bridge.TestCase
