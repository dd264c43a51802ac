"""``sage bench``: measure planners on sets of games and tasks."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sage_ros.contract.environment import SceneError

app = typer.Typer(help='Measure planners on sets of games and tasks.', no_args_is_help=True)


@app.callback()
def _suites() -> None:
    """Measure planners on sets of games and tasks."""


@app.command('alfworld')
def alfworld(
    games: Annotated[
        Path,
        typer.Option(
            '--games', exists=True, help='Folder or .tar.gz archive of game.tw-pddl files.'
        ),
    ],
    planner: Annotated[str, typer.Option('--planner', help='Planner.')] = 'symbolic',
    max_steps: Annotated[
        int, typer.Option('--max-steps', min=1, max=10_000, help='Most steps a game.')
    ] = 50,
    limit: Annotated[
        int, typer.Option('--limit', min=0, help='Play only the first games (0: all).')
    ] = 0,
    jobs: Annotated[
        int, typer.Option('--jobs', min=1, max=64, help='Processes that play at once.')
    ] = 1,
    output: Annotated[
        Path | None, typer.Option('--output', '-o', help='Write the results as JSON here.')
    ] = None,
) -> None:
    """Play ALFWorld games in this process and print a table by task type.

    Games that went wrong are named with the reason. Exit status: 2 if none could be played.
    """
    from sage_ros.bench import alfworld as suite

    console, errors = Console(), Console(stderr=True)
    try:
        results = suite.run_games(
            games, planner=planner, max_steps=max_steps, limit=limit, jobs=jobs, output=output
        )
    except (SceneError, ImportError, OSError, ValueError) as error:
        errors.print(str(error), style='red', markup=False, soft_wrap=True)
        raise typer.Exit(2) from error
    console.print(suite.table(results))
    broken = [result for result in results if result.outcome == 'ERROR']
    for result in broken:
        said = f'{result.game}: {result.reason}'
        errors.print(said, style='red', markup=False, soft_wrap=True)
    if len(broken) == len(results):
        raise typer.Exit(2)
