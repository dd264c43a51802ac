"""Reads YAML files into pydantic models; every error names file, line, key and mend."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from reprlib import Repr
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from yaml.constructor import ConstructorError

Key = tuple[str | int, ...]
"""Where a value stands: the keys and indices that lead to it."""

_Model = TypeVar('_Model', bound=BaseModel)
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100


class ConfigurationError(ValueError):
    """A configuration file that cannot be used: where, why, and how to mend it."""


class YamlFile:
    """A YAML file that remembers where its values stand.

    Raises ConfigurationError if it cannot be read, is no YAML, or gives a key twice.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            text = self.path.read_text(encoding='utf-8')
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f'{path}:1: cannot be read: {error}; give a readable UTF-8 text file'
            ) from error
        try:
            loader = _Loader(text)
            self._root = loader.get_single_node()
            for first, again in _doubled(self._root):
                line = again.start_mark.line + 1
                raise ConfigurationError(
                    f'{path}:{line}: {again.value}: stands twice, first in line '
                    f'{first.start_mark.line + 1}; remove one of them'
                )
            self._content = None if self._root is None else loader.construct_document(self._root)
        except yaml.reader.ReaderError as error:
            line = text.count('\n', 0, error.position) + 1
            raise ConfigurationError(
                f'{path}:{line}: not YAML: the character #x{error.character:04x}; remove it'
            ) from error
        except RecursionError as error:
            raise ConfigurationError(f'{path}:1: nested too deep; write it flat') from error
        except yaml.YAMLError as error:
            mark = getattr(error, 'problem_mark', None)
            line = 1 if mark is None else mark.line + 1
            problem = getattr(error, 'problem', None) or str(error)
            raise ConfigurationError(
                f'{path}:{line}: not YAML: {problem}; correct the syntax there'
            ) from error

    def read(self, model: type[_Model]) -> _Model:
        """Check the content against a model and return it; ConfigurationError if it is wrong."""
        try:
            return model.model_validate({} if self._content is None else self._content)
        except ValidationError as error:
            # A key that is missing may be one whose name is wrong.
            errors = error.errors(include_url=False)
            first = min(errors, key=lambda each: each['type'] == 'missing')
            raise self.error(first['loc'], *_explain(first['type'], first)) from error

    def error(self, key: Key, message: str, mend: str) -> ConfigurationError:
        """Build the error for what stands at a key, or at the nearest thing around it."""
        name = '.'.join(map(str, key)) or 'the file'
        return ConfigurationError(f'{self.path}:{self._line(key)}: {name}: {message}; {mend}')

    def _line(self, key: Key) -> int:
        node, line = self._root, 1
        for part in key:
            if isinstance(node, yaml.MappingNode):
                found = [pair for pair in node.value if pair[0].value == str(part)]
                if not found:
                    break
                line, node = found[0][0].start_mark.line + 1, found[0][1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
                node = node.value[part]
                line = node.start_mark.line + 1
            else:
                break
        return line


class _Loader(yaml.SafeLoader):
    """Says where a value stands that looks like a number or a date and is none."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> object:
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError) as error:
            problem = f'no value of its kind: {error}'
            raise ConstructorError(problem=problem, problem_mark=node.start_mark) from error


def _doubled(root: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Find the keys that stand twice in one mapping, which YAML readers let pass."""
    todo: list[yaml.Node] = [] if root is None else [root]
    done: set[int] = set()
    while todo:
        node = todo.pop()
        # An alias is the node itself, which may even be a part of itself.
        if id(node) in done:
            continue
        done.add(id(node))
        if isinstance(node, yaml.MappingNode):
            seen: dict[str, yaml.Node] = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    todo.append(key)
                elif key.value in seen:
                    yield seen[key.value], key
                else:
                    seen[key.value] = key
                todo.append(value)
        elif isinstance(node, yaml.SequenceNode):
            todo.extend(node.value)


def _explain(kind: str, error: object) -> tuple[str, str]:
    """Turn an error of pydantic into what is wrong and what to do."""
    assert isinstance(error, dict)
    if kind == 'missing':
        return 'is missing', 'add it'
    if kind == 'extra_forbidden':
        return 'unknown key', 'remove it or correct its name'
    if kind in ('value_error', 'assertion_error'):
        message, _, mend = str(error['ctx']['error']).partition('; ')
        return message, mend or 'correct it'
    wanted = str(error['msg']).removeprefix('Input should be ')
    return f'{_SHORT.repr(error["input"])} is not right', f'give {wanted}'


def names(words: Sequence[str]) -> str:
    """List words for an error message, in order."""
    return ', '.join(sorted(words)) or 'none'
