"""Goals carried out, and not carried out, by real nodes over DDS."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sage_ros.contract.execution import Command, Outcome
from sage_ros.contract.judgement import Decision, Episode, EpisodeOutcome, EpisodePhase, Verdict
from sage_ros.contract.resources import config_path
from sage_ros.contract.task import TaskRequest
from sage_ros.runtime.local import run_local

FATES = {Decision.CONFIRMED, Decision.MISMATCH, Decision.UNKNOWN, Decision.UNVERIFIED}
TYPES = (
    'pick_and_place_simple',
    'look_at_obj_in_light',
    'pick_clean_then_place_in_recep',
    'pick_heat_then_place_in_recep',
    'pick_cool_then_place_in_recep',
    'pick_two_obj_and_place',
)


def words(verdicts: list[Verdict]) -> list[tuple[Any, ...]]:
    """Say what has to be equal in-process and over ROS."""
    return [
        (v.plan_seq, v.step, v.action, v.args, v.stage, v.decision, v.rule_id, v.facts)
        for v in verdicts
    ]


def test_a_goal_is_carried_out_and_nothing_unadmitted_was_sent(system: Any) -> None:
    probe = system.probe()
    system.start()
    goal = probe.send('put a clean mug on the desk')
    result = goal.result(30.0)
    assert result.success
    assert result.outcome is EpisodeOutcome.SUCCESS
    probe.until_verdicts(2 * result.admitted)
    # rclpy's client drops what feedback is still on its way when it learns that a goal has ended:
    # the topic of verdicts is the record, the feedback a part of it in the same order.
    said = iter(words(probe.seen[Verdict]))
    assert goal.feedback
    assert all(word in said for word in words(goal.feedback))
    admitted = {v.command_id: (v.action, v.args) for v in probe.verdicts(Decision.ADMITTED)}
    sent = {c.command_id: (c.action, c.args) for c in probe.seen[Command] if c.action != 'reset'}
    assert sent == admitted
    assert len(sent) == result.steps
    fates = [v.command_id for v in probe.seen[Verdict] if v.decision in FATES]
    assert sorted(fates) == sorted(admitted)
    outcomes = [o.command_id for o in probe.seen[Outcome]]
    assert len(outcomes) == len(set(outcomes))
    ended = [e for e in probe.seen[Episode] if e.phase is EpisodePhase.ENDED]
    assert [e.outcome for e in ended] == [EpisodeOutcome.SUCCESS]


def test_the_command_line_does_it_and_leaves_nothing_running(ros_domain: int) -> None:
    command = [
        sys.executable,
        '-c',
        'import sage_ros.cli; sage_ros.cli.main()',
        'run',
        'put a clean mug on the desk',
        '--json',
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result['success']
    assert result['actions']
    left = subprocess.run(
        ['pgrep', '-f', 'sage_ros[.]nodes'], capture_output=True, text=True, check=False
    )
    for process in left.stdout.split():
        environment = Path('/proc', process, 'environ')
        try:
            assert f'ROS_DOMAIN_ID={ros_domain}\0' not in environment.read_text()
        except FileNotFoundError:
            continue


def test_verdicts_are_those_of_the_same_goal_in_one_process(system: Any) -> None:
    request = TaskRequest(goal='put a clean plate in the fridge', environment='home', seed=3)
    expected: list[Verdict] = []
    local = run_local(request, on_verdict=expected.append)
    assert local.success
    probe = system.probe()
    system.start()
    goal = probe.send(request.goal, environment='home', seed=3)
    result = goal.result(30.0)
    assert result.actions == local.actions
    probe.until_verdicts(len(expected))
    assert words(probe.seen[Verdict]) == words(expected)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_game_of_each_type_is_won_with_the_same_verdicts_as_in_one_process(
    system: Any, alfworld_games: Path
) -> None:
    probe = system.probe()
    system.start(environment='alfworld')
    for kind in TYPES:
        won = False
        for game in sorted(alfworld_games.rglob(f'{kind}-*/*/game.tw-pddl')):
            expected: list[Verdict] = []
            request = TaskRequest(environment='alfworld', scene=str(game))
            local = run_local(request, on_verdict=expected.append)
            if not local.success:
                continue
            probe.seen[Verdict].clear()
            result = probe.send('', environment='alfworld', scene=str(game)).result(60.0)
            assert result.success, f'{game}: {result.reason}'
            assert result.actions == local.actions
            assert result.goal == local.goal
            probe.until_verdicts(len(expected))
            assert words(probe.seen[Verdict]) == words(expected)
            won = True
            break
        assert won, f'no game of type {kind} is won'


def test_goals_that_cannot_be_carried_out_end_with_a_reason(system: Any) -> None:
    probe = system.probe()
    system.start()
    limited = probe.send('put a clean mug on the desk', max_steps=2).result(30.0)
    assert (limited.outcome, limited.steps) == (EpisodeOutcome.STEP_LIMIT, 2)
    unknown = probe.send('put a unicorn on the desk').result(30.0)
    assert unknown.outcome is EpisodeOutcome.NO_PLAN
    assert 'unicorn' in unknown.reason
    assert unknown.steps == 0
    impossible = probe.send('in(?l:lettuce, ?d:desk), in(?l, ?f:fridge)').result(60.0)
    assert impossible.outcome in (EpisodeOutcome.NO_PLAN, EpisodeOutcome.STEP_LIMIT)
    assert impossible.reason
    assert not impossible.success
    again = probe.send('put a clean mug on the desk').result(30.0)
    assert again.success


def test_a_scene_that_cannot_be_used_is_said_before_anything_moves(
    system: Any, tmp_path: Path
) -> None:
    scene = tmp_path / 'broken.yaml'
    scene.write_text('receptacles:\n  desk_1: {holds: [unicorn_1]}\n')
    probe = system.probe()
    system.start()
    result = probe.send('put a mug on the desk', scene=str(scene)).result(30.0)
    assert result.outcome is EpisodeOutcome.ERROR
    assert f'{scene}:2' in result.reason
    assert 'unicorn' in result.reason
    assert result.steps == 0


def test_a_game_cut_in_half_is_said_before_anything_moves(
    system: Any, alfworld_games: Path, tmp_path: Path
) -> None:
    game = next(alfworld_games.rglob('game.tw-pddl'))
    half = tmp_path / 'game.tw-pddl'
    shutil.copy(game, half)
    half.write_bytes(game.read_bytes()[: game.stat().st_size // 2])
    probe = system.probe()
    system.start(environment='alfworld')
    result = probe.send('', scene=str(half)).result(30.0)
    assert result.outcome is EpisodeOutcome.ERROR
    assert str(half) in result.reason
    assert result.steps == 0


def test_an_outcome_that_comes_twice_counts_once(system: Any, tmp_path: Path) -> None:
    scene = yaml.safe_load(config_path('scenes/studio.yaml').read_text())
    scene['disturbances'] = {'outcome': {'doubled': 1.0}}
    path = tmp_path / 'doubled.yaml'
    path.write_text(yaml.safe_dump(scene))
    probe = system.probe()
    system.start()
    result = probe.send('put a clean mug on the desk', scene=str(path)).result(30.0)
    assert result.success
    outcomes = [o.command_id for o in probe.seen[Outcome]]
    assert len(outcomes) > len(set(outcomes))
    fates = [v.command_id for v in probe.seen[Verdict] if v.decision in FATES]
    assert len(fates) == len(set(fates)) == result.steps


def test_a_second_goal_is_turned_down_with_the_reason(system: Any, slow_home: Any) -> None:
    probe = system.probe()
    system.start(parameters=slow_home)
    first = probe.send('put a clean mug on the desk')
    probe.until(probe.running, 20.0)
    second = probe.send('put a plate on the desk').result(5.0)
    assert second.outcome is EpisodeOutcome.ERROR
    assert 'busy' in second.reason
    first.cancel()
    assert first.result(10.0).outcome is EpisodeOutcome.CANCELLED


def test_two_robots_in_two_namespaces_never_meet(system: Any) -> None:
    one, two = system.probe('/robot1'), system.probe('/robot2')
    system.start(namespace='/robot1')
    system.start(namespace='/robot2', scene='kitchen')
    goals = [one.send('put a clean mug on the desk'), two.send('put an apple in the fridge')]
    assert goals[0].result(30.0).success
    assert goals[1].result(30.0).success
    assert {e.scene for e in one.seen[Episode]} == {''}
    assert not {c.session_id for c in one.seen[Command]} & {
        c.session_id for c in two.seen[Command]
    }
