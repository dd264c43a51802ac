"""The belief drawn as a graph for viewers."""

from collections import defaultdict

from sage_ros.contract.remembering import SceneEdge, SceneGraph, SceneNode
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import Header
from sage_ros.symbols.facts import Fact, Value


def scene_graph(belief: Belief, stamp: int, frame_id: str = 'map') -> SceneGraph:
    """Draw objects as nodes, true relations of two objects as edges, in a stable order.

    ``stamp`` and ``observed_at`` are nanoseconds; ``observed_at`` of a node is that of the newest
    fact about it, 0 if nothing is said of it.
    """
    attributes: dict[str, list[Fact]] = defaultdict(list)
    newest: dict[str, int] = defaultdict(int)
    edges: list[SceneEdge] = []
    for predicate in sorted(belief.facts):
        for atom, entry in sorted(belief.facts[predicate].items()):
            for name in atom[1:]:
                newest[name] = max(newest[name], entry.stamp)
            if len(atom) == 2:
                attributes[atom[1]].append(Fact.of(atom, entry.value))
            elif len(atom) == 3 and entry.value is Value.TRUE:
                edges.append(SceneEdge(atom[1], predicate, atom[2], entry.stamp))
    nodes = tuple(
        SceneNode(name, kind, tuple(attributes[name]), newest[name])
        for name, kind in sorted(belief.objects.items())
    )
    return SceneGraph(
        header=Header(stamp, frame_id),
        episode_id=belief.episode_id,
        observation_seq=belief.seq,
        hash=belief.hash,
        nodes=nodes,
        edges=tuple(edges),
    )
