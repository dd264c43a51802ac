"""Compares what was expected with what was observed: facts and normalised text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sage_ros.contract.plan import Expectation, ExpectationKind
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.formula import Lookup

_WORD = re.compile(r'\w+')
_ARTICLES = frozenset(('a', 'an', 'the'))


@dataclass(frozen=True, slots=True)
class Match:
    """Whether an expectation is met, by which rule, and on which facts (with present values)."""

    value: Value
    rule: Rule
    reason: str = ''
    facts: tuple[Fact, ...] = ()
    unknown_facts: tuple[Fact, ...] = ()


@lru_cache(maxsize=1024)
def normalise(text: str) -> str:
    """Reduce a text to its words: lower case, no punctuation, articles or extra spaces."""
    words = _WORD.findall(text.casefold())
    return ' '.join(word for word in words if word not in _ARTICLES)


def compare(expectation: Expectation, lookup: Lookup, text: str) -> Match:
    """Compare expected facts or an expected text in three values.

    A text that differs is unknown: other words may mean the same.
    """
    if expectation.kind is ExpectationKind.FACTS:
        return compare_facts(expectation.facts, lookup)
    if normalise(expectation.text) == normalise(text):
        return Match(Value.TRUE, Rule.TEXT_EQUAL)
    reason = f'expected {_short(expectation.text)}, observed {_short(text)}'
    return Match(Value.UNKNOWN, Rule.TEXT_DIFFERS, reason)


def compare_facts(expected: Iterable[Fact], lookup: Lookup) -> Match:
    """Compare facts in three values: one that is false decides, then one that is unknown."""
    held: list[Fact] = []
    violated: list[Fact] = []
    unknown: list[Fact] = []
    for fact in expected:
        value = lookup(fact.atom)
        present = Fact(fact.predicate, fact.args, value)
        if value is Value.UNKNOWN:
            unknown.append(present)
        else:
            (held if value is fact.value else violated).append(present)
    if violated:
        reason = f'observed {", ".join(map(str, violated))}'
        return Match(Value.FALSE, Rule.FACTS_VIOLATED, reason, tuple(violated), tuple(unknown))
    if unknown:
        reason = f'not observed: {", ".join(map(str, unknown))}'
        return Match(Value.UNKNOWN, Rule.FACTS_UNKNOWN, reason, tuple(held), tuple(unknown))
    return Match(Value.TRUE, Rule.FACTS_HOLD, '', tuple(held))


def failure_phrase(phrases: Iterable[str], expectation: Expectation, text: str) -> str | None:
    """Find a phrase of failure in an observed text that the expectation does not contain."""
    observed = f' {normalise(text)} '
    expected = f' {normalise(expectation.text)} '
    for phrase in phrases:
        words = f' {normalise(phrase)} '
        if words in observed and words not in expected:
            return phrase
    return None


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + '...')
