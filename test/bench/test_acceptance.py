"""Acceptance runs: a sample of each suite, and that an interrupted run goes on."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from sage_ros.bench import acceptance, alfworld
from sage_ros.bench.acceptance import Suite, home_suite, run_suite
from sage_ros.bench.home import achieve, random_goal

QUIET = Console(file=io.StringIO())


def test_ten_goals_in_the_flat_are_reached_and_nothing_else_is_done() -> None:
    results = [achieve(seed) for seed in range(10)]
    assert [r.goal for r in results if not r.success] == []
    assert [r.goal for r in results if r.unadmitted] == []
    assert len({r.goal for r in results}) == 10


def test_goals_are_the_same_for_a_seed() -> None:
    assert [random_goal(seed) for seed in range(5)] == [random_goal(seed) for seed in range(5)]


def test_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    played: list[int] = []

    def trial(number: int) -> dict[str, int]:
        if number == 2 and played.count(2) == 0:
            played.append(number)
            raise KeyboardInterrupt
        played.append(number)
        return {'number': number}

    trials = {str(n): lambda n=n: trial(n) for n in range(4)}
    suite = Suite(trials, lambda _: '', lambda _: {})
    progress = tmp_path / 'x.jsonl'
    with pytest.raises(KeyboardInterrupt):
        run_suite('x', suite, progress, QUIET)
    with progress.open('a') as file:
        file.write('["2", {"numb')
        file.write('\n')
    records = run_suite('x', suite, progress, QUIET)
    assert [r['number'] for r in records] == [0, 1, 2, 3]
    assert played == [0, 1, 2, 2, 3]


def test_shortfall_is_said_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = home_suite(1)
    failing = Suite(wanted.trials, lambda _: 'one goal was not reached', wanted.summary)
    monkeypatch.setattr(acceptance, '_PROGRESS', tmp_path / 'progress')
    monkeypatch.setattr(acceptance, 'SUITES', {'quick': lambda: failing, 'home': lambda: wanted})
    assert acceptance.main(['quick', '--output', str(tmp_path)]) == 1
    assert 'one goal was not reached' in capsys.readouterr().out
    assert json.loads((tmp_path / 'quick.json').read_text())['passed'] is False
    assert acceptance.main(['home', '--output', str(tmp_path)]) == 0
    content = json.loads((tmp_path / 'home.json').read_text())
    assert (content['passed'], content['reached'], len(content['trials'])) == (True, 1, 1)


def test_without_data_it_is_said_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv('SAGE_DATA', raising=False)
    assert acceptance.main(['alfworld']) == 2
    assert 'SAGE_DATA' in capsys.readouterr().out


def test_one_game_of_each_type_is_won(alfworld_games: Path) -> None:
    games = acceptance.one_of_each(sorted(alfworld_games.rglob('*.tw-pddl')))
    results = [alfworld.play_game(game) for game in games]
    assert [r.type for r in results] != []
    assert {r.type for r in results} == set(alfworld.TYPES)
    assert [r.game for r in results if not r.won] == []
    assert all(r.outcome == 'SUCCESS' and r.refused == r.mismatches == 0 for r in results)
    shown = io.StringIO()
    Console(file=shown, width=120).print(alfworld.table(results))
    assert 'pick_two_obj_and_place' in shown.getvalue()
    tally = alfworld.tallies(results)[-1]
    assert (tally.type, tally.games, tally.won) == ('all', 6, 6)


def test_place_that_is_in_reach_already_is_found_by_looking_around(alfworld_games: Path) -> None:
    name = 'pick_two_obj_and_place-CD-None-Drawer-304'
    (game,) = next(alfworld_games.rglob(name)).rglob('*.tw-pddl')
    result = alfworld.play_game(game)
    assert result.won
    # Its drawers are at its desk: a way there is no way.
    assert result.actions.count('look') == 1
    assert result.steps <= 9


def test_games_of_an_archive_are_played_in_several_processes(
    alfworld_games: Path, tmp_path: Path
) -> None:
    folder = next(p for p in alfworld_games.rglob('pick_and_place_simple-Book*') if p.is_dir())
    output = tmp_path / 'out.json'
    results = alfworld.run_games(folder, jobs=2, limit=1, output=output)
    assert [r.won for r in results] == [True]
    assert json.loads(output.read_text())['games'][0]['goal'] == results[0].goal
