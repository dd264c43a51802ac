"""Which actions are not tried again."""

import pytest

from sage_ros.contract.execution import Failure, Status
from sage_ros.contract.remembering import Transition
from sage_ros.planning.attempts import Attempts

FAILED = Transition('open', ('safe_1',), status=Status.FAILED, failure=Failure.NO_EFFECT)
FULL = Transition('open', ('safe_1',), status=Status.FAILED, failure=Failure.NO_ROOM)
IN_VAIN = Transition('open', ('safe_1',), status=Status.DONE, hash_before='a', hash_after='a')
DONE = Transition('open', ('safe_1',), status=Status.DONE, hash_before='a', hash_after='b')
LOOK = Transition('look', status=Status.DONE, hash_before='a', hash_after='a')
UNSEEN = Transition('open', ('safe_1',), status=Status.DONE)


@pytest.mark.parametrize(
    ('transitions', 'barred'),
    [
        ([], False),
        ([FAILED] * 2, False),
        ([FAILED] * 3, True),
        ([FAILED, FAILED, DONE, FAILED, FAILED], False),
        ([FAILED, DONE, FAILED, IN_VAIN, FAILED], True),
        ([FULL], True),
        ([IN_VAIN] * 3, True),
        ([LOOK] * 3, False),
        ([UNSEEN] * 3, False),
    ],
)
def test_what_fails_in_a_row_is_barred(transitions: list[Transition], barred: bool) -> None:
    assert bool(Attempts().barred(transitions, 'a')) is barred
