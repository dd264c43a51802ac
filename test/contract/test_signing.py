"""Signatures of commands, and key files that must not be used."""

import hmac
import os
import struct
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ros.contract.execution import Command
from sage_ros.contract.plan import Number
from sage_ros.contract.signing import (
    KEY_BYTES,
    KeyFileError,
    make_key,
    read_key,
    serialise,
    sign,
    verify,
)
from sage_ros.scene.observation import Header

KEY = bytes(range(32))
COMMAND = Command(
    header=Header(3_000_000_004, 'm'),
    session_id='s',
    episode_id='e',
    plan_seq=5,
    step=6,
    command_id='e/5/6',
    counter=7,
    action='pick',
    args=('mug_1', 'tür_1'),
    numbers=(Number('speed', 0.5, 'm/s'),),
    deadline=8_000_000_009,
)


def test_the_serialisation_is_the_documented_one() -> None:
    expected = b''.join(
        [
            struct.pack('<iI', 3, 4),
            b'\x01\x00\x00\x00m\x01\x00\x00\x00s\x01\x00\x00\x00e',
            struct.pack('<II', 5, 6),
            b'\x05\x00\x00\x00e/5/6',
            struct.pack('<Q', 7),
            b'\x04\x00\x00\x00pick',
            b'\x02\x00\x00\x00\x05\x00\x00\x00mug_1\x06\x00\x00\x00t\xc3\xbcr_1',
            b'\x01\x00\x00\x00\x05\x00\x00\x00speed',
            struct.pack('<d', 0.5),
            b'\x03\x00\x00\x00m/s',
            struct.pack('<iI', 8, 9),
        ]
    )
    assert serialise(COMMAND) == expected
    assert sign(KEY, COMMAND) == hmac.new(KEY, expected, sha256).digest()


def test_a_signed_command_is_verified_with_its_key_only() -> None:
    signed = replace(COMMAND, signature=sign(KEY, COMMAND))
    assert verify(KEY, signed)
    assert not verify(bytes(32), signed)
    assert not verify(KEY, replace(signed, counter=8))
    assert not verify(KEY, replace(signed, signature=b''))


words = st.text(max_size=4)
commands = st.builds(
    Command,
    session_id=words,
    episode_id=words,
    command_id=words,
    action=words,
    args=st.lists(words, max_size=3).map(tuple),
    numbers=st.lists(st.builds(Number, words, st.floats(allow_nan=False), words), max_size=2).map(
        tuple
    ),
    plan_seq=st.integers(0, 2**32 - 1),
    step=st.integers(0, 2**32 - 1),
    counter=st.integers(0, 2**64 - 1),
    deadline=st.integers(0, 2**31 * 10**9 - 1),
)


@given(commands, commands)
def test_different_commands_have_different_serialisations(one: Command, two: Command) -> None:
    # 0.0 and -0.0 are equal but not the same bytes.
    if one != two:
        assert serialise(one) != serialise(two)


# ---------------------------------------------------------------- key files


def test_a_new_key_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / 'keys' / 'command.key'
    before = os.umask(0)
    try:
        key = make_key(path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(key) == KEY_BYTES
    assert read_key(path) == key
    assert make_key(path) == key


def test_two_keys_differ(tmp_path: Path) -> None:
    assert make_key(tmp_path / 'a') != make_key(tmp_path / 'b')


@pytest.mark.parametrize('mode', [0o640, 0o604, 0o660, 0o644, 0o666, 0o610])
def test_a_key_file_that_anyone_else_can_reach_is_not_used(tmp_path: Path, mode: int) -> None:
    path = tmp_path / 'key'
    make_key(path)
    path.chmod(mode)
    with pytest.raises(KeyFileError, match=rf'{path}: others can read .*{mode:04o}.*chmod 600'):
        read_key(path)
    with pytest.raises(KeyFileError):
        make_key(path)


@pytest.mark.parametrize('content', [b'', b'00' * 31, b'00' * 33, b'zz' * 32, b'\xff' * 64])
def test_a_file_that_holds_no_key_is_not_used(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'key'
    path.touch(0o600)
    path.write_bytes(content)
    with pytest.raises(KeyFileError, match=f'{path}: not a key file'):
        read_key(path)


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=f'{tmp_path / "none"}: cannot read the key file'):
        read_key(tmp_path / 'none')
