"""ALFWorld's game files: found in folders and archives, and checked before they are played."""

import hashlib
import json
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from sage_ros.contract.environment import SceneError

SUFFIX = '.tw-pddl'
_KEYS = ('pddl_domain', 'pddl_problem', 'grammar')
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Game:
    """A game file that holds all that it has to. ``grammar`` is how it words its commands."""

    path: Path
    grammar: str


def find_games(path: Path | str) -> list[Path]:
    """List the game files of a folder, an archive or of one game, in a stable order.

    An archive is unpacked into the user's cache, once for each content. Raises SceneError for a
    path that is missing, a broken archive, or one without games.
    """
    path = Path(path)
    if path.is_dir():
        games = sorted(path.rglob(f'*{SUFFIX}'))
    elif not path.exists():
        raise SceneError(f'{path}: does not exist; give a game file, a folder or an archive')
    elif path.suffix == SUFFIX:
        return [path]
    elif path.name.endswith(('.tar.gz', '.tgz', '.tar')):
        games = sorted(_unpacked(path).rglob(f'*{SUFFIX}'))
    else:
        raise SceneError(f'{path}: neither a {SUFFIX} file nor a .tar.gz archive')
    if not games:
        raise SceneError(f'{path}: there is no {SUFFIX} file in it')
    return games


def read_game(path: Path | str) -> Game:
    """Check a game file, or the only one of a folder; SceneError names file, place and mend."""
    path = Path(path)
    if path.is_dir():
        games = find_games(path)
        if len(games) > 1:
            raise SceneError(f'{path}: there are {len(games)} games in it; name one of them')
        path = games[0]
    if path.suffix != SUFFIX:
        raise SceneError(f'{path}: not a game; its name has to end in {SUFFIX}')
    again = 'get the file again'
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f'{path}: cannot be read: {error}; {again}') from error
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        cut = ', where the file ends' if error.pos >= len(text) or _is_cut(error) else ''
        place = f'{path}:{error.lineno}:{error.colno}'
        raise SceneError(f'{place}: not JSON: {error.msg}{cut}; {again}') from error
    except RecursionError as error:
        raise SceneError(f'{path}:1:1: not a game: nested too deep; {again}') from error
    if not isinstance(content, dict):
        raise SceneError(f'{path}:1:1: not a game: an object is expected; {again}')
    for key in _KEYS:
        value = content.get(key)
        if not isinstance(value, str) or not value.strip():
            raise SceneError(f'{path}: {key}: missing or no text; {again}')
    return Game(path, content['grammar'])


def _is_cut(error: json.JSONDecodeError) -> bool:
    return error.msg.startswith('Unterminated string')


def _unpacked(archive: Path) -> Path:
    """Unpack an archive into the cache, unless one of the same content was."""
    digest = hashlib.sha256()
    with archive.open('rb') as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    target = user_cache_path('sage_ros') / 'games' / digest.hexdigest()[:32]
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # Unpacked beside it and renamed, so that what carries the name is whole.
    partial = Path(tempfile.mkdtemp(dir=target.parent, prefix='.partial-'))
    try:
        _unpack(archive, partial)
        try:
            partial.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _unpack(archive: Path, target: Path) -> None:
    """Write the game files of an archive below a folder; nothing else, and nowhere else."""
    root = target.resolve()
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                if not member.isfile() or not member.name.endswith(SUFFIX):
                    continue
                place = (root / member.name).resolve()
                if not place.is_relative_to(root):
                    raise SceneError(f'{archive}: {member.name} leads out of the archive')
                source = tar.extractfile(member)
                if source is not None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with source, place.open('wb') as file:
                        shutil.copyfileobj(source, file)
    except (tarfile.TarError, EOFError, OSError) as error:
        what = str(error) or type(error).__name__
        raise SceneError(f'{archive}: a broken archive: {what}; get it again') from error
