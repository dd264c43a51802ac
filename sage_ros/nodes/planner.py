"""The planner node: takes goals and proposes plans; it has no way to the bridge."""

import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action import ActionServer, CancelResponse
from rclpy.task import Future

from sage_ros.action import ExecuteTask
from sage_ros.contract.judgement import EpisodeOutcome, Verdict
from sage_ros.contract.judging import ModelExchange
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.nodes.base import EXPECTED, SageNode
from sage_ros.nodes.convert import from_message, to_message
from sage_ros.nodes.link import RosLink
from sage_ros.nodes.qos import everything
from sage_ros.nodes.running import run_node
from sage_ros.nodes.settings import PLANNER
from sage_ros.planning.backend import Backend, Settings, make_backend
from sage_ros.planning.session import Limits, run_task
from sage_ros.planning.world import World


@dataclass
class _Task:
    """A goal that is being carried out on a thread of its own."""

    request: TaskRequest
    cancelled: threading.Event = field(default_factory=threading.Event)
    verdicts: int = 0


class PlannerNode(SageNode):
    """Carries out one goal at a time by proposing plans to the monitor.

    Serves the action execute_task. Publishes plan, exchange. Subscribes verdict, episode,
    bridge_info, heartbeat. Client of begin_episode, set_goal, end_episode, context.
    """

    TABLE = PLANNER

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        super().__init__('planner', arguments)
        self._task: _Task | None = None

    # ------------------------------------------------------------ lifecycle

    def set_up(self) -> None:
        """Make the endpoints."""
        self._link = RosLink(
            self, self.parameters['monitor_timeout'], self.parameters['answer_timeout']
        )
        self._exchange = self.advertise(ModelExchange)
        self._limits = Limits(
            bridge=self.parameters['bridge_timeout'],
            begin=self.parameters['reset_timeout'],
            reply=self.parameters['answer_timeout'],
            context=self.parameters['answer_timeout'],
            steps=self.parameters['max_steps'],
        )
        server = ActionServer(
            self,
            ExecuteTask,
            'execute_task',
            execute_callback=self._execute,
            cancel_callback=self._on_cancel,
            feedback_pub_qos_profile=everything(),
        )
        self.at_end(server.destroy)

    def stopped(self) -> None:
        """Take the running task back."""
        if self._task is not None:
            self._task.cancelled.set()

    def settled(self) -> bool:
        """Tell whether no task is running."""
        return self._task is None

    # ------------------------------------------------------------ the action

    def _on_cancel(self, _: Any) -> CancelResponse:
        if self._task is not None:
            self._task.cancelled.set()
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> ExecuteTask.Result:
        """Carry a goal out; one that cannot begin is aborted with the reason."""
        request = self._complete(from_message(handle.request))
        if self._task is not None:
            reason = f'busy with another task: {self._task.request.goal!r}'
            return self._finish(handle, TaskResult(outcome=EpisodeOutcome.ERROR, reason=reason))
        if not self.active:
            reason = 'the planner is not active'
            return self._finish(handle, TaskResult(outcome=EpisodeOutcome.ERROR, reason=reason))
        task = self._task = _Task(request)
        if handle.is_cancel_requested:
            task.cancelled.set()
        self._link.renew()
        self.get_logger().info(f'begins: {request.goal!r}')
        ended = Future()
        # A call of a model that never returns must not keep the process alive.
        threading.Thread(
            target=self._work, args=(task, handle, ended), name='task', daemon=True
        ).start()
        result = await ended
        self._task = None
        self.get_logger().info(f'{result.outcome.name}: {request.goal!r} {result.reason}')
        return self._finish(handle, result)

    def _finish(self, handle: Any, result: TaskResult) -> ExecuteTask.Result:
        if result.success:
            handle.succeed()
        elif result.outcome is EpisodeOutcome.CANCELLED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return to_message(result, ExecuteTask.Result)

    def _complete(self, request: TaskRequest) -> TaskRequest:
        """Fill in from the parameters what the request leaves open."""
        own = ('scene', 'seed', 'planner', 'model', 'max_steps')
        return replace(
            request, **{name: getattr(request, name) or self.parameters[name] for name in own}
        )

    # ------------------------------------------------------------ the task's thread

    def _work(self, task: _Task, handle: Any, ended: Future) -> None:
        try:
            result = run_task(
                self._link,
                task.request,
                partial(self._open_backend, task),
                limits=self._limits,
                cancelled=task.cancelled.is_set,
                on_verdict=lambda verdict: self.post(partial(self._say, task, handle, verdict)),
            )
        except EXPECTED as error:
            result = _failed(task, str(error))
        except Exception as error:
            self.get_logger().error(f'the planner failed: {traceback.format_exc()}')
            result = _failed(task, f'the planner failed: {type(error).__name__}: {error}')
        self.post(partial(ended.set_result, result))

    def _open_backend(self, task: _Task, world: World) -> Backend:
        settings = Settings(
            model=task.request.model,
            host=self.parameters['model_host'],
            timeout_s=self.parameters['model_timeout'],
            num_ctx=self.parameters['model_context'],
            attempts=self.parameters['model_attempts'],
            on_exchange=lambda exchange: self.post(partial(self._exchange, exchange)),
            cancelled=task.cancelled.is_set,
        )
        return make_backend(task.request.planner, world, settings)

    def _say(self, task: _Task, handle: Any, verdict: Verdict) -> None:
        task.verdicts += 1
        handle.publish_feedback(ExecuteTask.Feedback(verdict=to_message(verdict)))

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Say what is being carried out."""
        yield from super().diagnose()
        task = self._task
        if task is None:
            yield self.status('task', DiagnosticStatus.OK, 'idle')
        else:
            values = {'planner': task.request.planner, 'verdicts': task.verdicts}
            yield self.status('task', DiagnosticStatus.OK, task.request.goal, values)


def _failed(task: _Task, reason: str) -> TaskResult:
    return TaskResult(outcome=EpisodeOutcome.ERROR, reason=reason, goal=task.request.goal)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the planner node."""
    return run_node(PlannerNode, arguments)


if __name__ == '__main__':
    raise SystemExit(main())
