"""The bridge machine: what it refuses, how commands end, how it numbers observations."""

from dataclasses import replace

import pytest

from sage_ros.bridges.machine import (
    BridgeEffect,
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
from sage_ros.contract.plan import Number
from sage_ros.contract.signing import sign
from sage_ros.scene.observation import Observation, ObservationKind
from sage_ros.symbols.facts import Fact

KEY = bytes(range(32))
SECOND = 1_000_000_000
INFO = BridgeInfo(
    environment='test',
    actions=(ActionInfo('look'), ActionInfo('pick', ('portable', 'receptacle'))),
    observation_period=0.5,
)
STATIC = replace(INFO, static_between_commands=True)
DONE = Performed(Status.DONE, view=View(text='done', facts=(Fact('on', ('lamp_1',)),)))


class Driver:
    """A monitor's hand: signs commands, counts, keeps the clock."""

    def __init__(self, info: BridgeInfo = INFO, **config: float) -> None:
        self.machine = BridgeMachine(info, KEY, MachineConfig(**config))
        self.now = 100 * SECOND
        self.counter = 0
        self.session = 's1'
        self.episode = 'e1'

    def feed(self, event: BridgeEvent, after: float = 0.0) -> list[BridgeEffect]:
        self.now += round(after * SECOND)
        return self.machine.step(event, self.now)

    def command(
        self, action: str = 'look', args: tuple[str, ...] = (), **changes: object
    ) -> Command:
        self.counter += 1
        plain = Command(
            session_id=self.session,
            episode_id=self.episode,
            command_id=f'{self.session}-{self.counter}',
            counter=self.counter,
            action=action,
            args=args,
            deadline=self.now + 5 * SECOND,
        )
        changed = replace(plain, **changes)  # type: ignore[arg-type]
        return replace(changed, signature=sign(KEY, changed))

    def send(
        self, action: str = 'look', args: tuple[str, ...] = (), **changes: object
    ) -> list[BridgeEffect]:
        return self.feed(self.command(action, args, **changes))

    def begin(self) -> list[BridgeEffect]:
        reset = self.command(RESET_ACTION, ('scene', 'goal'))
        assert self.feed(reset) == [Start(reset)]
        return self.feed(Finished(reset.command_id, DONE, 'the task'))

    def started(self, action: str = 'look', args: tuple[str, ...] = ()) -> Command:
        command = self.command(action, args)
        assert Start(command) in self.feed(command)
        return command


def only(effects: list[BridgeEffect], kind: type) -> list:
    return [effect for effect in effects if isinstance(effect, kind)]


def refusal(effects: list[BridgeEffect]) -> Failure:
    (outcome,) = effects
    assert isinstance(outcome, Outcome)
    assert outcome.status is Status.REFUSED
    assert outcome.reason
    return outcome.failure


def test_reset_begins_the_episode_with_outcome_and_snapshot() -> None:
    driver = Driver()
    outcome, observation = driver.begin()
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.task, outcome.episode_id) == (Status.DONE, 'the task', 'e1')
    assert isinstance(observation, Observation)
    assert observation.kind is ObservationKind.SNAPSHOT
    assert (observation.seq, observation.base_seq) == (1, 0)
    assert observation.command_id == outcome.command_id
    assert driver.machine.episode_id == 'e1'


def test_command_ends_with_outcome_and_delta() -> None:
    driver = Driver()
    driver.begin()
    command = driver.started()
    outcome, observation = driver.feed(Finished(command.command_id, DONE))
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.command_id) == (Status.DONE, command.command_id)
    assert isinstance(observation, Observation)
    assert (observation.kind, observation.seq, observation.base_seq) == (
        ObservationKind.DELTA,
        2,
        1,
    )
    assert observation.facts == DONE.view.facts
    assert observation.command_id == command.command_id


@pytest.mark.parametrize(
    ('changes', 'failure'),
    [
        ({'session_id': 'other'}, Failure.BAD_SESSION),
        ({'session_id': ''}, Failure.BAD_SESSION),
        ({'counter': 1}, Failure.BAD_COUNTER),
        ({'episode_id': 'e2'}, Failure.WRONG_EPISODE),
        ({'deadline': 100 * SECOND}, Failure.EXPIRED),
        ({'deadline': 0}, Failure.EXPIRED),
        ({'action': 'fly'}, Failure.UNKNOWN_ACTION),
        ({'args': ('one',)}, Failure.UNKNOWN_ACTION),
        ({'numbers': (Number('speed', float('nan')),)}, Failure.UNKNOWN_ACTION),
        ({'action': RESET_ACTION, 'args': ('', '')}, Failure.WRONG_EPISODE),
        ({'action': RESET_ACTION, 'args': (), 'episode_id': 'e2'}, Failure.UNKNOWN_ACTION),
    ],
)
def test_bad_command_is_refused(changes: dict[str, object], failure: Failure) -> None:
    driver = Driver()
    driver.begin()
    assert refusal(driver.send(**changes)) is failure
    assert not driver.machine.busy


@pytest.mark.parametrize(
    'change',
    [
        {'action': 'pick'},
        {'args': ('x',)},
        {'counter': 99},
        {'deadline': 10**18},
        {'numbers': (Number('speed', 50.0),)},
        {'episode_id': 'e9'},
        {'plan_seq': 7},
        {'signature': b''},
    ],
)
def test_changed_after_signing_is_refused(change: dict[str, object]) -> None:
    driver = Driver()
    driver.begin()
    forged = replace(driver.command(), **change)  # type: ignore[arg-type]
    assert refusal(driver.feed(forged)) is Failure.BAD_SIGNATURE
    assert not driver.machine.busy


def test_unsigned_command_does_not_use_up_the_id_of_a_signed_one() -> None:
    driver = Driver()
    driver.begin()
    command = driver.command()
    assert refusal(driver.feed(replace(command, signature=b'x' * 32))) is Failure.BAD_SIGNATURE
    assert driver.feed(command) == [Start(command)]


def test_nothing_runs_before_a_reset() -> None:
    driver = Driver()
    assert refusal(driver.send()) is Failure.BAD_SESSION


def test_restarted_bridge_refuses_until_the_next_reset_of_the_session() -> None:
    driver = Driver()
    driver.begin()
    driver.machine = BridgeMachine(INFO, KEY)
    assert refusal(driver.send()) is Failure.BAD_SESSION
    driver.episode = 'e2'
    outcome, observation = driver.begin()
    assert outcome.status is Status.DONE
    assert observation.seq == 1


def test_repeated_command_gets_no_second_outcome() -> None:
    driver = Driver()
    driver.begin()
    command = driver.started()
    assert not only(driver.feed(command), Outcome)
    assert len(only(driver.feed(Finished(command.command_id, DONE)), Outcome)) == 1
    assert not only(driver.feed(command), Outcome)
    assert not driver.machine.busy


def test_reordered_command_is_refused() -> None:
    driver = Driver()
    driver.begin()
    late = driver.command()
    on_time = driver.started()
    driver.feed(Finished(on_time.command_id, DONE))
    assert refusal(driver.feed(late)) is Failure.BAD_COUNTER


def test_command_while_one_runs_is_busy() -> None:
    driver = Driver()
    driver.begin()
    running = driver.started()
    assert refusal(driver.send()) is Failure.BUSY
    outcome, _ = driver.feed(Finished(running.command_id, DONE))
    assert outcome.status is Status.DONE


def test_superseded_session_cannot_come_back() -> None:
    driver = Driver()
    driver.begin()
    old = driver.command(RESET_ACTION, ('', ''), episode_id='e8')
    driver.session, driver.counter, driver.episode = 's2', 0, 'e2'
    driver.begin()
    assert refusal(driver.feed(old)) is Failure.BAD_SESSION
    assert driver.machine.session_id == 's2'


def test_new_session_halts_what_the_old_one_started() -> None:
    driver = Driver()
    driver.begin()
    running = driver.started()
    driver.session, driver.counter, driver.episode = 's2', 0, 'e2'
    halt, busy = driver.send(RESET_ACTION, ('', ''))
    assert halt == Halt(running.command_id)
    assert refusal([busy]) is Failure.BUSY
    (outcome,) = driver.feed(Finished(running.command_id, DONE))
    assert (outcome.status, outcome.failure) == (Status.STOPPED, Failure.STOPPED)
    assert driver.begin()[0].status is Status.DONE


def test_deadline_halts_and_fails() -> None:
    driver = Driver(monitor_lease=60.0)
    driver.begin()
    command = driver.started()
    assert driver.machine.next_deadline() <= command.deadline
    assert Halt(command.command_id) in driver.feed(Tick(), after=5.0)
    outcome = driver.feed(Finished(command.command_id, Performed(Status.STOPPED)), after=0.1)[0]
    assert (outcome.status, outcome.failure) == (Status.FAILED, Failure.TIMEOUT)


def test_environment_that_never_answers_ends_unknown_and_stays_busy() -> None:
    driver = Driver(monitor_lease=60.0, halt_grace=0.2)
    driver.begin()
    command = driver.started()
    driver.feed(Tick(), after=5.0)
    assert not only(driver.feed(Tick(), after=0.1), Outcome)
    (outcome,) = driver.feed(Tick(), after=0.1)
    assert (outcome.status, outcome.failure) == (Status.UNKNOWN, Failure.TIMEOUT)
    assert refusal(driver.send()) is Failure.BUSY
    assert driver.feed(Tick(), after=60.0) == []
    effects = driver.feed(Finished(command.command_id, DONE))
    assert not only(effects, Outcome)
    assert effects[0].seq == 2
    assert not driver.machine.busy


def test_stop_halts_at_any_time_without_signature() -> None:
    driver = Driver()
    driver.begin()
    assert driver.feed(Stop()) == []
    command = driver.started()
    assert driver.feed(Stop(session_id='whoever', reason='hold')) == [Halt(command.command_id)]
    assert driver.feed(Stop()) == []
    outcome = driver.feed(Finished(command.command_id, Performed(Status.STOPPED)))[0]
    assert (outcome.status, outcome.failure) == (Status.STOPPED, Failure.STOPPED)
    assert 'hold' in outcome.reason


def test_missed_heartbeats_end_the_motion() -> None:
    driver = Driver()
    driver.begin()
    command = driver.started()
    for _ in range(10):
        assert not only(driver.feed(Heartbeat(session_id='s1'), after=0.4), Halt)
    assert not only(driver.feed(Heartbeat(session_id='another'), after=0.4), Halt)
    assert Halt(command.command_id) in driver.feed(Heartbeat(session_id='another'), after=0.1)
    outcome = driver.feed(Finished(command.command_id, Performed(Status.STOPPED)))[0]
    assert (outcome.status, outcome.failure) == (Status.STOPPED, Failure.LEASE_LOST)


def test_idle_bridge_needs_no_heartbeat() -> None:
    driver = Driver(STATIC)
    driver.begin()
    for _ in range(20):
        assert not only(driver.feed(Tick(), after=0.4), Halt)


def test_lost_environment_ends_unknown_and_needs_a_reset() -> None:
    driver = Driver()
    driver.begin()
    command = driver.started()
    lost = Performed(Status.UNKNOWN, Failure.ENVIRONMENT_LOST, 'the simulator died')
    (outcome,) = driver.feed(Finished(command.command_id, lost))
    assert (outcome.status, outcome.failure) == (Status.UNKNOWN, Failure.ENVIRONMENT_LOST)
    assert refusal(driver.send()) is Failure.WRONG_EPISODE
    assert driver.feed(Tick(), after=20.0) == []
    driver.episode = 'e2'
    assert driver.begin()[1].seq == 1


def test_failed_reset_leaves_no_episode() -> None:
    driver = Driver()
    driver.begin()
    driver.episode = 'e2'
    reset = driver.started(RESET_ACTION, ('nowhere', ''))
    (outcome,) = driver.feed(
        Finished(reset.command_id, Performed(Status.FAILED, Failure.OTHER, 'no such scene'))
    )
    assert (outcome.status, outcome.reason) == (Status.FAILED, 'no such scene')
    assert driver.machine.episode_id == ''


def test_static_environment_is_reported_unchanged_without_looking() -> None:
    driver = Driver(STATIC)
    driver.begin()
    for seq in range(2, 12):
        due = driver.machine.next_deadline()
        (observation,) = driver.feed(Tick(), after=(due - driver.now) / SECOND)
        assert (observation.kind, observation.seq) == (ObservationKind.UNCHANGED, seq)
        assert observation.base_seq == seq - 1
    command = driver.started()
    driver.feed(Heartbeat(session_id='s1'), after=0.4)
    (observation,) = driver.feed(Tick(), after=0.1)
    assert (observation.kind, observation.command_id) == (ObservationKind.UNCHANGED, '')
    assert driver.feed(Finished(command.command_id, DONE))[1].seq == 13


def test_other_environment_is_looked_at_only_when_idle() -> None:
    driver = Driver()
    driver.begin()
    assert driver.feed(Tick(), after=0.5) == [Look(full=False)]
    assert driver.feed(Tick(), after=0.1) == []
    (observation,) = driver.feed(Looked(full=False, view=None))
    assert observation.kind is ObservationKind.UNCHANGED
    driver.feed(Tick(), after=0.5)
    (observation,) = driver.feed(Looked(full=False, view=DONE.view))
    assert (observation.kind, observation.facts) == (ObservationKind.DELTA, DONE.view.facts)
    driver.started()
    assert driver.feed(Tick(), after=0.4) == []


def test_snapshot_comes_periodically_and_on_resync() -> None:
    driver = Driver(STATIC, snapshot_period=10.0)
    driver.begin()
    assert only(driver.feed(Tick(), after=9.9), Look) == []
    assert driver.feed(Tick(), after=0.1) == [Look(full=True)]
    (snapshot,) = driver.feed(Looked(full=True, view=DONE.view))
    assert (snapshot.kind, snapshot.seq) == (ObservationKind.SNAPSHOT, 3)
    command = driver.started()
    assert driver.feed(ResyncRequest()) == []
    *_, look = driver.feed(Finished(command.command_id, DONE))
    assert look == Look(full=True)
    assert driver.feed(Looked(full=True, view=DONE.view))[0].kind is ObservationKind.SNAPSHOT


def test_look_that_finds_the_world_lost_ends_the_episode() -> None:
    driver = Driver()
    driver.begin()
    driver.feed(Tick(), after=0.5)
    driver.feed(Looked(full=False, lost='cable out'))
    assert driver.machine.episode_id == ''


def test_look_of_an_earlier_episode_is_not_reported() -> None:
    driver = Driver()
    driver.begin()
    driver.feed(Tick(), after=0.5)
    driver.episode = 'e2'
    reset = driver.started(RESET_ACTION, ('', ''))
    assert driver.feed(Looked(full=False, view=DONE.view)) == []
    assert driver.feed(Finished(reset.command_id, DONE))[1].seq == 1


def test_unchanged_keeps_the_flags_of_the_environment() -> None:
    driver = Driver(STATIC)
    driver.begin()
    command = driver.started()
    won = Performed(Status.DONE, view=View(done=True, success=True, score=1.0))
    driver.feed(Finished(command.command_id, won))
    (unchanged,) = driver.feed(Tick(), after=0.5)
    assert (unchanged.env_done, unchanged.env_success, unchanged.score) == (True, True, 1.0)


def test_admissible_carries_the_number_of_its_observation() -> None:
    driver = Driver(replace(STATIC, lists_admissible=True))
    driver.begin()
    command = driver.started()
    listed = Performed(Status.DONE, view=View(admissible=('look()',)))
    _, observation, admissible = driver.feed(Finished(command.command_id, listed))
    assert admissible == Admissible(observation.header, 'e1', observation.seq, ('look()',))
    unchanged, again = driver.feed(Tick(), after=0.5)
    assert (again.seq, again.actions) == (unchanged.seq, ('look()',))


def test_filter_can_delay_drop_and_double_reports() -> None:
    plans = {2: [0.3], 3: [], 4: [0.0, 0.0]}

    def disturb(report: object) -> list[tuple[float, object]]:
        delays = plans.get(report.seq, [0.0]) if isinstance(report, Observation) else [0.0]
        return [(delay, report) for delay in delays]

    driver = Driver(STATIC)
    driver.machine = BridgeMachine(STATIC, KEY, MachineConfig(), disturb)  # type: ignore[arg-type]
    driver.begin()
    assert driver.feed(Tick(), after=0.5) == []
    assert driver.machine.next_deadline() == driver.now + round(0.3 * SECOND)
    (late,) = driver.feed(Tick(), after=0.3)
    assert late.seq == 2
    assert driver.feed(Tick(), after=0.2) == []
    assert [o.seq for o in driver.feed(Tick(), after=0.5)] == [4, 4]


@pytest.mark.parametrize('value', [0.0, -1.0, float('nan'), float('inf')])
def test_negative_durations_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match='monitor_lease'):
        MachineConfig(monitor_lease=value)
