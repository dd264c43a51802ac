"""ALFWorld's sentences: what each says, and that it says nothing more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.bridges.alfworld_text import Reading, TextReader, task_of
from sage_ros.bridges.household import household
from sage_ros.scene.observation import Pattern
from sage_ros.symbols.facts import Fact

TYPES = household().types
READER = TextReader(TYPES)
ITEMS = sorted(name for name in TYPES.subtypes('item') if name not in ('item', 'portable'))
PLACES = sorted(TYPES.subtypes('receptacle') - {'receptacle', 'surface', 'container', 'appliance'})
COVER_AT = Pattern('at', ('',))
COVER_HAND = Pattern('holding', ('',))


def said(reading: Reading) -> set[str]:
    """Write the facts of a reading."""
    return {str(Fact.of(*item)) for item in reading.facts.items()}


@pytest.mark.parametrize(
    ('text', 'facts', 'covers'),
    [
        (
            'You arrive at desk 1. On the desk 1, you see a cd 2, and a mug 1.',
            'at(desk_1)|not openable(desk_1)|not open(desk_1)|in(cd_2, desk_1)|in(mug_1, desk_1)',
            {COVER_AT, Pattern('in', ('', 'desk_1'))},
        ),
        (
            'You arrive at drawer 11. The drawer 11 is closed.',
            'at(drawer_11)|openable(drawer_11)|not open(drawer_11)',
            {COVER_AT},
        ),
        (
            'You open the safe 1. The safe 1 is open. In it, you see nothing.',
            'openable(safe_1)|open(safe_1)',
            {Pattern('in', ('', 'safe_1'))},
        ),
        ('You close the safe 1.', 'openable(safe_1)|not open(safe_1)', set()),
        (
            'You pick up the mug 1 from the desk 1.',
            'holding(mug_1)|not hand_empty()|not in(mug_1, desk_1)',
            {COVER_HAND},
        ),
        (
            'You move the mug 1 to the desk 1.',
            'hand_empty()|in(mug_1, desk_1)',
            {COVER_HAND},
        ),
        (
            'You put the mug 1 in/on the desk 1.',
            'hand_empty()|in(mug_1, desk_1)',
            {COVER_HAND},
        ),
        ('You clean the mug 1 using the sinkbasin 1.', 'clean(mug_1)', set()),
        ('You heat the egg 1 using the microwave 1.', 'hot(egg_1)|not cool(egg_1)', set()),
        ('You cool the egg 1 using the fridge 1.', 'cool(egg_1)|not hot(egg_1)', set()),
        ('You turn on the desklamp 1.', 'on(desklamp_1)', set()),
        ('You turn off the desklamp 1.', 'not on(desklamp_1)', set()),
        ('You sliced the apple 1 with the knife 2.', 'sliced(apple_1)', set()),
        ('You are carrying: a mug 1.', 'holding(mug_1)|not hand_empty()', {COVER_HAND}),
        ('You are not carrying anything.', 'hand_empty()', {COVER_HAND}),
        (
            'You are facing the coffeemachine 1, and countertop 2. Next to it, you see nothing.',
            'at(coffeemachine_1)|at(countertop_2)',
            {COVER_AT},
        ),
        ('This is a hot and clean egg 1.', 'hot(egg_1)|clean(egg_1)|not cool(egg_1)', set()),
        ('This is a cold egg 1.', 'cool(egg_1)|not hot(egg_1)', set()),
        ('This is a clean sliced egg 1.', 'clean(egg_1)|sliced(egg_1)', set()),
        ('This desklamp 1 is on.', 'on(desklamp_1)', set()),
        (
            "There's nothing special about pen 1.",
            'not hot(pen_1)|not cool(pen_1)|not clean(pen_1)|not sliced(pen_1)',
            set(),
        ),
        (
            'You arrive at loc 12. On the shelf 2, you see a pen 1.',
            'at(shelf_2)|not openable(shelf_2)|not open(shelf_2)|in(pen_1, shelf_2)',
            {COVER_AT, Pattern('in', ('', 'shelf_2'))},
        ),
    ],
)
def test_sentence(text: str, facts: str, covers: set[Pattern]) -> None:
    reading = READER.read(text)
    assert said(reading) == set(facts.split('|'))
    assert set(reading.covers) == covers
    assert reading.understood
    assert not reading.no_effect


@pytest.mark.parametrize('text', ['Nothing happens.', "You don't see any switch on the mug 1."])
def test_nothing_happens_says_no_fact(text: str) -> None:
    reading = READER.read(text)
    assert reading.no_effect
    assert not reading.facts
    assert not reading.covers


def test_other_wording_is_not_understood() -> None:
    reading = READER.read('The walls whisper.')
    assert not reading.understood
    assert reading == Reading()


def test_introduction_names_receptacles_and_the_task() -> None:
    text = (
        '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly '
        'around you, you see a bed 2, a bed 1, and a safe 1.\n\n'
        'Your task is to: put some mug on bed.'
    )
    reading = READER.read(text)
    assert reading.objects == {'bed_2': 'bed', 'bed_1': 'bed', 'safe_1': 'safe'}
    assert said(reading) == set()
    assert set(reading.covers) == {COVER_AT}
    assert task_of(text) == 'put some mug on bed'
    assert task_of('You are in the middle of a room.') == ''


def test_unknown_types_become_their_nearest_kin() -> None:
    reading = READER.read('You arrive at gazebo 1. On the gazebo 1, you see a gizmo 3.')
    assert reading.objects == {'gazebo_1': 'receptacle', 'gizmo_3': 'portable'}


def named(types: list[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(types), st.integers(1, 30)).map(lambda n: f'{n[0]} {n[1]}')


def listing(names: list[str]) -> str:
    words = [f'a {name}' for name in names]
    if len(words) < 2:
        return ''.join(words) or 'nothing'
    return f'{", ".join(words[:-1])}, and {words[-1]}'


@given(
    place=named(PLACES),
    items=st.lists(named(ITEMS), unique=True, max_size=12),
    is_open=st.booleans(),
)
def test_every_list_is_read_back(place: str, items: list[str], is_open: bool) -> None:
    seen = listing(items)
    lists = f'The {place} is open. In it, you see {seen}.' if is_open else (
        f'On the {place}, you see {seen}.'
    )  # fmt: skip
    reading = READER.read(f'You arrive at {place}. {lists}')
    symbol = place.replace(' ', '_')
    inside = {atom[1] for atom in reading.facts if atom[0] == 'in'}
    assert inside == {item.replace(' ', '_') for item in items}
    assert all(atom[2] == symbol for atom in reading.facts if atom[0] == 'in')
    assert {name for name in reading.objects if name != symbol} == inside
    assert all(TYPES.is_a(kind, 'item') for n, kind in reading.objects.items() if n != symbol)
    domain = household()
    assert all(domain.check_atom(atom, reading.objects) is None for atom in reading.facts)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    READER.read(text)
