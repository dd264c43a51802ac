"""A message there and back inside one process: does the middleware work here?"""

import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.utilities import get_rmw_implementation_identifier

from sage_ros.msg import Heartbeat

_PATIENCE_S = 5.0


def middleware_round_trip() -> str:
    """Send one message to ourselves and say how long it took; RuntimeError if none arrives."""
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = rclpy.create_node('sage_selftest', context=context)
        received: list[float] = []
        node.create_subscription(
            Heartbeat, '~/echo', lambda _: received.append(time.monotonic()), 1
        )
        publisher = node.create_publisher(Heartbeat, '~/echo', 1)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        end = time.monotonic() + _PATIENCE_S
        sent = time.monotonic()
        while not received and time.monotonic() < end:
            if publisher.get_subscription_count():
                sent = time.monotonic()
                publisher.publish(Heartbeat())
            executor.spin_once(timeout_sec=0.1)
        executor.shutdown()
        node.destroy_node()
    finally:
        rclpy.try_shutdown(context=context)
    name = get_rmw_implementation_identifier()
    if not received:
        raise RuntimeError(f'{name}: no message came back within {_PATIENCE_S:g} s')
    return f'{name}, there and back in {(received[0] - sent) * 1e3:.1f} ms'
