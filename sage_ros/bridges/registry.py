"""Environments by name; what each needs is imported when it is made."""

from collections.abc import Callable, Mapping
from importlib import import_module

from sage_ros.bridges.machine import BridgeMachine, MachineConfig, ReportFilter
from sage_ros.contract.environment import Environment

ENVIRONMENTS: Mapping[str, str] = {
    'home': 'sage_ros.bridges.home:HomeEnvironment',
    'alfworld': 'sage_ros.bridges.alfworld:AlfworldEnvironment',
}
"""Where the class of each environment is found."""


class UnknownEnvironmentError(ValueError):
    """No environment has this name; the message lists those that exist."""


def environment_class(name: str) -> Callable[..., Environment]:
    """Find the class of an environment; UnknownEnvironmentError lists the names there are."""
    place = ENVIRONMENTS.get(name)
    if place is None:
        known = ', '.join(ENVIRONMENTS)
        raise UnknownEnvironmentError(f'unknown environment {name!r}: take one of {known}')
    module, _, attribute = place.partition(':')
    found: Callable[..., Environment] = getattr(import_module(module), attribute)
    return found


def make_environment(name: str, **options: object) -> Environment:
    """Make an environment with the options of its class.

    Raises UnknownEnvironmentError, TypeError for an option it does not have, ImportError that
    says what to install where an extra is missing.
    """
    return environment_class(name)(**options)


def make_machine(
    environment: Environment, key: bytes, config: MachineConfig | None = None
) -> BridgeMachine:
    """Make the machine of an environment, with the disturbed reports that its scene asks for."""
    report_filter: ReportFilter | None = getattr(environment, 'report_filter', None)
    return BridgeMachine(environment.info, key, config, report_filter)
