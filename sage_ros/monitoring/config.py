"""The parameters of the gate, each with its unit, range and meaning."""

import math
from dataclasses import Field, dataclass, field, fields
from typing import Any


def _seconds(default: float, description: str, high: float = 86_400.0) -> Any:
    return field(default=default, metadata=_about(description, 's', 0.001, high))


def _count(default: int, description: str, high: int = 1_000_000) -> Any:
    return field(default=default, metadata=_about(description, '', 1, high))


def _about(description: str, unit: str, low: float, high: float) -> dict[str, Any]:
    return {'description': description, 'unit': unit, 'low': low, 'high': high}


@dataclass(frozen=True, slots=True)
class GateConfig:
    """How long the gate waits and how much it takes. Durations are seconds.

    The metadata of each field holds ``description``, ``unit``, ``low`` and ``high`` (both
    allowed). ValueError names the field whose value is out of range or of the wrong type.
    """

    observation_max_age: float = _seconds(
        2.0, 'age of the newest observation above which no step is admitted'
    )
    observation_timeout: float = _seconds(
        2.0, 'wait after an outcome for the observation of its command'
    )
    outcome_grace: float = _seconds(
        1.0, 'wait for an outcome after the deadline of its command has passed'
    )
    reset_timeout: float = _seconds(120.0, 'time within which an environment has to be reset')
    stop_timeout: float = _seconds(
        5.0, 'wait for the running command to end when an episode is ended'
    )
    plan_timeout: float = _seconds(
        300.0, 'time without a plan, nothing being executed, after which the planner is lost'
    )
    bridge_timeout: float = _seconds(
        5.0, 'silence of the bridge, or of a stopped command, after which the bridge is lost'
    )
    judge: bool = field(
        default=False,
        metadata={'description': 'ask the judge where facts and text cannot tell', 'unit': ''},
    )
    judge_timeout: float = _seconds(30.0, 'wait for a reply of the judge')
    max_steps: int = _count(500, 'commands of an episode after which it ends')
    max_plan_steps: int = _count(100, 'longest plan that is taken', 10_000)
    unknown_limit: int = _count(3, 'unknown fates in a row that end an episode', 1_000)

    def __post_init__(self) -> None:
        for each in fields(self):
            problem = out_of_range(each, getattr(self, each.name))
            if problem is not None:
                raise ValueError(problem)


def out_of_range(parameter: 'Field[Any]', value: object) -> str | None:
    """Say what is wrong with a value for a field of GateConfig, or None."""
    name, about = parameter.name, parameter.metadata
    if isinstance(parameter.default, bool):
        return None if isinstance(value, bool) else f'{name} must be true or false, not {value!r}'
    wanted = 'an integer' if isinstance(parameter.default, int) else 'a number'
    number = int if isinstance(parameter.default, int) else int | float
    if isinstance(value, bool) or not isinstance(value, number):
        return f'{name} must be {wanted}, not {value!r}'
    if not (math.isfinite(value) and about['low'] <= value <= about['high']):
        unit = f' {about["unit"]}' if about['unit'] else ''
        return f'{name} must be from {about["low"]} to {about["high"]:g}{unit}, not {value!r}'
    return None
