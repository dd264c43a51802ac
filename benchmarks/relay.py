"""A bare relay node: the peer that the monitor's hop is measured against."""

import sys

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from sage_ros.msg import Plan


def main() -> None:
    """Publish every Plan of ``relay_in`` on ``relay_out`` until interrupted."""
    rclpy.init(args=sys.argv)
    node = rclpy.create_node('relay')
    publisher = node.create_publisher(Plan, 'relay_out', 10)
    node.create_subscription(Plan, 'relay_in', publisher.publish, 10)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while rclpy.ok():
            executor.spin_once(timeout_sec=0.1)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
