"""Views of a belief: text for people and models, a graph for viewers."""

from sage_ros.contract.remembering import SceneEdge
from sage_ros.contract.resources import config_path
from sage_ros.memory.scene_graph import scene_graph
from sage_ros.memory.views import scene_text
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import ANY, Header, Observation, Pattern, SceneObject
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.pddl_reader import read_domain

BELIEF = fold(
    Belief(episode_id='e'),
    Observation(
        Header(5),
        'e',
        1,
        objects=(
            SceneObject('mug_10', 'mug'),
            SceneObject('mug_2', 'mug'),
            SceneObject('desk_1', 'desk'),
            SceneObject('shelf_1', 'shelf'),
            SceneObject('drawer_1', 'drawer'),
            SceneObject('pen_1', 'pen'),
        ),
        facts=(
            Fact('in', ('mug_10', 'desk_1')),
            Fact('in', ('mug_2', 'desk_1')),
            Fact('clean', ('mug_2',)),
            Fact('open', ('drawer_1',), Value.FALSE),
            Fact('at', ('desk_1',)),
            Fact('hand_empty'),
        ),
        covers=(Pattern('in', (ANY, 'desk_1')), Pattern('in', (ANY, 'shelf_1'))),
    ),
)


def test_text_says_what_is_where_and_what_is_not_known() -> None:
    domain = read_domain(config_path('domains/household.pddl'))
    assert scene_text(BELIEF, domain).splitlines() == [
        'now: hand_empty()',
        'desk_1: at; in: mug_2 (clean), mug_10',
        'drawer_1: not open; in: unknown',
        'pen_1',
        'shelf_1: in: nothing',
    ]


def test_graph_has_things_as_nodes_and_relations_as_edges() -> None:
    graph = scene_graph(BELIEF, 7)
    assert [node.name for node in graph.nodes] == sorted(BELIEF.objects)
    mug = next(node for node in graph.nodes if node.name == 'mug_2')
    assert (mug.type, mug.attributes, mug.observed_at) == ('mug', (Fact('clean', ('mug_2',)),), 5)
    assert graph.edges == (
        SceneEdge('mug_10', 'in', 'desk_1', 5),
        SceneEdge('mug_2', 'in', 'desk_1', 5),
    )
    assert (graph.hash, graph.header.stamp) == (BELIEF.hash, 7)
