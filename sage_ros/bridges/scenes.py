"""Scene files of the embedded household: read, checked against the domain, filled by the seed."""

import random
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field

from sage_ros.bridges.disturbances import Disturbances
from sage_ros.contract.environment import SceneError
from sage_ros.contract.resources import config_path
from sage_ros.contract.yaml_file import ConfigurationError, Key, YamlFile
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Atom, parse_atom
from sage_ros.symbols.state import State

_FREE = ('clean', 'hot', 'cool', 'sliced', 'filled', 'on')
"""The facts that a scene may state of its things; all others follow from where they are."""

_NAME = re.compile(r'([a-z][a-z0-9]*(?:_[a-z]+)*)_([0-9]+)\Z')

Door = Literal['none', 'closed', 'open']


class Receptacle(BaseModel):
    """A receptacle: whether it has a door, and what is in or on it at the start."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    door: Door = 'none'
    holds: list[str] = []


class Scattered(BaseModel):
    """Objects that the seed puts into some of the receptacles ``among``."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    objects: Annotated[list[str], Field(min_length=1)]
    among: Annotated[list[str], Field(min_length=1)]


class SceneFile(BaseModel):
    """A scene as it is written down; ``room`` and ``task`` are words for people."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    room: str = 'a room'
    task: str = ''
    view: Literal['partial', 'full'] = 'partial'
    receptacles: Annotated[dict[str, Receptacle], Field(min_length=1)]
    scattered: list[Scattered] = []
    facts: list[str] = []
    disturbances: Disturbances = Disturbances()


class Scene:
    """A scene whose names, types and facts are known to fit the domain."""

    def __init__(
        self, file: SceneFile, objects: Mapping[str, str], atoms: frozenset[Atom]
    ) -> None:
        self.room = file.room
        self.task = file.task
        self.full_view = file.view == 'full'
        self.disturbances = file.disturbances
        self.receptacles = tuple(file.receptacles)
        self.objects = objects
        self._atoms = atoms
        self._scattered = file.scattered

    def start(self, seed: int) -> State:
        """Build the true state at the start; the seed decides where scattered objects lie."""
        rng = random.Random(seed)
        atoms = set(self._atoms)
        for group in self._scattered:
            atoms.update(('in', item, rng.choice(group.among)) for item in group.objects)
        return State(atoms, self.objects)


def find_scene(scene: str) -> Path:
    """Find a scene by name in the configuration, or the file of this path."""
    if scene.endswith(('.yaml', '.yml')):
        path = Path(scene)
        if not path.is_file():
            raise SceneError(f'{scene}: no such scene file')
        return path
    try:
        folder = config_path('scenes')
    except FileNotFoundError as error:
        raise SceneError(f'no scenes are installed: {error}') from error
    names = sorted(path.stem for path in folder.glob('*.yaml'))
    if scene not in names:
        known = ', '.join(names)
        raise SceneError(
            f'unknown scene {scene!r}: take one of {known}, or a path to a .yaml file'
        )
    return folder / f'{scene}.yaml'


def read_scene(path: Path, domain: Domain) -> Scene:
    """Read a scene file; SceneError names file, line, key and mend of what does not fit."""
    try:
        source = YamlFile(path)
        return _Checked(source, source.read(SceneFile), domain).scene()
    except ConfigurationError as error:
        raise SceneError(str(error)) from error


class _Checked:
    """Walks a scene file and collects its objects and facts."""

    def __init__(self, source: YamlFile, file: SceneFile, domain: Domain) -> None:
        self._source = source
        self._file = file
        self._domain = domain
        self._objects: dict[str, str] = {}
        self._atoms: set[Atom] = {('hand_empty',)}
        self._places: dict[str, Key] = {}

    def scene(self) -> Scene:
        for name, receptacle in self._file.receptacles.items():
            self._declare(name, 'receptacle', ('receptacles', name))
            if receptacle.door != 'none':
                self._atoms.add(('openable', name))
            if receptacle.door == 'open':
                self._atoms.add(('open', name))
        for name, receptacle in self._file.receptacles.items():
            for index, item in enumerate(receptacle.holds):
                self._declare(item, 'item', ('receptacles', name, 'holds', index))
                self._atoms.add(('in', item, name))
        for number, group in enumerate(self._file.scattered):
            key: Key = ('scattered', number)
            for index, item in enumerate(group.objects):
                self._declare(item, 'item', (*key, 'objects', index))
            for index, name in enumerate(group.among):
                if name not in self._file.receptacles:
                    mend = _near(name, self._file.receptacles)
                    self._fail((*key, 'among', index), f'unknown receptacle {name!r}', mend)
        for index, text in enumerate(self._file.facts):
            self._fact(text, ('facts', index))
        return Scene(self._file, self._objects, frozenset(self._atoms))

    def _declare(self, name: str, kind: str, key: Key) -> None:
        match = _NAME.match(name)
        if match is None:
            self._fail(key, f'{name!r} is no name', 'write a type and a number, such as mug_1')
        type_name = match[1]
        types = self._domain.types
        if type_name not in types.parents:
            known = sorted(types.subtypes(kind))
            self._fail(key, f'{name} has the unknown type {type_name!r}', _near(type_name, known))
        if not types.is_a(type_name, kind):
            self._fail(key, f'{name} is no {kind}', f'put no {type_name} here')
        if name in self._objects:
            first = '.'.join(map(str, self._places[name]))
            self._fail(key, f'{name} is already at {first}', 'give it another number')
        self._objects[name] = type_name
        self._places[name] = key

    def _fact(self, text: str, key: Key) -> None:
        try:
            atom = parse_atom(text)
        except ValueError as error:
            self._fail(key, str(error), 'write facts such as clean(mug_1)')
        problem = self._domain.check_atom(atom, self._objects)
        if problem is not None:
            self._fail(key, problem, 'name predicates of the domain and objects of this scene')
        if atom[0] not in _FREE:
            free = ', '.join(_FREE)
            self._fail(key, f'{atom[0]} follows from the rest', f'facts may be {free}')
        self._atoms.add(atom)

    def _fail(self, key: Key, problem: str, mend: str) -> NoReturn:
        raise self._source.error(key, problem, mend)


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f'did you mean {" or ".join(near)}?' if near else f'take one of {", ".join(known)}'
