"""Parameters of a node from one table: declared with type, range and description, and checked.

A wrong value is an error that names file, node, parameter and mend, before anything moves.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter as RclParameter

from sage_ros.contract.yaml_file import ConfigurationError, YamlFile
from sage_ros.nodes.parameter_files import (
    MARK,
    addresses,
    check_file,
    content,
    parameter_files,
    sections,
)

_TYPES = {
    bool: RclParameter.Type.BOOL,
    int: RclParameter.Type.INTEGER,
    float: RclParameter.Type.DOUBLE,
    str: RclParameter.Type.STRING,
}
_WORDS = {bool: 'true or false', int: 'an integer', float: 'a double', str: 'a string'}
_OF_EVERY_NODE = ('use_sim_time', 'start_type_description_service', 'qos_overrides.*')


@dataclass(frozen=True)
class Parameter:
    """A parameter of a node; ``low`` and ``high`` are allowed, ``choices`` empty: any string."""

    name: str
    default: bool | int | float | str
    description: str
    low: float = -math.inf
    high: float = math.inf
    unit: str = ''
    choices: tuple[str, ...] = ()

    @property
    def descriptor(self) -> ParameterDescriptor:
        """Describe the parameter to ROS tools."""
        unit = f' [{self.unit}]' if self.unit else ''
        descriptor = ParameterDescriptor(description=self.description + unit)
        if self.choices:
            descriptor.additional_constraints = f'one of: {", ".join(self.choices)}'
        if isinstance(self.default, float):
            descriptor.floating_point_range = [
                FloatingPointRange(from_value=self.low, to_value=self.high)
            ]
        elif isinstance(self.default, int) and not isinstance(self.default, bool):
            limit = float(2**53)
            low, high = max(self.low, -limit), min(self.high, limit)
            descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
        return descriptor

    def problem(self, value: object) -> tuple[str, str] | None:
        """Say what is wrong with a value and how to mend it, or None."""
        wanted = type(self.default)
        if type(value) is not wanted:
            mend = f'give {_WORDS[wanted]}'
            if wanted is float and type(value) is int:
                mend = f'write {value}.0'
            return f'{value!r} is not {_WORDS[wanted]}', mend
        if self.choices and value not in self.choices:
            return f'{value!r} is not known', f'give one of: {", ".join(self.choices)}'
        if isinstance(value, int | float) and not self.low <= value <= self.high:
            unit = f' {self.unit}' if self.unit else ''
            return f'{value!r} is out of range', f'give {self.low:g} to {self.high:g}{unit}'
        return None


class Parameters:
    """The declared parameters of a node. Set at start or before configuring, never later."""

    def __init__(
        self, node: LifecycleNode, table: Iterable[Parameter], arguments: Sequence[str]
    ) -> None:
        self._node = node
        self._table = {parameter.name: parameter for parameter in table}
        self._files = [Path(name) for name in parameter_files(arguments)]
        self._problems: dict[str, tuple[str, str]] = {}
        self.frozen = False
        overrides: Mapping[str, RclParameter] = node._parameter_overrides
        for name, parameter in self._table.items():
            given = overrides.get(name)
            problem = None if given is None else parameter.problem(given.value)
            if problem is not None:
                self._problems[name] = problem
            node.declare_parameter(
                name, parameter.default, parameter.descriptor, ignore_override=problem is not None
            )
        known = (*self._table, *_OF_EVERY_NODE)
        for name in overrides:
            if not any(fnmatchcase(name, pattern) for pattern in known):
                mend = f'give one of: {", ".join(sorted(self._table))}'
                self._problems[name] = ('there is no such parameter', mend)
        node.add_on_set_parameters_callback(self._on_set)

    def check(self) -> None:
        """Raise ConfigurationError for a wrong value and for a file of another node."""
        full_name = self._node.get_fully_qualified_name()
        for file in self._files:
            check_file(file, [full_name])
        for name, (what, mend) in self._problems.items():
            raise self.error(name, what, mend)

    def error(self, name: str, what: str, mend: str) -> ConfigurationError:
        """Build the error for a value: where it was given, what is wrong, how to mend it."""
        full_name = self._node.get_fully_qualified_name()
        for file in reversed(self._files):
            for section, keys in sections(file):
                if addresses(section, full_name) and name in content(file, keys):
                    return YamlFile(file).error((*keys, MARK, name), what, mend)
        return ConfigurationError(f'node {full_name}: parameter {name}: {what}; {mend}')

    def values(self) -> dict[str, Any]:
        """Return the values in effect."""
        return {name: self._node.get_parameter(name).value for name in self._table}

    def __getitem__(self, name: str) -> Any:
        return self._node.get_parameter(name).value

    def _on_set(self, parameters: list[RclParameter]) -> SetParametersResult:
        own = [parameter for parameter in parameters if parameter.name in self._table]
        if own and self.frozen:
            reason = 'parameters are read when configuring: clean the node up first'
            return SetParametersResult(successful=False, reason=reason)
        for parameter in own:
            problem = self._table[parameter.name].problem(parameter.value)
            if problem is not None:
                return SetParametersResult(successful=False, reason='; '.join(problem))
        for parameter in own:
            self._problems.pop(parameter.name, None)
        return SetParametersResult(successful=True)
