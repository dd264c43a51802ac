"""The commands of ALFWorld, in the wording of the game at hand: versions of it renamed verbs."""

import re
from collections.abc import Mapping

from sage_ros.contract.plan import format_action

_NEWEST: Mapping[str, str] = {
    'goto': 'go to {0}',
    'open': 'open {0}',
    'close': 'close {0}',
    'pick': 'take {0} from {1}',
    'put': 'move {0} to {1}',
    'toggle': 'use {0}',
    'slice': 'slice {0} with {1}',
    'clean': 'clean {0} with {1}',
    'heat': 'heat {0} with {1}',
    'cool': 'cool {0} with {1}',
    'look': 'look',
    'inventory': 'inventory',
    'examine': 'examine {0}',
}
"""How each action is said in the newest games."""

_GRAMMAR_NAMES: Mapping[str, str] = {
    'goto': 'GotoLocation',
    'open': 'OpenObject',
    'close': 'CloseObject',
    'pick': 'PickupObject',
    'put': 'PutObject',
    'toggle': 'ToggleObject',
    'slice': 'SliceObject',
    'clean': 'CleanObject',
    'heat': 'HeatObject',
    'cool': 'CoolObject',
    'look': 'look',
    'inventory': 'inventory',
    'examine': 'examineReceptacle',
}
"""How a game's grammar calls each action."""

ACTIONS = tuple(_NEWEST)

_TEMPLATE = re.compile(r'\baction\s+(\w+)\s*\{\s*template\s*::\s*"([^"]*)"')
_SLOT = re.compile(r'\[\{[^\]]*\]|\{[^}]*\}')
_SYMBOL = re.compile(r'[a-z]+_[0-9]+\Z')
_NAME = '([a-z]+ [0-9]+)'


def is_symbol(name: str) -> bool:
    """Tell whether a name can be said: a type and a number."""
    return _SYMBOL.match(name) is not None


def say(symbol: str) -> str:
    """Say a symbol: ``mug_1`` is ``mug 1``."""
    return symbol.replace('_', ' ')


def symbol(name: str) -> str:
    """Write a name of the text as a symbol: ``mug 1`` is ``mug_1``."""
    return name.replace(' ', '_')


class Wording:
    """The commands of one game."""

    def __init__(self, grammar: str = '') -> None:
        """Take the templates out of a game's grammar; what it does not say is as in the newest."""
        written = {match[1]: match[2] for match in _TEMPLATE.finditer(grammar)}
        self._templates: dict[str, str] = {}
        for action, newest in _NEWEST.items():
            template = _numbered(written.get(_GRAMMAR_NAMES[action], newest))
            # Another number of names is another action than ours.
            same = template.count('{') == newest.count('{')
            self._templates[action] = template if same else newest
        self._patterns = [
            (action, re.compile(_pattern(template)))
            for action, template in self._templates.items()
        ]

    def say(self, action: str, args: tuple[str, ...]) -> str:
        """Say an action as the game wants it; KeyError for an action it does not have."""
        return self._templates[action].format(*map(say, args))

    def read(self, command: str) -> str | None:
        """Write a command of the game as ``action(argument, ...)``; None if it is none of ours."""
        for action, pattern in self._patterns:
            match = pattern.fullmatch(command)
            if match is not None:
                return format_action(action, tuple(map(symbol, match.groups())))
        return None


def _numbered(template: str) -> str:
    """Number the slots of a template from the left."""
    numbers = iter(range(template.count('{')))
    return _SLOT.sub(lambda _: f'{{{next(numbers)}}}', template)


def _pattern(template: str) -> str:
    return ''.join(
        _NAME if index % 2 else re.escape(part)
        for index, part in enumerate(re.split(r'\{(\d)\}', template))
    )
