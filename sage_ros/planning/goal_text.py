"""Goals in plain words: the forms of household tasks, and conjunctions of facts.

Reading is exact: what does not fit a form is an error that quotes it, never a guess.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from sage_ros.planning.backend import GoalError
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Fact
from sage_ros.symbols.goals import Goal, check, parse_goal, typed

FORMS = (
    'put a mug on the desk',
    'put a clean|hot|cool mug in the cabinet',
    'clean|heat|cool some mug and put it in the cabinet',
    'put two mugs on the desk',
    'find two mugs and put them on the desk',
    'look at the book under the desklamp',
    'examine the book with the desklamp',
    'in(?o:mug, ?r:desk), clean(?o)',
)
"""An example of each form, with ``|`` between words that can stand in one place."""

_STATES = {
    'clean': 'clean',
    'cleaned': 'clean',
    'washed': 'clean',
    'hot': 'hot',
    'heated': 'hot',
    'warm': 'hot',
    'cool': 'cool',
    'cooled': 'cool',
    'cold': 'cool',
    'chilled': 'cool',
    'sliced': 'sliced',
}
_VERBS = {
    'clean': 'clean',
    'wash': 'clean',
    'heat': 'hot',
    'warm': 'hot',
    'cool': 'cool',
    'chill': 'cool',
    'slice': 'sliced',
}
_ARTICLES = frozenset(('a', 'an', 'the', 'some', 'one', 'any'))
_TWO = frozenset(('two', '2'))
_ALIASES = {
    'refrigerator': 'fridge',
    'sink': 'sinkbasin',
    'bathtub': 'bathtubbasin',
    'trashcan': 'garbagecan',
    'bin': 'garbagecan',
    'couch': 'sofa',
    'phone': 'cellphone',
    'counter': 'countertop',
}
_IN = r'(?:in/on|into|onto|inside|in|on|to)'
_PUT = re.compile(rf'(?:put|place|move|bring) (.+?) {_IN} (.+)')
_TREAT = re.compile(
    rf'({"|".join(_VERBS)}) (.+?) and (?:then )?(?:put|place|move) (?:it|them) {_IN} (.+)'
)
_FIND = re.compile(
    rf'(?:find|take|get) (.+?) and (?:then )?(?:put|place|move) (?:it|them) {_IN} (.+)'
)
_LIGHT = re.compile(r'(?:look at|examine|inspect) (.+?) (?:under|with|by|in) (.+)')
_PREFIX = re.compile(r'(?:your task is to:?|please)\s+')


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase: how many, in which states, of which type or which object."""

    count: int
    states: tuple[str, ...]
    type: str
    name: str = ''

    def term(self, variable: str) -> str:
        """Return the object's name, or a typed variable."""
        return self.name or f'{variable}:{self.type}'


def understand(text: str, domain: Domain, objects: Mapping[str, str]) -> Goal:
    """Turn a goal in words into facts over the domain's types and known objects.

    GoalError quotes what is not understood.
    """
    words = ' '.join(text.lower().split()).rstrip('.!')
    words = _PREFIX.sub('', words, count=1) if _PREFIX.match(words) else words
    if not words:
        raise GoalError(f'the goal is empty. {_forms()}')
    if '(' in words:
        return _facts(words, domain, objects)
    goal = typed(Goal(_sentence(words, _Lexicon(domain, objects))), domain)
    errors = check(goal, domain, objects)
    if errors:
        raise GoalError(f'not a goal: {"; ".join(errors)}')
    return goal


def _facts(words: str, domain: Domain, objects: Mapping[str, str]) -> Goal:
    try:
        goal = parse_goal(words, domain)
    except ValueError as error:
        raise GoalError(f'{error}. {_forms()}') from error
    errors = check(goal, domain, objects)
    if errors:
        lexicon = _Lexicon(domain, objects)
        unknown = [a for fact in goal.facts for a in fact.args if not a.startswith('?')]
        near = next((lexicon.near(a) for a in unknown if a not in objects), '')
        raise GoalError(f'not a goal: {"; ".join(errors)}{near}')
    return goal


def _sentence(words: str, lexicon: '_Lexicon') -> tuple[Fact, ...]:
    if match := _TREAT.fullmatch(words):
        thing = lexicon.phrase(match[2], lexicon.thing)
        return _put(thing, lexicon.phrase(match[3], lexicon.place), _VERBS[match[1]])
    if match := _FIND.fullmatch(words) or _PUT.fullmatch(words):
        thing = lexicon.phrase(match[1], lexicon.thing)
        return _put(thing, lexicon.phrase(match[2], lexicon.place))
    if match := _LIGHT.fullmatch(words):
        thing = lexicon.phrase(match[1], lexicon.thing)
        lamp = lexicon.phrase(match[2], lexicon.thing)
        if thing.count != 1 or lamp.count != 1:
            raise GoalError(f'{words!r}: one thing under one lamp at a time. {_forms()}')
        light = lamp.term('?l')
        return (
            *_each(thing, 'holding'),
            Fact('on', (light,)),
            Fact('in', (light, '?r')),
            Fact('at', ('?r',)),
        )
    raise GoalError(f'{words!r} is of no form that is understood. {_forms()}')


def _each(thing: _Phrase, *predicates: str) -> tuple[Fact, ...]:
    names = ('?o',) if thing.count == 1 else tuple(f'?o{i + 1}' for i in range(thing.count))
    return tuple(
        Fact(predicate, (thing.term(name),))
        for name in names
        for predicate in (*predicates, *thing.states)
    )


def _put(thing: _Phrase, place: _Phrase, *states: str) -> tuple[Fact, ...]:
    if place.count != 1:
        raise GoalError(f'one place at a time, not {place.count}. {_forms()}')
    names = ('?o',) if thing.count == 1 else tuple(f'?o{i + 1}' for i in range(thing.count))
    target = place.term('?r')
    facts = []
    for name in names:
        facts.append(Fact('in', (thing.term(name), target)))
        facts += [
            Fact(state, (thing.term(name),)) for state in dict.fromkeys((*states, *thing.states))
        ]
    return tuple(facts)


class _Lexicon:
    """The nouns of a domain: its types, in one word or several, singular or plural."""

    def __init__(self, domain: Domain, objects: Mapping[str, str]) -> None:
        self._domain = domain
        self._objects = objects
        self.thing, self.place = domain.predicates['in']

    def phrase(self, words: str, wanted: str) -> _Phrase:
        """Read a noun phrase that names a thing of the wanted type; GoalError quotes it."""
        rest = words.split()
        count = 1
        states: list[str] = []
        while rest and (rest[0] in _ARTICLES or rest[0] in _TWO or rest[0] in _STATES):
            word = rest.pop(0)
            if word in _TWO:
                count = 2
            elif word in _STATES:
                states.append(_STATES[word])
        if rest[:2] == ['slice', 'of'] or rest[:2] == ['slices', 'of']:
            rest = rest[2:]
            states.append('sliced')
        if not rest:
            raise GoalError(f'{words!r} names nothing. {_forms()}')
        name = self._object(rest, wanted)
        if name is not None:
            if count != 1:
                raise GoalError(f'{words!r}: {name} exists once')
            return _Phrase(1, tuple(dict.fromkeys(states)), self._objects[name], name)
        return _Phrase(count, tuple(dict.fromkeys(states)), self._type(rest, wanted), '')

    def near(self, word: str) -> str:
        """Suggest known names like a word, as the end of a message."""
        kind, _, number = word.rpartition('_')
        if kind in self._domain.types and number.isdigit():
            return f' (nobody has seen it yet; write ?o:{kind} for any {kind})'
        names = [*self._objects, *self._domain.types]
        found = get_close_matches(word, names, n=3, cutoff=0.6)
        return f' (did you mean {", ".join(found)}?)' if found else ''

    def _object(self, rest: list[str], wanted: str) -> str | None:
        """Find the object that ``mug_1`` or ``mug 1`` names; None if no object is named."""
        joined = ''.join(rest[:-1]) + f'_{rest[-1]}' if rest[-1].isdecimal() else ''.join(rest)
        if joined in self._objects:
            kind = self._objects[joined]
            if not self._domain.types.is_a(kind, wanted):
                raise GoalError(f'{" ".join(rest)!r}: {joined} is a {kind}, not a {wanted}')
            return joined
        stem, _, number = joined.rpartition('_')
        if not (stem and number.isdecimal()):
            return None
        kind = self._noun(stem, wanted) or stem
        known = sorted(self._domain.types.select(self._objects, kind))
        listed = f'known are {", ".join(known)}' if known else f'no {kind} is known'
        raise GoalError(f'unknown object {joined!r}: {listed}{self.near(joined)}')

    def _type(self, rest: list[str], wanted: str) -> str:
        noun = ''.join(rest)
        found = self._noun(noun, wanted)
        if found is not None:
            return found
        if noun in self._domain.types:
            raise GoalError(f'{" ".join(rest)!r}: a {noun} is not a {wanted}')
        kinds = sorted(self._domain.types.subtypes(wanted))
        near = get_close_matches(noun, kinds, n=3, cutoff=0.5)
        meant = f': did you mean {", ".join(near)}?' if near else ''
        raise GoalError(f'unknown {wanted} {" ".join(rest)!r}{meant or f". {_forms()}"}')

    def _noun(self, noun: str, wanted: str) -> str | None:
        kinds = self._domain.types.subtypes(wanted)
        candidates = [noun]
        for ending, singular in (('ves', 'fe'), ('ves', 'f'), ('ies', 'y'), ('es', ''), ('s', '')):
            if noun.endswith(ending):
                candidates.append(noun.removesuffix(ending) + singular)
        for candidate in candidates:
            for name in (candidate, _ALIASES.get(candidate, '')):
                if name in kinds:
                    return name
        return None


def _forms() -> str:
    return 'Understood are: ' + '; '.join(FORMS)
