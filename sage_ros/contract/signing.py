"""Signing of commands: HMAC-SHA256 over a canonical serialisation, with a key from a file.

It guards against stray publishers, not against a hostile process of the same user.
"""

import hmac
import os
import secrets
import stat
import struct
from hashlib import sha256
from pathlib import Path

from sage_ros.contract.execution import Command

KEY_BYTES = 32
_NANOSECONDS = 1_000_000_000


class KeyFileError(Exception):
    """A key file that must not be used; the message names it and the mend."""


def serialise(command: Command) -> bytes:
    """Write every field but the signature, in the order of Command.msg.

    Strings are a u32 length and UTF-8, integers and floats little endian, arrays a u32 count
    and their elements, nested messages field by field.
    """
    out = bytearray()

    def text(value: str) -> None:
        raw = value.encode()
        out.extend(struct.pack('<I', len(raw)))
        out.extend(raw)

    def time(value: int) -> None:
        out.extend(struct.pack('<iI', *divmod(value, _NANOSECONDS)))

    time(command.header.stamp)
    text(command.header.frame_id)
    text(command.session_id)
    text(command.episode_id)
    out.extend(struct.pack('<II', command.plan_seq, command.step))
    text(command.command_id)
    out.extend(struct.pack('<Q', command.counter))
    text(command.action)
    out.extend(struct.pack('<I', len(command.args)))
    for arg in command.args:
        text(arg)
    out.extend(struct.pack('<I', len(command.numbers)))
    for number in command.numbers:
        text(number.name)
        out.extend(struct.pack('<d', number.value))
        text(number.unit)
    time(command.deadline)
    return bytes(out)


def sign(key: bytes, command: Command) -> bytes:
    """Compute the 32 raw bytes of a command's signature."""
    return hmac.digest(key, serialise(command), sha256)


def verify(key: bytes, command: Command) -> bool:
    """Check a command's signature in constant time."""
    return hmac.compare_digest(sign(key, command), command.signature)


def make_key(path: Path) -> bytes:
    """Write a new key file of mode 0600 where there is none, and return the key in the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_key(path)
    with os.fdopen(handle, 'w') as file:
        file.write(secrets.token_hex(KEY_BYTES) + '\n')
    return read_key(path)


def read_key(path: Path) -> bytes:
    """Read a key: 64 hexadecimal digits in a file that only its owner can read.

    Raises KeyFileError if the file is missing, can be read by others, or holds something else.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise KeyFileError(f'{path}: cannot read the key file: {error.strerror}') from error
    if stat.S_IMODE(mode) & 0o077:
        raise KeyFileError(
            f'{path}: others can read the key file (mode {stat.S_IMODE(mode):04o}); '
            f'make a new key, or if no one has read it: chmod 600 {path}'
        )
    try:
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError) as error:
        raise KeyFileError(f'{path}: not a key file: {error}') from error
    if len(key) != KEY_BYTES:
        raise KeyFileError(f'{path}: not a key file: {len(key)} bytes, expected {KEY_BYTES}')
    return key
