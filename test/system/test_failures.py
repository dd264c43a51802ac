"""What happens when nodes die, freeze, fall silent or are told to stop."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool

from sage_ros.action import ExecuteTask
from sage_ros.contract.execution import Command, Failure, Outcome, Status, Stop
from sage_ros.contract.judgement import (
    Decision,
    Episode,
    EpisodeOutcome,
    EpisodePhase,
    MonitorPhase,
    MonitorState,
    Verdict,
)
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.nodes.client import GoalClient
from sage_ros.nodes.convert import to_message
from sage_ros.nodes.qos import topic_of

GOAL = 'put a clean mug on the desk'


def ended(probe: Any) -> list[EpisodeOutcome]:
    return [e.outcome for e in probe.seen[Episode] if e.phase is EpisodePhase.ENDED]


def held(probe: Any) -> bool:
    states = probe.seen[MonitorState]
    return bool(states) and states[-1].phase is MonitorPhase.HELD


def test_a_bridge_that_dies_in_the_middle_ends_the_episode(
    system: Any, quick_deadlines: str
) -> None:
    probe = system.probe()
    stack = system.start(
        parameters={
            'monitor': {
                'admission_file': quick_deadlines,
                'bridge_timeout': 1.0,
                'reset_timeout': 2.0,
            },
            'bridge': {'options': '{action_duration: 1.0}'},
        }
    )
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    stack.process('bridge').kill()
    result = goal.result(15.0)
    assert result.outcome is EpisodeOutcome.BRIDGE_LOST
    assert result.reason
    assert probe.verdicts(Decision.UNKNOWN)
    sent = len(probe.seen[Command])
    assert probe.send(GOAL).result(30.0).outcome in (
        EpisodeOutcome.BRIDGE_LOST,
        EpisodeOutcome.ERROR,
    )
    assert all(command.action == 'reset' for command in probe.seen[Command][sent:])


def test_a_bridge_that_never_answers_is_given_up_within_the_deadline(
    system: Any, quick_deadlines: str
) -> None:
    probe = system.probe()
    stack = system.start(
        parameters={
            'monitor': {
                'admission_file': quick_deadlines,
                'bridge_timeout': 1.0,
                'outcome_grace': 0.3,
            },
            'bridge': {'options': '{action_duration: 1.0}'},
        }
    )
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    start = time.monotonic()
    stack.process('bridge').send_signal(signal.SIGSTOP)
    try:
        result = goal.result(15.0)
    finally:
        stack.process('bridge').send_signal(signal.SIGCONT)
    # The deadline of the action, the grace, the timeout of the bridge, and the way back.
    assert time.monotonic() - start < 2.0 + 0.3 + 1.0 + 3.0
    assert not result.success
    assert result.outcome is EpisodeOutcome.BRIDGE_LOST


def test_motion_ends_and_the_task_too_when_the_monitor_is_killed(
    system: Any, slow_home: Any
) -> None:
    slow_home['bridge'] = {'options': '{action_duration: 20.0}'}
    probe = system.probe()
    stack = system.start(parameters=slow_home)
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    stack.process('monitor').kill()
    start = time.monotonic()
    probe.until(lambda: not probe.running(), 5.0)
    assert time.monotonic() - start < 0.5 + 0.5
    outcome = probe.seen[Outcome][-1]
    assert (outcome.status, outcome.failure) == (Status.STOPPED, Failure.LEASE_LOST)
    result = goal.result(15.0)
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'monitor has been silent' in result.reason


def test_motion_ends_within_the_lease_when_the_monitor_freezes(system: Any) -> None:
    probe = system.probe()
    stack = system.start(parameters={'bridge': {'options': '{action_duration: 20.0}'}})
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    start = time.monotonic()
    stack.process('monitor').send_signal(signal.SIGSTOP)
    try:
        probe.until(lambda: not probe.running(), 5.0)
        assert time.monotonic() - start < 0.5 + 0.5
        assert probe.seen[Outcome][-1].failure is Failure.LEASE_LOST
        result = goal.result(15.0)
        assert result.outcome is EpisodeOutcome.ERROR
        sent = len(probe.seen[Command])
    finally:
        stack.process('monitor').send_signal(signal.SIGCONT)
    probe.until(lambda: ended(probe), 15.0)
    assert len(probe.seen[Command]) == sent


def test_a_task_ends_when_memory_is_killed_and_a_new_memory_folds_on(
    system: Any, slow_home: Any
) -> None:
    slow_home['planner'] = {'answer_timeout': 8.0}
    probe = system.probe()
    stack = system.start(parameters=slow_home)
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    stack.process('memory').kill()
    result = goal.result(20.0)
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'memory' in result.reason
    # Again, and this time another memory comes while the command runs.
    system.start(names={'memory'})
    probe.until(lambda: 'active' in system.log('memory', 1), 20.0)
    goal = probe.send(GOAL)
    probe.until(lambda: probe.running() and not ended_last(probe), 20.0)
    system.stacks[-1].process('memory').kill()
    system.start(names={'memory'}, parameters={'memory': {'scene_period': 1.0}})
    probe.until(lambda: len(probe.verdicts(Decision.ADMITTED)) > 3, 30.0)
    assert not held(probe)
    goal.cancel()
    assert goal.result(10.0).outcome is EpisodeOutcome.CANCELLED


def ended_last(probe: Any) -> bool:
    episodes = probe.seen[Episode]
    return not episodes or episodes[-1].phase is EpisodePhase.ENDED


def test_the_episode_ends_when_the_planner_is_killed(system: Any) -> None:
    probe = system.probe()
    stack = system.start(
        parameters={
            'bridge': {'options': '{action_duration: 1.0}'},
            'monitor': {'plan_timeout': 2.0},
        }
    )
    probe.send(GOAL)
    probe.until(probe.running, 20.0)
    stack.process('planner').kill()
    probe.until(lambda: ended(probe), 10.0)
    assert ended(probe) == [EpisodeOutcome.PLANNER_LOST]
    assert not probe.running()
    # A new planner begins anew.
    system.start(names={'planner'})
    assert probe.send('put a book on the desk').result(60.0).success


def test_a_goal_is_cancelled_before_the_first_plan_and_while_a_command_runs(
    system: Any,
) -> None:
    probe = system.probe()
    system.start(parameters={'bridge': {'options': '{action_duration: 20.0}'}})
    early = probe.send(GOAL)
    early.cancel()
    result = early.result(10.0)
    assert (result.outcome, result.steps) == (EpisodeOutcome.CANCELLED, 0)
    late = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    late.cancel()
    start = time.monotonic()
    result = late.result(10.0)
    assert time.monotonic() - start < 3.0
    assert result.outcome is EpisodeOutcome.CANCELLED
    assert result.reason
    assert probe.seen[Stop]
    assert probe.seen[Outcome][-1].status is Status.STOPPED
    assert ended(probe)[-1] is EpisodeOutcome.CANCELLED


def test_ctrl_c_takes_the_goal_back_and_leaves_nothing_running(
    system: Any, slow_home: Any
) -> None:
    probe = system.probe()
    system.start(parameters=slow_home)
    command = [sys.executable, '-c', 'import sage_ros.cli; sage_ros.cli.main()', 'run', GOAL]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        probe.until(probe.running, 30.0)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 1
    assert 'CANCELLED' in output
    probe.until(lambda: ended(probe), 5.0)
    assert ended(probe) == [EpisodeOutcome.CANCELLED]


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_the_nodes_start_ends_with_a_reason(
    ros_domain: int, tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, '-c', 'import sage_ros.cli; sage_ros.cli.main()', 'run', GOAL]
    environment = {**os.environ, 'TMPDIR': str(tmp_path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    watch = threading.Event()
    try:
        end = time.monotonic() + 20.0
        while not list(tmp_path.glob('sage-*/monitor.log')):
            assert time.monotonic() < end, 'no node is started'
            watch.wait(0.02)
        process.send_signal(number)
        output, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 1
    assert 'CANCELLED' in output
    assert not list(tmp_path.iterdir())


def test_ctrl_c_ends_a_stack_with_exit_status_0_while_a_command_runs(system: Any) -> None:
    probe = system.probe()
    (system.folder / 'up.yaml').write_text(
        "/**/bridge: {ros__parameters: {options: '{action_duration: 20.0}'}}\n"
    )
    command = [
        *(sys.executable, '-c', 'import sage_ros.cli; sage_ros.cli.main()', 'up'),
        *('--params', str(system.folder / 'up.yaml')),
    ]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        goal = probe.send(GOAL)
        probe.until(probe.running, 20.0)
        process.send_signal(signal.SIGINT)
        probe.until(lambda: process.poll() is not None, 20.0)
    finally:
        process.kill()
    assert process.returncode == 0
    assert probe.seen[Outcome][-1].status is Status.STOPPED
    probe.until(lambda: ended(probe), 2.0)
    assert ended(probe) == [EpisodeOutcome.CANCELLED]
    assert goal.accepted()


def test_without_a_bridge_a_goal_fails_by_its_deadline_and_says_who_is_missing(
    system: Any,
) -> None:
    probe = system.probe()
    system.start(bridge=False, parameters={'planner': {'bridge_timeout': 2.0}})
    goal = probe.send(GOAL, alone=True)
    start = time.monotonic()
    result = goal.result(10.0)
    assert time.monotonic() - start < 4.0
    assert result.outcome is EpisodeOutcome.BRIDGE_LOST
    assert 'no bridge' in result.reason


def test_without_a_monitor_a_goal_fails_and_says_who_is_missing(system: Any) -> None:
    probe = system.probe()
    system.start(names={'planner', 'bridge'}, parameters={'planner': {'answer_timeout': 2.0}})
    result = probe.send(GOAL, alone=True).result(15.0)
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'no monitor' in result.reason


def test_hold_stops_the_command_and_a_release_needs_a_new_plan(
    system: Any, slow_home: Any
) -> None:
    probe = system.probe()
    system.start(parameters=slow_home)
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    assert probe.call(SetBool, 'hold', SetBool.Request(data=True)).success
    probe.until(lambda: not probe.running(), 2.0)
    assert probe.seen[Outcome][-1].status is Status.STOPPED
    probe.until(lambda: held(probe), 2.0)
    sent = len(probe.seen[Command])
    probe.until(lambda: probe.verdicts(Decision.HELD), 5.0)
    assert len(probe.seen[Command]) == sent
    assert probe.call(SetBool, 'hold', SetBool.Request(data=False)).success
    probe.until(lambda: len(probe.seen[Command]) > sent, 10.0)
    assert probe.seen[Command][-1].plan_seq > probe.seen[Command][sent - 1].plan_seq
    goal.cancel()
    assert goal.result(10.0).outcome is EpisodeOutcome.CANCELLED


@pytest.mark.parametrize('kind', [Command, Stop])
def test_a_second_publisher_makes_the_monitor_hold(
    system: Any, slow_home: Any, kind: type
) -> None:
    probe = system.probe()
    system.start(parameters=slow_home)
    goal = probe.send(GOAL)
    probe.until(probe.running, 20.0)
    topic = topic_of(kind)
    message = to_message(kind())
    intruder = probe.node.create_publisher(type(message), topic.name, topic.qos)
    probe.until(lambda: held(probe), 5.0)
    assert 'probe' in probe.seen[MonitorState][-1].reason
    probe.until(lambda: not probe.running(), 2.0)
    refused = probe.call(SetBool, 'hold', SetBool.Request(data=False))
    assert not refused.success
    probe.node.destroy_publisher(intruder)

    def released() -> bool:
        return bool(probe.call(SetBool, 'hold', SetBool.Request(data=False)).success)

    probe.until(released, 10.0)
    probe.until(probe.running, 15.0)
    goal.cancel()
    assert goal.result(10.0).outcome is EpisodeOutcome.CANCELLED


def test_a_stray_command_without_the_key_is_refused_and_nothing_moves(
    system: Any, slow_home: Any
) -> None:
    probe = system.probe()
    system.start(names={'bridge'}, parameters=slow_home)
    command = Command(session_id='stray', command_id='stray/1', counter=1, action='look')
    publisher = probe.node.create_publisher(
        type(to_message(command)), 'command', topic_of(Command).qos
    )
    probe.until(publisher.get_subscription_count, 20.0)

    def answered() -> bool:
        # The first answer may come before the bridge knows who listens.
        publisher.publish(to_message(command))
        return bool(probe.seen[Outcome])

    probe.until(answered, 10.0)
    outcome = probe.seen[Outcome][0]
    assert (outcome.status, outcome.failure) == (Status.REFUSED, Failure.BAD_SIGNATURE)


def test_only_the_monitor_has_a_way_to_the_bridge(system: Any) -> None:
    probe = system.probe()
    system.start()
    assert probe.send(GOAL).result(30.0).success
    probe.wait_for_nodes('monitor', 'bridge', 'planner', 'memory')
    for name in ('command', 'stop'):
        topic = probe.node.resolve_topic_name(name)
        ends = probe.node.get_publishers_info_by_topic(topic)
        assert [end.node_name for end in ends] == ['monitor']
    taken = {
        name
        for name, _ in probe.node.get_subscriber_names_and_types_by_node('bridge', '/sage')
        if name.startswith('/sage/')
    }
    assert taken == {'/sage/command', '/sage/stop', '/sage/heartbeat'}
    for node in ('planner', 'memory'):
        said = probe.node.get_publisher_names_and_types_by_node(node, '/sage')
        assert not taken & {name for name, _ in said}
        asked = probe.node.get_client_names_and_types_by_node(node, '/sage')
        served = probe.node.get_service_names_and_types_by_node('bridge', '/sage')
        assert not {name for name, _ in asked} & {name for name, _ in served}


class SlowServer:
    """A planner that takes its time to accept a goal."""

    def __init__(self, delay_s: float) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.cancelled = threading.Event()
        self._delay = threading.Event()
        self._delay_s = delay_s
        node = Node('planner', namespace='/sage', context=self.context)
        self._server = ActionServer(
            node,
            ExecuteTask,
            'execute_task',
            execute_callback=self._execute,
            goal_callback=self._accept,
            cancel_callback=self._cancel,
        )
        self._executor = MultiThreadedExecutor(2, context=self.context)
        self._executor.add_node(node)
        self._thread = threading.Thread(target=self._executor.spin)
        self._thread.start()

    def close(self) -> None:
        self._executor.shutdown()
        rclpy.try_shutdown(context=self.context)
        self._thread.join()

    def _accept(self, _: Any) -> Any:
        from rclpy.action import GoalResponse

        self._delay.wait(self._delay_s)
        return GoalResponse.ACCEPT

    def _cancel(self, _: Any) -> CancelResponse:
        self.cancelled.set()
        return CancelResponse.ACCEPT

    def _execute(self, handle: Any) -> Any:
        self.cancelled.wait(10.0)
        while not handle.is_cancel_requested:
            self._delay.wait(0.01)
        handle.canceled()
        result = TaskResult(outcome=EpisodeOutcome.CANCELLED, reason='taken back')
        return to_message(result, ExecuteTask.Result)


def test_a_cancel_before_the_goal_is_accepted_is_not_lost(ros_domain: int) -> None:
    server = SlowServer(0.3)
    seen: list[Verdict] = []
    try:
        with GoalClient('/sage') as client:
            client.wait_for_planner(10.0, lambda: None)
            wished = threading.Event()
            threading.Timer(0.05, wished.set).start()
            result = client.execute(TaskRequest(goal=GOAL), seen.append, cancelled=wished.is_set)
        assert server.cancelled.is_set()
    finally:
        server.close()
    assert result.outcome is EpisodeOutcome.CANCELLED
