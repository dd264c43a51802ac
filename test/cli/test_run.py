"""``sage run`` in this process: results, exit statuses and errors."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sage_ros.cli.app import app

KEYS = {
    *('success', 'outcome', 'reason', 'goal', 'goal_facts', 'steps', 'actions', 'calls', 'tokens'),
    *('admitted', 'refused', 'mismatches', 'replans', 'wall_s', 'episode_id'),
}


def sage(*arguments: str) -> Result:
    return CliRunner().invoke(app, ['run', *arguments, '--in-process'])


def test_a_goal_is_carried_out_and_every_verdict_is_shown() -> None:
    result = sage('put a clean mug on the desk')
    assert result.exit_code == 0
    assert 'ADMITTED    pick(mug_1, cabinet_2)' in result.stdout
    assert 'CONFIRMED   put(mug_1, desk_1)' in result.stdout
    assert 'done: SUCCESS' in result.stdout


def test_json_is_one_object_with_all_keys_and_nothing_else() -> None:
    result = sage('put a clean mug on the desk', '--json')
    content = json.loads(result.stdout)
    assert set(content) == KEYS
    assert set(content['tokens']) == {'input', 'output', 'weighted'}
    assert content['success'] is True
    assert content['outcome'] == 'SUCCESS'
    assert content['goal_facts'] == ['in(?o:mug, ?r:desk)', 'clean(?o:mug)']
    assert content['actions'][-1] == 'move mug 1 to desk 1'
    assert content['steps'] == len(content['actions']) == content['admitted']


def test_the_same_seed_gives_the_same_actions() -> None:
    first, second = (
        json.loads(sage('put a clean mug on the desk', '--json', '--seed', '3').stdout)
        for _ in range(2)
    )
    assert first['actions'] == second['actions']


def test_without_a_goal_the_environment_is_asked() -> None:
    content = json.loads(sage('--json').stdout)
    assert content['goal']
    assert content['success'] is True


@pytest.mark.parametrize(
    ('goal', 'said'),
    [
        ('fly to the moon', "'fly to the moon' is of no form that is understood"),
        ('put a zebra on the desk', "unknown item 'zebra'"),
        ('in(mug_99, desk_1)', "unknown object 'mug_99'"),
        ('in(mug_99, desk_1)', 'nobody has seen it yet; write ?o:mug for any mug'),
        ('juggles(mug_1)', 'juggles'),
    ],
)
def test_a_goal_that_is_not_understood_is_quoted(goal: str, said: str) -> None:
    result = sage(goal)
    assert result.exit_code == 1
    assert said in result.stdout
    assert 'NO_PLAN' in result.stdout


def test_a_step_limit_ends_the_task() -> None:
    result = sage('put a clean mug on the desk', '--max-steps', '3', '--json')
    content = json.loads(result.stdout)
    assert result.exit_code == 1
    assert content['outcome'] == 'STEP_LIMIT'
    assert content['steps'] == 3


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('--env', 'mars'), "unknown environment 'mars': take one of home, alfworld"),
        (('--planner', 'oracle'), "unknown planner 'oracle': take one of symbolic, ollama"),
        (('--game', 'x.tw-pddl', '--scene', 'kitchen'), '--game and --scene exclude each other'),
        (('--params', 'x.yaml'), '--params is for nodes, and --in-process starts none'),
    ],
)
def test_wrong_use_says_what_would_be_right(arguments: tuple[str, ...], said: str) -> None:
    result = sage('put a mug on the desk', *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert 'Traceback' not in result.output


@pytest.mark.parametrize('scene', ['nowhere', '/nowhere/scene.yaml', 'x' * 5000])
def test_a_scene_that_is_not_there_is_wrong_use(scene: str) -> None:
    result = sage('put a mug on the desk', '--scene', scene)
    assert result.exit_code == 2
    assert scene in result.stdout


def test_alfworld_without_a_game_says_what_to_name() -> None:
    pytest.importorskip('alfworld')
    result = sage('--env', 'alfworld')
    assert result.exit_code == 2
    assert 'name a game.tw-pddl file' in result.stdout


def test_a_folder_with_the_name_of_a_scene_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'kitchen').mkdir()
    monkeypatch.chdir(tmp_path)
    assert sage('open(fridge_1)', '--scene', 'kitchen').exit_code == 0


def test_a_scene_with_an_unknown_object_names_file_and_line(tmp_path: Path) -> None:
    scene = tmp_path / 'attic.yaml'
    scene.write_text('room: an attic\nreceptacles:\n  desk_1: {}\n  bed_1: {holds: [zebra_1]}\n')
    result = sage('put a mug on the desk', '--scene', str(scene))
    assert result.exit_code == 2
    assert f'{scene}:4' in result.stdout
    assert 'zebra' in result.stdout
