"""ALFWorld's commands: the verbs that versions of it renamed."""

import pytest

from sage_ros.bridges.alfworld_words import ACTIONS, Wording, is_symbol
from sage_ros.bridges.household import household

OLD = """
action PutObject {
    template :: "put {o} in/on {r}";
    feedback :: "#PutObject.feedback#";
}
action GotoLocation {
    template :: "go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]";
}
action PutObjectInReceptacleObject {
    template :: "put {o} into {outero}";
}
"""


@pytest.mark.parametrize(
    ('action', 'args', 'command'),
    [
        ('goto', ('desk_1',), 'go to desk 1'),
        ('pick', ('mug_1', 'desk_1'), 'take mug 1 from desk 1'),
        ('put', ('mug_1', 'desk_1'), 'move mug 1 to desk 1'),
        ('toggle', ('desklamp_1',), 'use desklamp 1'),
        ('slice', ('apple_1', 'knife_1'), 'slice apple 1 with knife 1'),
        ('heat', ('egg_1', 'microwave_1'), 'heat egg 1 with microwave 1'),
        ('inventory', (), 'inventory'),
    ],
)
def test_newest_wording(action: str, args: tuple[str, ...], command: str) -> None:
    assert Wording().say(action, args) == command


def test_put_is_said_as_the_game_at_hand_wants_it() -> None:
    old = Wording(OLD)
    assert old.say('put', ('mug_1', 'desk_1')) == 'put mug 1 in/on desk 1'
    assert old.say('goto', ('desk_1',)) == 'go to desk 1'
    assert old.read('put mug 1 in/on desk 1') == 'put(mug_1, desk_1)'
    assert old.read('move mug 1 to desk 1') is None


@pytest.mark.parametrize('action', ACTIONS)
@pytest.mark.parametrize('grammar', ['', OLD])
def test_commands_are_read_back(action: str, grammar: str) -> None:
    wording = Wording(grammar)
    arity = len(household().actions[action].parameters)
    args = ('mug_1', 'countertop_12')[:arity]
    expected = f'{action}({", ".join(args)})'
    assert wording.read(wording.say(action, args)) == expected


def test_commands_that_are_no_actions_of_ours() -> None:
    assert Wording().read('help') is None
    assert Wording().read('go to desk') is None


@pytest.mark.parametrize(
    ('name', 'right'), [('mug_1', True), ('mug 1', False), ('mug', False), ('Mug_1', False)]
)
def test_names_that_can_be_said(name: str, right: bool) -> None:
    assert is_symbol(name) is right
