"""YAML read with the line of every key, so that an error can say where it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

_Model = TypeVar('_Model', bound=BaseModel)
Place = tuple[str | int, ...]


class PlacedError(ValueError):
    """What is wrong in a YAML file: ``file:line: key: what, and the mend``."""


class YamlFile:
    """A YAML file, its content and the lines of its keys."""

    def __init__(self, path: Path) -> None:
        """Read a file; PlacedError if it is missing or no YAML mapping."""
        self.path = path
        try:
            text = path.read_text(encoding='utf-8')
        except (OSError, UnicodeDecodeError) as error:
            raise PlacedError(f'{path}: cannot be read: {error}') from error
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            self.content: Any = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, 'problem_mark', None)
            line = mark.line + 1 if mark is not None else 1
            problem = getattr(error, 'problem', None) or 'not YAML'
            raise PlacedError(f'{path}:{line}: not YAML: {problem}') from error
        self._lines: dict[Place, int] = {}
        if not isinstance(self.content, Mapping) or node is None:
            raise PlacedError(f'{path}:1: expected keys and values')
        self._note((), node)

    def parse(self, model: type[_Model]) -> _Model:
        """Check the content against a model; PlacedError names every fault with its line."""
        try:
            return model.model_validate(self.content)
        except ValidationError as error:
            faults = [
                str(self.error(fault['loc'], _mend(fault['type'], fault['msg'], model)))
                for fault in error.errors()
            ]
            raise PlacedError('\n'.join(dict.fromkeys(faults))) from error

    def error(self, place: Place, text: str) -> PlacedError:
        """Make the error for a place: keys and indexes from the top."""
        known = place
        while known and known not in self._lines:
            known = known[:-1]
        line = self._lines.get(known, 1)
        key = '.'.join(str(part) for part in known) or 'top'
        return PlacedError(f'{self.path}:{line}: {key}: {text}')

    def _note(self, place: Place, node: yaml.Node) -> None:
        self._lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*place, key.value)
                self._lines[inner] = key.start_mark.line + 1
                self._note(inner, value)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self._note((*place, index), value)


def _mend(kind: str, message: str, model: type[BaseModel]) -> str:
    if kind == 'extra_forbidden':
        return f'unknown key; at the top there are {", ".join(model.model_fields)}'
    if kind == 'missing':
        return 'this key is missing: add it'
    return message[0].lower() + message[1:]
