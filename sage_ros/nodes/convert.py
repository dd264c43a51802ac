"""Messages from and to the dataclasses of the contract, by the type hints of the latter.

Fields have the same names on both sides. Stamps are nanoseconds in a dataclass and
builtin_interfaces/Time in a message, enums are uint8, tuples are arrays, bytes are uint8[].
"""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import std_msgs.msg
from builtin_interfaces.msg import Time

import sage_ros.msg
import sage_ros.srv
from sage_ros.action import ExecuteTask
from sage_ros.contract.execution import (
    ActionInfo,
    Admissible,
    BridgeInfo,
    Command,
    Heartbeat,
    Outcome,
    Stop,
)
from sage_ros.contract.journal import JournalEntry
from sage_ros.contract.judgement import Episode, MonitorState, Verdict
from sage_ros.contract.judging import JudgeReply, JudgeRequest, ModelExchange
from sage_ros.contract.plan import Expectation, Number, Plan, PlanStep
from sage_ros.contract.remembering import (
    ContextReply,
    ContextRequest,
    Experience,
    RetrieveReply,
    RetrieveRequest,
    SceneEdge,
    SceneGraph,
    SceneNode,
    Transition,
)
from sage_ros.contract.requests import (
    BeginEpisode,
    CheckPlanReply,
    CheckPlanRequest,
    EndEpisode,
    Hold,
    Projection,
    ProjectReply,
    ProjectRequest,
    Reply,
    SetGoal,
)
from sage_ros.contract.task import TaskRequest, TaskResult, Tokens
from sage_ros.scene.observation import Header, Observation, Pattern, SceneObject
from sage_ros.scene.record import BeliefRecord, KnownFact, KnownPattern
from sage_ros.symbols.facts import Fact, Fluent

_NANOSECONDS = 1_000_000_000
_Convert = Callable[[Any], Any]

MESSAGES: dict[type, type] = {
    Header: std_msgs.msg.Header,
    **{
        kind: getattr(sage_ros.msg, kind.__name__)
        for kind in (
            ActionInfo, Admissible, BeginEpisode, BeliefRecord, BridgeInfo, Command, EndEpisode,
            Episode, Expectation, Experience, Fact, Fluent, Heartbeat, Hold, JournalEntry,
            JudgeReply, JudgeRequest, KnownFact, KnownPattern, ModelExchange, MonitorState,
            Number, Observation, Outcome, Pattern, Plan, PlanStep, Projection, SceneEdge,
            SceneGraph, SceneNode, SceneObject, SetGoal, Stop, Tokens, Transition, Verdict,
        )
    },
}  # fmt: skip
"""The message of each dataclass that crosses a topic or is nested in another."""

CALLS: tuple[tuple[type, type], ...] = (
    (BeginEpisode, sage_ros.srv.BeginEpisode.Request),
    (Reply, sage_ros.srv.BeginEpisode.Response),
    (SetGoal, sage_ros.srv.SetGoal.Request),
    (Reply, sage_ros.srv.SetGoal.Response),
    (EndEpisode, sage_ros.srv.EndEpisode.Request),
    (Reply, sage_ros.srv.EndEpisode.Response),
    (ProjectRequest, sage_ros.srv.Project.Request),
    (ProjectReply, sage_ros.srv.Project.Response),
    (CheckPlanRequest, sage_ros.srv.CheckPlan.Request),
    (CheckPlanReply, sage_ros.srv.CheckPlan.Response),
    (ContextRequest, sage_ros.srv.GetContext.Request),
    (ContextReply, sage_ros.srv.GetContext.Response),
    (RetrieveRequest, sage_ros.srv.Retrieve.Request),
    (RetrieveReply, sage_ros.srv.Retrieve.Response),
    (TaskRequest, ExecuteTask.Goal),
    (TaskResult, ExecuteTask.Result),
)
"""The dataclass of each request and response, which some share."""

_DATACLASSES: dict[type, type] = {message: kind for kind, message in CALLS} | {
    message: kind for kind, message in MESSAGES.items()
}


class ConversionError(ValueError):
    """A value that the other side cannot hold; the message names the field."""

    def __init__(self, what: str, place: str = '') -> None:
        super().__init__(f'{place}: {what}' if place else what)
        self.what = what
        self.place = place


def pairs() -> Iterator[tuple[type, type]]:
    """Iterate over all pairs of dataclass and message."""
    yield from MESSAGES.items()
    yield from CALLS


def to_message(value: Any, message_type: Any = None) -> Any:
    """Convert a dataclass into its message, or into the one of a service or action.

    Raises ConversionError for a number out of range and for text that cannot travel.
    """
    kind: Any = type(value)
    try:
        return _to(kind, message_type or MESSAGES[kind])(value)
    except ConversionError as error:
        raise ConversionError(error.what, kind.__name__ + error.place) from error


def from_message(message: Any) -> Any:
    """Convert a message into its dataclass.

    Raises ConversionError for an enum's value that is not defined and a malformed time.
    """
    message_type: Any = type(message)
    kind: Any = _DATACLASSES[message_type]
    try:
        return _from(kind, message_type)(message)
    except ConversionError as error:
        raise ConversionError(error.what, kind.__name__ + error.place) from error


def to_time(stamp: int) -> Time:
    """Convert nanoseconds into a time; ConversionError beyond 32 bits of seconds."""
    seconds, rest = divmod(stamp, _NANOSECONDS)
    if not -(1 << 31) <= seconds < 1 << 31:
        raise ConversionError(f'{stamp} ns is beyond what a time holds')
    return Time(sec=seconds, nanosec=rest)


def from_time(time: Time) -> int:
    """Convert a time into nanoseconds; ConversionError for a second's fraction above one."""
    rest: int = time.nanosec
    if rest >= _NANOSECONDS:
        raise ConversionError(f'{rest} nanoseconds are more than a second')
    return int(time.sec) * _NANOSECONDS + rest


@cache
def _to(kind: Any, message_type: Any) -> _Convert:
    changes = [(name, _outward(hint, field)) for name, hint, field in _layout(kind, message_type)]

    def convert(value: Any) -> Any:
        name = ''
        content = {}
        try:
            for name, change in changes:
                content[name] = change(getattr(value, name))
        except ConversionError as error:
            raise ConversionError(error.what, f'.{name}{error.place}') from error
        return message_type(**content)

    return convert


@cache
def _from(kind: Any, message_type: Any) -> _Convert:
    changes = [(name, _inward(hint, field)) for name, hint, field in _layout(kind, message_type)]

    def convert(message: Any) -> Any:
        name = ''
        content = []
        try:
            for name, change in changes:
                found = getattr(message, name)
                content.append(found if change is None else change(found))
        except ConversionError as error:
            raise ConversionError(error.what, f'.{name}{error.place}') from error
        return kind(*content)

    return convert


def _layout(kind: type, message_type: Any) -> Iterator[tuple[str, Any, str]]:
    """Iterate over name, type hint and message type of each field."""
    types = message_type.get_fields_and_field_types()
    hints = get_type_hints(kind)
    for field in fields(kind):
        yield field.name, hints[field.name], types[field.name]


def _outward(hint: Any, field: str) -> _Convert:
    """Build the conversion of one field into a message."""
    if get_origin(hint) is tuple:
        element, bound = _element(field)
        return _to_list(_outward(get_args(hint)[0], element), bound)
    if hint is bytes:
        return lambda value: array('B', value)
    if hint is str:
        return _text
    if hint is float:
        return _number
    if hint is bool:
        return bool
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return _to(hint, MESSAGES[hint])
    if field == 'builtin_interfaces/Time':
        return to_time
    return _integer(field)


def _inward(hint: Any, field: str) -> _Convert | None:
    """Build the conversion of one field out of a message; None: as it is."""
    if get_origin(hint) is tuple:
        element, _ = _element(field)
        return _to_tuple(_inward(get_args(hint)[0], element))
    if hint is bytes:
        return bytes
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return _from(hint, MESSAGES[hint])
    if field == 'builtin_interfaces/Time':
        return from_time
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return _member(hint)
    return None


def _element(field: str) -> tuple[str, int | None]:
    """Split ``sequence<type, bound>``."""
    element, _, bound = field.removeprefix('sequence<').removesuffix('>').partition(', ')
    return element, int(bound) if bound else None


def _to_list(change: _Convert, bound: int | None) -> _Convert:
    def convert(values: tuple[Any, ...]) -> list[Any]:
        if bound is not None and len(values) > bound:
            raise ConversionError(f'{len(values)} elements, at most {bound} fit')
        content: list[Any] = []
        try:
            for value in values:
                content.append(change(value))  # noqa: PERF401 - an error names the place
        except ConversionError as error:
            raise ConversionError(error.what, f'[{len(content)}]{error.place}') from error
        return content

    return convert


def _to_tuple(change: _Convert | None) -> _Convert:
    if change is None:
        return tuple

    def convert(values: list[Any]) -> tuple[Any, ...]:
        content: list[Any] = []
        try:
            for value in values:
                content.append(change(value))  # noqa: PERF401 - an error names the place
        except ConversionError as error:
            raise ConversionError(error.what, f'[{len(content)}]{error.place}') from error
        return tuple(content)

    return convert


def _member(kind: type[IntEnum]) -> _Convert:
    members = {member.value: member for member in kind}

    def convert(value: int) -> IntEnum:
        member = members.get(value)
        if member is None:
            raise ConversionError(f'{value} is no {kind.__name__} (0 to {len(members) - 1})')
        return member

    return convert


def _integer(field: str) -> _Convert:
    bits = int(field.lstrip('uint'))
    low, high = (0, 1 << bits) if field.startswith('u') else (-(1 << bits - 1), 1 << bits - 1)

    # rclpy does not check: what is out of range would travel as another number, or end it.
    def convert(value: int) -> int:
        if not low <= value < high:
            raise ConversionError(f'{value} is not in {low} to {high - 1}')
        return int(value)

    return convert


def _number(value: float) -> float:
    return float(value)


def _text(value: str) -> str:
    if '\0' in value:
        raise ConversionError('text with a NUL character would be cut there')
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ConversionError(f'not Unicode text: {error.reason}') from error
    return value
