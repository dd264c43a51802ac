"""What the client of `sage run` sees of a stack that runs already, or twice."""

import time
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from sage_ros.contract.execution import BridgeInfo
from sage_ros.nodes.client import GoalClient
from sage_ros.nodes.convert import MESSAGES
from sage_ros.nodes.qos import topic_of

WANTED = frozenset({'monitor', 'bridge', 'planner'})


@pytest.fixture
def context(ros_domain: int) -> Iterator[rclpy.Context]:
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    yield context
    rclpy.try_shutdown(context=context)


def test_what_runs_is_not_missing_and_a_bridge_may_have_any_name(context: rclpy.Context) -> None:
    with GoalClient('/sage') as client:
        assert client.missing(WANTED) == WANTED
        monitor = Node('monitor', namespace='/sage', context=context)
        arm = Node('arm', namespace='/sage', context=context)
        topic = topic_of(BridgeInfo)
        arm.create_publisher(MESSAGES[BridgeInfo], topic.name, topic.qos)
        other = Node('planner', namespace='/other', context=context)
        assert client.missing(WANTED) == {'planner'}
        for node in (monitor, arm, other):
            node.destroy_node()


def test_nodes_of_the_same_name_are_told(context: rclpy.Context) -> None:
    with GoalClient('/sage') as client:
        nodes = [Node('monitor', namespace=name, context=context) for name in ('/sage', '/other')]
        assert client.missing(frozenset({'monitor'})) == frozenset()
        assert client.doubled() == set()
        nodes.append(Node('monitor', namespace='/sage', context=context))
        end = time.monotonic() + 10.0
        while not client.doubled():
            assert time.monotonic() < end, 'the second monitor is not seen'
            client.missing(frozenset({'nobody'}))
        assert client.doubled() == {'monitor'}
        for node in nodes:
            node.destroy_node()
