"""The household domain and a generated large flat."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from sage_ros.symbols.domain import Domain
from sage_ros.symbols.model import State
from sage_ros.symbols.pddl_reader import read_domain

ROOMS = (
    *('countertop', 'countertop', 'cabinet', 'cabinet', 'cabinet', 'drawer', 'drawer', 'fridge'),
    *('microwave', 'sinkbasin', 'stoveburner', 'diningtable', 'coffeetable', 'sofa', 'desk'),
    *('desk', 'shelf', 'bed', 'sidetable', 'dresser', 'garbagecan', 'safe', 'bathtubbasin'),
    *('cabinet', 'shelf'),
)
WITH_DOORS = {'cabinet', 'drawer', 'fridge', 'microwave', 'safe', 'dresser'}


@pytest.fixture(scope='session')
def household() -> Domain:
    root = Path(__file__).parents[2]
    return read_domain(root / 'config' / 'domains' / 'household.pddl')


@pytest.fixture(scope='session')
def make_flat(household: Domain) -> Callable[[int, int], State]:
    """Make a flat with so many receptacles and so many items in random places."""

    def make(receptacles: int, items: int) -> State:
        rng = random.Random(receptacles * 10_000 + items)
        kinds = household.types.subtypes('portable')
        leaves = sorted(k for k in kinds if household.types.subtypes(k) == {k})
        objects: dict[str, str] = {}
        counts: dict[str, int] = {}

        def add(kind: str) -> str:
            counts[kind] = counts.get(kind, 0) + 1
            name = f'{kind}_{counts[kind]}'
            objects[name] = kind
            return name

        places = [add(ROOMS[i % len(ROOMS)]) for i in range(receptacles)]
        atoms = {('hand_empty',), ('at', places[0])}
        atoms |= {('openable', p) for p in places if objects[p] in WITH_DOORS}
        for i in range(items):
            name = add(leaves[i] if i < len(leaves) else rng.choice(leaves))
            atoms.add(('in', name, rng.choice(places)))
        return State(atoms, objects)

    return make
