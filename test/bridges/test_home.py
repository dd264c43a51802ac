"""The embedded household: what it does, what it shows, and that both agree."""

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sage_ros.bridges.alfworld_text import TextReader
from sage_ros.bridges.home import HomeEnvironment
from sage_ros.bridges.household import household
from sage_ros.contract.environment import SceneError
from sage_ros.contract.execution import Failure, Status
from sage_ros.contract.plan import Number
from sage_ros.symbols.facts import Value
from sage_ros.symbols.model import PddlModel

SCENE = """
room: a kitchen
task: put a clean mug on the desk
view: {view}
receptacles:
  desk_1: {{holds: [desklamp_1, knife_1]}}
  cabinet_1: {{door: closed, holds: [mug_1, bread_1]}}
  sinkbasin_1: {{}}
  fridge_1: {{door: closed, holds: [egg_1]}}
  microwave_1: {{door: closed}}
facts: [hot(bread_1)]
{more}
"""
Play = Callable[[HomeEnvironment], Any]


@pytest.fixture
def scene(tmp_path: Path) -> Callable[..., str]:
    """Return what writes a small scene and gives its path."""

    def write(view: str = 'partial', more: str = '') -> str:
        path = tmp_path / 'scene.yaml'
        path.write_text(SCENE.format(view=view, more=more))
        return str(path)

    return write


def truth(home: HomeEnvironment) -> Any:
    """Return the true state, which no bridge may read."""
    return home._world.state


def check_belief(player: Any) -> None:
    """Check that everything believed is true."""
    state = truth(player.environment)
    for fact in player.belief.all_facts():
        assert state.value(fact.atom) is fact.value, fact
    for atom in state.atoms:
        assert player.belief.value(atom) is not Value.FALSE, atom


def test_demo_goal_takes_about_ten_steps(play: Play) -> None:
    player = play(HomeEnvironment())
    player.reset()
    assert player.task == 'put a clean mug on the desk'
    found = None
    for cabinet in ('cabinet_1', 'cabinet_2'):
        player.do('goto', cabinet)
        assert player.belief.value(('open', cabinet)) is Value.FALSE
        player.do('open', cabinet)
        found = found or next(
            (a for a in player.belief.true_atoms('in') if a[1].startswith('mug')), None
        )
        if found:
            break
    assert found is not None
    mug, place = found[1:]
    for action in (
        ('pick', mug, place),
        ('goto', 'sinkbasin_1'),
        ('put', mug, 'sinkbasin_1'),
        ('toggle', 'sinkbasin_1'),
        ('pick', mug, 'sinkbasin_1'),
        ('goto', 'desk_1'),
        ('put', mug, 'desk_1'),
    ):
        assert player.do(*action).status is Status.DONE
    assert player.belief.value(('in', mug, 'desk_1')) is Value.TRUE
    assert player.belief.value(('clean', mug)) is Value.TRUE
    check_belief(player)


def test_closed_and_unvisited_places_are_not_observed(play: Play, scene: Any) -> None:
    player = play(HomeEnvironment())
    player.reset(scene())
    belief = player.belief
    assert set(belief.objects) == {
        'desk_1', 'cabinet_1', 'sinkbasin_1', 'fridge_1', 'microwave_1'
    }  # fmt: skip
    assert belief.value(('openable', 'cabinet_1')) is Value.UNKNOWN
    assert belief.value(('at', 'desk_1')) is Value.FALSE
    assert belief.value(('hand_empty',)) is Value.TRUE
    player.do('goto', 'cabinet_1')
    assert 'mug_1' not in player.belief.objects
    assert player.belief.value(('in', 'mug_1', 'cabinet_1')) is Value.UNKNOWN
    player.do('open', 'cabinet_1')
    assert player.belief.objects['mug_1'] == 'mug'
    assert player.belief.value(('in', 'mug_1', 'cabinet_1')) is Value.TRUE
    assert player.belief.value(('in', 'mug_1', 'desk_1')) is Value.FALSE
    assert player.belief.value(('hot', 'bread_1')) is Value.TRUE
    assert player.belief.value(('clean', 'mug_1')) is Value.FALSE


def test_full_view_shows_everything(play: Play, scene: Any) -> None:
    player = play(HomeEnvironment())
    view = player.reset(scene(view='full'))
    assert 'a mug 1' not in view.text
    state = truth(player.environment)
    assert {fact.atom for fact in player.belief.all_facts()} == set(state.atoms)
    assert player.belief.value(('in', 'mug_1', 'desk_1')) is Value.FALSE
    delta = player.do('goto', 'desk_1').view
    assert [str(fact) for fact in delta.facts] == ['at(desk_1)']
    player.do('goto', 'fridge_1')
    check_belief(player)


def test_microwave_and_fridge_change_what_is_shut_in(play: Play, scene: Any) -> None:
    player = play(HomeEnvironment())
    player.reset(scene())
    for action in (
        ('goto', 'fridge_1'),
        ('open', 'fridge_1'),
        ('pick', 'egg_1', 'fridge_1'),
        ('goto', 'microwave_1'),
        ('open', 'microwave_1'),
        ('put', 'egg_1', 'microwave_1'),
        ('close', 'microwave_1'),
        ('toggle', 'microwave_1'),
    ):
        assert player.do(*action).status is Status.DONE, action
    assert player.belief.value(('hot', 'egg_1')) is Value.FALSE, 'nobody looked inside yet'
    player.do('open', 'microwave_1')
    assert player.belief.value(('hot', 'egg_1')) is Value.TRUE
    assert player.belief.value(('on', 'microwave_1')) is Value.FALSE
    check_belief(player)


@pytest.mark.parametrize(
    ('action', 'failure'),
    [
        (('pick', 'knife_1', 'desk_1'), Failure.NOT_REACHABLE),
        (('put', 'knife_1', 'cabinet_1'), Failure.WRONG_STATE),
        (('pick', 'knife_1', 'cabinet_1'), Failure.NOT_VISIBLE),
        (('toggle', 'sinkbasin_1'), Failure.NOT_REACHABLE),
        (('close', 'cabinet_1'), Failure.WRONG_STATE),
        (('goto', 'cabinet_1'), Failure.NOT_REACHABLE),
    ],
)
def test_impossible_action_fails_with_its_class(
    play: Play, scene: Any, action: tuple[str, ...], failure: Failure
) -> None:
    player = play(HomeEnvironment())
    player.reset(scene())
    player.do('goto', 'cabinet_1')
    before = truth(player.environment)
    performed = player.do(*action)
    assert (performed.status, performed.failure) == (Status.FAILED, failure)
    assert performed.view.text == 'Nothing happens.'
    assert performed.reason
    assert truth(player.environment) is before


@pytest.mark.parametrize(
    ('action', 'args', 'failure'),
    [
        ('fly', (), Failure.UNKNOWN_ACTION),
        ('clean', ('mug_1', 'sinkbasin_1'), Failure.UNKNOWN_ACTION),
        ('goto', ('fridge_7',), Failure.UNKNOWN_OBJECT),
        ('goto', ('mug_1',), Failure.OTHER),
        ('goto', (), Failure.OTHER),
    ],
)
def test_what_is_not_understood_is_refused(
    play: Play, scene: Any, action: str, args: tuple[str, ...], failure: Failure
) -> None:
    player = play(HomeEnvironment())
    player.reset(scene())
    performed = player.do(action, *args)
    assert (performed.status, performed.failure) == (Status.REFUSED, failure)


def test_undeclared_number_is_refused(scene: Any) -> None:
    home = HomeEnvironment()
    home.reset(scene(), 0, '')
    performed = home.perform('goto', ('desk_1',), (Number('speed', 1.0),), threading.Event())
    assert performed.status is Status.REFUSED


def test_stopped_action_changes_nothing(scene: Any) -> None:
    home = HomeEnvironment(action_duration=60.0)
    home.reset(scene(), 0, '')
    stop = threading.Event()
    threading.Timer(0.05, stop.set).start()
    began = time.monotonic()
    performed = home.perform('goto', ('desk_1',), (), stop)
    assert time.monotonic() - began < 10
    assert (performed.status, performed.failure) == (Status.STOPPED, Failure.STOPPED)
    assert ('at', 'desk_1') not in truth(home)


def test_looking_again_shows_no_change(play: Play, scene: Any) -> None:
    home = HomeEnvironment()
    assert home.view() is None
    assert home.changed() is None
    player = play(home)
    player.reset(scene())
    player.do('goto', 'desk_1')
    assert home.changed() is None
    before = player.belief.hash
    player.fold(home.view(), full=True)
    assert player.belief.hash == before


def test_same_seed_same_world() -> None:
    home = HomeEnvironment('flat')
    states = []
    for seed in (1, 1, 2):
        home.reset('', seed, '')
        states.append(truth(home))
    assert states[0] == states[1]
    assert states[0] != states[2]


def test_own_goal_replaces_the_scenes(scene: Any) -> None:
    task, view = HomeEnvironment().reset(scene(), 0, 'eat the bread')
    assert task == 'eat the bread'
    assert view.text.endswith('Your task is to: eat the bread.')


def test_unknown_scene_is_said_with_those_there_are() -> None:
    with pytest.raises(SceneError, match='studio'):
        HomeEnvironment().reset('moon', 0, '')
    with pytest.raises(ValueError, match='action_duration'):
        HomeEnvironment(action_duration=-1.0)


def test_commands_are_said_in_plain_words() -> None:
    home = HomeEnvironment()
    assert home.words('pick', ('mug_1', 'desk_1')) == 'take mug 1 from desk 1'
    for action in home.info.actions:
        assert home.words(action.name, tuple(f'{kind}_1' for kind in action.types))


@pytest.mark.parametrize('name', ['studio', 'kitchen', 'bathroom'])
@pytest.mark.parametrize('seed', [0, 1])
def test_walks_show_only_what_is_true(play: Play, name: str, seed: int) -> None:
    """Walk at random: the belief is true at every step, and so is what the text says."""
    rng = random.Random(seed)
    home = HomeEnvironment(name)
    player = play(home)
    view = player.reset('', seed)
    reader = TextReader(household().types)
    model = PddlModel(household(), truth(home).objects, [a.name for a in home.info.actions])
    for _ in range(120):
        reading = reader.read(view.text)
        assert reading.understood or view.text.split()[1] in ('fill', 'empty', 'wipe'), view.text
        for atom, value in reading.facts.items():
            assert truth(home).value(atom) is value, (view.text, atom)
        check_belief(player)
        action = rng.choice(model.applicable(truth(home)))
        performed = player.do(action.name, *action.args)
        assert performed.status is Status.DONE
        assert truth(home).value(('hand_empty',)) is player.belief.value(('hand_empty',))
        view = performed.view
        if rng.random() < 0.1:
            player.fold(home.view(), full=True)
