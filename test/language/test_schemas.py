"""Replies of models are read strictly: what does not fit is a failure with a type."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.language.client import ModelError, ModelFailure
from sage_ros.language.schemas import (
    GoalReply,
    StepReply,
    goal_schema,
    read_reply,
    step_schema,
)


@pytest.mark.parametrize(
    ('text', 'kind'),
    [
        ('', ModelFailure.EMPTY),
        ('  \n', ModelFailure.EMPTY),
        ('Sure! To draw a circle run ros2 topic pub', ModelFailure.NOT_JSON),
        ('{"name":"Goto","arguments":"{kitchen"}', ModelFailure.SCHEMA),
        ('{"action": "goto", "args": "desk_1"}', ModelFailure.SCHEMA),
        ('{"action": "goto", "args": ["desk_1"], "speed": 50}', ModelFailure.SCHEMA),
        ('{"action": ["goto"], "args": ["desk_1"]}', ModelFailure.SCHEMA),
        ('{"action": "goto", "args": [1]}', ModelFailure.SCHEMA),
        ('{"action": "", "args": []}', ModelFailure.SCHEMA),
        ('{"action": "goto", "args": [], "done": true}', ModelFailure.SCHEMA),
        ('["goto", "desk_1"]', ModelFailure.SCHEMA),
        ('x' * 1_000_000, ModelFailure.TOO_LARGE),
        ('[' * 50_000, ModelFailure.NOT_JSON),
    ],
)
def test_malformed_reply_is_a_typed_failure(text: str, kind: ModelFailure) -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(text, StepReply)
    assert caught.value.kind is kind
    assert len(str(caught.value)) < 2_000


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    for shape in (StepReply, GoalReply):
        try:
            read_reply(text, shape)
        except ModelError:
            continue


def test_good_replies_are_read() -> None:
    step = read_reply('{"action": "goto", "args": ["desk_1"]}', StepReply)
    assert (step.action, step.args, step.done) == ('goto', ['desk_1'], False)
    assert read_reply('{"done": true}', StepReply).done
    goal = read_reply('{"facts": [{"predicate": "in", "args": ["?o:mug", "desk_1"]}]}', GoalReply)
    assert goal.facts[0].value is True


def test_schemas_name_what_may_be_said() -> None:
    step = step_schema(['pick', 'goto'], ['mug_1'])
    assert json.loads(json.dumps(step)) == step
    assert step['properties']['action']['enum'] == ['', 'goto', 'pick']
    assert step['properties']['args']['items']['enum'] == ['mug_1']
    goal = goal_schema(['in', 'clean'])
    assert goal['$defs']['FactReply']['properties']['predicate']['enum'] == ['clean', 'in']
