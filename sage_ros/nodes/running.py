"""The life of a node's process: start, spin, stop when asked to, and leave with an exit status."""

import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.nodes.base import SageNode
from sage_ros.nodes.parameter_files import parameter_files, sections

_SPIN_S = 0.1
_STOP_S = 3.0
_LAST_SPINS = 20
_SHUTDOWN_S = 0.3


def run_node(
    make: Callable[[Sequence[str]], SageNode], arguments: Sequence[str] | None = None
) -> int:
    """Run a node until SIGINT or SIGTERM; 0, or 1 if it cannot be configured or fails."""
    arguments = list(sys.argv if arguments is None else arguments)
    asked = False

    def ask(_number: int, _frame: object) -> None:
        nonlocal asked
        asked = True

    # The context stays valid until the others have been told, so rclpy's own handlers are out.
    signal.signal(signal.SIGINT, ask)
    signal.signal(signal.SIGTERM, ask)
    try:
        for file in parameter_files(arguments):
            list(sections(Path(file)))
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except (ConfigurationError, RCLError) as error:
        sys.stderr.write(f'{error}\n')
        return 1
    node = executor = None
    try:
        executor = SingleThreadedExecutor()
        node = make(arguments)
        executor.add_node(node)
        if node.parameters['autostart'] and not _start(node):
            return 1
        while not asked:
            _spin(node, executor)
    finally:
        if node is not None and executor is not None:
            _stop(node, executor)
        rclpy.try_shutdown()
    return 0


def _start(node: SageNode) -> bool:
    return bool(
        node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        and node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    )


def _stop(node: SageNode, executor: SingleThreadedExecutor) -> None:
    """Deactivate, let what is under way end, and take the node down."""
    if node.active:
        node.trigger_deactivate()
        end = time.monotonic() + _STOP_S
        while not node.settled() and time.monotonic() < end:
            _spin(node, executor)
        for _ in range(_LAST_SPINS):
            executor.spin_once(timeout_sec=0)
        node.flush()
    node.trigger_shutdown()
    executor.shutdown(timeout_sec=_SHUTDOWN_S)
    node.destroy_node()


def _spin(node: SageNode, executor: SingleThreadedExecutor) -> None:
    try:
        executor.spin_once(timeout_sec=_SPIN_S)
    except RCLError as error:
        # Somebody who asked is gone before the answer; that is their loss only.
        node.get_logger().error(f'the middleware failed: {error}', throttle_duration_sec=1.0)
