"""Fixtures for all tests: repeatable hypothesis, a ROS domain for each test, the data."""

import fcntl
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile('sage', derandomize=True, deadline=None, print_blob=True)
settings.load_profile('sage')

# Above 101 the ports of a domain lie among the ephemeral ones.
DOMAINS = range(1, 102)
SHARED_MEMORY = Path('/dev/shm')
# Fast DDS writes one kind on Jazzy and the other on Kilted.
SEGMENT_PREFIXES = ('fastrtps_', 'fastdds_')
LOCK_SUFFIX = '_el'


def lock_domain(start: int) -> tuple[int, int]:
    """Lock a domain that no test of this machine uses; return it and the descriptor to close."""
    folder = Path(tempfile.gettempdir(), f'sage_ros_domains_{os.getuid()}')
    folder.mkdir(exist_ok=True)
    for offset in range(len(DOMAINS)):
        domain = DOMAINS[(start + offset) % len(DOMAINS)]
        descriptor = os.open(folder / str(domain), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        return domain, descriptor
    raise RuntimeError(f'all ROS domains are locked in {folder}')


def segment_names() -> set[str]:
    """Return the names of Fast DDS's files in shared memory that this user owns."""
    names = set()
    for entry in os.scandir(SHARED_MEMORY):
        if not entry.name.startswith(SEGMENT_PREFIXES):
            continue
        try:
            if entry.stat().st_uid == os.getuid():
                names.add(entry.name)
        except FileNotFoundError:
            continue  # its owner ended meanwhile
    return names


def remove_leftovers(before: set[str]) -> None:
    """Remove segments made since `before` whose lock is free: their process was killed.

    Ports are left alone, see remove_ports.
    """
    for name in segment_names() - before:
        if not name.endswith(LOCK_SUFFIX) or '_port' in name:
            continue
        try:
            descriptor = os.open(SHARED_MEMORY / name, os.O_RDWR)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue  # in use
        else:
            (SHARED_MEMORY / name.removesuffix(LOCK_SUFFIX)).unlink(missing_ok=True)
            (SHARED_MEMORY / name).unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def remove_ports(domain: int) -> None:
    """Remove the ports of a domain that we have locked, 250 from 7400 on for each domain."""
    first = 7400 + 250 * domain
    for number in range(first, first + 250):
        for prefix in SEGMENT_PREFIXES:
            port = f'{prefix}port{number}'
            for name in (port, f'{port}{LOCK_SUFFIX}', f'sem.{port}_mutex'):
                (SHARED_MEMORY / name).unlink(missing_ok=True)


@pytest.fixture(scope='session')
def domain_turn() -> list[int]:
    """Hold where to look for the next domain, so that tests in a row have different ones."""
    return [os.getpid()]


@pytest.fixture
def ros_domain(monkeypatch: pytest.MonkeyPatch, domain_turn: list[int]) -> Iterator[int]:
    """Give the test, and the processes it starts, a ROS domain that nobody else has.

    The test has ended its processes when it returns; what killed ones left is removed.
    """
    domain, descriptor = lock_domain(domain_turn[0])
    domain_turn[0] = domain
    before = segment_names()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    try:
        yield domain
    finally:
        remove_ports(domain)
        remove_leftovers(before)
        os.close(descriptor)


@pytest.fixture(scope='session')
def sage_data() -> Path:
    """Return the folder of data sets, or skip."""
    name = os.environ.get('SAGE_DATA')
    if not name:
        pytest.skip('SAGE_DATA is not set: it names the folder of data sets')
    return Path(name)


@pytest.fixture(scope='session')
def alfworld_games(sage_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the games of ALFWorld's valid_seen, or skip."""
    if importlib.util.find_spec('textworld') is None:
        pytest.skip('textworld is not installed: pip install "sage_ros[alfworld]"')
    archive = sage_data / 'alfworld' / 'valid_seen.tar.gz'
    if not archive.is_file():
        pytest.skip(f'{archive} does not exist')
    folder = tmp_path_factory.mktemp('alfworld')
    shutil.unpack_archive(archive, folder)
    return folder
