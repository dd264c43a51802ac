"""Every message against its dataclass: the same fields, constants and values, both ways."""

import re
from dataclasses import fields, is_dataclass, replace
from enum import IntEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from sage_ros import msg, srv
from sage_ros.contract.execution import Command, Outcome, Status
from sage_ros.contract.journal import JournalEntry
from sage_ros.contract.judgement import Verdict
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.contract.signing import sign, verify
from sage_ros.nodes.convert import (
    MESSAGES,
    ConversionError,
    from_message,
    pairs,
    to_message,
)
from sage_ros.scene.observation import Header, Observation
from sage_ros.symbols.facts import Fact

ROOT = Path(__file__).resolve().parents[2]
PAIRS = list(pairs())
TEXT = st.text(st.characters(exclude_characters='\0', exclude_categories=['Cs']), max_size=8)
TIMES = st.integers(-(2**31) * 10**9, 2**31 * 10**9 - 1)
LIMITS = {
    'uint8': (0, 2**8 - 1),
    'uint32': (0, 2**32 - 1),
    'uint64': (0, 2**64 - 1),
    'int32': (-(2**31), 2**31 - 1),
    'int64': (-(2**63), 2**63 - 1),
}


def names(pair: tuple[type, type]) -> str:
    return pair[1].__name__


def values(hint: Any, field: str) -> st.SearchStrategy[Any]:
    """Generate values of one field."""
    if get_origin(hint) is tuple:
        element, _, bound = field.removeprefix('sequence<').removesuffix('>').partition(', ')
        return st.lists(
            values(get_args(hint)[0], element), max_size=int(bound) if bound else 2
        ).map(tuple)
    if is_dataclass(hint):
        return objects(hint, MESSAGES[hint])
    if issubclass(hint, IntEnum):
        return st.sampled_from(hint)
    if field == 'builtin_interfaces/Time':
        return TIMES
    if hint is int:
        return st.integers(*LIMITS[field])
    if hint is bytes:
        return st.binary(max_size=40)
    return {str: TEXT, bool: st.booleans(), float: st.floats(allow_nan=False)}[hint]


def objects(kind: type, message_type: Any) -> st.SearchStrategy[Any]:
    """Generate values of a dataclass."""
    hints = get_type_hints(kind)
    types = message_type.get_fields_and_field_types()
    return st.builds(kind, *(values(hints[name], types[name]) for name in types))


@pytest.mark.parametrize('pair', PAIRS, ids=names)
@settings(max_examples=15)
@given(data=st.data())
def test_every_value_returns_from_the_wire_as_it_went(
    pair: tuple[type, type], data: st.DataObject
) -> None:
    kind, message_type = pair
    value = data.draw(objects(kind, message_type))
    message = to_message(value, message_type)
    assert type(message) is message_type
    received = deserialize_message(serialize_message(message), message_type)
    assert received == message
    assert from_message(received) == value


@pytest.mark.parametrize('pair', PAIRS, ids=names)
def test_fields_are_those_of_the_dataclass_in_the_same_order(pair: tuple[type, Any]) -> None:
    kind, message_type = pair
    assert list(message_type.get_fields_and_field_types()) == [f.name for f in fields(kind)]


@pytest.mark.parametrize('pair', PAIRS, ids=names)
def test_constants_are_those_of_the_enums(pair: tuple[type, Any]) -> None:
    kind, message_type = pair
    expected = {
        f'{name.upper()}_{member.name}': member.value
        for name, hint in get_type_hints(kind).items()
        if isinstance(hint, type) and issubclass(hint, IntEnum)
        for member in hint
    }
    constants = {
        name: getattr(message_type, name)
        for name in vars(type(message_type))
        if name.isupper() and not name.startswith('_') and name != 'SLOT_TYPES'
    }
    assert constants == expected


def test_every_message_of_the_package_has_a_dataclass() -> None:
    stems = {file.stem for file in ROOT.glob('msg/*.msg')}
    assert stems == {kind.__name__ for kind in MESSAGES} - {'Header'}


@pytest.mark.parametrize(
    'file',
    [f for kind in ('msg', 'srv', 'action') for f in sorted(ROOT.glob(f'{kind}/*.{kind}'))],
    ids=lambda file: file.name,
)
def test_every_field_and_constant_is_commented(file: Path) -> None:
    lines = file.read_text().splitlines()
    assert lines[0].startswith('# ')
    for above, line in pairwise(lines):
        if line and not line.startswith(('#', '---')):
            assert above.startswith('# '), f'{file.name}: {line}'
    for part in '\n'.join(lines).split('---'):
        kinds = [
            bool(re.match(r'\w+ \w+=', line))
            for line in part.splitlines()
            if re.match(r'\w', line)
        ]
        assert kinds == sorted(kinds, reverse=True), f'{file.name}: constants come first'


def test_an_undefined_enum_value_is_an_error_that_names_the_field() -> None:
    message = to_message(Outcome(status=Status.DONE))
    message.status = 77
    with pytest.raises(ConversionError, match=r'^Outcome\.status: 77 is no Status \(0 to 4\)$'):
        from_message(message)


def test_an_error_deep_inside_names_the_whole_way() -> None:
    fact = msg.Fact(predicate='in', value=9)
    message = to_message(Plan(steps=(PlanStep('look'), PlanStep('look'))))
    message.steps[1].expectation.facts.append(fact)
    with pytest.raises(
        ConversionError, match=r'^Plan\.steps\[1\]\.expectation\.facts\[0\]\.value'
    ):
        from_message(message)


@pytest.mark.parametrize(
    ('value', 'place'),
    [
        (Plan(plan_seq=-1), 'Plan.plan_seq'),
        (Plan(plan_seq=2**32), 'Plan.plan_seq'),
        (Observation(Header(2**62)), 'Observation.header.stamp'),
        (Observation(text='a\0b'), 'Observation.text'),
        (Observation(text='\ud800'), 'Observation.text'),
        (Observation(facts=(Fact('in', ('a', '\0')),)), 'Observation.facts[0].args[1]'),
        (JournalEntry(plan=(Plan(), Plan())), 'JournalEntry.plan'),
    ],
)
def test_what_cannot_travel_is_an_error_that_names_the_field(value: Any, place: str) -> None:
    with pytest.raises(ConversionError) as raised:
        to_message(value)
    assert str(raised.value).startswith(f'{place}: ')


def test_a_time_of_more_than_a_second_of_nanoseconds_is_refused() -> None:
    message = to_message(Observation())
    message.header.stamp.nanosec = 10**9
    with pytest.raises(ConversionError, match=r'^Observation\.header\.stamp: '):
        from_message(message)


def test_a_whole_number_may_stand_for_a_float() -> None:
    message = to_message(replace(Verdict(), observation_age=3))
    assert type(message.observation_age) is float


def test_a_signed_command_is_still_signed_after_the_wire() -> None:
    key = bytes(range(32))
    command = Command(Header(-7), 'session', 'episode', 1, 2, 'c', 3, 'pick', ('m\xfcg',), (), 9)
    command = replace(command, signature=sign(key, command))
    wire = serialize_message(to_message(command))
    assert verify(key, from_message(deserialize_message(wire, msg.Command)))


def test_requests_share_their_dataclass_with_the_journal() -> None:
    request = srv.BeginEpisode.Request(goal='put a mug on the desk', seed=4)
    begin = from_message(request)
    assert from_message(to_message(begin)) == begin
    assert to_message(begin, srv.BeginEpisode.Request) == request
