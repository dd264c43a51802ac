"""``sage up``: the stack in the foreground."""

from pathlib import Path
from typing import Annotated

import typer


def up(
    env: Annotated[
        str, typer.Option('--env', help='Environment: home, alfworld; none: no bridge.')
    ] = 'home',
    scene: Annotated[str, typer.Option('--scene', help='Scene the bridge starts with.')] = '',
    params: Annotated[Path | None, typer.Option('--params', help='ROS parameter file.')] = None,
    namespace: Annotated[
        str, typer.Option('--namespace', help='ROS namespace of the stack.')
    ] = '/sage',
    log_level: Annotated[
        str, typer.Option('--log-level', help='debug, info, warn, error.')
    ] = 'info',
) -> None:
    """Run planner, monitor, memory and bridge in the foreground; Ctrl-C stops them cleanly."""
    from sage_ros.cli.up import run_stack

    raise typer.Exit(run_stack(env, scene, params, namespace, log_level))
