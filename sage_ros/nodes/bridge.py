"""The bridge node: an environment behind signed commands."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import yaml
from diagnostic_msgs.msg import DiagnosticStatus

from sage_ros.bridges.machine import (
    BridgeEvent,
    BridgeMachine,
    Halt,
    Look,
    MachineConfig,
    Notice,
    ResyncRequest,
    Start,
)
from sage_ros.bridges.registry import OptionError, make_environment, make_machine
from sage_ros.bridges.worker import carry_out
from sage_ros.contract.environment import Environment
from sage_ros.contract.execution import (
    Admissible,
    BridgeInfo,
    Command,
    Heartbeat,
    Outcome,
    Stop,
)
from sage_ros.contract.journal import Tick
from sage_ros.contract.signing import read_key
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.nodes.base import SageNode
from sage_ros.nodes.running import run_node
from sage_ros.nodes.settings import BRIDGE
from sage_ros.scene.observation import Header, Observation

_SCENE_OPTIONS = {'home': 'scene', 'alfworld': 'game'}
"""Which option of an environment its parameter `scene` fills."""
_END_S = 2.0


class BridgeNode(SageNode):
    """Executes one command at a time in an environment and reports what it observes.

    Subscribes command, stop, heartbeat. Publishes outcome, observation, admissible, bridge_info.
    Serves resync. The environment is called on a thread of its own.
    """

    TABLE = BRIDGE

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        super().__init__('bridge', arguments)
        self._machine: BridgeMachine | None = None
        self._worker: Worker | None = None
        self._stopping = False

    # ------------------------------------------------------------ lifecycle

    def set_up(self) -> None:
        """Make the environment, read the key and make the endpoints."""
        key = read_key(self.key_file())
        config = MachineConfig(
            monitor_lease=self.parameters['monitor_lease'],
            snapshot_period=self.parameters['snapshot_period'],
            halt_grace=self.parameters['halt_grace'],
        )
        options = self._options()
        try:
            environment = make_environment(self.parameters['environment'], **options)
        except OptionError as error:
            raise self._wrong_options(str(error)) from error
        self._worker = Worker(environment, lambda event: self.post(partial(self._take, event)))
        self._machine = make_machine(environment, key, config)
        self._alarm = self.alarm(partial(self._take, Tick()))
        self._say_info = self.advertise(BridgeInfo)
        self._acts: dict[type, Callable[[Any], None]] = {
            Start: self._worker.begin,
            Look: self._worker.begin,
            Halt: self._worker.halt,
            Notice: lambda notice: self.get_logger().warning(notice.text),
        }
        for kind in (Outcome, Observation, Admissible):
            self._acts[kind] = self.advertise(kind)
        self.listen(Command, self._command)
        self.listen(Stop, self._take)
        self.listen(Heartbeat, self._take)
        self.serve('resync', self._on_resync)

    def started(self) -> None:
        """Say what the bridge is."""
        self._say_info(replace(self.machine.info, header=Header(self.now())))

    def stopped(self) -> None:
        """Stop what moves; commands are not taken any more."""
        self._stopping = True
        self._take(Stop(Header(self.now()), reason='the bridge was deactivated'))

    def settled(self) -> bool:
        """Tell whether the environment has let go of its command."""
        return self._machine is None or not self._machine.busy

    def tear_down(self) -> None:
        """Let the environment go."""
        if self._worker is not None:
            self._worker.end()
        self._worker = self._machine = None
        self._stopping = False

    def _options(self) -> dict[str, object]:
        name, text = self.parameters['environment'], self.parameters['options']
        try:
            options = yaml.safe_load(text) or {}
        except yaml.YAMLError as error:
            raise self._wrong_options(f'not YAML: {error}') from error
        if not isinstance(options, dict) or not all(isinstance(key, str) for key in options):
            raise self._wrong_options(f'{text!r} is no mapping')
        if self.parameters['scene']:
            options[_SCENE_OPTIONS[name]] = self.parameters['scene']
        return options

    def _wrong_options(self, what: str) -> ConfigurationError:
        mend = "give a mapping such as '{action_duration: 0.5}'"
        return self.parameters.error('options', what, mend)

    # ------------------------------------------------------------ the machine

    @property
    def machine(self) -> BridgeMachine:
        """The machine of the configured node."""
        assert self._machine is not None
        return self._machine

    def _take(self, event: BridgeEvent) -> None:
        if self._machine is None:
            return  # the worker's last word, after the node was cleaned up
        now = self.now()
        for effect in self._machine.step(event, now):
            self._acts[type(effect)](effect)
        self._alarm.set(self._machine.next_deadline(), now)

    def _command(self, command: Command) -> None:
        if not self.active or self._stopping:
            self.dropped['command'] += 1
            self.get_logger().warning(f'not active: {command} is not taken')
            return
        self._take(command)

    def _on_resync(self, _: Any, response: Any) -> Any:
        self._take(ResyncRequest())
        response.success = True
        return response

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Say what the environment is doing."""
        yield from super().diagnose()
        machine = self.machine
        values = {'session': machine.session_id, 'episode': machine.episode_id}
        text = 'executing' if machine.busy else 'idle' if machine.episode_id else 'no episode'
        yield self.status(machine.info.environment, DiagnosticStatus.OK, text, values)


class Worker:
    """The thread that calls the environment, one call after the other."""

    def __init__(self, environment: Environment, report: Callable[[BridgeEvent], None]) -> None:
        self._environment = environment
        self._report = report
        self._wishes: queue.SimpleQueue[tuple[Start | Look, threading.Event] | None] = (
            queue.SimpleQueue()
        )
        self._signals: dict[str, threading.Event] = {}
        # A call that never returns must not keep the process alive.
        self._thread = threading.Thread(target=self._run, name='environment', daemon=True)
        self._thread.start()

    def begin(self, wish: Start | Look) -> None:
        """Call the environment, after all calls already asked for."""
        signal = threading.Event()
        if isinstance(wish, Start):
            self._signals[wish.command.command_id] = signal
        self._wishes.put((wish, signal))

    def halt(self, halt: Halt) -> None:
        """Tell a running command to end."""
        signal = self._signals.get(halt.command_id)
        if signal is not None:
            signal.set()

    def end(self) -> None:
        """End the thread and close the environment, unless it is stuck in a call."""
        for signal in list(self._signals.values()):
            signal.set()
        self._wishes.put(None)
        self._thread.join(_END_S)

    def _run(self) -> None:
        while (item := self._wishes.get()) is not None:
            wish, signal = item
            event = carry_out(self._environment, wish, signal)
            if isinstance(wish, Start):
                self._signals.pop(wish.command.command_id, None)
            self._report(event)
        self._environment.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bridge node."""
    return run_node(BridgeNode, arguments)


if __name__ == '__main__':
    raise SystemExit(main())
