"""Where to look for what has not been seen: priors of where things are, and what a look costs."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sage_ros.contract.resources import config_path
from sage_ros.contract.yaml_file import YamlFile
from sage_ros.planning.names import natural
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import ANY
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Value
from sage_ros.symbols.state import GroundAction

Chance = Annotated[float, Field(ge=0, le=1)]


class _File(BaseModel):
    model_config = ConfigDict(extra='forbid', frozen=True)

    doors: list[str]
    default: Chance
    likelihood: dict[str, dict[str, Chance]]


@dataclass(frozen=True, slots=True)
class Priors:
    """What is expected before anything is seen.

    ``doors``: types of receptacles taken to have a door. ``likelihood``: the chance in [0, 1]
    that one receptacle of a type holds a thing of a type, ``default`` where it says nothing.
    """

    doors: frozenset[str]
    default: float
    likelihood: Mapping[str, Mapping[str, float]]

    def chance(self, thing: str, receptacle: str) -> float:
        """Return the chance that a receptacle holds a thing, both given by their type."""
        return self.likelihood.get(thing, {}).get(receptacle, self.default)


def read_priors(path: Path, domain: Domain) -> Priors:
    """Read a file of priors; ConfigurationError names file, line, key and mend."""
    file = YamlFile(path)
    content = file.read(_File)
    thing, place = (domain.types.subtypes(kind) for kind in domain.predicates['in'])
    for index, door in enumerate(content.doors):
        if door not in place:
            raise file.error(('doors', index), f'{door!r} is no receptacle', 'take one that is')
    for item, chances in content.likelihood.items():
        if item not in thing:
            mend = f'take a type of {domain.name}'
            raise file.error(('likelihood', item), f'{item!r} is no thing', mend)
        for receptacle in chances:
            if receptacle not in place:
                mend = f'take a receptacle of {domain.name}'
                key = ('likelihood', item, receptacle)
                raise file.error(key, f'{receptacle!r} is no receptacle', mend)
    return Priors(frozenset(content.doors), content.default, content.likelihood)


def priors(domain: Domain) -> Priors:
    """Read the package's own priors for a domain; nothing but a default where it has none."""
    try:
        path = config_path(f'priors/{domain.name}.yaml')
    except FileNotFoundError:
        return Priors(frozenset(), 0.01, {})
    return read_priors(path, domain)


class Explorer:
    """Chooses where to look next, in one episode.

    A receptacle is worth a look while its contents are unknown, and again when something that is
    sought has vanished from where it was since it was last looked into.
    """

    def __init__(
        self, domain: Domain, expected: Priors, actions: Collection[str] = ('goto', 'open')
    ) -> None:
        self._domain = domain
        self._priors = expected
        self._actions = actions
        self._examined: frozenset[str] = frozenset()
        self._places: dict[str, str] = {}
        self._vanished: dict[str, int] = {}
        self._looked: dict[str, int] = {}

    def notice(self, belief: Belief, examined: frozenset[str] = frozenset()) -> None:
        """Take note of what stands before the agent and of what is no longer where it was.

        ``examined`` are the things examined so far.
        """
        self._examined = examined
        for _, receptacle in belief.true_atoms('at'):
            if self.shut(belief, receptacle) is not True:
                self._looked[receptacle] = belief.seq
        places = {atom[1]: atom[2] for atom in belief.true_atoms('in')}
        places.update({atom[1]: '' for atom in belief.true_atoms('holding')})
        for item in self._places.keys() - places.keys():
            self._vanished[item] = belief.seq
        for item in places:
            self._vanished.pop(item, None)
        self._places = places

    def next_look(
        self, belief: Belief, sought: Collection[str], barred: Collection[GroundAction]
    ) -> list[GroundAction]:
        """Return the actions of the most promising look for the sought types; empty if none is.

        That is the look with the best chance of finding any of them for its number of actions.
        """
        best: tuple[float, tuple[str, int], list[GroundAction]] | None = None
        _, place = self._domain.predicates['in']
        for receptacle in self._domain.types.select(belief.objects, place):
            if not self._worth(belief, receptacle, sought):
                continue
            actions = self.look(belief, receptacle)
            if not actions or any(action in barred for action in actions):
                continue
            cost = len(actions) + (1 if self._hides(belief, receptacle, actions) else 0)
            chance = self._chance(sought, belief.objects[receptacle])
            rank = (-chance / cost, natural(receptacle))
            if best is None or rank < best[:2]:
                best = (*rank, actions)
        return [] if best is None else best[2]

    def shut(self, belief: Belief, receptacle: str) -> bool | None:
        """Tell whether a door hides the contents; None if that is not known."""
        openable = belief.value(('openable', receptacle))
        if openable is Value.FALSE or belief.value(('open', receptacle)) is Value.TRUE:
            return False
        if openable is Value.UNKNOWN or belief.value(('open', receptacle)) is Value.UNKNOWN:
            return None
        return True

    def has_door(self, belief: Belief, receptacle: str) -> bool:
        """Tell whether a receptacle has a door, by its type as long as that is not known."""
        openable = belief.value(('openable', receptacle))
        if openable is Value.UNKNOWN:
            return belief.objects[receptacle] in self._priors.doors
        return openable is Value.TRUE

    def contents_known(self, belief: Belief, receptacle: str) -> bool:
        """Tell whether everything in a receptacle was seen once."""
        return belief.covered(('in', ANY, receptacle))

    def vanished(self, item: str) -> bool:
        """Tell whether a thing was seen and is no longer where it was."""
        return item in self._vanished

    def _worth(self, belief: Belief, receptacle: str, sought: Collection[str]) -> bool:
        if not self.contents_known(belief, receptacle):
            return True
        last = self._looked.get(receptacle, 0)
        return any(
            seq > last and belief.objects.get(item) in sought
            for item, seq in self._vanished.items()
        )

    def look(self, belief: Belief, receptacle: str) -> list[GroundAction]:
        """List the actions that show the contents, as far as it is known which are needed."""
        there = belief.value(('at', receptacle)) is Value.TRUE
        actions = [] if there else [GroundAction('goto', (receptacle,))]
        if self.shut(belief, receptacle) is True:
            actions.append(GroundAction('open', (receptacle,)))
        if self.unclear(belief, receptacle):
            actions.append(GroundAction('examine', (receptacle,)))
        return actions

    def unclear(self, belief: Belief, receptacle: str) -> bool:
        """Tell whether the agent stands at it, does not know its door, and can examine it."""
        return (
            belief.value(('at', receptacle)) is Value.TRUE
            and self.shut(belief, receptacle) is None
            and 'examine' in self._actions
            and receptacle not in self._examined
        )

    def _hides(self, belief: Belief, receptacle: str, actions: Iterable[GroundAction]) -> bool:
        """Tell whether a door is likely to need one more action than is known to be needed."""
        return self.has_door(belief, receptacle) and not any(a.name == 'open' for a in actions)

    def _chance(self, sought: Collection[str], receptacle: str) -> float:
        missed = 1.0
        for thing in sought:
            missed *= 1.0 - self._priors.chance(thing, receptacle)
        return 1.0 - missed
