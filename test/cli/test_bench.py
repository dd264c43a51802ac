"""``sage bench``: what it says of games that cannot be played."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sage_ros.cli.app import app

pytest.importorskip('alfworld', reason='needs the alfworld extra')


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(app, ['bench', 'alfworld', *arguments])


def test_broken_games_are_named_with_the_reason(tmp_path: Path) -> None:
    game = tmp_path / 'some' / 'trial' / 'game.tw-pddl'
    game.parent.mkdir(parents=True)
    game.write_text('{"pddl_domain": "(defi')
    result = bench('--games', str(tmp_path))
    assert result.exit_code == 2
    assert 'some/trial: ' in result.stderr
    assert f'{game}:1:17: not JSON' in result.stderr


def test_place_that_cannot_be_written_to_is_said_before_the_games(tmp_path: Path) -> None:
    (tmp_path / 'game.tw-pddl').write_text('')
    result = bench('--games', str(tmp_path), '--output', '/proc/nowhere/results.json')
    assert result.exit_code == 2
    assert '/proc/nowhere' in result.stderr
    assert not isinstance(result.exception, OSError)
    assert 'games' not in result.stdout
