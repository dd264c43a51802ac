"""``sage run``: carry out one goal and say how it went."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sage_ros.cli.show import Story, as_json, print_result
from sage_ros.contract.environment import EnvironmentLost, SceneError
from sage_ros.contract.signing import KeyFileError
from sage_ros.contract.task import TaskRequest, TaskResult

WRONG_USE = 2


def run(
    goal: Annotated[
        str, typer.Argument(help='What to do, in plain words. None: what the environment asks.')
    ] = '',
    env: Annotated[str, typer.Option('--env', help='Environment: home, alfworld.')] = 'home',
    scene: Annotated[
        str, typer.Option('--scene', help='Scene of the environment: a name or a file.')
    ] = '',
    game: Annotated[
        Path | None, typer.Option('--game', help='Game file of alfworld (game.tw-pddl).')
    ] = None,
    seed: Annotated[int, typer.Option('--seed', min=0, max=2**31 - 1, help='Seed.')] = 0,
    planner: Annotated[
        str, typer.Option('--planner', help='Planner: symbolic, ollama.')
    ] = 'symbolic',
    model: Annotated[
        str, typer.Option('--model', help='Model of the planner, for example qwen3:8b.')
    ] = '',
    max_steps: Annotated[
        int, typer.Option('--max-steps', min=1, max=10_000, help='Most steps executed.')
    ] = 50,
    in_process: Annotated[
        bool, typer.Option('--in-process', help='Without ROS, all parts in this process.')
    ] = False,
    namespace: Annotated[
        str, typer.Option('--namespace', help='ROS namespace of the stack.')
    ] = '/sage',
    params: Annotated[
        Path | None, typer.Option('--params', help='ROS parameter file for what is started.')
    ] = None,
    json: Annotated[
        bool, typer.Option('--json', help='Print one JSON object and nothing else.')
    ] = False,
) -> None:
    """Carry out a goal: start the nodes that do not run yet, send it, show every verdict.

    Exit status: 0 done, 1 not done, 2 wrong use or environment.
    """
    errors = Console(stderr=True)
    if game is not None:
        if scene:
            _fail(errors, '--game and --scene exclude each other: give one of them')
        env = 'alfworld' if env == 'home' else env
        scene = str(game)
    if scene and Path(scene).exists():
        scene = str(Path(scene).resolve())
    request = TaskRequest(
        goal=goal,
        environment=env,
        scene=scene,
        seed=seed,
        planner=planner,
        model=model,
        max_steps=max_steps,
    )
    console = Console(stderr=json, quiet=json)
    try:
        if in_process:
            result = _in_process(request, Story(console))
        else:
            result = _over_ros(request, Story(console), console, namespace, params)
    except (SceneError, EnvironmentLost, KeyFileError, OSError, ValueError, ImportError) as error:
        _fail(errors, str(error))
    except KeyboardInterrupt:
        errors.print('interrupted')
        raise typer.Exit(130) from None
    if json:
        sys.stdout.write(as_json(result) + '\n')
    else:
        print_result(console, result)
    raise typer.Exit(0 if result.success else 1)
