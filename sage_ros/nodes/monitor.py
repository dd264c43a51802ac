"""The monitor node: the only one that publishes commands."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import std_srvs.srv
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.task import Future

import sage_ros.srv
from sage_ros.contract.admission import AdmissionTable, read_admission
from sage_ros.contract.execution import (
    Admissible,
    BridgeInfo,
    Command,
    Heartbeat,
    Outcome,
    Stop,
)
from sage_ros.contract.journal import Conflict, Event, JournalEntry, Lifecycle, Tick
from sage_ros.contract.judgement import Episode, MonitorState, Verdict
from sage_ros.contract.judging import JudgeReply, JudgeRequest
from sage_ros.contract.plan import Plan
from sage_ros.contract.requests import Hold, Reply
from sage_ros.contract.resources import config_path
from sage_ros.contract.signing import read_key, sign
from sage_ros.monitoring.config import GateConfig
from sage_ros.monitoring.effects import Answer, Effect, Resync
from sage_ros.monitoring.gate import Gate
from sage_ros.monitoring.queries import check_plan, project
from sage_ros.nodes.base import SageNode
from sage_ros.nodes.convert import ConversionError, from_message, to_message
from sage_ros.nodes.qos import topic_of
from sage_ros.nodes.running import run_node
from sage_ros.nodes.settings import MONITOR
from sage_ros.scene.observation import Header, Observation
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.pddl_reader import read_domain

HEARTBEAT_S = 0.1
CONFLICT_S = 0.5


class MonitorNode(SageNode):
    """Admits steps, sends commands and judges what comes of them.

    Subscribes plan, outcome, observation, admissible, bridge_info, judge_reply. Publishes command
    (signed), stop, heartbeat, verdict, episode, monitor_state, journal, judge_request. Serves
    begin_episode, set_goal, end_episode, hold, belief, project, check_plan. Client of resync.
    """

    TABLE = MONITOR

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        super().__init__('monitor', arguments)
        self._gate: Gate | None = None
        self._waiting: dict[int, Future] = {}
        self._others: tuple[str, ...] = ()
        self._beats = 0
        self._new_bridge: BridgeInfo | None = None
        self._state = MonitorState()

    # ------------------------------------------------------------ lifecycle

    def set_up(self) -> None:
        """Read key, domain and admission file and make the endpoints."""
        table, domain = self._read()
        self._key = read_key(self.key_file())
        config = GateConfig(**{f.name: self.parameters[f.name] for f in fields(GateConfig)})
        self._session_id = secrets.token_hex(8)
        self._gate = Gate(config, domain, table, self._session_id)
        self._alarm = self.alarm(partial(self._take, Tick()))
        self._heartbeat = self.advertise(Heartbeat)
        publish_command = self.advertise(Command)
        self._acts: dict[type, Callable[[Any], None]] = {
            Command: lambda command: publish_command(self._signed(command)),
            MonitorState: self._say_state(self.advertise(MonitorState)),
            Answer: self._answer,
            Resync: self._resync,
        }
        for kind in (Stop, Verdict, Episode, JournalEntry, JudgeRequest):
            self._acts[kind] = self.advertise(kind)
        self._resync_client = self.client('resync')
        self._resync_pending: Future | None = None
        for taken in (Plan, Outcome, Observation, Admissible, JudgeReply):
            self.listen(taken, self._take)
        # Announced last: a bridge whose information arrives also knows who awaits outcomes.
        self.listen(BridgeInfo, self._on_bridge)
        self.serve('begin_episode', self._on_request)
        self.serve('set_goal', self._on_request)
        self.serve('end_episode', self._on_request)
        self.serve('hold', self._on_hold)
        self.serve('belief', self._on_belief)
        self.serve('project', self._on_project)
        self.serve('check_plan', self._on_check_plan)
        self.every(HEARTBEAT_S, self._beat, steady=False)
        self.every(CONFLICT_S, self._look_for_others, steady=True)
        self.get_logger().info(
            f'session {self._session_id}, domain {domain.name} {domain.digest[:12]}, '
            f'configuration {self._gate.config_hash[:12]}'
        )

    def started(self) -> None:
        """Tell the gate that it is active."""
        self._take(Lifecycle(True))

    def stopped(self) -> None:
        """Stop what moves and end the episode."""
        self._take(Lifecycle(False))

    def settled(self) -> bool:
        """Tell whether everybody who asked has been answered."""
        return not self._waiting

    def tear_down(self) -> None:
        """Forget the session: a new one begins with the next configuring."""
        self._gate = self._new_bridge = None
        self._waiting.clear()

    def _read(self) -> tuple[AdmissionTable, Domain]:
        path = self._admission_file()
        domain = read_domain(config_path(f'domains/{read_admission(path).domain}'))
        return read_admission(path, domain), domain

    def _admission_file(self) -> Path:
        name, file = self.parameters['environment'], self.parameters['admission_file']
        if file:
            return Path(file).expanduser()
        try:
            return config_path(f'admission/{name}.yaml')
        except FileNotFoundError as error:
            folder = config_path('admission')
            known = ', '.join(sorted(file.stem for file in folder.glob('*.yaml')))
            what = f'no admission file for {name!r} in {folder}'
            raise self.parameters.error('environment', what, f'give one of: {known}') from error

    # ------------------------------------------------------------ the gate

    @property
    def gate(self) -> Gate:
        """The gate of the configured node."""
        assert self._gate is not None
        return self._gate

    def _take(self, event: Event) -> None:
        now = self.now()
        self._do(self.gate.step(event, now))
        self._alarm.set(self.gate.next_deadline(), now)

    def _do(self, effects: list[Effect]) -> None:
        for effect in effects:
            self._acts[type(effect)](effect)

    def _signed(self, command: Command) -> Command:
        return replace(command, signature=sign(self._key, command))

    def _say_state(self, publish: Callable[[Any], None]) -> Callable[[MonitorState], None]:
        def say(state: MonitorState) -> None:
            self._state = state
            publish(state)

        return say

    # ------------------------------------------------------------ requests

    async def _on_request(self, message: Any, response: Any) -> Any:
        """Answer when the gate does, which may be minutes later."""
        try:
            request = from_message(message)
        except ConversionError as error:
            return to_message(Reply(False, str(error)), type(response))
        return to_message(await self._ask(request), type(response))

    async def _on_hold(self, message: Any, response: Any) -> Any:
        reply = await self._ask(Hold(message.data, 'asked by the service hold'))
        response.success, response.message = reply.accepted, reply.reason
        return response

    def _ask(self, request: Any) -> Future:
        """Give a request to the gate; the future holds its reply."""
        now = self.now()
        effects = self.gate.step(request, now)
        entry = effects[-1]
        assert isinstance(entry, JournalEntry)
        future = self._waiting[entry.seq] = Future()
        self._do(effects)
        self._alarm.set(self.gate.next_deadline(), now)
        return future

    def _answer(self, answer: Answer) -> None:
        future = self._waiting.pop(answer.input_seq, None)
        if future is not None:
            future.set_result(answer.reply)

    def _on_belief(self, _: Any, response: sage_ros.srv.GetBelief.Response) -> Any:
        response.belief = to_message(BeliefRecord.of(self.gate.belief))
        return response

    def _on_project(self, request: Any, response: Any) -> Any:
        return to_message(project(self.gate, from_message(request)), type(response))

    def _on_check_plan(self, message: Any, response: Any) -> Any:
        return to_message(check_plan(self.gate, from_message(message)), type(response))

    # ------------------------------------------------------------ others

    def _on_bridge(self, info: BridgeInfo) -> None:
        self._new_bridge = info
        self._meet()

    def _meet(self) -> None:
        """Tell the gate of a bridge as soon as that hears commands: an early one would be lost."""
        if self._new_bridge is not None and self.subscribers(Command) and self.subscribers(Stop):
            info, self._new_bridge = self._new_bridge, None
            self._take(info)

    def _beat(self) -> None:
        self._meet()
        if self.active:
            self._beats += 1
            self._heartbeat(Heartbeat(Header(self.now()), self._session_id, self._beats))

    def _resync(self, _: Resync) -> None:
        if self._resync_pending is not None and not self._resync_pending.done():
            self._resync_client.remove_pending_request(self._resync_pending)
        self._resync_pending = self._resync_client.call_async(std_srvs.srv.Trigger.Request())

    def _look_for_others(self) -> None:
        """Hold while another node publishes what only the monitor may."""
        own = (self.get_name(), self.get_namespace())
        names = set()
        for kind in (Command, Stop):
            topic = self.resolve_topic_name(topic_of(kind).name)
            endpoints = self.get_publishers_info_by_topic(topic)
            mine = 0
            for end in endpoints:
                if (end.node_name, end.node_namespace) == own:
                    mine += 1
                else:
                    names.add(f'{end.node_namespace.rstrip("/")}/{end.node_name} on {topic}')
            if mine > 1:
                names.add(f'a second {self.get_fully_qualified_name()} on {topic}')
        others = tuple(sorted(names))
        if others != self._others:
            self._others = others
            if others:
                self.get_logger().error(f'others publish too: {", ".join(others)}')
            self._take(Conflict(others))

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Say what the gate is doing and how fresh its belief is."""
        yield from super().diagnose()
        gate, state = self.gate, self._state
        level = DiagnosticStatus.OK if gate.held is None else DiagnosticStatus.ERROR
        values = {'phase': state.phase.name, 'episode': state.episode_id, **gate.counts}
        yield self.status('gate', level, gate.held or state.phase.name.lower(), values)
        if gate.bridge is None:
            yield self.status('bridge', DiagnosticStatus.STALE, 'no bridge has been heard of')
        else:
            level, message = DiagnosticStatus.OK, gate.bridge.environment
            if gate.episode is not None and gate.belief.stale:
                level, message = DiagnosticStatus.WARN, 'an observation was missed'
            belief = {'observation': gate.belief.seq, 'objects': len(gate.belief.objects)}
            yield self.status('bridge', level, message, belief)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the monitor node."""
    return run_node(MonitorNode, arguments)


if __name__ == '__main__':
    raise SystemExit(main())
