"""The client of `sage run`: sends a goal, shows verdicts, takes the goal back when interrupted."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from sage_ros.action import ExecuteTask
from sage_ros.contract.judgement import EpisodeOutcome, Verdict
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.nodes.convert import from_message, to_message
from sage_ros.planning.link import LinkLost

_SPIN_S = 0.05
_ACCEPT_S = 10.0
_LAST_WORDS_S = 0.2
_DISCOVERY_S = 3.0
_QUIET_S = 1.0

OnVerdict = Callable[[Verdict], None]


class GoalClient:
    """A node that sends goals to the planner of a namespace. To be closed."""

    def __init__(self, namespace: str) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node('sage_client', namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._action = ActionClient(self._node, ExecuteTask, 'execute_task')
        self._namespace = self._node.get_namespace()

    def close(self) -> None:
        """Leave the graph."""
        self._action.destroy()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def __enter__(self) -> 'GoalClient':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def nodes(self) -> set[str]:
        """Look for nodes of the namespace until no more appear, and return their names."""
        found: set[str] = set()
        start = changed = time.monotonic()
        while (now := time.monotonic()) < start + _DISCOVERY_S and now < changed + _QUIET_S:
            self._spin()
            present = {
                name
                for name, namespace in self._node.get_node_names_and_namespaces()
                if namespace == self._namespace and name != self._node.get_name()
            }
            if present - found:
                changed = now
            found |= present
        return found

    def wait_for_planner(self, timeout_s: float, watch: Callable[[], None]) -> None:
        """Wait until the planner takes goals; LinkLost if it does not in time."""
        end = time.monotonic() + timeout_s
        while not self._action.server_is_ready():
            watch()
            if time.monotonic() >= end:
                place = f'{self._namespace.rstrip("/")}/execute_task'
                raise LinkLost(f'no planner: nobody served {place} within {timeout_s:g} s')
            self._spin()

    def execute(
        self,
        request: TaskRequest,
        on_verdict: OnVerdict,
        *,
        watch: Callable[[], None] = lambda: None,
        cancel_timeout_s: float = 15.0,
    ) -> TaskResult:
        """Send a goal and wait for its result; SIGINT or SIGTERM takes the goal back.

        ``watch`` is called again and again; what it raises ends the waiting. LinkLost if the
        planner goes away, or does not give a goal up within ``cancel_timeout_s``.
        """
        with _interruptions() as interrupted:
            return self._execute(request, on_verdict, watch, interrupted, cancel_timeout_s)

    def _execute(
        self,
        request: TaskRequest,
        on_verdict: OnVerdict,
        watch: Callable[[], None],
        interrupted: list[int],
        cancel_timeout_s: float,
    ) -> TaskResult:
        def feedback(message: Any) -> None:
            on_verdict(from_message(message.feedback.verdict))

        goal = to_message(request, ExecuteTask.Goal)
        accepting = self._action.send_goal_async(goal, feedback_callback=feedback)
        asked = time.monotonic()
        give_up = None
        cancelling = None
        result = None
        while result is None or not result.done():
            self._spin()
            watch()
            if result is None and accepting.done():
                if not accepting.result().accepted:
                    raise LinkLost('the planner rejected the goal')
                result = accepting.result().get_result_async()
            if result is None and time.monotonic() > asked + _ACCEPT_S:
                raise LinkLost(f'the planner did not accept the goal within {_ACCEPT_S:g} s')
            if interrupted and give_up is None:
                give_up = time.monotonic() + cancel_timeout_s
            # A goal that is not accepted yet cannot be cancelled: wait, then cancel it.
            if interrupted and cancelling is None and result is not None:
                cancelling = accepting.result().cancel_goal_async()
            if give_up is not None and time.monotonic() >= give_up:
                raise LinkLost(f'the planner did not give up within {cancel_timeout_s:g} s')
            if not self._action.server_is_ready():
                raise LinkLost('the planner is gone')
        # Feedback and result travel on their own ways.
        end = time.monotonic() + _LAST_WORDS_S
        while time.monotonic() < end:
            self._spin()
        answer = result.result()
        if answer.status == GoalStatus.STATUS_UNKNOWN:
            return TaskResult(outcome=EpisodeOutcome.ERROR, reason='the planner forgot the goal')
        outcome: TaskResult = from_message(answer.result)
        return outcome

    def _spin(self) -> None:
        self._executor.spin_once(timeout_sec=_SPIN_S)


@contextmanager
def _interruptions() -> Iterator[list[int]]:
    """Collect signals that ask to end; the third in a row acts as usual."""
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, _: object) -> None:
        received.append(number)
        if len(received) >= 2:
            signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, note)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
