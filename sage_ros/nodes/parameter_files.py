"""Files of ROS parameters: for which nodes they are. Nothing of ROS is imported here."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import yaml

from sage_ros.contract.yaml_file import ConfigurationError, YamlFile

MARK = 'ros__parameters'


def parameter_files(arguments: Sequence[str]) -> Iterator[str]:
    """Iterate over the parameter files in the arguments of a node."""
    for option, value in pairwise(arguments):
        if option == '--params-file':
            yield value


def sections(file: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Iterate over the names of nodes in a parameter file, each with the keys that lead there.

    Raises ConfigurationError for what is no parameter file.
    """
    yaml_file = YamlFile(file)
    root = yaml.safe_load(file.read_text(encoding='utf-8'))
    if not isinstance(root, dict):
        raise yaml_file.error((), 'is no parameter file', 'begin with the name of a node or /**')
    todo: list[tuple[tuple[str, ...], object]] = [((str(key),), root[key]) for key in root]
    while todo:
        keys, value = todo.pop(0)
        if not isinstance(value, dict):
            raise yaml_file.error(keys, 'is no section of a node', f'put {MARK} below it')
        if MARK in value:
            yield '/'.join(key.strip('/') for key in keys), keys
        else:
            todo.extend(((*keys, str(key)), value[key]) for key in value)


def addresses(section: str, full_name: str) -> bool:
    """Tell whether a section of a parameter file is for the node of this full name."""
    return _matches(section.strip('/').split('/'), full_name.strip('/').split('/'))


def addressees(file: Path, full_names: Sequence[str]) -> frozenset[str]:
    """Tell for which of the nodes a parameter file has a section.

    Raises ConfigurationError for a section that is for none of them.
    """
    found: set[str] = set()
    for section, keys in sections(file):
        names = [name for name in full_names if addresses(section, name)]
        if not names:
            mend = f'name it after one of {", ".join(full_names)}, or /**'
            raise YamlFile(file).error(keys, 'is for no node of this stack', mend)
        found.update(names)
    return frozenset(found)


def check_file(file: Path, full_names: Sequence[str]) -> None:
    """Raise ConfigurationError if a parameter file has no section for any of the nodes."""
    found = [section for section, _ in sections(file)]
    if not any(addresses(section, name) for section in found for name in full_names):
        mend = f'name the section {" or ".join(full_names)}, or /**'
        there = ', '.join(f'/{section}' for section in found) or 'nobody'
        raise ConfigurationError(
            f'{file}:1: is for {there}, not for {", ".join(full_names)}; {mend}'
        )


def content(file: Path, keys: Sequence[str]) -> Mapping[str, object]:
    """Return the parameters below a section."""
    found = yaml.safe_load(file.read_text(encoding='utf-8'))
    for key in (*keys, MARK):
        found = found[key]
    return found or {}


def _matches(pattern: Sequence[str], name: Sequence[str]) -> bool:
    """Match with ``*`` for one part of a name and ``**`` for any number of them."""
    if not pattern:
        return not name
    if pattern[0] == '**':
        return any(_matches(pattern[1:], name[i:]) for i in range(len(name) + 1))
    return bool(name) and pattern[0] in ('*', name[0]) and _matches(pattern[1:], name[1:])
