"""Real nodes as processes, and a probe that watches and asks them, in a domain of their own."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions

from sage_ros.action import ExecuteTask
from sage_ros.cli.up import Stack
from sage_ros.contract.execution import BridgeInfo, Command, Outcome, Stop
from sage_ros.contract.judgement import Decision, Episode, MonitorState, Verdict
from sage_ros.contract.resources import config_path
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.nodes.convert import MESSAGES, from_message, to_message
from sage_ros.nodes.qos import everything, topic_of
from sage_ros.nodes.stack import StackOptions
from sage_ros.scene.observation import Observation

# The latched ones last: whoever sends them then also knows of the others.
WATCHED = (Command, Observation, Outcome, Stop, Verdict, Episode, MonitorState, BridgeInfo)
START_S = 30.0
QUIET_S = 0.3


def everything_of(qos: QoSProfile) -> QoSProfile:
    """Return the QoS of a subscription that misses nothing, however slow it is."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_ALL, reliability=qos.reliability, durability=qos.durability
    )


class Goal:
    """A goal that was sent to the planner."""

    def __init__(self, probe: 'Probe', accepting: Any) -> None:
        self._probe = probe
        self._accepting = accepting
        self._result: Any = None
        self.feedback: list[Verdict] = []

    def accepted(self) -> bool:
        """Tell whether the planner has taken the goal; asks for its result then."""
        if self._accepting.done() and self._result is None:
            self._result = self._accepting.result().get_result_async()
        return bool(self._accepting.done())

    def ended(self) -> bool:
        """Tell whether the result is there."""
        return self.accepted() and bool(self._result.done())

    def cancel(self) -> None:
        """Take the goal back."""
        self._accepting.result().cancel_goal_async()

    def result(self, timeout_s: float) -> TaskResult:
        """Wait for the result."""
        self._probe.until(self.ended, timeout_s)
        self._probe.settle()
        result: TaskResult = from_message(self._result.result().result)
        return result


class Probe:
    """A node of the test that records topics and sends goals."""

    def __init__(self, namespace: str = '/sage') -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node('probe', namespace=namespace, context=self.context)
        self.seen: dict[type, list[Any]] = {kind: [] for kind in WATCHED}
        for kind in WATCHED:
            self.node.create_subscription(
                MESSAGES[kind],
                topic_of(kind).name,
                lambda message, kind=kind: self.seen[kind].append(from_message(message)),
                everything_of(topic_of(kind).qos),
            )
        self._action = ActionClient(
            self.node, ExecuteTask, 'execute_task', feedback_sub_qos_profile=everything()
        )
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        self._action.destroy()
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)

    def until(self, condition: Callable[[], object], timeout_s: float, what: str = '') -> None:
        """Take messages in until a condition holds."""
        end = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < end, what or f'not within {timeout_s} s'
            self._executor.spin_once(timeout_sec=0.05)

    def until_verdicts(self, count: int) -> None:
        """Wait for as many verdicts."""
        self.until(lambda: len(self.seen[Verdict]) >= count, 5.0, f'not {count} verdicts')

    def settle(self) -> None:
        """Take in what is under way: until nothing but signs of life came for a while."""

        def count() -> int:
            return sum(len(seen) for kind, seen in self.seen.items() if kind is not Observation)

        before, since = count(), time.monotonic()
        while time.monotonic() < since + QUIET_S:
            self._executor.spin_once(timeout_sec=0.05)
            if count() != before:
                before, since = count(), time.monotonic()

    def wait_for_nodes(self, *names: str) -> None:
        """Wait until the graph has these nodes of the namespace."""
        namespace = self.node.get_namespace()
        wanted = {(name, namespace) for name in names}
        self.until(
            lambda: wanted <= set(self.node.get_node_names_and_namespaces()),
            START_S,
            f'not all of {names} were seen',
        )

    def send(self, goal: str, *, alone: bool = False, **request: Any) -> Goal:
        """Send a goal as soon as all are there, again if it went to a planner that died.

        With ``alone`` there need not be a monitor and a bridge.
        """
        self.until(self._action.server_is_ready, START_S, 'the planner does not take goals')
        if not alone:
            self.until(lambda: self.seen[MonitorState], START_S, 'there is no monitor')
            self.until(lambda: self.seen[BridgeInfo], START_S, 'there is no bridge')
        message = to_message(TaskRequest(goal=goal, **request), ExecuteTask.Goal)

        def note(feedback: Any) -> None:
            sent.feedback.append(from_message(feedback.feedback.verdict))

        for _ in range(10):
            sent = Goal(self, self._action.send_goal_async(message, feedback_callback=note))
            end = time.monotonic() + 3.0
            while time.monotonic() < end:
                if sent.accepted():
                    return sent
                self._executor.spin_once(timeout_sec=0.02)
        raise AssertionError('the planner does not answer')

    def call(self, type_: Any, name: str, request: Any, timeout_s: float = 10.0) -> Any:
        """Call a service and wait for the answer."""
        client = self.node.create_client(type_, name)
        self.until(client.service_is_ready, START_S, f'nobody serves {name}')
        future = client.call_async(request)
        self.until(future.done, timeout_s, f'{name} was not answered')
        self.node.destroy_client(client)
        return future.result()

    def verdicts(self, decision: Decision) -> list[Verdict]:
        """Return the verdicts of one kind that were published."""
        return [verdict for verdict in self.seen[Verdict] if verdict.decision is decision]

    def running(self) -> bool:
        """Tell whether a command has been sent that has no outcome yet."""
        ended = {outcome.command_id for outcome in self.seen[Outcome]}
        sent = [command for command in self.seen[Command] if command.action != 'reset']
        return bool(sent) and sent[-1].command_id not in ended


class System:
    """Starts stacks and stops them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stacks: list[Stack] = []
        self.probes: list[Probe] = []

    def probe(self, namespace: str = '/sage') -> Probe:
        probe = Probe(namespace)
        self.probes.append(probe)
        return probe

    def start(
        self,
        names: set[str] | None = None,
        parameters: dict[str, dict[str, Any]] | None = None,
        **options: Any,
    ) -> Stack:
        """Start nodes, with parameters by node."""
        file = ''
        if parameters:
            content = {f'/**/{n}': {'ros__parameters': p} for n, p in parameters.items()}
            path = self.folder / f'parameters_{len(self.stacks)}.yaml'
            path.write_text(yaml.safe_dump(content))
            file = str(path)
        options = {'key_file': str(self.folder / 'key'), 'parameter_file': file, **options}
        stack = Stack(StackOptions(**options), self.folder / f'logs_{len(self.stacks)}')
        self.stacks.append(stack)
        stack.start(None if names is None else frozenset(names))
        return stack

    def log(self, name: str, stack: int = 0) -> str:
        """Read what a node has said."""
        return (self.folder / f'logs_{stack}' / f'{name}.log').read_text()

    def stop(self) -> None:
        for probe in self.probes:
            probe.close()
        for stack in self.stacks:
            stack.stop()


@pytest.fixture
def system(ros_domain: int, tmp_path: Path) -> Iterator[System]:
    """Give the test a ROS domain and a way to start nodes in it."""
    started = System(tmp_path)
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture
def slow_home() -> dict[str, dict[str, Any]]:
    """Parameters with which every action of home takes a while."""
    return {'bridge': {'options': '{action_duration: 1.5}'}}


@pytest.fixture
def quick_deadlines(tmp_path: Path) -> str:
    """Write an admission file of home whose actions have to end within two seconds."""
    text = config_path('admission/home.yaml').read_text()
    path = tmp_path / 'admission.yaml'
    path.write_text(re.sub(r'deadline_s: \d+', 'deadline_s: 2', text))
    return str(path)
