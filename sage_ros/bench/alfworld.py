"""Plays ALFWorld games in process and counts what was won, by type of task."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.progress import track
from rich.table import Table

from sage_ros.bench.results import provenance, wilson, write_results
from sage_ros.bridges.games import find_games
from sage_ros.bridges.registry import make_environment
from sage_ros.contract.environment import Environment
from sage_ros.contract.task import TaskRequest
from sage_ros.planning.backend import Settings, make_backend
from sage_ros.planning.session import run_task
from sage_ros.runtime.local import LocalStack

SUITE = 'alfworld'
TYPES = (
    'pick_and_place_simple',
    'look_at_obj_in_light',
    'pick_clean_then_place_in_recep',
    'pick_heat_then_place_in_recep',
    'pick_cool_then_place_in_recep',
    'pick_two_obj_and_place',
)
OTHER = 'other'


@dataclass(frozen=True, slots=True)
class GameResult:
    """How one game went. ``won`` is what the game says, not what the goal facts say."""

    game: str
    type: str
    goal: str
    won: bool
    outcome: str
    reason: str
    steps: int
    refused: int
    mismatches: int
    wall_s: float
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one type of task, with Wilson's 95 % interval of the share that was won."""

    type: str
    games: int
    won: int
    low: float
    high: float
    mean_steps: float


def run_games(
    games: Path,
    *,
    planner: str = 'symbolic',
    max_steps: int = 50,
    limit: int = 0,
    jobs: int = 1,
    output: Path | None = None,
    settings: Settings | None = None,
) -> list[GameResult]:
    """Play the games of a folder or an archive, the first ``limit`` of them (0: all).

    Writes a result file where ``output`` is given. Raises SceneError for files that are no
    games, ImportError that says what to install, OSError for files that cannot be used.
    """
    origin = provenance()
    files = find_games(games)
    files = files[:limit] if limit else files
    if output is not None:
        # Before the games are played: what cannot be written later were played in vain.
        output.parent.mkdir(parents=True, exist_ok=True)
    results = list(play_all(files, planner, max_steps, jobs, settings or Settings()))
    if output is not None:
        write_results(output, SUITE, content(results, planner, max_steps), origin)
    return results


def play_all(
    files: Sequence[Path], planner: str, max_steps: int, jobs: int, settings: Settings
) -> Iterator[GameResult]:
    """Play games one after the other, or several at once in as many processes, with progress."""
    play = partial(play_game, planner=planner, max_steps=max_steps, settings=settings)
    if jobs == 1:
        yield from track(map(play, files), 'playing', total=len(files))
        return
    # Threads of the parent do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context('spawn')) as pool:
        yield from track(pool.map(play, files), 'playing', total=len(files))


def play_game(
    game: Path, planner: str = 'symbolic', max_steps: int = 50, settings: Settings | None = None
) -> GameResult:
    """Play one game."""
    stack = LocalStack(_environment())
    request = TaskRequest(environment=SUITE, scene=str(game), planner=planner, max_steps=max_steps)
    result = run_task(
        stack, request, lambda world: make_backend(planner, world, settings or Settings())
    )
    return GameResult(
        game='/'.join(game.parts[-3:-1]),
        type=type_of(game),
        goal=result.goal,
        won=stack.belief.env_success,
        outcome=result.outcome.name,
        reason=result.reason,
        steps=result.steps,
        refused=result.refused,
        mismatches=result.mismatches,
        wall_s=round(result.wall_s, 3),
        actions=result.actions,
    )


def type_of(game: Path) -> str:
    """Tell the type of a game by the name of its folder."""
    names = (part.partition('-')[0] for part in game.parts)
    return next((name for name in names if name in TYPES), OTHER)


def tallies(results: Sequence[GameResult]) -> list[Tally]:
    """Count by type, and all together at the end."""
    found = []
    for kind in (*TYPES, OTHER, 'all'):
        some = [r for r in results if kind in (r.type, 'all')]
        if some:
            won = sum(r.won for r in some)
            mean = sum(r.steps for r in some) / len(some)
            found.append(Tally(kind, len(some), won, *wilson(won, len(some)), mean))
    return found


def table(results: Sequence[GameResult]) -> Table:
    """Lay the counts out by type."""
    shown = Table('type', 'games', 'won', 'share', '95 % interval', 'mean steps')
    for column in shown.columns[1:]:
        column.justify = 'right'
    for tally in tallies(results):
        shown.add_row(
            tally.type,
            str(tally.games),
            str(tally.won),
            f'{tally.won / tally.games:.3f}',
            f'{tally.low:.3f} - {tally.high:.3f}',
            f'{tally.mean_steps:.1f}',
        )
    return shown


def content(results: Sequence[GameResult], planner: str, max_steps: int) -> dict[str, Any]:
    """Return what a result file says."""
    return {
        'planner': planner,
        'max_steps': max_steps,
        'tallies': [asdict(tally) for tally in tallies(results)],
        'games': [asdict(result) for result in results],
    }


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Make the environment once for each process: every game resets it."""
    return make_environment(SUITE)
