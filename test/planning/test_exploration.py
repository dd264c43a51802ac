"""Where it is looked: by chance and cost, never twice without a cause."""

from pathlib import Path

import pytest

from sage_ros.contract.resources import config_path
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.planning.exploration import Explorer, priors, read_priors
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import ANY, Observation, ObservationKind, Pattern, SceneObject
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.pddl_reader import read_domain
from sage_ros.symbols.state import GroundAction

DOMAIN = read_domain(config_path('domains/household.pddl'))
PRIORS = priors(DOMAIN)
PLACES = {
    'countertop_1': 'countertop',
    'cabinet_1': 'cabinet',
    'cabinet_2': 'cabinet',
    'cabinet_10': 'cabinet',
    'sofa_1': 'sofa',
}


class Scene:
    """A belief that grows."""

    def __init__(self, places: dict[str, str] = PLACES) -> None:
        self.explorer = Explorer(DOMAIN, PRIORS)
        self.belief = Belief(episode_id='e')
        self.see(objects=tuple(SceneObject(*item) for item in places.items()))

    def see(self, **content: object) -> None:
        seq = self.belief.seq + 1
        kind = ObservationKind.DELTA if seq > 1 else ObservationKind.SNAPSHOT
        seen = Observation(episode_id='e', seq=seq, base_seq=seq - 1, kind=kind, **content)
        self.belief = fold(self.belief, seen)
        self.explorer.notice(self.belief)

    def stand_at(self, place: str, *items: str, door: bool = False) -> None:
        """Stand there and see its contents."""
        facts = [Fact('at', (place,)), Fact('openable', (place,), Value(door))]
        facts += [Fact('in', (item, place)) for item in items]
        facts += [Fact('open', (place,))] if door else []
        self.see(
            objects=tuple(SceneObject(item, item.partition('_')[0]) for item in items),
            facts=tuple(facts),
            covers=(Pattern('at', (ANY,)), Pattern('in', (ANY, place))),
        )

    def next(self, *sought: str, barred: tuple[GroundAction, ...] = ()) -> list[str]:
        return [str(a) for a in self.explorer.next_look(self.belief, sought, barred)]


def test_likely_open_places_come_first_then_doors_in_order_of_number() -> None:
    scene = Scene()
    order = []
    for _ in PLACES:
        (action,) = scene.next('mug')
        place = action[len('goto(') : -1]
        order.append(place)
        scene.stand_at(place, door=PLACES[place] == 'cabinet')
    assert order == ['countertop_1', 'cabinet_1', 'cabinet_2', 'cabinet_10', 'sofa_1']
    assert scene.next('mug') == []


def test_closed_door_before_the_agent_is_opened() -> None:
    scene = Scene({'cabinet_1': 'cabinet', 'sofa_1': 'sofa'})
    assert scene.next('mug') == ['goto(cabinet_1)']
    scene.see(
        facts=(
            Fact('at', ('cabinet_1',)),
            Fact('openable', ('cabinet_1',)),
            Fact('open', ('cabinet_1',), Value.FALSE),
        )
    )
    assert scene.next('mug') == ['open(cabinet_1)']


def test_several_things_are_sought_at_once() -> None:
    scene = Scene({'bed_1': 'bed', 'countertop_1': 'countertop'})
    assert scene.next('pillow', 'knife') == ['goto(bed_1)']
    assert scene.next('knife') == ['goto(countertop_1)']


def test_barred_places_are_left_out() -> None:
    scene = Scene({'cabinet_1': 'cabinet', 'cabinet_2': 'cabinet'})
    barred = (GroundAction('goto', ('cabinet_1',)),)
    assert scene.next('mug', barred=barred) == ['goto(cabinet_2)']


def test_places_are_looked_into_again_only_when_something_sought_has_vanished() -> None:
    scene = Scene({'countertop_1': 'countertop', 'sofa_1': 'sofa'})
    scene.stand_at('sofa_1')
    scene.stand_at('countertop_1', 'mug_1')
    assert scene.next('mug') == []
    scene.stand_at('countertop_1')
    assert scene.explorer.vanished('mug_1')
    assert scene.next('knife') == []
    assert scene.next('mug') == ['goto(sofa_1)']
    scene.stand_at('sofa_1')
    assert scene.next('mug') == []
    scene.stand_at('countertop_1', 'mug_1')
    assert not scene.explorer.vanished('mug_1')


def test_priors_know_every_portable_thing() -> None:
    portable = DOMAIN.types.subtypes('portable') - {'portable', 'food', 'blade', 'vessel'}
    assert sorted(portable - {'wiper', 'gadget'} - set(PRIORS.likelihood)) == []


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        ('doors: [mug]\ndefault: 0.1\nlikelihood: {}\n', "'mug' is no receptacle"),
        ('doors: []\ndefault: 2\nlikelihood: {}\n', 'default'),
        ('doors: []\ndefault: 0.1\nlikelihood:\n  mgu: {desk: 0.1}\n', "'mgu' is no thing"),
        ('doors: []\ndefault: 0.1\nlikelihood:\n  mug: {dsek: 0.1}\n', "'dsek' is no receptacle"),
    ],
)
def test_bad_priors_name_file_line_and_mend(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / 'priors.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r'priors\.yaml:\d+: ') as caught:
        read_priors(path, DOMAIN)
    assert named in str(caught.value)
