"""Scene files: those that are shipped, and what is said of broken ones."""

from pathlib import Path

import pytest

from sage_ros.bridges.household import household
from sage_ros.bridges.scenes import find_scene, read_scene
from sage_ros.contract.environment import SceneError
from sage_ros.contract.resources import config_path

SHIPPED = sorted(path.stem for path in config_path('scenes').glob('*.yaml'))
GOOD = 'receptacles:\n  desk_1: {holds: [mug_1]}\n'


def test_all_rooms_are_there() -> None:
    assert {'studio', 'kitchen', 'bedroom', 'living_room', 'bathroom', 'flat'} <= set(SHIPPED)


@pytest.mark.parametrize('name', SHIPPED)
def test_shipped_scene_fits_the_domain(name: str) -> None:
    scene = read_scene(find_scene(name), household())
    assert scene.task
    for seed in range(3):
        state = scene.start(seed)
        placed = [atom[1] for atom in state.atoms if atom[0] == 'in']
        assert sorted(placed) == sorted(set(scene.objects) - set(scene.receptacles))


def test_flat_is_large() -> None:
    scene = read_scene(find_scene('flat'), household())
    assert len(scene.receptacles) == 25
    assert len(scene.objects) == 125


@pytest.mark.parametrize(
    ('text', 'place', 'mend'),
    [
        ('receptacles:\n  desk_1: {holds: [mugg_1]}\n', ':2: receptacles.desk_1.holds.0', 'mug'),
        ('receptacles:\n  dask_1: {}\n', ':2: receptacles.dask_1', 'desk'),
        ('receptacles:\n  desk_1: {door: ajar}\n', ':2: receptacles.desk_1.door', 'closed'),
        ('receptacles:\n  desk_1: {holds: [mug]}\n', ':2: receptacles.desk_1.holds.0', 'mug_1'),
        ('receptacles:\n  mug_1: {}\n', ':2: receptacles.mug_1', 'mug'),
        ('receptacles:\n  desk_1:\n    holds:\n    - pen_1\n    - pen_1\n', ':5:', 'number'),
        (GOOD + 'facts: [clean(mug_2)]\n', ':3: facts.0', 'mug_2'),
        (GOOD + 'facts: [shiny(mug_1)]\n', ':3: facts.0', 'shiny'),
        (GOOD + 'facts: [open(desk_1)]\n', ':3: facts.0', 'clean'),
        (GOOD + 'facts: ["clean mug"]\n', ':3: facts.0', 'clean(mug_1)'),
        (GOOD + 'scattered:\n- {objects: [pen_1], among: [dusk_1]}\n', ':4:', 'desk_1'),
        (GOOD + 'colour: red\n', ':3: colour', 'unknown'),
        (GOOD + 'disturbances: {moves: 1.5}\n', ':3: disturbances', '1'),
        (GOOD + 'disturbances: {outcome: {late: {seconds: -5}}}\n', ':3:', 'greater'),
        ('receptacles: {desk_1: {}\n', ':', 'YAML'),
        ('receptacles: {}\n', ':1: receptacles', 'at least 1'),
        ('', ':', 'receptacles'),
    ],
)
def test_broken_scene_names_file_line_key_and_mend(
    tmp_path: Path, text: str, place: str, mend: str
) -> None:
    path = tmp_path / 'room.yaml'
    path.write_text(text)
    with pytest.raises(SceneError) as caught:
        read_scene(path, household())
    message = str(caught.value)
    assert message.startswith(f'{path}{place}')
    assert mend in message


def test_missing_file_and_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match='no such scene file'):
        find_scene(str(tmp_path / 'none.yaml'))
    with pytest.raises(SceneError, match=r'take one of .*bedroom'):
        find_scene('nowhere')
