"""How a planner's session reaches the monitor, the memory and what the bridge says of itself."""

from typing import Protocol

from sage_ros.contract.execution import BridgeInfo
from sage_ros.contract.judgement import Episode, Verdict
from sage_ros.contract.plan import Plan
from sage_ros.contract.remembering import ContextReply, ContextRequest
from sage_ros.contract.requests import BeginEpisode, EndEpisode, Reply, SetGoal


class LinkLost(Exception):  # noqa: N818  says what happened
    """Somebody does not answer; the message says who, to what, and for how long."""


class Link(Protocol):
    """Blocking calls of one thread, each bounded by a timeout in seconds of ``now``'s clock.

    LinkLost is raised when a timeout passes without an answer.
    """

    def now(self) -> int:
        """Return the time in nanoseconds."""
        ...

    def bridge(self, timeout_s: float) -> BridgeInfo:
        """Return what the bridge says of itself."""
        ...

    def begin_episode(self, request: BeginEpisode, timeout_s: float) -> Reply:
        """Ask the monitor to begin an episode."""
        ...

    def set_goal(self, request: SetGoal, timeout_s: float) -> Reply:
        """Tell the monitor the goal facts."""
        ...

    def end_episode(self, request: EndEpisode, timeout_s: float) -> Reply:
        """Ask the monitor to end an episode."""
        ...

    def context(self, request: ContextRequest, timeout_s: float) -> ContextReply:
        """Ask memory for the belief and the transitions."""
        ...

    def submit(self, plan: Plan) -> None:
        """Send a plan to the monitor."""
        ...

    def wait(self, timeout_s: float) -> Verdict | Episode | None:
        """Return the next verdict or episode, in the order of arrival; None if none came."""
        ...
