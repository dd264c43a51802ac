"""The shapes of model replies, and strict reading of them."""

from collections.abc import Collection
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sage_ros.language.client import ModelError, ModelFailure, Schema

LARGEST_REPLY = 100_000
"""Characters of a reply that are read at most."""

_Word = Annotated[str, Field(max_length=100)]
_Words = Annotated[list[_Word], Field(max_length=8)]
_Thought = Annotated[str, Field(max_length=8_000)]
_STRICT = ConfigDict(strict=True, extra='forbid', frozen=True)


class StepReply(BaseModel):
    """One proposed action, or the claim that the goal is reached."""

    model_config = _STRICT

    thought: _Thought = ''
    action: _Word = ''
    args: _Words = Field(default_factory=list)
    done: bool = False

    @model_validator(mode='after')
    def _one_of_both(self) -> Self:
        if self.done == bool(self.action):
            raise ValueError('give either an action, or done: true')
        return self


class FactReply(BaseModel):
    """A goal fact; an argument ``?name:type`` is a variable."""

    model_config = _STRICT

    predicate: _Word
    args: _Words = Field(default_factory=list)
    value: bool = True


class GoalReply(BaseModel):
    """A goal as facts."""

    model_config = _STRICT

    thought: _Thought = ''
    facts: Annotated[list[FactReply], Field(min_length=1, max_length=12)]


Reply = TypeVar('Reply', bound=BaseModel)


def read_reply(text: str, shape: type[Reply]) -> Reply:
    """Read a reply strictly; ModelError says what is wrong with it."""
    if len(text) > LARGEST_REPLY:
        raise ModelError(
            ModelFailure.TOO_LARGE, f'{len(text)} characters, at most {LARGEST_REPLY} are read'
        )
    if not text.strip():
        raise ModelError(ModelFailure.EMPTY, 'the model said nothing')
    try:
        return shape.model_validate_json(text)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        if problems[0]['type'] == 'json_invalid':
            kind, start = ModelFailure.NOT_JSON, f'{_short(text)!r} is no JSON object: '
        else:
            kind, start = ModelFailure.SCHEMA, ''
        details = '; '.join(
            ': '.join(filter(None, ('.'.join(map(str, p['loc'])), p['msg']))) for p in problems[:5]
        )
        raise ModelError(kind, start + details) from error


def step_schema(actions: Collection[str], objects: Collection[str]) -> Schema:
    """Return the schema of a step over these actions and objects."""
    schema = StepReply.model_json_schema()
    properties: dict[str, Any] = schema['properties']
    properties['action']['enum'] = ['', *sorted(actions)]
    properties['args']['items']['enum'] = sorted(objects)
    schema['required'] = ['thought', 'action', 'args', 'done']
    return schema


def goal_schema(predicates: Collection[str]) -> Schema:
    """Return the schema of a goal over these predicates."""
    schema = GoalReply.model_json_schema()
    fact: dict[str, Any] = schema['$defs']['FactReply']
    fact['properties']['predicate']['enum'] = sorted(predicates)
    fact['required'] = ['predicate', 'args', 'value']
    return schema


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[:limit] + '...'
