"""The admission file of an environment: which actions are admitted there, and how strictly."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sage_ros.contract.execution import RESET_ACTION
from sage_ros.contract.yaml_file import Key, YamlFile, names
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Atom, format_atom, parse_atom


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The unit of a number and its closed range."""

    unit: str = ''
    min: float = 0.0
    max: float = 0.0


@dataclass(frozen=True, slots=True)
class ActionPolicy:
    """How one action is admitted.

    ``deadline_s``: seconds within which it has to end. ``try_facts``: facts that may be unknown
    when it starts, because trying reveals them and failing is harmless; a variable is a parameter
    of the action or, with any other name, any object. ``repetitive``: doing it several times in a
    row is no sign of a loop.
    """

    deadline_s: float = 30.0
    numbers: Mapping[str, NumberRange] = field(default_factory=dict)
    try_facts: tuple[Atom, ...] = ()
    repetitive: bool = False


@dataclass(frozen=True, slots=True)
class AdmissionTable:
    """What an admission file says. ``domain`` is the name of a file in config/domains.

    ``open_loop``: plans may run on after a mismatch. ``skippable``: actions whose comparison with
    the expectation may be waived. ``failure_phrases``: wording by which the environment says that
    an action had no effect. ``aliases``: other names of actions that planners use. ``words``: how
    the environment itself says an action, with ``{0}`` for the first argument.
    """

    environment: str = ''
    domain: str = ''
    open_loop: bool = False
    actions: Mapping[str, ActionPolicy] = field(default_factory=dict)
    skippable: frozenset[str] = frozenset()
    failure_phrases: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def say(self, action: str, args: tuple[str, ...]) -> str:
        """Say an action in the environment's own words, as far as the file gives them."""
        words = self.words.get(action)
        if words is None:
            return format_atom((action, *args))
        return words.format(*(arg.replace('_', ' ') for arg in args))


def read_admission(path: Path | str, domain: Domain | None = None) -> AdmissionTable:
    """Read an admission file and, with a domain, check it against that.

    Raises ConfigurationError, which names file, line, key and mend.
    """
    file = YamlFile(path)
    table = file.read(_File).table()
    if domain is not None:
        for problem in problems(table, domain):
            raise file.error(*problem)
    return table


def problems(table: AdmissionTable, domain: Domain) -> Iterator[tuple[Key, str, str]]:
    """Iterate over what does not fit the domain: the key, what is wrong, how to mend it."""
    for name, policy in table.actions.items():
        schema = domain.actions.get(name)
        if schema is None:
            known = names(list(domain.actions))
            yield ('actions', name), f'{domain.name} has no such action', f'take one of: {known}'
            continue
        own = {p.name: p.type for p in schema.parameters}
        try:
            table.say(name, tuple(own))
        except (IndexError, KeyError, ValueError) as error:
            mend = f'use {{0}} to {{{len(own) - 1}}}' if own else 'use no braces'
            yield ('words', name), f'the words do not fit its arguments: {error}', mend
        for index, atom in enumerate(policy.try_facts):
            key = ('actions', name, 'try', index)
            signature = domain.predicates.get(atom[0])
            if signature is None:
                yield key, f'unknown predicate {atom[0]!r}', 'take one of the domain'
            elif len(signature) != len(atom) - 1:
                wanted = f'give {len(signature)} arguments'
                yield key, f'{format_atom(atom)} has {len(atom) - 1} arguments', wanted
            for variable in atom[1:]:
                if variable[0] != '?' and variable not in domain.constants:
                    mend = f'give a variable, such as one of: {names(list(own))}'
                    yield key, f'{variable!r} is not a variable', mend


class _Strict(BaseModel):
    model_config = ConfigDict(extra='forbid', strict=True, frozen=True)


class _Number(_Strict):
    unit: str
    min: float
    max: float

    @model_validator(mode='after')
    def _ordered(self) -> '_Number':
        if not (math.isfinite(self.min) and math.isfinite(self.max) and self.min <= self.max):
            raise ValueError(
                f'no range from {self.min} to {self.max}; give finite numbers, min <= max'
            )
        return self


class _Action(_Strict):
    deadline_s: Annotated[float, Field(gt=0, le=86_400)] = 30.0
    numbers: dict[str, _Number] = {}
    try_: list[str] = Field(default=[], alias='try')
    repetitive: bool = False

    @field_validator('try_')
    @classmethod
    def _atoms(cls, texts: list[str]) -> list[str]:
        for text in texts:
            try:
                parse_atom(text)
            except ValueError as error:
                raise ValueError(f'{error}; write patterns such as in(?o, ?r)') from error
        return texts

    def policy(self) -> ActionPolicy:
        return ActionPolicy(
            self.deadline_s,
            {name: NumberRange(n.unit, n.min, n.max) for name, n in self.numbers.items()},
            tuple(map(parse_atom, self.try_)),
            self.repetitive,
        )


class _File(_Strict):
    environment: Annotated[str, Field(min_length=1)]
    domain: Annotated[str, Field(min_length=1)]
    open_loop: bool
    actions: Annotated[dict[str, _Action], Field(min_length=1)]
    skippable: list[str] = []
    failure_phrases: list[Annotated[str, Field(pattern=r'\w')]] = []
    aliases: dict[str, str] = {}
    words: dict[str, Annotated[str, Field(min_length=1)]] = {}

    @field_validator('actions')
    @classmethod
    def _no_reset(cls, actions: dict[str, _Action]) -> dict[str, _Action]:
        if RESET_ACTION in actions:
            raise ValueError(f'{RESET_ACTION!r} begins an episode; no plan may contain it')
        return actions

    @field_validator('skippable')
    @classmethod
    def _skippable_known(cls, skippable: list[str], info: object) -> list[str]:
        _require_known(skippable, info)
        return skippable

    @field_validator('aliases')
    @classmethod
    def _aliases_known(cls, aliases: dict[str, str], info: object) -> dict[str, str]:
        actions = _require_known(list(aliases.values()), info)
        for alias in aliases:
            if alias in actions:
                raise ValueError(f'{alias!r} is an action itself; remove the alias')
        return aliases

    @field_validator('words')
    @classmethod
    def _words_known(cls, words: dict[str, str], info: object) -> dict[str, str]:
        _require_known(list(words), info)
        return words

    def table(self) -> AdmissionTable:
        return AdmissionTable(
            self.environment,
            self.domain,
            self.open_loop,
            {name: action.policy() for name, action in self.actions.items()},
            frozenset(self.skippable),
            tuple(self.failure_phrases),
            self.aliases,
            self.words,
        )


def _require_known(words: list[str], info: object) -> dict[str, _Action]:
    """Check that words are actions of the file; if the actions are wrong, that is said first."""
    actions: dict[str, _Action] | None = getattr(info, 'data', {}).get('actions')
    if actions is None:
        return {}
    for word in words:
        if word not in actions:
            raise ValueError(f'unknown action {word!r}; take one of: {names(list(actions))}')
    return actions
