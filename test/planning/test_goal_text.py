"""Goals in words: every form is understood, everything else is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.contract.resources import config_path
from sage_ros.planning.goal_text import FORMS, GoalError, understand
from sage_ros.symbols.goals import Goal, parse_goal
from sage_ros.symbols.pddl_reader import read_domain

DOMAIN = read_domain(config_path('domains/household.pddl'))
OBJECTS = {'mug_1': 'mug', 'mug_2': 'mug', 'desk_1': 'desk', 'desklamp_1': 'desklamp'}


def goal(text: str) -> Goal:
    return understand(text, DOMAIN, OBJECTS)


def facts(text: str) -> Goal:
    return parse_goal(text, DOMAIN)


@pytest.mark.parametrize(
    ('text', 'meaning'),
    [
        ('put a mug in desk.', 'in(?o:mug, ?r:desk)'),
        ('put some creditcard on armchair.', 'in(?o:creditcard, ?r:armchair)'),
        ('Put a Mug on the desk', 'in(?o:mug, ?r:desk)'),
        ('put a clean mug on the desk', 'in(?o:mug, ?r:desk), clean(?o:mug)'),
        ('put a hot egg in fridge.', 'in(?o:egg, ?r:fridge), hot(?o:egg)'),
        ('put a cool pan in stoveburner.', 'in(?o:pan, ?r:stoveburner), cool(?o:pan)'),
        ('clean some fork and put it in drawer.', 'in(?o:fork, ?r:drawer), clean(?o:fork)'),
        ('heat some egg and put it in countertop.', 'in(?o:egg, ?r:countertop), hot(?o:egg)'),
        ('cool some pot and put it in diningtable', 'in(?o:pot, ?r:diningtable), cool(?o:pot)'),
        ('put two cd in drawer.', 'in(?o1:cd, ?r:drawer), in(?o2:cd, ?r:drawer)'),
        ('find two book and put them in desk.', 'in(?o1:book, ?r:desk), in(?o2:book, ?r:desk)'),
        (
            'look at alarmclock under the desklamp.',
            'holding(?o:alarmclock), on(?l:desklamp), in(?l:desklamp, ?r:receptacle), at(?r)',
        ),
        (
            'examine the cd with the desklamp.',
            'holding(?o:cd), on(?l:desklamp), in(?l:desklamp, ?r:receptacle), at(?r)',
        ),
        ('put the mug_1 on desk 1', 'in(mug_1, desk_1)'),
        ('put mug 2 in/on the desk_1', 'in(mug_2, desk_1)'),
        ('put two pens on a side table', 'in(?o1:pen, ?r:sidetable), in(?o2:pen, ?r:sidetable)'),
        ('put an alarm clock on the side table', 'in(?o:alarmclock, ?r:sidetable)'),
        ('put some knives on the shelves', 'in(?o:knife, ?r:shelf)'),
        ('put a slice of bread on the plate', None),
        ('put a sliced tomato in the refrigerator', 'in(?o:tomato, ?r:fridge), sliced(?o:tomato)'),
        ('Your task is to: put a mug in desk.', 'in(?o:mug, ?r:desk)'),
        ('in(mug_1, desk_1), clean(mug_1)', 'in(mug_1, desk_1), clean(mug_1)'),
        ('in(mug_1, desk_1) and not open(?r:drawer)', 'in(mug_1, desk_1), not open(?r:drawer)'),
        ('in(?o:mug, ?r:desk), clean(?o)', 'in(?o:mug, ?r:desk), clean(?o:mug)'),
    ],
)  # fmt: skip
def test_forms_are_understood(text: str, meaning: str | None) -> None:
    if meaning is None:
        with pytest.raises(GoalError):
            goal(text)
    else:
        assert goal(text) == facts(meaning)


@pytest.mark.parametrize('form', FORMS)
def test_every_form_that_messages_list_is_understood(form: str) -> None:
    options = [form]
    while any('|' in option for option in options):
        options = [
            ' '.join(words)
            for option in options
            for words in _choices(option.split())
        ]  # fmt: skip
    for option in options:
        assert goal(option).facts


def _choices(words: list[str]) -> list[list[str]]:
    at = next((i for i, word in enumerate(words) if '|' in word), None)
    if at is None:
        return [words]
    return [[*words[:at], choice, *words[at + 1 :]] for choice in words[at].split('|')]


@pytest.mark.parametrize(
    ('text', 'quoted'),
    [
        ('', 'empty'),
        ('make me happy', "'make me happy'"),
        ('put a mgu on the desk', "'mgu': did you mean mug"),
        ('put a mug on the dsek', "'dsek': did you mean desk"),
        ('put a mug on the mug', 'a mug is not a receptacle'),
        ('put the mug_7 on the desk', "unknown object 'mug_7': known are mug_1, mug_2"),
        ('put the plate 3 on the desk', "unknown object 'plate_3': no plate is known"),
        ('put the on the desk', "'the' names nothing"),
        ('in(mug_9, desk_1)', 'mug_9'),
        ('in(mug_1)', 'in(mug_1)'),
        ('within(mug_1, desk_1)', 'within'),
        ('in(?o:mgu, desk_1)', 'mgu'),
        ('in(mug_1, desk_1', 'not an atom'),
        ('in(desk_1, mug_1)', 'desk_1'),
    ],
)
def test_what_is_not_understood_is_quoted(text: str, quoted: str) -> None:
    with pytest.raises(GoalError) as caught:
        goal(text)
    assert quoted in str(caught.value)


def test_unknown_form_lists_the_forms() -> None:
    with pytest.raises(GoalError) as caught:
        goal('dance with the mug')
    for form in FORMS:
        assert form in str(caught.value)


@given(st.text(alphabet='putamgdeskinlo (),?:_1 ', max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        understood = goal(text)
    except GoalError:
        return
    assert understood.facts
