"""The client of `sage run`: sends a goal, shows verdicts, takes the goal back when asked to."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rclpy._rclpy_pybind11 import RCLError
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from sage_ros.action import ExecuteTask
from sage_ros.contract.judgement import EpisodeOutcome, Verdict
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.nodes.convert import from_message, to_message
from sage_ros.nodes.qos import everything
from sage_ros.nodes.stack import check_domain
from sage_ros.planning.link import LinkLost

_SPIN_S = 0.05
_ACCEPT_S = 10.0
_LAST_WORDS_S = 0.2
_NOBODY_S = 3.5
_DISCOVERY_S = 6.5
"""A participant whose first announcements are missed, often one of four, is seen after 3 s."""
_GONE_S = 1.0
_ASK_AGAIN_S = 10.0

OnVerdict = Callable[[Verdict], None]


class GoalClient:
    """A node that sends goals to the planner of a namespace. To be closed.

    ValueError and LinkLost if ROS cannot be used as the environment variables have it.
    """

    def __init__(self, namespace: str) -> None:
        check_domain()
        try:
            self._context = rclpy.Context()
            rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        except RCLError as error:
            raise LinkLost(
                f'ROS cannot be used: {error}; look at the variables ROS_*, RMW_* and HOME'
            ) from error
        self._node = Node('sage_client', namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._action = ActionClient(
            self._node, ExecuteTask, 'execute_task', feedback_sub_qos_profile=everything()
        )
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

    def missing(self, wanted: frozenset[str]) -> frozenset[str]:
        """Look which of these nodes of the namespace do not run; a bridge may have any name."""
        lacking = wanted
        start = time.monotonic()
        # Where there are some, the others are there too, most likely, and only late to be seen.
        while lacking and time.monotonic() < start + (
            _NOBODY_S if lacking == wanted else _DISCOVERY_S
        ):
            self._spin()
            lacking -= self._present().keys()
            if self._node.count_publishers('bridge_info'):
                lacking -= {'bridge'}
        return lacking

    def doubled(self) -> set[str]:
        """Return the names that several nodes of the namespace have."""
        return {name for name, count in self._present().items() if count > 1}

    def _present(self) -> Counter[str]:
        return Counter(
            name
            for name, namespace in self._node.get_node_names_and_namespaces()
            if namespace == self._namespace and name != self._node.get_name()
        )

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
        cancelled: Callable[[], bool] = lambda: False,
        watch: Callable[[], None] = lambda: None,
        cancel_timeout_s: float = 15.0,
    ) -> TaskResult:
        """Send a goal and wait for its result; once ``cancelled`` is true it is taken back.

        ``watch`` is called again and again; what it raises ends the waiting. LinkLost if the
        planner goes away, or does not give a goal up within ``cancel_timeout_s``.
        """

        def feedback(message: Any) -> None:
            on_verdict(from_message(message.feedback.verdict))

        goal = to_message(request, ExecuteTask.Goal)
        accepting = self._action.send_goal_async(goal, feedback_callback=feedback)
        asked = time.monotonic()
        give_up = None
        cancelling = None
        result = None
        gone = None
        while result is None or not result.done():
            self._spin()
            watch()
            if result is None and accepting.done() and not accepting.result().accepted:
                raise LinkLost('the planner rejected the goal')
            # Asked again, since a planner that took the place of this one does not know the goal.
            if accepting.done() and (result is None or time.monotonic() > asked + _ASK_AGAIN_S):
                result = accepting.result().get_result_async()
                asked = time.monotonic()
            if result is None and time.monotonic() > asked + _ACCEPT_S:
                raise LinkLost(f'the planner did not accept the goal within {_ACCEPT_S:g} s')
            if give_up is None and cancelled():
                give_up = time.monotonic() + cancel_timeout_s
            # A goal that is not accepted yet cannot be cancelled: wait, then cancel it.
            if give_up is not None and cancelling is None and result is not None:
                cancelling = accepting.result().cancel_goal_async()
            if give_up is not None and time.monotonic() >= give_up:
                raise LinkLost(f'the planner did not give up within {cancel_timeout_s:g} s')
            # The last word of a planner that was stopped may still be on its way.
            if self._action.server_is_ready():
                gone = None
            elif gone is None:
                gone = time.monotonic() + _GONE_S
            elif time.monotonic() >= gone:
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
