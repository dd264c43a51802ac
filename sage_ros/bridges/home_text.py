"""The household in words: the wording of ALFWorld, with its own where ALFWorld has none."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sage_ros.symbols.formula import Literal
from sage_ros.symbols.state import State

NOTHING = 'Nothing happens.'

_WORDS: Mapping[str, str] = {
    'goto': 'go to {0}',
    'open': 'open {0}',
    'close': 'close {0}',
    'pick': 'take {0} from {1}',
    'put': 'move {0} to {1}',
    'toggle': 'use {0}',
    'slice': 'slice {0} with {1}',
    'fill': 'fill {0} with {1}',
    'empty': 'empty {0}',
    'wipe': 'wipe {0}',
    'look': 'look',
    'inventory': 'inventory',
    'examine': 'examine {0}',
}
"""How each action is said as a command."""

_DONE: Mapping[str, str] = {
    'close': 'You close the {0}.',
    'pick': 'You pick up the {0} from the {1}.',
    'put': 'You move the {0} to the {1}.',
    'slice': 'You sliced the {0} with the {1}.',
    'fill': 'You fill the {0} from the {1}.',
    'empty': 'You empty the {0}.',
    'wipe': 'You wipe the {0}.',
}
"""What is said after an action that shows nothing else."""


def say(name: str) -> str:
    """Say a name: ``mug_1`` is ``mug 1``."""
    return name.replace('_', ' ')


def listing(names: Iterable[str]) -> str:
    """List things: ``a mug 1, a cup 2, and a pen 1``, or ``nothing``."""
    said = [f'a {say(name)}' for name in names]
    if not said:
        return 'nothing'
    if len(said) == 1:
        return said[0]
    return f'{", ".join(said[:-1])}, and {said[-1]}'


def command(action: str, args: Sequence[str]) -> str:
    """Say an action as a command."""
    return _WORDS[action].format(*map(say, args))


def contents(state: State, receptacle: str) -> str:
    """Say what somebody sees who stands at a receptacle."""
    if ('openable', receptacle) not in state:
        return f'On the {say(receptacle)}, you see {listing(things_in(state, receptacle))}.'
    if ('open', receptacle) not in state:
        return f'The {say(receptacle)} is closed.'
    seen = listing(things_in(state, receptacle))
    return f'The {say(receptacle)} is open. In it, you see {seen}.'


def things_in(state: State, receptacle: str) -> list[str]:
    """List what lies in or on a receptacle, in a stable order."""
    return [row[0] for row in state.index.select(Literal('in', ('?o', receptacle)), {})]


def done(state: State, action: str, args: tuple[str, ...], places: Collection[str]) -> str:
    """Say how an action went, from the state after it; ``places`` are the receptacles."""
    if action == 'goto':
        return f'You arrive at {say(args[0])}. {contents(state, args[0])}'
    if action == 'open':
        return f'You open the {say(args[0])}. {contents(state, args[0])}'
    if action == 'toggle':
        return f'You turn {"on" if ("on", args[0]) in state else "off"} the {say(args[0])}.'
    if action == 'look':
        return around(state)
    if action == 'inventory':
        return carried(state)
    if action == 'examine':
        return examined(state, args[0], places)
    return _DONE[action].format(*map(say, args))


def standing_at(state: State) -> str | None:
    """Find the receptacle at which the agent stands."""
    return next((row[0] for row in state.index.rows.get('at', ())), None)


def in_hand(state: State) -> str | None:
    """Find what the agent holds."""
    return next((row[0] for row in state.index.rows.get('holding', ())), None)


def room(name: str, receptacles: Iterable[str]) -> str:
    """Say what is seen at the start."""
    seen = listing(receptacles)
    return f'You are in the middle of {name}. Looking quickly around you, you see {seen}.'


def around(state: State) -> str:
    """Say where one stands and what is there."""
    place = standing_at(state)
    if place is None:
        return 'You are in the middle of a room.'
    return f'You are facing the {say(place)}. {contents(state, place)}'


def carried(state: State) -> str:
    """Say what is in the hand."""
    held = in_hand(state)
    return f'You are carrying: {listing([held])}.' if held else 'You are not carrying anything.'


def examined(state: State, name: str, places: Collection[str]) -> str:
    """Say how a thing is."""
    if name in places:
        return contents(state, name)
    words = [word for word in ('hot', 'cool', 'clean') if (word, name) in state]
    sliced = ['sliced'] if ('sliced', name) in state else []
    if words or sliced:
        return f'This is a {" ".join([" and ".join(words), *sliced]).strip()} {say(name)}.'
    if ('on', name) in state:
        return f'This {say(name)} is on.'
    return f"There's nothing special about {say(name)}."
