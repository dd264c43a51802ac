"""From a plan published to its command received, against a bare relay of the same message.

The monitor and the relay are processes of their own; this process plays planner and bridge.
Blocks of both are interleaved; the median of the ratios of their p50 comes with a bootstrap
interval. ``--objects 1000 --rate 20`` measures with that many objects and DELTA observations.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import rclpy
from rclpy.executors import SingleThreadedExecutor

from sage_ros import msg, srv
from sage_ros.bench.results import write_results
from sage_ros.contract.execution import ActionInfo, BridgeInfo, Command, Outcome, Status, Stop
from sage_ros.contract.plan import Expectation, ExpectationKind, Plan, PlanStep
from sage_ros.contract.resources import config_path
from sage_ros.contract.signing import make_key
from sage_ros.nodes.convert import from_message, to_message
from sage_ros.nodes.qos import topic_of
from sage_ros.scene.observation import Header, Observation, ObservationKind, Pattern, SceneObject
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.pddl_reader import read_domain

PATIENCE_S = 20.0


class Driver:
    """Plays planner and bridge towards the monitor, and both ends of the relay."""

    def __init__(self, receptacles: int, objects: int, rate: float, period: float) -> None:
        self.node = rclpy.create_node('driver')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        node = self.node
        self.plans = node.create_publisher(msg.Plan, 'plan', topic_of(Plan).qos)
        self.outcomes = node.create_publisher(msg.Outcome, 'outcome', topic_of(Outcome).qos)
        self.observations = node.create_publisher(
            msg.Observation, 'observation', topic_of(Observation).qos
        )
        self.info = node.create_publisher(msg.BridgeInfo, 'bridge_info', topic_of(BridgeInfo).qos)
        self.relay = node.create_publisher(msg.Plan, 'relay_in', 10)
        self.begin = node.create_client(srv.BeginEpisode, 'begin_episode')
        node.create_subscription(msg.Command, 'command', self._on_command, topic_of(Command).qos)
        node.create_subscription(msg.Stop, 'stop', lambda _: None, topic_of(Stop).qos)
        node.create_subscription(msg.Plan, 'relay_out', self._on_relay, 10)
        self.commands: list[tuple[float, msg.Command]] = []
        self.relayed: list[float] = []
        self.receptacles = [f'countertop_{i + 1}' for i in range(receptacles)]
        self.items = [f'mug_{i + 1}' for i in range(objects)]
        self.at = 0
        self.seq = 0
        self.plan_seq = 0
        self.episode = ''
        self.changing = 0
        self.rate = rate
        self.period = period
        self.next_observation = 0.0
        domain = read_domain(config_path('domains/household.pddl'))
        self.info.publish(
            to_message(
                BridgeInfo(
                    environment='home',
                    domain_hash=domain.digest,
                    actions=(ActionInfo('goto', ('receptacle',)),),
                    static_between_commands=True,
                    observation_period=0.5,
                )
            )
        )

    def _on_command(self, message: msg.Command) -> None:
        self.commands.append((time.perf_counter(), message))

    def _on_relay(self, _: msg.Plan) -> None:
        self.relayed.append(time.perf_counter())

    def spin_until(self, condition: Callable[[], bool]) -> None:
        """Spin until the condition holds; TimeoutError if it does not in time."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError('the monitor or the relay did not answer')
            self.executor.spin_once(timeout_sec=0.05)

    def observe(self, kind: ObservationKind, command_id: str = '', full: bool = False) -> None:
        """Publish an observation: all of the scene, what a command changed, or 20 facts."""
        base, self.seq = self.seq, self.seq + 1
        facts: list[Fact] = []
        objects: tuple[SceneObject, ...] = ()
        covers: tuple[Pattern, ...] = ()
        if full:
            objects = (
                *(SceneObject(name, 'countertop') for name in self.receptacles),
                *(SceneObject(name, 'mug') for name in self.items),
            )
            covers = (Pattern('at', ('',)), Pattern('in', ('', '')), Pattern('holding', ('',)))
            facts = [Fact('hand_empty'), Fact('at', (self.receptacles[self.at],))]
            for index, name in enumerate(self.items):
                facts.append(Fact('in', (name, self.receptacles[index % len(self.receptacles)])))
                facts.append(Fact('clean', (name,), Value(index % 2)))
        elif command_id:
            covers = (Pattern('at', ('',)),)
            facts = [Fact('at', (self.receptacles[self.at],))]
        elif kind is ObservationKind.DELTA:
            for _ in range(20):
                self.changing = (self.changing + 1) % len(self.items)
                facts.append(Fact('hot', (self.items[self.changing],), Value(self.seq % 2)))
        self.observations.publish(
            to_message(
                Observation(
                    Header(self.node.get_clock().now().nanoseconds),
                    self.episode,
                    self.seq,
                    base,
                    kind,
                    command_id,
                    objects=objects,
                    facts=tuple(facts),
                    covers=covers,
                )
            )
        )
        self.next_observation = time.monotonic() + (1 / self.rate if self.rate else 0.3)

    def outcome(self, command: Command, status: Status) -> None:
        """Publish how a command ended."""
        header = Header(self.node.get_clock().now().nanoseconds)
        self.outcomes.publish(
            to_message(Outcome(header, command.episode_id, command.command_id, status))
        )

    def begin_episode(self) -> None:
        """Begin the episode and answer its reset."""
        self.spin_until(self.begin.service_is_ready)
        self.spin_until(lambda: self.plans.get_subscription_count() > 0)
        self.spin_until(lambda: self.outcomes.get_subscription_count() > 0)
        self.spin_until(lambda: self.relay.get_subscription_count() > 0)
        answer = None
        end = time.monotonic() + PATIENCE_S
        while answer is None or not answer.accepted:
            if time.monotonic() > end:
                raise TimeoutError(f'no episode: {answer}')
            self.commands.clear()
            future = self.begin.call_async(
                srv.BeginEpisode.Request(goal='', environment='home', scene='flat')
            )
            self.spin_until(lambda f=future: f.done() or bool(self.commands))  # type: ignore[misc]
            if self.commands:
                command = from_message(self.commands[-1][1])
                self.episode, self.seq = command.episode_id, 0
                self.outcome(command, Status.DONE)
                self.observe(ObservationKind.SNAPSHOT, command.command_id, full=True)
            self.spin_until(future.done)
            answer = future.result()

    def idle(self) -> None:
        """Let the pause between two measurements pass; keep the observations going."""
        end = time.monotonic() + self.period
        while (left := end - time.monotonic()) > 0:
            if time.monotonic() >= self.next_observation:
                delta = ObservationKind.DELTA if self.rate else ObservationKind.UNCHANGED
                self.observe(delta)
            self.executor.spin_once(timeout_sec=min(left, 0.005))

    def plan(self, steps: int) -> msg.Plan:
        """Build the next plan: to the other end of the room and back."""
        self.plan_seq += 1
        names = [self.receptacles[(self.at + 1 + i) % 2] for i in range(steps)]
        return to_message(
            Plan(
                Header(self.node.get_clock().now().nanoseconds),
                self.episode,
                self.plan_seq,
                self.seq,
                steps=tuple(
                    PlanStep(
                        'goto',
                        (name,),
                        expectation=Expectation(ExpectationKind.FACTS, (Fact('at', (name,)),)),
                    )
                    for name in names
                ),
                planner='hop',
            )
        )

    def hop(self, steps: int) -> float:
        """Measure one plan's way to its first command, in seconds; then end the batch."""
        message = self.plan(steps)
        self.commands.clear()
        start = time.perf_counter()
        self.plans.publish(message)
        self.spin_until(lambda: bool(self.commands))
        elapsed = self.commands[0][0] - start
        command = from_message(self.commands[0][1])
        if steps > 1:
            # A failed first step ends the batch, so that the others are not dispatched.
            self.outcome(command, Status.FAILED)
            self.observe(ObservationKind.UNCHANGED, command.command_id)
        else:
            self.at = (self.at + 1) % 2
            self.outcome(command, Status.DONE)
            self.observe(ObservationKind.DELTA, command.command_id)
        return elapsed

    def bare(self, steps: int) -> float:
        """Measure the same message's way through the relay, in seconds."""
        message = self.plan(steps)
        self.relayed.clear()
        start = time.perf_counter()
        self.relay.publish(message)
        self.spin_until(lambda: bool(self.relayed))
        return self.relayed[0] - start


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return a 95 % bootstrap interval of the median."""
    rng = random.Random(0)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(2_000))
    return medians[50], medians[1949]


def measure(driver: Driver, steps: int, blocks: int, size: int) -> dict[str, float]:
    """Run interleaved blocks and summarise them: times in milliseconds."""
    hops: list[float] = []
    bares: list[float] = []
    ratios = []
    for _ in range(blocks):
        pair = []
        for way in (driver.bare, driver.hop):
            block = []
            for _ in range(size):
                driver.idle()
                block.append(way(steps))
            pair.append(block)
        bares += pair[0]
        hops += pair[1]
        ratios.append(statistics.median(pair[1]) / statistics.median(pair[0]))
    low, high = interval(ratios)
    return {
        'steps': steps,
        'blocks': blocks,
        'messages_per_block': size,
        'ratio_p50': round(statistics.median(ratios), 3),
        'ratio_low': round(low, 3),
        'ratio_high': round(high, 3),
        'relay_p50_ms': round(statistics.median(bares) * 1e3, 3),
        'relay_p99_ms': round(statistics.quantiles(bares, n=100)[98] * 1e3, 3),
        'hop_p50_ms': round(statistics.median(hops) * 1e3, 3),
        'hop_p99_ms': round(statistics.quantiles(hops, n=100)[98] * 1e3, 3),
    }


def main() -> int:
    """Measure and print one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--receptacles', type=int, default=25)
    parser.add_argument('--objects', type=int, default=100)
    parser.add_argument('--rate', type=float, default=0.0, help='DELTA observations a second')
    parser.add_argument('--blocks', type=int, default=20)
    parser.add_argument('--size', type=int, default=50, help='messages in a block')
    parser.add_argument('--period', type=float, default=0.01, help='seconds between messages')
    parser.add_argument('--steps', type=int, nargs='*', default=[1, 20])
    parser.add_argument('-o', '--output', type=Path, help='write the rows as JSON here')
    args = parser.parse_args()
    environment = os.environ | {
        'ROS_DOMAIN_ID': os.environ.get('ROS_DOMAIN_ID', '97'),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }
    os.environ.update(environment)
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder, 'key')
        make_key(key)
        relay = Path(__file__).with_name('relay.py')
        children = [
            subprocess.Popen([sys.executable, str(relay)], env=environment),
            subprocess.Popen(
                [
                    *(sys.executable, '-m', 'sage_ros.nodes.monitor', '--ros-args'),
                    *('--params-file', str(config_path('monitor.yaml'))),
                    *('-p', f'key_file:={key}', '-p', 'plan_timeout:=600.0'),
                    *('-p', 'max_steps:=1000000'),
                ],
                env=environment,
            ),
        ]
        rclpy.init()
        try:
            driver = Driver(args.receptacles, args.objects, args.rate, args.period)
            driver.begin_episode()
            rows: list[dict[str, float]] = []
            for steps in args.steps:
                result = measure(driver, steps, args.blocks, args.size)
                rows.append({'objects': args.objects, 'rate_hz': args.rate, **result})
                print(json.dumps(rows[-1]), flush=True)
            if args.output:
                write_results(args.output, 'hop', {'rows': rows})
        finally:
            rclpy.try_shutdown()
            for child in children:
                child.terminate()
            for child in children:
                child.wait(10)
    return 0


if __name__ == '__main__':
    sys.exit(main())
