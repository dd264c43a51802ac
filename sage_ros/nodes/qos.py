"""Every topic and service of the package: name, type, quality of service, who uses it.

No node states a name or a QoS by itself, and the documents are checked against these tables.
"""

from dataclasses import dataclass
from typing import Any

import std_srvs.srv
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

import sage_ros.srv
from sage_ros.action import ExecuteTask
from sage_ros.contract.execution import (
    Admissible,
    BridgeInfo,
    Command,
    Heartbeat,
    Outcome,
    Stop,
)
from sage_ros.contract.journal import JournalEntry
from sage_ros.contract.judgement import Episode, MonitorState, Verdict
from sage_ros.contract.judging import JudgeReply, JudgeRequest, ModelExchange
from sage_ros.contract.plan import Plan
from sage_ros.contract.remembering import SceneGraph
from sage_ros.scene.observation import Observation


def reliable(depth: int) -> QoSProfile:
    """Deliver everything to those who are there, the newest `depth` if they are slow."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE)


def everything() -> QoSProfile:
    """Deliver everything to those who are there, however slow they are."""
    return QoSProfile(history=HistoryPolicy.KEEP_ALL, reliability=ReliabilityPolicy.RELIABLE)


def latched() -> QoSProfile:
    """Deliver the newest also to those who come later."""
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def mismatch(publisher: QoSProfile, subscription: QoSProfile) -> str:
    """Say why a subscription gets nothing of a publisher, for the policies used here, or ''."""
    if (
        subscription.reliability == ReliabilityPolicy.RELIABLE
        and publisher.reliability == ReliabilityPolicy.BEST_EFFORT
    ):
        return 'the publisher is best effort, the subscription reliable'
    if (
        subscription.durability == DurabilityPolicy.TRANSIENT_LOCAL
        and publisher.durability == DurabilityPolicy.VOLATILE
    ):
        return 'the publisher is volatile, the subscription transient local'
    return ''


@dataclass(frozen=True)
class Topic:
    """A topic, which carries one dataclass of the contract."""

    name: str
    kind: type
    qos: QoSProfile
    publishers: tuple[str, ...]
    subscribers: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Call:
    """A service or an action and who serves it."""

    name: str
    type: Any
    server: str
    clients: tuple[str, ...]
    meaning: str


TOPICS: tuple[Topic, ...] = (
    Topic('plan', Plan, reliable(10), ('planner',), ('monitor',), 'batches of proposed steps'),
    Topic(
        'command', Command, reliable(1), ('monitor',), ('bridge',),
        'one admitted, signed action; a late joiner never gets an old one',
    ),
    Topic(
        'stop', Stop, reliable(1), ('monitor',), ('bridge',),
        'the running command ends at once; needs no signature',
    ),
    Topic(
        'heartbeat', Heartbeat, reliable(1), ('monitor',), ('bridge', 'planner'),
        '10 Hz; without it what moves stops within the lease',
    ),
    Topic(
        'outcome', Outcome, everything(), ('bridge',), ('monitor', 'memory'),
        'how a command ended, exactly one for each',
    ),
    Topic(
        'observation', Observation, reliable(50), ('bridge',), ('monitor', 'memory'),
        'numbered reports of the world',
    ),
    Topic(
        'admissible', Admissible, latched(), ('bridge',), ('monitor',),
        'valid actions, from environments that list them',
    ),
    Topic(
        'bridge_info', BridgeInfo, latched(), ('bridge',), ('monitor', 'planner'),
        'what the bridge is and takes',
    ),
    Topic(
        'verdict', Verdict, reliable(100), ('monitor',), ('planner', 'memory'),
        'what was decided about each step, and why',
    ),
    Topic(
        'episode', Episode, latched(), ('monitor',), ('planner', 'memory'),
        'an episode that begins or ends',
    ),
    Topic(
        'monitor_state', MonitorState, latched(), ('monitor',), (),
        'what the monitor is doing, on change',
    ),
    Topic(
        'journal', JournalEntry, reliable(100), ('monitor',), (),
        'every input of the gate in the order it was handled',
    ),
    Topic(
        'judge_request', JudgeRequest, reliable(10), ('monitor',), (),
        'does the observation fulfil the expectation?',
    ),
    Topic('judge_reply', JudgeReply, reliable(10), (), ('monitor',), 'the answer of a judge'),
    Topic('exchange', ModelExchange, reliable(50), ('planner',), (), 'every call of a model'),
    Topic(
        'scene', SceneGraph, latched(), ('memory',), (),
        'the belief as a graph, at most every scene_period and only when subscribed',
    ),
)  # fmt: skip

CALLS: tuple[Call, ...] = (
    Call(
        'begin_episode', sage_ros.srv.BeginEpisode, 'monitor', ('planner',),
        'reset the environment and begin; answered when it has begun',
    ),
    Call(
        'set_goal', sage_ros.srv.SetGoal, 'monitor', ('planner',),
        'state the goal facts, once, before the first plan',
    ),
    Call(
        'end_episode', sage_ros.srv.EndEpisode, 'monitor', ('planner',),
        'stop and end; success is still decided by environment or facts',
    ),
    Call(
        'hold', std_srvs.srv.SetBool, 'monitor', ('memory',),
        'stop now and admit nothing, or release: a new plan is then needed',
    ),
    Call(
        'belief', sage_ros.srv.GetBelief, 'monitor', ('memory',),
        'the belief that a restarted memory folds on from',
    ),
    Call(
        'project', sage_ros.srv.Project, 'monitor', (),
        'the actions that apply now, each with its changes',
    ),
    Call('check_plan', sage_ros.srv.CheckPlan, 'monitor', (), 'a dry run of a batch of steps'),
    Call(
        'resync', std_srvs.srv.Trigger, 'bridge', ('monitor',),
        'the next observation is a snapshot; nothing moves',
    ),
    Call(
        'context', sage_ros.srv.GetContext, 'memory', ('planner',),
        'the belief, text views and the last transitions',
    ),
    Call(
        'retrieve', sage_ros.srv.Retrieve, 'memory', (),
        'experience in states like the present one',
    ),
    Call('execute_task', ExecuteTask, 'planner', (), 'carry a goal out (an action)'),
)  # fmt: skip

DIAGNOSTICS = '/diagnostics'
"""Where all nodes of a machine say how they are, by REP-107."""

_TOPICS = {topic.kind: topic for topic in TOPICS}
_CALLS = {call.name: call for call in CALLS}


def topic_of(kind: type) -> Topic:
    """Find the topic that carries a dataclass."""
    return _TOPICS[kind]


def call_of(name: str) -> Call:
    """Find a service or action by its name."""
    return _CALLS[name]
