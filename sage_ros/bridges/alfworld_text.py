"""ALFWorld's sentences turned into facts: what a text says, and nothing else.

One table holds every sentence that is understood, with what it means.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from sage_ros.bridges.alfworld_words import symbol
from sage_ros.contract.environment import View
from sage_ros.scene.observation import ANY, Pattern, SceneObject
from sage_ros.symbols.facts import Atom, Fact, Value
from sage_ros.symbols.types import TypeTree

_TRUE, _FALSE = Value.TRUE, Value.FALSE
_NAME = re.compile(r'[a-z]+ [0-9]+')
_TASK = re.compile(r'Your task is to: (?P<task>.+?)\.?\s*\Z', re.DOTALL)
_ANY_PLACE = Pattern('at', (ANY,))
_ANY_HELD = Pattern('holding', (ANY,))


@dataclass(slots=True)
class Reading:
    """What a text says. ``no_effect``: that nothing happened; ``understood``: any of it."""

    objects: dict[str, str] = field(default_factory=dict)
    facts: dict[Atom, Value] = field(default_factory=dict)
    covers: dict[Pattern, None] = field(default_factory=dict)
    no_effect: bool = False
    understood: bool = False

    def view(self, text: str) -> View:
        """Make the view that goes with the text."""
        return View(
            text=text,
            objects=tuple(SceneObject(*item) for item in self.objects.items()),
            facts=tuple(Fact.of(*item) for item in self.facts.items()),
            covers=tuple(self.covers),
        )


def task_of(text: str) -> str:
    """Find the task in the first text of a game; empty if it states none."""
    match = _TASK.search(text)
    return match['task'].strip() if match else ''


class TextReader:
    """Reads the texts of a game. Types that the domain does not know become their nearest kin."""

    def __init__(self, types: TypeTree) -> None:
        self._types = types

    def read(self, text: str) -> Reading:
        """Say what a text says."""
        reading = Reading()
        for pattern, meaning in _SENTENCES:
            for match in pattern.finditer(text):
                reading.understood = True
                meaning(_Scribe(self._types, reading), match)
        return reading


class _Scribe:
    """Writes the meaning of one sentence down."""

    def __init__(self, types: TypeTree, reading: Reading) -> None:
        self._types = types
        self.reading = reading

    def place(self, name: str) -> str:
        """Note a receptacle and return its symbol."""
        return self._object(name, 'receptacle', 'receptacle')

    def item(self, name: str) -> str:
        """Note an item and return its symbol."""
        return self._object(name, 'item', 'portable')

    def thing(self, name: str) -> str:
        """Note what may be a receptacle or an item and return its symbol."""
        is_place = self._types.is_a(name.split(maxsplit=1)[0], 'receptacle')
        return self.place(name) if is_place else self.item(name)

    def fact(self, value: Value, predicate: str, *args: str) -> None:
        self.reading.facts[(predicate, *args)] = value

    def cover(self, pattern: Pattern) -> None:
        self.reading.covers[pattern] = None

    def contents(self, place: str, listed: str) -> None:
        """Note that a receptacle holds what is listed and nothing else."""
        self.cover(Pattern('in', (ANY, place)))
        for name in _NAME.findall(listed):
            self.fact(_TRUE, 'in', self.item(name), place)

    def hand(self, held: str | None) -> None:
        """Note what is in the hand and that nothing else is."""
        self.cover(_ANY_HELD)
        self.fact(_FALSE if held else _TRUE, 'hand_empty')
        if held:
            self.fact(_TRUE, 'holding', held)

    def door(self, place: str, openable: Value, is_open: Value) -> None:
        self.fact(openable, 'openable', place)
        self.fact(is_open, 'open', place)

    def _object(self, name: str, kind: str, nearest: str) -> str:
        type_name = name.split(maxsplit=1)[0]
        known = self._types.is_a(type_name, kind)
        self.reading.objects[symbol(name)] = type_name if known else nearest
        return symbol(name)


_Match = re.Match[str]
_Meaning = Callable[[_Scribe, _Match], None]


def _middle(scribe: _Scribe, match: _Match) -> None:
    scribe.cover(_ANY_PLACE)
    for name in _NAME.findall(match['list'] or ''):
        scribe.place(name)


def _arrive(scribe: _Scribe, match: _Match) -> None:
    scribe.cover(_ANY_PLACE)
    scribe.fact(_TRUE, 'at', scribe.place(match['r']))


def _facing(scribe: _Scribe, match: _Match) -> None:
    scribe.cover(_ANY_PLACE)
    for name in _NAME.findall(match['list']):
        scribe.fact(_TRUE, 'at', scribe.place(name))


def _on(scribe: _Scribe, match: _Match) -> None:
    place = scribe.place(match['r'])
    scribe.door(place, _FALSE, _FALSE)
    scribe.contents(place, match['list'])


def _in(scribe: _Scribe, match: _Match) -> None:
    place = scribe.place(match['r'])
    scribe.door(place, _TRUE, _TRUE)
    scribe.contents(place, match['list'])


def _opened(scribe: _Scribe, match: _Match) -> None:
    scribe.door(scribe.place(match['r']), _TRUE, _TRUE)


def _closed(scribe: _Scribe, match: _Match) -> None:
    scribe.door(scribe.place(match['r']), _TRUE, _FALSE)


def _picked(scribe: _Scribe, match: _Match) -> None:
    item, place = scribe.item(match['o']), scribe.place(match['r'])
    scribe.hand(item)
    scribe.fact(_FALSE, 'in', item, place)


def _put(scribe: _Scribe, match: _Match) -> None:
    item, place = scribe.item(match['o']), scribe.place(match['r'])
    scribe.hand(None)
    scribe.fact(_TRUE, 'in', item, place)


def _treated(**becomes: Value) -> _Meaning:
    def meaning(scribe: _Scribe, match: _Match) -> None:
        item = scribe.item(match['o'])
        for predicate, value in becomes.items():
            scribe.fact(value, predicate, item)

    return meaning


def _switched(scribe: _Scribe, match: _Match) -> None:
    scribe.fact(Value(match['to'] == 'on'), 'on', scribe.thing(match['x']))


def _carrying(scribe: _Scribe, match: _Match) -> None:
    for name in _NAME.findall(match['list']):
        scribe.hand(scribe.item(name))


def _carrying_nothing(scribe: _Scribe, _: _Match) -> None:
    scribe.hand(None)


def _described(scribe: _Scribe, match: _Match) -> None:
    item = scribe.item(match['o'])
    words = match['words'].replace('cold', 'cool').split()
    for predicate in ('clean', 'hot', 'cool', 'sliced'):
        if predicate in words:
            scribe.fact(_TRUE, predicate, item)
    for one, other in (('hot', 'cool'), ('cool', 'hot')):
        if one in words:
            scribe.fact(_FALSE, other, item)


def _nothing_special(scribe: _Scribe, match: _Match) -> None:
    item = scribe.item(match['o'])
    for predicate in ('clean', 'hot', 'cool', 'sliced'):
        scribe.fact(_FALSE, predicate, item)


def _no_facts(_: _Scribe, __: _Match) -> None:
    """Take a sentence as understood that says nothing about the state."""


def _nothing_happens(scribe: _Scribe, _: _Match) -> None:
    scribe.reading.no_effect = True


def _sentence(text: str) -> re.Pattern[str]:
    """Compile a sentence: R, O and X are names, LIST is a list of things."""
    name = r'(?P<{}>[a-z]+ [0-9]+)'
    for short, group in (('<R>', 'r'), ('<O>', 'o'), ('<X>', 'x')):
        text = text.replace(short, name.format(group))
    return re.compile(text.replace('<LIST>', r'(?P<list>[^.]*)'))


_SENTENCES: tuple[tuple[re.Pattern[str], _Meaning], ...] = tuple(
    (_sentence(text), meaning)
    for text, meaning in (
        (
            r'You are in the middle of an? [a-z ]+\.(?: Looking [a-z ]+, you see <LIST>\.)?',
            _middle,
        ),
        (r'You arrive at (?!loc )<R>\.', _arrive),
        (r'You arrive at loc [0-9]+\. (?:On the|In the|The) <R>', _arrive),
        (r'You are facing the <LIST>\.', _facing),
        (r'On the <R>, you see <LIST>\.', _on),
        (r'The <R> is open\. In it, you see <LIST>\.', _in),
        (r'The <R> is closed\.', _closed),
        (r'You open the <R>\.', _opened),
        (r'You close the <R>\.', _closed),
        (r'You pick up the <O> from the <R>\.', _picked),
        (r'You (?:move|put) the <O> (?:to|in/on) the <R>\.', _put),
        (r'You clean the <O> using the <R>\.', _treated(clean=_TRUE)),
        (r'You heat the <O> using the <R>\.', _treated(hot=_TRUE, cool=_FALSE)),
        (r'You cool the <O> using the <R>\.', _treated(cool=_TRUE, hot=_FALSE)),
        (r'You sliced? the <O> with the ', _treated(sliced=_TRUE)),
        (r'You turn (?P<to>on|off) the <X>\.', _switched),
        (r'You are carrying: <LIST>\.', _carrying),
        (r'You are not carrying anything\.', _carrying_nothing),
        (r'This is a (?P<words>(?:hot|cold|cool|clean|sliced|and|\s)+) <O>\.', _described),
        (r'This is a normal <O>\.', _no_facts),
        (r'This <X> is (?P<to>on|off)\.', _switched),
        (r"There's nothing special about <O>\.", _nothing_special),
        (r'Available commands:', _no_facts),
        (r'Nothing happens\.', _nothing_happens),
        (r"You don't see any switch on the <X>\.", _nothing_happens),
    )
)
"""Every sentence that is understood, in the wording of old and new games, and its meaning."""
