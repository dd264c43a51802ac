"""What all nodes share: lifecycle, endpoints by table, events of workers, diagnostics."""

import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from sage_ros.contract.environment import EnvironmentLost, SceneError
from sage_ros.contract.signing import KeyFileError
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.nodes.convert import MESSAGES, ConversionError, from_message, to_message
from sage_ros.nodes.parameters import Parameter, Parameters
from sage_ros.nodes.qos import DIAGNOSTICS, Topic, call_of, mismatch, topic_of

EXPECTED = (
    ConfigurationError,
    KeyFileError,
    SceneError,
    EnvironmentLost,
    ImportError,
    OSError,
    TypeError,
    ValueError,
)
"""Errors of configuring that a message explains; any other is a fault, shown whole."""

_FLUSH_S = 0.3
Publish = Callable[[Any], None]


class SageNode(LifecycleNode):
    """A lifecycle node whose endpoints exist from configuring to cleaning up.

    Publishes `/diagnostics` once a second. Subclasses fill in the hooks.
    """

    TABLE: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, name: str, arguments: Sequence[str] = ()) -> None:
        super().__init__(name)
        self.parameters = Parameters(self, self.TABLE, arguments)
        self.active = False
        self.dropped: Counter[str] = Counter()
        self.steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._publishers_made: dict[type, Any] = {}
        self._ends: list[tuple[Topic, bool]] = []
        self._strangers: set[str] = set()
        self._endings: list[Callable[[], object]] = []
        self._posted: deque[Callable[[], None]] = deque()
        self._deferring = ReentrantCallbackGroup()
        self._wake = self.create_guard_condition(self._run_posted)

    # ------------------------------------------------------------ for subclasses

    def set_up(self) -> None:
        """Read what the parameters name and make the endpoints; errors fail the configuring."""

    def started(self) -> None:
        """Begin to work."""

    def stopped(self) -> None:
        """Stop working, safely."""

    def settled(self) -> bool:
        """Tell whether nothing is left to be done after stopping."""
        return True

    def tear_down(self) -> None:
        """Let everything go; called even if setting up failed halfway."""

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Say how each part is."""
        yield self.status('state', DiagnosticStatus.OK, 'active' if self.active else 'inactive')

    # ------------------------------------------------------------ endpoints

    def now(self) -> int:
        """Return the node clock's time in nanoseconds."""
        return int(self.get_clock().now().nanoseconds)

    def key_file(self) -> Path:
        """Find the file with the key; ConfigurationError if none is named."""
        name = self.parameters['key_file']
        if not name:
            mend = 'name a key file; sage up and the launch files make one'
            raise self.parameters.error('key_file', 'is empty', mend)
        return Path(name).expanduser()

    def advertise(self, kind: type) -> Publish:
        """Publish the topic of a dataclass; returns the function that publishes one."""
        topic = topic_of(kind)
        publisher = self.create_publisher(
            MESSAGES[kind],
            topic.name,
            topic.qos,
            event_callbacks=PublisherEventCallbacks(use_default_callbacks=False),
        )
        self._ends.append((topic, True))
        self._endings.append(lambda: self.destroy_publisher(publisher))
        self._publishers_made[kind] = publisher

        def publish(value: Any) -> None:
            try:
                message = to_message(value)
            except ConversionError as error:
                self.dropped[topic.name] += 1
                self.get_logger().error(f'{topic.name}: not published: {error}')
                return
            publisher.publish(message)

        return publish

    def subscribers(self, kind: type) -> int:
        """Count who listens to a topic of this node."""
        return int(self._publishers_made[kind].get_subscription_count())

    def publishers(self, kind: type) -> int:
        """Count who publishes the topic of a dataclass."""
        return int(self.count_publishers(topic_of(kind).name))

    def listen(self, kind: type, handle: Callable[[Any], None]) -> None:
        """Subscribe to the topic of a dataclass; what cannot be converted is counted and said."""
        topic = topic_of(kind)

        def receive(message: Any) -> None:
            try:
                value = from_message(message)
            except ConversionError as error:
                self.dropped[topic.name] += 1
                self.get_logger().warning(f'{topic.name}: {error}', throttle_duration_sec=1.0)
                return
            handle(value)

        made = self.create_subscription(
            MESSAGES[kind],
            topic.name,
            receive,
            topic.qos,
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
        )
        self._ends.append((topic, False))
        self._endings.append(lambda: self.destroy_subscription(made))

    def serve(self, name: str, handle: Callable[[Any, Any], Any]) -> None:
        """Serve a call; a coroutine may answer later without holding anything else up."""
        made = self.create_service(
            call_of(name).type, name, handle, callback_group=self._deferring
        )
        self._endings.append(lambda: self.destroy_service(made))

    def client(self, name: str) -> Any:
        """Make a client of a call."""
        made = self.create_client(call_of(name).type, name)
        self._endings.append(lambda: self.destroy_client(made))
        return made

    def every(self, seconds: float, handle: Callable[[], None], *, steady: bool) -> None:
        """Call something again and again, by the node clock or by one that never jumps."""
        clock = self.steady if steady else self.get_clock()
        timer = self.create_timer(seconds, handle, clock=clock)
        self._endings.append(lambda: self.destroy_timer(timer))

    def alarm(self, handle: Callable[[], None]) -> 'Alarm':
        """Make an alarm on the node clock."""
        alarm = Alarm(self, handle)
        self._endings.append(alarm.destroy)
        return alarm

    def at_end(self, call: Callable[[], object]) -> None:
        """Call something when the endpoints go."""
        self._endings.append(call)

    def flush(self) -> None:
        """Wait until what was published has arrived, or for a short while."""
        for publisher in self._publishers_made.values():
            publisher.wait_for_all_acked(Duration(seconds=_FLUSH_S))

    # ------------------------------------------------------------ threads

    def post(self, call: Callable[[], None]) -> None:
        """Run something on the thread of the callbacks, soon; may be called from any thread."""
        self._posted.append(call)
        self._wake.trigger()

    def _run_posted(self) -> None:
        while self._posted:
            self._posted.popleft()()

    # ------------------------------------------------------------ lifecycle

    def on_configure(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Check the parameters and set up; FAILURE with a message if that cannot be."""
        try:
            self.parameters.check()
            self.set_up()
        except EXPECTED as error:
            self.get_logger().fatal(f'cannot be configured: {error}')
            self._let_go()
            return TransitionCallbackReturn.FAILURE
        except Exception:
            self.get_logger().fatal(f'cannot be configured: {traceback.format_exc()}')
            self._let_go()
            return TransitionCallbackReturn.ERROR
        self.parameters.frozen = True
        self._diagnostics = self.create_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        self._endings.append(lambda: self.destroy_publisher(self._diagnostics))
        self.every(1.0, self._publish_diagnostics, steady=True)
        values = ', '.join(f'{key}={value}' for key, value in self.parameters.values().items())
        self.get_logger().info(f'configured: {values}')
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Begin to work."""
        self.active = True
        self.started()
        self.get_logger().info('active')
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Stop working."""
        self.stopped()
        self.active = False
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Let everything go."""
        self._let_go()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Stop and let everything go."""
        if self.active:
            self.stopped()
            self.active = False
        self._let_go()
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Give up: the node cannot be used any more."""
        self.active = False
        self._let_go()
        return TransitionCallbackReturn.FAILURE

    def _let_go(self) -> None:
        self.tear_down()
        while self._endings:
            self._endings.pop()()
        self._publishers_made.clear()
        self._ends.clear()
        self._strangers.clear()
        self.parameters.frozen = False

    # ------------------------------------------------------------ diagnostics

    def status(
        self, part: str, level: bytes, message: str, values: Mapping[str, object] | None = None
    ) -> DiagnosticStatus:
        """Describe one part of the node."""
        pairs = [KeyValue(key=key, value=str(value)) for key, value in (values or {}).items()]
        return DiagnosticStatus(
            level=level,
            name=f'{self.get_fully_qualified_name().lstrip("/")}: {part}',
            message=message,
            hardware_id=self.get_namespace(),
            values=pairs,
        )

    def _look_at_peers(self) -> None:
        """Look for somebody who cannot hear us, or we them, on one of the topics in turn.

        Events of the middleware would say so too, but they slow every message down.
        """
        if not self._ends:
            return
        topic, ours = self._ends[0]
        self._ends.append(self._ends.pop(0))
        if ours:
            others = self.get_subscriptions_info_by_topic(self.resolve_topic_name(topic.name))
        else:
            others = self.get_publishers_info_by_topic(self.resolve_topic_name(topic.name))
        for other in others:
            theirs = other.qos_profile
            lack = mismatch(topic.qos, theirs) if ours else mismatch(theirs, topic.qos)
            stranger = f'{topic.name} of {other.node_namespace.rstrip("/")}/{other.node_name}'
            if lack and stranger not in self._strangers:
                self._strangers.add(stranger)
                self.get_logger().warning(f'{stranger}: no messages pass: {lack}')

    def _publish_diagnostics(self) -> None:
        self._look_at_peers()
        array = DiagnosticArray(status=list(self.diagnose()))
        if self.dropped:
            text = 'messages that make no sense were dropped'
            array.status.append(
                self.status('input', DiagnosticStatus.WARN, text, dict(self.dropped))
            )
        if self._strangers:
            text = 'endpoints of another quality of service are not reached'
            array.status.append(
                self.status(
                    'peers', DiagnosticStatus.WARN, text, dict.fromkeys(self._strangers, '')
                )
            )
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)


class Alarm:
    """Calls something at a time of the node clock, which may be changed at any moment."""

    _SHORTEST = 1_000_000

    def __init__(self, node: SageNode, handle: Callable[[], None]) -> None:
        self._node = node
        self._handle = handle
        self._due: int | None = None
        self._timer = node.create_timer(3600.0, self._ring)
        self._timer.cancel()

    def set(self, due: int | None, now: int) -> None:
        """Ring at `due` nanoseconds, or not at all."""
        if due == self._due:
            return
        self._due = due
        if due is None:
            self._timer.cancel()
            return
        self._timer.timer_period_ns = max(due - now, self._SHORTEST)
        self._timer.reset()

    def destroy(self) -> None:
        """Never ring again."""
        self._node.destroy_timer(self._timer)

    def _ring(self) -> None:
        self._due = None
        self._timer.cancel()
        self._handle()
