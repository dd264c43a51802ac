"""Environments by name; what each needs is imported when it is made."""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature

from sage_ros.bridges.machine import BridgeMachine, MachineConfig, ReportFilter
from sage_ros.contract.environment import Environment

ENVIRONMENTS: Mapping[str, str] = {
    'home': 'sage_ros.bridges.home:HomeEnvironment',
    'alfworld': 'sage_ros.bridges.alfworld:AlfworldEnvironment',
}
"""Where the class of each environment is found."""


_TYPES: Mapping[object, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (int, float),
}
"""What may be given for an option of a type."""


class OptionError(ValueError):
    """An option that an environment does not have, or of a type it does not take."""


class UnknownEnvironmentError(ValueError):
    """No environment has this name; the message lists those that exist."""


def check_environment(name: str) -> None:
    """Raise UnknownEnvironmentError, which lists those there are, for an unknown name."""
    if name not in ENVIRONMENTS:
        known = ', '.join(ENVIRONMENTS)
        raise UnknownEnvironmentError(f'unknown environment {name!r}: take one of {known}')


def environment_class(name: str) -> Callable[..., Environment]:
    """Find the class of an environment; UnknownEnvironmentError lists the names there are."""
    check_environment(name)
    module, _, attribute = ENVIRONMENTS[name].partition(':')
    found: Callable[..., Environment] = getattr(import_module(module), attribute)
    return found


def make_environment(name: str, **options: object) -> Environment:
    """Make an environment with the options of its class.

    Raises UnknownEnvironmentError, OptionError, what its class raises for a value, and
    ImportError that says what to install where an extra is missing.
    """
    make = environment_class(name)
    known = signature(make).parameters
    for option, value in options.items():
        if option not in known:
            raise OptionError(f'{name} has no option {option!r}, only {", ".join(known)}')
        wanted = known[option].annotation
        types = _TYPES.get(wanted, (object,))
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise OptionError(f'{option}: {value!r} is no {wanted.__name__}')
    return make(**options)


def make_machine(
    environment: Environment, key: bytes, config: MachineConfig | None = None
) -> BridgeMachine:
    """Make the machine of an environment, with the disturbed reports that its scene asks for."""
    report_filter: ReportFilter | None = getattr(environment, 'report_filter', None)
    return BridgeMachine(environment.info, key, config, report_filter)
