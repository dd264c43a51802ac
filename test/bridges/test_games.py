"""Game files and archives of them: found, unpacked once, and what is said of broken ones."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from sage_ros.bridges import games
from sage_ros.bridges.games import find_games, read_game
from sage_ros.contract.environment import SceneError

CONTENT = {
    'pddl_domain': '(define)',
    'pddl_problem': '(define)',
    'grammar': 'g',
    'walkthrough': [],
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a cache of its own."""
    folder = tmp_path / 'cache'
    monkeypatch.setattr(games, 'user_cache_path', lambda _: folder)
    return folder


def write_game(folder: Path, name: str = 'a', text: str | None = None) -> Path:
    path = folder / name / 'game.tw-pddl'
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(CONTENT) if text is None else text)
    return path


def pack(folder: Path, names: dict[str, bytes]) -> Path:
    path = folder / 'games.tar.gz'
    with tarfile.open(path, 'w:gz') as tar:
        for name, content in names.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_folder_and_single_game(tmp_path: Path) -> None:
    second, first = write_game(tmp_path / 'set', 'b'), write_game(tmp_path / 'set', 'a')
    assert find_games(tmp_path / 'set') == [first, second]
    assert find_games(first) == [first]
    assert read_game(first).grammar == 'g'
    assert read_game(first.parent).path == first
    with pytest.raises(SceneError, match='2 games'):
        read_game(tmp_path / 'set')


def test_archive_is_unpacked_once_for_each_content(tmp_path: Path, cache: Path) -> None:
    text = json.dumps(CONTENT).encode()
    archive = pack(tmp_path, {'x/b/game.tw-pddl': text, 'x/a/game.tw-pddl': text, 'x/n.txt': b''})
    found = find_games(archive)
    assert [path.parent.name for path in found] == ['a', 'b']
    assert all(path.is_relative_to(cache) for path in found)
    stamp = found[0].stat().st_mtime_ns
    assert find_games(archive) == found
    assert found[0].stat().st_mtime_ns == stamp
    assert not list(cache.rglob('.partial*'))
    assert not list(cache.rglob('n.txt'))


def test_archive_that_leads_elsewhere_is_refused(tmp_path: Path, cache: Path) -> None:
    archive = pack(tmp_path, {'../../../out/game.tw-pddl': b'{}'})
    with pytest.raises(SceneError, match='leads out'):
        find_games(archive)
    assert not list(tmp_path.rglob('*.tw-pddl'))


def test_half_an_archive_is_said_to_be_broken(tmp_path: Path, cache: Path) -> None:
    noise = bytes(i * i % 251 for i in range(200_000))
    archive = pack(tmp_path, {f'{i}/game.tw-pddl': noise for i in range(3)})
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) // 2])
    for _ in range(2):
        with pytest.raises(SceneError, match=r'broken archive.*get it again'):
            find_games(archive)
    assert not list(cache.rglob('*.tw-pddl'))


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (json.dumps(CONTENT)[:40], r':1:\d+: not JSON: .*get the file again'),
        ('', ':1:1: not JSON'),
        ('[1, 2]', 'not a game'),
        ('[' * 100_000, 'nested too deep'),
        ('{"pddl_domain": "(define)", "grammar": "g"}', 'pddl_problem: missing'),
        ('{"pddl_domain": 3, "pddl_problem": "p", "grammar": "g"}', 'pddl_domain: missing or no'),
    ],
)
def test_broken_game_names_file_place_and_mend(tmp_path: Path, text: str, message: str) -> None:
    path = write_game(tmp_path, text=text)
    with pytest.raises(SceneError, match=message) as caught:
        read_game(path)
    assert str(caught.value).startswith(str(path))


def test_what_is_no_game(tmp_path: Path) -> None:
    (tmp_path / 'empty').mkdir()
    (tmp_path / 'notes.txt').write_text('hello')
    for path, message in (
        (tmp_path / 'none', 'does not exist'),
        (tmp_path / 'empty', 'no .tw-pddl file'),
        (tmp_path / 'notes.txt', 'neither'),
    ):
        with pytest.raises(SceneError, match=message):
            find_games(path)
    with pytest.raises(SceneError, match='has to end in'):
        read_game(tmp_path / 'notes.txt')
