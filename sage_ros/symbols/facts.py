"""Ground atoms, three-valued facts and numeric fluents: the words every other part speaks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

Atom = tuple[str, ...]
"""A ground atom: the predicate, then its arguments."""

_ATOM = re.compile(r'\s*([^\s(),]+)\s*(?:\(([^()]*)\))?\s*\Z')


class Value(IntEnum):
    """Truth in Kleene's strong three-valued logic."""

    FALSE = 0
    TRUE = 1
    UNKNOWN = 2


def kleene_not(value: Value) -> Value:
    """Negate; unknown stays unknown."""
    return value if value is Value.UNKNOWN else Value(1 - value)


def kleene_and(values: Iterable[Value]) -> Value:
    """Conjoin: false wins over unknown, unknown over true; stops at the first false."""
    result = Value.TRUE
    for value in values:
        if value is Value.FALSE:
            return Value.FALSE
        if value is Value.UNKNOWN:
            result = Value.UNKNOWN
    return result


def kleene_or(values: Iterable[Value]) -> Value:
    """Disjoin: true wins over unknown, unknown over false; stops at the first true."""
    result = Value.FALSE
    for value in values:
        if value is Value.TRUE:
            return Value.TRUE
        if value is Value.UNKNOWN:
            result = Value.UNKNOWN
    return result


@dataclass(frozen=True, slots=True)
class Fact:
    """An atom with its truth value."""

    predicate: str
    args: tuple[str, ...] = ()
    value: Value = Value.TRUE

    @classmethod
    def of(cls, atom: Atom, value: Value = Value.TRUE) -> Self:
        """Build from an atom."""
        return cls(atom[0], atom[1:], value)

    @property
    def atom(self) -> Atom:
        """The fact's atom."""
        return (self.predicate, *self.args)

    def __str__(self) -> str:
        prefix = {Value.TRUE: '', Value.FALSE: 'not ', Value.UNKNOWN: 'unknown '}[self.value]
        return prefix + format_atom(self.atom)


@dataclass(frozen=True, slots=True)
class Fluent:
    """A number attached to objects: a temperature, the steps left of a running process."""

    name: str
    args: tuple[str, ...] = ()
    value: float = 0.0
    unit: str = ''


def format_atom(atom: Atom) -> str:
    """Print an atom as ``in(mug_1, desk_1)``; without arguments ``hand_empty()``."""
    return f'{atom[0]}({", ".join(atom[1:])})'


def parse_atom(text: str) -> Atom:
    """Read ``in(mug_1, desk_1)`` or ``hand_empty``; ValueError says what is wrong with it."""
    match = _ATOM.match(text)
    if match is None:
        raise ValueError(f'not an atom: {text!r} (expected predicate(argument, ...))')
    inner = match[2]
    if inner is None or not inner.strip():
        return (match[1],)
    args = tuple(part.strip() for part in inner.split(','))
    for arg in args:
        if not arg or ' ' in arg:
            raise ValueError(f'not an atom: {text!r} (bad argument {arg!r})')
    return (match[1], *args)


def parse_fact(text: str) -> Fact:
    """Read an atom that may stand after ``not`` (false) or ``unknown``."""
    word, _, rest = text.strip().partition(' ')
    if rest and word == 'not':
        return Fact.of(parse_atom(rest), Value.FALSE)
    if rest and word == 'unknown':
        return Fact.of(parse_atom(rest), Value.UNKNOWN)
    return Fact.of(parse_atom(text))
