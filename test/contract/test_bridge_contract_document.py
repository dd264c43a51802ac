"""The test vectors of docs/bridge_contract.md are those of the code."""

import json
from dataclasses import fields, replace
from pathlib import Path

from sage_ros.contract.execution import Command
from sage_ros.contract.plan import Number
from sage_ros.contract.signing import sign, verify
from sage_ros.scene.observation import Header

DOCUMENT = Path(__file__).parents[2] / 'docs' / 'bridge_contract.md'
KEY = bytes(range(32))


def vectors() -> list[tuple[Command, bytes]]:
    """Read the commands and signatures of the document."""
    found = []
    for line in DOCUMENT.read_text().splitlines():
        if not line.startswith('{'):
            continue
        fields = json.loads(line)
        signature = bytes.fromhex(fields.pop('signature'))
        fields['header'] = Header(**fields['header'])
        fields['args'] = tuple(fields['args'])
        fields['numbers'] = tuple(Number(**number) for number in fields['numbers'])
        found.append((Command(**fields), signature))
    return found


def test_documented_signatures_are_those_of_the_code() -> None:
    assert len(vectors()) == 3
    for command, signature in vectors():
        assert sign(KEY, command) == signature


def test_a_signature_covers_every_field() -> None:
    command = vectors()[1][0]
    changes = {
        'header': Header(command.header.stamp + 1, 'map'),
        'session_id': 's2',
        'episode_id': 's1-2',
        'plan_seq': 4,
        'step': 3,
        'command_id': 's1-1/3/3',
        'counter': 3,
        'action': 'pick',
        'args': ('desk_2',),
        'numbers': (Number('speed', 0.5, 'm/s'),),
        'deadline': command.deadline + 1,
    }
    assert set(changes) == {f.name for f in fields(Command)} - {'signature'}
    signed = replace(command, signature=sign(KEY, command))
    assert verify(KEY, signed)
    for name, value in changes.items():
        assert not verify(KEY, replace(signed, **{name: value})), name
