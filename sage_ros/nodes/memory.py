"""The memory node: folds what is observed and tells planners what the episode was so far."""

from collections.abc import Iterator, Sequence
from typing import Any

import std_srvs.srv
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.task import Future

import sage_ros.srv
from sage_ros.contract.execution import Outcome
from sage_ros.contract.judgement import Episode, Verdict
from sage_ros.contract.remembering import (
    ContextReply,
    ContextRequest,
    ContextStatus,
    RetrieveReply,
    SceneGraph,
)
from sage_ros.contract.resources import config_path
from sage_ros.memory.core import BeliefRequest, HoldRequest, MemoryCore, MemoryEvent
from sage_ros.memory.scene_graph import scene_graph
from sage_ros.nodes.base import SageNode
from sage_ros.nodes.convert import ConversionError, from_message, to_message
from sage_ros.nodes.running import run_node
from sage_ros.nodes.settings import MEMORY
from sage_ros.scene.observation import Observation
from sage_ros.symbols.pddl_reader import read_domain

_NANOSECONDS = 1_000_000_000


class MemoryNode(SageNode):
    """Folds observations into a belief and answers what planners ask about the episode.

    Subscribes observation, outcome, verdict, episode. Publishes scene. Serves context, retrieve.
    Client of hold, where the monitor believes something else, and of belief, after a restart.
    """

    TABLE = MEMORY

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        super().__init__('memory', arguments)
        self._waiting: list[tuple[int, ContextRequest, Future]] = []
        self._drawn: tuple[str, int, int] | None = None
        self._disagreement = ''

    # ------------------------------------------------------------ lifecycle

    def set_up(self) -> None:
        """Read the domain and make the endpoints."""
        domain = read_domain(config_path(f'domains/{self.parameters["domain"]}'))
        self._core = MemoryCore(domain)
        self._patience = round(self.parameters['context_timeout'] * _NANOSECONDS)
        self._alarm = self.alarm(self._answer)
        self._scene = self.advertise(SceneGraph)
        self._hold = self.client('hold')
        self._belief = self.client('belief')
        for kind in (Observation, Outcome, Verdict, Episode):
            self.listen(kind, self._take)
        self.serve('context', self._on_context)
        self.serve('retrieve', self._on_retrieve)
        self.every(self.parameters['scene_period'], self._draw, steady=True)

    def settled(self) -> bool:
        """Tell whether everybody who asked has been answered."""
        return not self._waiting

    def tear_down(self) -> None:
        """Forget everything."""
        self._waiting.clear()
        self._drawn = None
        self._disagreement = ''

    # ------------------------------------------------------------ the core

    def _take(self, event: MemoryEvent) -> None:
        for effect in self._core.step(event, self.now()):
            if isinstance(effect, HoldRequest):
                self._ask_hold(effect)
            else:
                self._ask_belief(effect)
        self._answer()

    def _ask_hold(self, effect: HoldRequest) -> None:
        self._disagreement = effect.reason
        self.get_logger().error(f'{effect.reason}: asking the monitor to hold')
        self._hold.call_async(std_srvs.srv.SetBool.Request(data=True))

    def _ask_belief(self, effect: BeliefRequest) -> None:
        self.get_logger().warning(f'{effect.reason}: asking the monitor for its belief')
        future = self._belief.call_async(sage_ros.srv.GetBelief.Request())
        future.add_done_callback(self._adopt)

    def _adopt(self, future: Future) -> None:
        try:
            self._core.adopt(from_message(future.result().belief))
        except ValueError as error:
            self.get_logger().error(f'the belief of the monitor cannot be used: {error}')
        self._answer()

    # ------------------------------------------------------------ requests

    async def _on_context(self, message: Any, response: Any) -> Any:
        """Answer once the observation asked for is folded, or after a bounded wait."""
        request = from_message(message)
        future = Future()
        self._waiting.append((self.now() + self._patience, request, future))
        self._answer()
        reply = await future
        try:
            return to_message(reply, type(response))
        except ConversionError as error:
            lack = ContextReply(ContextStatus.NO_EPISODE, f'the context cannot be sent: {error}')
            return to_message(lack, type(response))

    def _answer(self) -> None:
        """Answer everybody who can be answered, and those who have waited long enough."""
        now = self.now()
        left = []
        for due, request, future in self._waiting:
            over = now >= due or not self.active
            reply = self._core.context(request, give_up=over)
            if reply is None:
                left.append((due, request, future))
            else:
                future.set_result(reply)
        self._waiting = left
        self._alarm.set(min((due for due, _, _ in left), default=None), now)

    def stopped(self) -> None:
        """Let nobody wait any longer."""
        self.active = False
        self._answer()

    def _on_retrieve(self, _: Any, response: Any) -> Any:
        reply = RetrieveReply(reason='this memory keeps no experience of past episodes')
        return to_message(reply, type(response))

    # ------------------------------------------------------------ views

    def _draw(self) -> None:
        belief = self._core.belief
        shown = (belief.episode_id, belief.seq, belief.digest)
        if shown != self._drawn and belief.episode_id and self.subscribers(SceneGraph):
            self._drawn = shown
            self._scene(scene_graph(belief, belief.stamp))

    def diagnose(self) -> Iterator[DiagnosticStatus]:
        """Say whether memory and monitor believe the same."""
        yield from super().diagnose()
        belief = self._core.belief
        values = {'episode': belief.episode_id, 'observation': belief.seq}
        if self._disagreement:
            yield self.status('belief', DiagnosticStatus.ERROR, self._disagreement, values)
        else:
            yield self.status('belief', DiagnosticStatus.OK, belief.hash, values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the memory node."""
    return run_node(MemoryNode, arguments)


if __name__ == '__main__':
    raise SystemExit(main())
