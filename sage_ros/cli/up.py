"""The stack as processes: `sage up` in the foreground, `sage run` for as long as a goal takes."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import IO

from sage_ros.contract.signing import KeyFileError
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.nodes.stack import PLANNER, NodeSpec, StackOptions, check_domain, prepare_key

_POLL_S = 0.1
_PATIENCE_S = 5.0
_LINES = 15
_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""


class StackError(Exception):
    """A node of the stack ended by itself; the message says which, how, and its last words."""


class Stack:
    """The processes of a stack. To be stopped, also after an error of `start`."""

    def __init__(self, options: StackOptions, log_folder: Path | None = None) -> None:
        """Choose what to start; with a folder, what the nodes say goes into files there."""
        self.options = options
        self._log_folder = log_folder
        self._processes: list[tuple[NodeSpec, subprocess.Popen[bytes]]] = []

    def __enter__(self) -> 'Stack':
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, names: frozenset[str] | None = None) -> None:
        """Start all nodes, or those named.

        Raises ConfigurationError, KeyFileError, and ValueError for a wrong ROS_DOMAIN_ID, before
        anything is started.
        """
        check_domain()
        self.options = replace(self.options, key_file=prepare_key(self.options.key_file))
        wanted = [spec for spec in self.options.nodes if names is None or spec.name in names]
        commands = [
            [sys.executable, '-m', spec.module, *self.options.arguments(spec)] for spec in wanted
        ]
        for spec, command in zip(wanted, commands, strict=True):
            output = self._open_log(spec)
            # In sessions of their own, so that Ctrl-C reaches us only and we stop them in order.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output is not None else None,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == 'linux' else None,  # noqa: PLW1509
            )
            if output is not None:
                output.close()
            self._processes.append((spec, process))

    def check(self) -> None:
        """Raise StackError if a node has ended."""
        for spec, process in self._processes:
            status = process.poll()
            if status is not None:
                raise StackError(
                    f'the {spec.name} ended with {_describe(status)}{self._last_words(spec)}'
                )

    def process(self, name: str) -> subprocess.Popen[bytes]:
        """Return the process of a node; KeyError if it was not started."""
        return {spec.name: process for spec, process in self._processes}[name]

    def stop(self) -> None:
        """Stop all nodes, first the planner, which ends its episode; returns when none is left."""
        planners = [p for spec, p in self._processes if spec is PLANNER]
        others = [p for spec, p in self._processes if spec is not PLANNER]
        for group in (planners, others):
            for process in group:
                process.terminate()
            end = time.monotonic() + _PATIENCE_S
            for process in group:
                try:
                    process.wait(max(0.0, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self._processes.clear()

    def _open_log(self, spec: NodeSpec) -> IO[bytes] | None:
        if self._log_folder is None:
            return None
        self._log_folder.mkdir(parents=True, exist_ok=True)
        return (self._log_folder / f'{spec.name}.log').open('wb')

    def _last_words(self, spec: NodeSpec) -> str:
        if self._log_folder is None:
            return ''
        text = (self._log_folder / f'{spec.name}.log').read_text(errors='replace')
        return ':\n' + '\n'.join(text.splitlines()[-_LINES:])


def run_stack(
    env: str = 'home',
    scene: str = '',
    params: Path | None = None,
    namespace: str = '/sage',
    log_level: str = 'info',
) -> int:
    """Run the stack until SIGINT or SIGTERM (0), or until a node ends by itself (1).

    ``env`` none: without a bridge. 2 for what cannot be started.
    """
    asked = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        asked.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    try:
        options = StackOptions(
            environment='home' if env == 'none' else env,
            scene=scene,
            bridge=env != 'none',
            namespace=namespace,
            parameter_file='' if params is None else str(params),
            log_level=log_level,
        )
        with Stack(options) as stack:
            stack.start()
            while not asked.wait(_POLL_S):
                stack.check()
    except StackError as error:
        sys.stderr.write(f'sage up: {error}\n')
        return 1
    except (ConfigurationError, KeyFileError, OSError, ValueError) as error:
        sys.stderr.write(f'sage up: {error}\n')
        return 2
    return 0


def _describe(status: int) -> str:
    if status < 0:
        return f'signal {signal.Signals(-status).name}'
    return f'exit status {status}'


def _end_with_parent() -> None:
    """Ask the kernel to end this process when its parent is gone, however that ended."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
