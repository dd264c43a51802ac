"""``sage doctor``: what works here, one line each."""

import importlib
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from sage_ros import __version__
from sage_ros.contract.resources import config_path


class State(Enum):
    """How a check went; ERROR is something needed that is missing."""

    OK = 'green'
    MISSING = 'yellow'
    ERROR = 'red'


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    subject: str
    state: State
    text: str


def doctor(
    model: Annotated[
        str, typer.Option('--model', help='Model to look for on the model server.')
    ] = '',
    host: Annotated[
        str, typer.Option('--host', help='Model server; by default OLLAMA_HOST or its default.')
    ] = '',
    ros: Annotated[bool, typer.Option('--ros/--no-ros', help='Look at ROS 2 too.')] = True,
) -> None:
    """Say what works here, one line each; exit 1 if something needed is missing."""
    console = Console()
    failed = False
    for finding in findings(model, host, ros):
        line = Text(f'{finding.state.name:<8}', style=finding.state.value)
        line.append(f'{finding.subject:<12}', style='bold')
        line.append(finding.text, style='default')
        console.print(line, soft_wrap=True)
        failed |= finding.state is State.ERROR
    raise typer.Exit(1 if failed else 0)


def findings(model: str, host: str, ros: bool) -> Iterator[Finding]:
    """Check everything in turn; a check that needs a model is an error only if one was named."""
    yield Finding('sage_ros', State.OK, __version__)
    yield _python()
    yield _check('pydantic', _pydantic)
    yield _check('domain', _domain)
    yield _check('admission', _admission)
    if ros:
        yield _check('ros', _ros)
        yield _check('middleware', _middleware)
    yield _extra('alfworld', 'textworld')
    yield _extra('ollama', 'ollama')
    yield _data()
    yield from _model(model, host)


def _check(subject: str, check: Callable[[], str]) -> Finding:
    """Run a check that says what it found or raises; a doctor reports whatever is raised."""
    try:
        return Finding(subject, State.OK, check())
    except Exception as error:
        return Finding(subject, State.ERROR, f'{type(error).__name__}: {error}')


def _python() -> Finding:
    text = f'{platform.python_version()} at {sys.executable}'
    good = (3, 11) <= sys.version_info[:2] <= (3, 12)
    state = State.OK if good else State.ERROR
    return Finding('python', state, text if good else f'{text}; needs 3.11 or 3.12')


def _pydantic() -> str:
    found = version('pydantic')
    if int(found.split('.')[0]) < 2:
        raise RuntimeError(f'{found} is too old: pip install "pydantic>=2" (in a venv)')
    return found


def _domain() -> str:
    from sage_ros.symbols.pddl_reader import read_domain

    path = config_path('domains/household.pddl')
    domain = read_domain(path)
    return f'{domain.name}: {len(domain.actions)} actions ({path})'


def _admission() -> str:
    from sage_ros.contract.admission import read_admission

    files = sorted(config_path('admission').glob('*.yaml'))
    tables = [read_admission(file) for file in files]
    return ', '.join(table.environment for table in tables)


def _ros() -> str:
    importlib.import_module('rclpy')
    importlib.import_module('sage_ros.msg')
    distro = os.environ.get('ROS_DISTRO') or _wheel_distro()
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    scope = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    return f'{distro}, domain {domain}, discovery {scope}'


def _wheel_distro() -> str:
    for name in ('jazzy', 'kilted'):
        try:
            return f'{name} {version(f"ros-{name}-rclpy")} (wheels)'
        except PackageNotFoundError:
            continue
    return 'unknown distribution'


def _middleware() -> str:
    from sage_ros.nodes.selftest import middleware_round_trip

    return middleware_round_trip()


def _extra(extra: str, package: str) -> Finding:
    try:
        return Finding(extra, State.OK, f'{package} {version(package)}')
    except PackageNotFoundError:
        return Finding(extra, State.MISSING, f"pip install 'sage_ros[{extra}]'")


def _data() -> Finding:
    folder = os.environ.get('SAGE_DATA')
    if folder and os.path.isdir(folder):  # noqa: PTH112  only a question
        return Finding('data', State.OK, folder)
    return Finding('data', State.MISSING, 'SAGE_DATA names no folder: tests on real data skip')


def _model(model: str, host: str) -> Iterator[Finding]:
    if not model:
        yield Finding('model', State.MISSING, 'none asked for (--model NAME looks for one)')
        return
    from sage_ros.language.ollama import OllamaClient

    yield _check('model', lambda: OllamaClient(model, host=host or None).preflight())
