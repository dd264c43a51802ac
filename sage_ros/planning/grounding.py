"""From the words of a model to an action on known objects, or what is wrong with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sage_ros.planning.names import natural
from sage_ros.planning.world import World
from sage_ros.symbols.state import GroundAction


@dataclass(frozen=True, slots=True)
class Grounded:
    """An action, and a note where words of the model were taken for something."""

    action: GroundAction
    note: str = ''


class GroundingError(ValueError):
    """Words that name no action or no object; the message suggests those that exist."""


def ground(world: World, objects: Mapping[str, str], action: str, args: Sequence[str]) -> Grounded:
    """Read an action strictly; GroundingError says what is wrong with it.

    A type in the place of an object stands for the object of that type with the lowest number;
    the note says so. Aliases of the admission file and other spellings are understood.
    """
    name = _symbol(action)
    name = world.admission.aliases.get(name, name)
    actions = world.actions
    if name not in actions:
        raise GroundingError(f'unknown action {action!r}{_near(name, actions)}')
    parameters = world.domain.actions[name].parameters
    if len(args) != len(parameters):
        wanted = ', '.join(p.type for p in parameters)
        raise GroundingError(f'{name} takes {len(parameters)} arguments ({wanted}), not {args}')
    notes = []
    found = []
    for given, parameter in zip(args, parameters, strict=True):
        word = _symbol(given)
        chosen = word
        if word not in objects:
            same = sorted(world.domain.types.select(objects, word), key=natural)
            if not same:
                raise GroundingError(f'unknown object {given!r}{_near(word, objects)}')
            chosen = same[0]
            notes.append(f'{given} taken as {chosen}, the first of {len(same)}')
        kind = objects[chosen]
        if not world.domain.types.is_a(kind, parameter.type):
            raise GroundingError(f'{chosen} is a {kind}, {name} needs a {parameter.type} there')
        found.append(chosen)
    return Grounded(GroundAction(name, tuple(found)), '; '.join(notes))


def _symbol(word: str) -> str:
    return '_'.join(word.lower().split())


def _near(word: str, names: Sequence[str] | Mapping[str, str]) -> str:
    found = get_close_matches(word, list(names), n=3, cutoff=0.5)
    return f': did you mean {", ".join(found)}?' if found else ''
