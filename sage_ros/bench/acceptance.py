"""The long runs that show that the promises hold: ``python -m sage_ros.bench.acceptance SUITE``.

A run that was interrupted goes on where it stopped, as long as the code is the same.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from sage_ros.bench import alfworld, home
from sage_ros.bench.results import code_digest, provenance, wilson, write_results
from sage_ros.bridges.games import find_games

_ROOT = Path(__file__).resolve().parents[2]
_RESULTS = _ROOT / 'docs' / 'results'
_PROGRESS = _ROOT / 'build' / 'acceptance'

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Suite:
    """Trials by key, each with a record of JSON values, and what is wanted of them all."""

    trials: Mapping[str, Callable[[], Record]]
    shortfall: Callable[[Sequence[Record]], str]
    """Says what was wanted and not reached; empty if everything was."""
    summary: Callable[[Sequence[Record]], Mapping[str, Any]]


def home_suite(goals: int = 200) -> Suite:
    """Random goals of two facts in the large flat: all reached, nothing done unadmitted."""

    def trial(seed: int) -> Record:
        return asdict(home.achieve(seed))

    def shortfall(records: Sequence[Record]) -> str:
        failed = [r['goal'] for r in records if not r['success']]
        unadmitted = [r['goal'] for r in records if r['unadmitted']]
        if failed or unadmitted:
            return f'not reached: {failed}; with actions that were not admitted: {unadmitted}'
        return ''

    def summary(records: Sequence[Record]) -> Mapping[str, Any]:
        reached = sum(r['success'] for r in records)
        return {
            'goals': len(records),
            'reached': reached,
            'interval': wilson(reached, len(records)),
            'unadmitted': sum(len(r['unadmitted']) for r in records),
            'steps': sum(r['steps'] for r in records),
        }

    return Suite({str(seed): partial(trial, seed) for seed in range(goals)}, shortfall, summary)


def alfworld_suite(games: Sequence[Path], wanted: int, max_steps: int = 50) -> Suite:
    """Games of ALFWorld with the symbolic planner: at least ``wanted`` of them won."""

    def trial(game: Path) -> Record:
        return asdict(alfworld.play_game(game, max_steps=max_steps))

    def shortfall(records: Sequence[Record]) -> str:
        won = sum(r['won'] for r in records)
        return '' if won >= wanted else f'{won} of {len(records)} games won, {wanted} wanted'

    def summary(records: Sequence[Record]) -> Mapping[str, Any]:
        results = [alfworld.GameResult(**{**r, 'actions': tuple(r['actions'])}) for r in records]
        return {
            'max_steps': max_steps,
            'tallies': [asdict(tally) for tally in alfworld.tallies(results)],
        }

    trials = {'/'.join(game.parts[-3:-1]): partial(trial, game) for game in games}
    return Suite(trials, shortfall, summary)


def all_games() -> list[Path]:
    """Find the games of SAGE_DATA; ValueError says what to set."""
    folder = os.environ.get('SAGE_DATA')
    if not folder:
        raise ValueError('SAGE_DATA is not set: it names the folder that holds alfworld/')
    return find_games(Path(folder) / 'alfworld' / 'valid_seen.tar.gz')


def one_of_each(games: Sequence[Path]) -> list[Path]:
    """Take the first game of each type."""
    first: dict[str, Path] = {}
    for game in games:
        first.setdefault(alfworld.type_of(game), game)
    return list(first.values())


SUITES: Mapping[str, Callable[[], Suite]] = {
    'quick': lambda: home_suite(10),
    'home': home_suite,
    'alfworld': lambda: alfworld_suite(all_games(), wanted=100),
    'alfworld-quick': lambda: alfworld_suite(one_of_each(all_games()), wanted=6),
}


def run_suite(name: str, suite: Suite, progress: Path, console: Console) -> list[Record]:
    """Run the trials that the progress file does not hold yet, and add each to it."""
    done = dict(_read_progress(progress))
    left = [key for key in suite.trials if key not in done]
    if len(left) < len(suite.trials):
        console.print(f'{name}: {len(suite.trials) - len(left)} trials are done already')
    progress.parent.mkdir(parents=True, exist_ok=True)
    with progress.open('a', encoding='utf-8') as file:
        for key in track(left, name, console=console):
            done[key] = suite.trials[key]()
            file.write(json.dumps([key, done[key]]) + '\n')
            file.flush()
    return [done[key] for key in suite.trials]


def _read_progress(progress: Path) -> Iterator[tuple[str, Record]]:
    """Read what was done; a last line that was cut off is done again."""
    if not progress.exists():
        return
    for line in progress.read_text(encoding='utf-8').splitlines():
        try:
            key, record = json.loads(line)
        except ValueError:
            continue
        yield key, record


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a suite, write its results under docs/results and say whether all is well."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument('suite', choices=sorted(SUITES))
    parser.add_argument('--output', type=Path, default=_RESULTS, help='folder of the results')
    options = parser.parse_args(arguments)
    console = Console()
    name: str = options.suite
    try:
        suite = SUITES[name]()
    except (ValueError, ImportError) as error:
        console.print(str(error), style='red', markup=False)
        return 2
    # The code may change under a long run: what counts is what was loaded.
    origin = provenance()
    progress = _PROGRESS / f'{name}-{code_digest()[:12]}.jsonl'
    records = run_suite(name, suite, progress, console)
    problem = suite.shortfall(records)
    content = {'passed': not problem, **suite.summary(records), 'trials': records}
    write_results(options.output / f'{name}.json', name, content, origin)
    progress.unlink()
    console.print_json(data=dict(suite.summary(records)))
    console.print(problem or f'{name}: passed', style='red' if problem else 'green', markup=False)
    return 1 if problem else 0


if __name__ == '__main__':
    sys.exit(main())
