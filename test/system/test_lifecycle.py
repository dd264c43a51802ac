"""Nodes as managed nodes: states, diagnostics, and what they say of themselves in the graph."""

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.qos import QoSProfile, ReliabilityPolicy

from sage_ros.contract.judgement import EpisodeOutcome, MonitorPhase, MonitorState, Verdict
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.contract.remembering import SceneGraph
from sage_ros.nodes.convert import MESSAGES, to_message
from sage_ros.nodes.qos import CALLS, TOPICS, topic_of
from sage_ros.srv import BeginEpisode, CheckPlan, EndEpisode, GetBelief, Project

NODES = ('monitor', 'memory', 'bridge', 'planner')
TRANSITIONS = {
    'configure': Transition.TRANSITION_CONFIGURE,
    'activate': Transition.TRANSITION_ACTIVATE,
    'deactivate': Transition.TRANSITION_DEACTIVATE,
    'cleanup': Transition.TRANSITION_CLEANUP,
}


def change(probe: Any, node: str, transition: str) -> bool:
    request = ChangeState.Request(transition=Transition(id=TRANSITIONS[transition]))
    return bool(probe.call(ChangeState, f'{node}/change_state', request).success)


def state(probe: Any, node: str) -> int:
    return int(probe.call(GetState, f'{node}/get_state', GetState.Request()).current_state.id)


def test_nodes_without_autostart_wait_to_be_configured_and_can_begin_again(system: Any) -> None:
    probe = system.probe()
    system.start(autostart=False)
    for node in NODES:
        assert state(probe, node) == State.PRIMARY_STATE_UNCONFIGURED
    for _ in range(2):
        for node in NODES:
            assert change(probe, node, 'configure')
            assert change(probe, node, 'activate')
        assert probe.send('put a clean mug on the desk').result(30.0).success
        for node in reversed(NODES):
            assert change(probe, node, 'deactivate')
            assert change(probe, node, 'cleanup')
            assert state(probe, node) == State.PRIMARY_STATE_UNCONFIGURED


def test_deactivating_the_monitor_ends_the_episode_and_refuses_plans(
    system: Any, slow_home: Any
) -> None:
    probe = system.probe()
    system.start(parameters=slow_home)
    goal = probe.send('put a clean mug on the desk')
    probe.until(probe.running, 20.0)
    assert change(probe, 'monitor', 'deactivate')
    probe.until(lambda: not probe.running(), 2.0)
    result = goal.result(10.0)
    assert result.outcome is EpisodeOutcome.MONITOR_STOPPED
    plan = Plan(episode_id=result.episode_id, plan_seq=99, steps=(PlanStep('look'),))
    publisher = probe.node.create_publisher(MESSAGES[Plan], 'plan', topic_of(Plan).qos)
    probe.until(publisher.get_subscription_count, 10.0)
    publisher.publish(to_message(plan))
    probe.until(lambda: any(v.plan_seq == 99 for v in probe.seen[Verdict]), 5.0)
    refused = next(v for v in probe.seen[Verdict] if v.plan_seq == 99)
    assert refused.decision.name == 'REFUSED'
    assert refused.reason


def test_a_node_that_cannot_be_configured_stays_so_and_can_be_mended(system: Any) -> None:
    probe = system.probe()
    system.start(
        names={'memory'},
        autostart=False,
        parameters={'memory': {'context_timeout': -1.0}},
    )
    assert not change(probe, 'memory', 'configure')
    assert state(probe, 'memory') == State.PRIMARY_STATE_UNCONFIGURED
    assert 'context_timeout: -1.0 is out of range' in system.log('memory')
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=1.0)
    request = SetParameters.Request(parameters=[Parameter(name='context_timeout', value=value)])
    done = probe.call(SetParameters, 'memory/set_parameters', request).results
    assert [each.successful for each in done] == [True]
    assert change(probe, 'memory', 'configure')
    late = probe.call(SetParameters, 'memory/set_parameters', request).results
    assert [each.successful for each in late] == [False]
    assert 'clean the node up first' in late[0].reason


def test_parameters_describe_themselves_to_ros_tools(system: Any) -> None:
    probe = system.probe()
    system.start(names={'monitor'}, autostart=False)
    request = DescribeParameters.Request(names=['bridge_timeout', 'max_steps'])
    found = probe.call(DescribeParameters, 'monitor/describe_parameters', request).descriptors
    assert found[0].description.endswith('[s]')
    assert found[0].floating_point_range[0].to_value == 86_400.0
    assert found[1].integer_range[0].from_value == 1


def test_every_node_says_once_a_second_how_it_is(system: Any) -> None:
    probe = system.probe()
    levels: dict[str, bytes] = {}

    def note(array: DiagnosticArray) -> None:
        levels.update({status.name: status.level for status in array.status})

    probe.node.create_subscription(DiagnosticArray, '/diagnostics', note, 10)
    system.start()
    expected = {f'sage/{node}: state' for node in NODES} | {'sage/monitor: bridge'}
    probe.until(lambda: expected <= set(levels), 20.0)
    probe.until(lambda: levels['sage/monitor: bridge'] == DiagnosticStatus.OK, 5.0)
    assert {name for name, level in levels.items() if level != DiagnosticStatus.OK} == set()


def test_who_cannot_hear_for_want_of_quality_of_service_is_named(system: Any) -> None:
    probe = system.probe()
    system.start(names={'memory'})
    said: list[str] = []

    def note(array: DiagnosticArray) -> None:
        said.extend(v.key for s in array.status if s.name.endswith('peers') for v in s.values)

    probe.node.create_subscription(DiagnosticArray, '/diagnostics', note, 10)
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    probe.node.create_publisher(MESSAGES[Verdict], 'verdict', best_effort)
    probe.until(lambda: said, 30.0)
    assert set(said) == {'verdict of /sage/probe'}


def test_the_graph_is_that_of_the_tables(system: Any) -> None:
    probe = system.probe()
    system.start()
    assert probe.send('put a clean mug on the desk').result(30.0).success
    probe.wait_for_nodes(*NODES)
    for node in NODES:
        published = dict(probe.node.get_publisher_names_and_types_by_node(node, '/sage'))
        subscribed = dict(probe.node.get_subscriber_names_and_types_by_node(node, '/sage'))
        served = dict(probe.node.get_service_names_and_types_by_node(node, '/sage'))
        asked = dict(probe.node.get_client_names_and_types_by_node(node, '/sage'))
        own = {f'/sage/{topic.name}': topic for topic in TOPICS}
        assert {n for n in published if n in own} == {
            n for n, topic in own.items() if node in topic.publishers
        }
        assert {n for n in subscribed if n in own} == {
            n for n, topic in own.items() if node in topic.subscribers
        }
        services = {f'/sage/{call.name}': call for call in CALLS if call.name != 'execute_task'}
        assert {n for n in served if n in services} == {
            n for n, call in services.items() if call.server == node
        }
        assert {n for n in asked if n in services} == {
            n for n, call in services.items() if node in call.clients
        }


def test_anyone_may_ask_the_monitor_what_it_believes_and_foresees(system: Any) -> None:
    probe = system.probe()
    system.start()
    scenes: list[Any] = []
    probe.node.create_subscription(
        MESSAGES[SceneGraph], 'scene', scenes.append, topic_of(SceneGraph).qos
    )
    empty = probe.call(Project, 'project', Project.Request())
    assert empty.status == Project.Response.STATUS_NO_EPISODE

    def begun() -> bool:
        reply = probe.call(BeginEpisode, 'begin_episode', BeginEpisode.Request(goal='look'))
        began.append(reply)
        return bool(reply.accepted)

    began: list[Any] = []
    probe.until(begun, 20.0)
    foreseen = probe.call(Project, 'project', Project.Request(limit=5))
    assert foreseen.status == Project.Response.STATUS_TRUNCATED
    assert len(foreseen.projections) == 5
    step = to_message(PlanStep('goto', ('desk_1',)))
    checked = probe.call(CheckPlan, 'check_plan', CheckPlan.Request(steps=[step]))
    assert (checked.status, checked.step) == (CheckPlan.Response.STATUS_OK, -1)
    bad = to_message(PlanStep('goto', ('nowhere_1',)))
    checked = probe.call(CheckPlan, 'check_plan', CheckPlan.Request(steps=[step, bad]))
    assert checked.step == 1
    assert checked.reason
    belief = probe.call(GetBelief, 'belief', GetBelief.Request()).belief
    assert belief.episode_id == began[-1].episode_id
    assert belief.objects
    probe.until(lambda: scenes, 5.0)
    assert scenes[-1].nodes
    wrong = EndEpisode.Request(episode_id=belief.episode_id, cause=99)
    assert not probe.call(EndEpisode, 'end_episode', wrong).accepted
    ended = EndEpisode.Request(
        episode_id=belief.episode_id, cause=EndEpisode.Request.CAUSE_CLAIMED
    )
    assert probe.call(EndEpisode, 'end_episode', ended).accepted
    probe.until(lambda: probe.seen[MonitorState][-1].phase is MonitorPhase.IDLE, 5.0)
