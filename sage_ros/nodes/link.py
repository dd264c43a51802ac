"""The planner's link over ROS: a task on a worker thread reaches monitor and memory."""

import queue
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from sage_ros.contract.execution import BridgeInfo, Heartbeat
from sage_ros.contract.judgement import Episode, Verdict
from sage_ros.contract.plan import Plan
from sage_ros.contract.remembering import ContextReply, ContextRequest
from sage_ros.contract.requests import BeginEpisode, EndEpisode, Reply, SetGoal
from sage_ros.nodes.base import SageNode
from sage_ros.nodes.convert import from_message, to_message
from sage_ros.nodes.qos import call_of
from sage_ros.planning.link import LinkLost

_POLL_S = 0.05
_REPEAT_S = 1.0
_REPEATED = ('context',)
"""Calls that change nothing: a new server may not have got what was asked of one that died."""
_CALLS = ('begin_episode', 'set_goal', 'end_episode', 'context')


class RosLink:
    """Implements `planning.link.Link` with the endpoints of a node.

    Its endpoints live on the thread of the node's callbacks, its methods are called by the task's
    own thread. A monitor without a heartbeat for ``monitor_timeout`` seconds counts as lost, one
    of which nothing is heard within ``contact_timeout`` after the start of a task as missing.
    """

    def __init__(self, node: SageNode, monitor_timeout: float, contact_timeout: float) -> None:
        self._node = node
        self._monitor_timeout = monitor_timeout
        self._contact_timeout = contact_timeout
        self._inbox: queue.SimpleQueue[Verdict | Episode] = queue.SimpleQueue()
        self._heard = 0.0
        self._began = 0.0
        self._lost = False
        self._info: BridgeInfo | None = None
        self._plan = node.advertise(Plan)
        self._clients = {name: node.client(name) for name in _CALLS}
        node.listen(Verdict, self._inbox.put)
        node.listen(Episode, self._inbox.put)
        node.listen(BridgeInfo, self._on_info)
        # The last to be announced: who hears a heartbeat here also hears the verdicts.
        node.listen(Heartbeat, self._on_heartbeat)

    def renew(self) -> None:
        """Forget what belongs to earlier tasks."""
        self._began = time.monotonic()
        self._lost = False
        while not self._inbox.empty():
            self._inbox.get()

    # ------------------------------------------------------------ planning.link.Link

    def now(self) -> int:
        """Return the node clock's time in nanoseconds."""
        return self._node.now()

    def bridge(self, timeout_s: float) -> BridgeInfo:
        """Wait for a bridge and return what it says of itself."""
        end = time.monotonic() + timeout_s
        while (info := self._info) is None or not self._node.publishers(BridgeInfo):
            if time.monotonic() >= end:
                raise LinkLost(f'no bridge: nobody published bridge_info within {timeout_s:g} s')
            time.sleep(_POLL_S)
        return info

    def begin_episode(self, request: BeginEpisode, timeout_s: float) -> Reply:
        """Ask the monitor to begin an episode, once its topics and ours have met."""
        while self._heard < self._began or not self._node.subscribers(Plan):
            if time.monotonic() > self._began + self._contact_timeout:
                raise LinkLost(f'no monitor: nothing heard within {self._contact_timeout:g} s')
            time.sleep(_POLL_S)
        reply: Reply = self._call('begin_episode', request, timeout_s)
        return reply

    def set_goal(self, request: SetGoal, timeout_s: float) -> Reply:
        """Tell the monitor the goal facts."""
        reply: Reply = self._call('set_goal', request, timeout_s)
        return reply

    def end_episode(self, request: EndEpisode, timeout_s: float) -> Reply:
        """Ask the monitor to end an episode."""
        reply: Reply = self._call('end_episode', request, timeout_s)
        return reply

    def context(self, request: ContextRequest, timeout_s: float) -> ContextReply:
        """Ask memory for the belief and the transitions."""
        reply: ContextReply = self._call('context', request, timeout_s)
        return reply

    def submit(self, plan: Plan) -> None:
        """Send a plan to the monitor."""
        self._node.post(partial(self._plan, plan))

    def wait(self, timeout_s: float) -> Verdict | Episode | None:
        """Return the next verdict or episode; LinkLost, once, if the monitor has fallen silent."""
        try:
            return self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            if not self._lost:
                self._check_monitor()
            return None

    # ------------------------------------------------------------ calls

    def _call(self, name: str, request: Any, timeout_s: float) -> Any:
        """Call a service and wait for the reply on the task's thread."""
        call, client = call_of(name), self._clients[name]
        end = time.monotonic() + timeout_s
        check = self._check_monitor if call.server == 'monitor' else _nothing
        while not client.service_is_ready():
            check()
            if time.monotonic() >= end:
                raise LinkLost(f'no {call.server}: nobody served {name} within {timeout_s:g} s')
            time.sleep(_POLL_S)
        answered: Future[Any] = Future()
        message = to_message(request, call.type.Request)
        asked = 0.0
        while True:
            # Also asked of a monitor that is silent: it may be frozen, and go on later.
            if not asked or (name in _REPEATED and time.monotonic() > asked + _REPEAT_S):
                asked = time.monotonic()
                self._node.post(partial(_send, client, message, answered))
            try:
                return from_message(answered.result(_POLL_S))
            except TimeoutError:
                check()
                if time.monotonic() >= end:
                    raise LinkLost(
                        f'the {call.server} did not answer {name} within {timeout_s:g} s'
                    ) from None

    def _check_monitor(self) -> None:
        silent = time.monotonic() - max(self._heard, self._began)
        if silent > self._monitor_timeout:
            self._lost = True
            raise LinkLost(f'the monitor has been silent for {silent:.1f} s')

    # ------------------------------------------------------------ what arrives

    def _on_info(self, info: BridgeInfo) -> None:
        self._info = info

    def _on_heartbeat(self, _: Heartbeat) -> None:
        self._heard = time.monotonic()


def _nothing() -> None:
    """Check nothing."""


def _send(client: Any, message: Any, answered: 'Future[Any]') -> None:
    """Send a request; runs on the thread of the callbacks."""

    def note(future: Any) -> None:
        if not answered.done():
            answered.set_result(future.result())

    client.call_async(message).add_done_callback(note)
