"""What passes between memory and those who ask it: context, experience, the scene graph."""

from dataclasses import dataclass, field
from enum import IntEnum

from sage_ros.contract.execution import Failure, Status
from sage_ros.contract.plan import Number
from sage_ros.scene.observation import Header
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.facts import Fact


@dataclass(frozen=True, slots=True)
class Transition:
    """One executed action of the episode and what was observed after it."""

    action: str = ''
    args: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    status: Status = Status.UNKNOWN
    failure: Failure = Failure.NONE
    reason: str = ''
    text: str = ''
    observation_seq: int = 0
    hash_before: str = ''
    hash_after: str = ''


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Ask for the belief and the last ``transitions`` of the episode (0: all).

    Memory answers once it has folded ``min_observation``, or says BEHIND after a bounded wait.
    """

    episode_id: str = ''
    min_observation: int = 0
    transitions: int = 0


class ContextStatus(IntEnum):
    """Whether memory could answer."""

    OK = 0
    BEHIND = 1
    NO_EPISODE = 2


@dataclass(frozen=True, slots=True)
class ContextReply:
    """The belief, its text view, recent transitions, and a loop warning (empty: none)."""

    status: ContextStatus = ContextStatus.OK
    reason: str = ''
    belief: BeliefRecord = field(default_factory=BeliefRecord)
    text: str = ''
    observation_text: str = ''
    transitions: tuple[Transition, ...] = ()
    loop_warning: str = ''


@dataclass(frozen=True, slots=True)
class Experience:
    """A step of a successful episode in a similar state; ``distance`` is Euclidean."""

    episode_id: str = ''
    goal: str = ''
    environment: str = ''
    distance: float = 0.0
    transitions: tuple[Transition, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """Ask for experience near the present state; ``threshold`` 0: memory's own."""

    episode_id: str = ''
    threshold: float = 0.0
    limit: int = 1


@dataclass(frozen=True, slots=True)
class RetrieveReply:
    """What was found, nearest first."""

    status: ContextStatus = ContextStatus.OK
    reason: str = ''
    experiences: tuple[Experience, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneNode:
    """An object of the scene with its attributes (facts of one argument)."""

    name: str = ''
    type: str = ''
    attributes: tuple[Fact, ...] = ()
    observed_at: int = 0


@dataclass(frozen=True, slots=True)
class SceneEdge:
    """A relation between two objects of the scene."""

    source: str = ''
    relation: str = ''
    target: str = ''
    observed_at: int = 0


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """The belief drawn as a graph, for viewers."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    observation_seq: int = 0
    hash: str = ''
    nodes: tuple[SceneNode, ...] = ()
    edges: tuple[SceneEdge, ...] = ()
