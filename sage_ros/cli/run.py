"""``sage run``: carry out one goal and say how it went."""

import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from sage_ros.cli.show import Story, as_json, print_result
from sage_ros.contract.environment import EnvironmentLost
from sage_ros.contract.judgement import EpisodeOutcome
from sage_ros.contract.signing import KeyFileError
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.planning.link import LinkLost

_WRONG_USE = 2
_START_S = 30.0


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
    if game is not None:
        if scene:
            _fail('--game and --scene exclude each other: give one of them')
        env = 'alfworld' if env == 'home' else env
        scene = str(game)
    if in_process and params is not None:
        _fail('--params is for nodes, and --in-process starts none: leave one of them out')
    # With --json the story goes nowhere: standard output holds one object only.
    console = Console(quiet=json)
    try:
        request = TaskRequest(
            goal=goal,
            environment=env,
            scene=_located(scene, env),
            seed=seed,
            planner=planner,
            model=model,
            max_steps=max_steps,
        )
        with _interruption() as interrupted:
            if in_process:
                result = _in_process(request, Story(console), interrupted)
            else:
                result = _over_ros(request, Story(console), interrupted, namespace, params)
    except _Interrupted:
        reason = 'interrupted before the goal was sent'
        result = TaskResult(outcome=EpisodeOutcome.CANCELLED, reason=reason, goal=goal)
    except (LinkLost, EnvironmentLost, KeyFileError) as error:
        _fail(str(error))
    except (OSError, ValueError, ImportError) as error:
        # Files, names and values that cannot be used; extras that are not installed.
        _fail(str(error))
    if json:
        sys.stdout.write(as_json(result) + '\n')
    else:
        print_result(console, result)
    # Without an episode it was the environment, or what was asked of it, that did not work.
    cancelled = result.outcome is EpisodeOutcome.CANCELLED
    failed = 1 if result.episode_id or cancelled else _WRONG_USE
    raise typer.Exit(0 if result.success else failed)


def _fail(reason: str) -> NoReturn:
    sys.stderr.write(f'sage run: {reason}\n')
    raise typer.Exit(_WRONG_USE)


class _Interrupted(Exception):  # noqa: N818  a wish, not an error
    """The user asked to end before there was a goal to take back."""


def _located(scene: str, env: str) -> str:
    """Make the path of a file absolute, as nodes may run elsewhere; a scene's name stays."""
    named = env == 'home' and not scene.endswith(('.yaml', '.yml'))
    return scene if named or not (scene and Path(scene).exists()) else str(Path(scene).resolve())


def _in_process(request: TaskRequest, story: Story, interrupted: Callable[[], bool]) -> TaskResult:
    """Carry the task out in this process."""
    from sage_ros.runtime.local import run_local

    return run_local(request, cancelled=interrupted, on_verdict=story)


def _over_ros(
    request: TaskRequest,
    story: Story,
    interrupted: Callable[[], bool],
    namespace: str,
    params: Path | None,
) -> TaskResult:
    """Start the nodes that do not run yet, send the goal, and stop what was started."""
    from sage_ros.cli.up import Stack, StackError
    from sage_ros.nodes.client import GoalClient
    from sage_ros.nodes.stack import StackOptions

    options = StackOptions(
        environment=request.environment,
        scene=request.scene,
        seed=request.seed,
        namespace=namespace,
        parameter_file='' if params is None else str(params),
    )
    wanted = frozenset(spec.name for spec in options.nodes)
    with (
        GoalClient(options.root) as client,
        tempfile.TemporaryDirectory(prefix='sage-') as logs,
        Stack(options, Path(logs)) as stack,
    ):
        missing: frozenset[str] = frozenset()

        def watch() -> None:
            stack.check()
            # Whose discovery is slow, or who was started at the same time, is seen only now.
            if twice := client.doubled() & missing:
                names = ', '.join(sorted(twice))
                raise StackError(
                    f'another stack was found in {options.root}, which has {names} too: '
                    'try again, or take another --namespace'
                )

        def starting() -> None:
            watch()
            if interrupted():
                raise _Interrupted

        try:
            missing = client.missing(wanted)
            starting()
            if missing:
                stack.start(missing)
            client.wait_for_planner(_START_S, starting)
            return client.execute(request, story, cancelled=interrupted, watch=watch)
        except StackError as error:
            _fail(str(error))


@contextmanager
def _interruption() -> Iterator[Callable[[], bool]]:
    """Take note of two Ctrl-C or SIGTERM; a third one acts as usual.

    Two, because a terminal and who started us may both send one.
    """
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) >= 2:
            signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, note)
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
