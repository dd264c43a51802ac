"""Environments by name, the worker that calls them, and machines that fit."""

import threading

import pytest

from sage_ros.bridges.machine import Finished, Look, Looked, Start
from sage_ros.bridges.registry import (
    ENVIRONMENTS,
    OptionError,
    UnknownEnvironmentError,
    make_environment,
    make_machine,
)
from sage_ros.bridges.worker import carry_out
from sage_ros.contract.environment import EnvironmentLost
from sage_ros.contract.execution import RESET_ACTION, Command, Failure, Status
from sage_ros.contract.plan import Number

STOP = threading.Event()


def test_unknown_environment_lists_those_there_are() -> None:
    with pytest.raises(UnknownEnvironmentError, match='home, alfworld'):
        make_environment('moon')


@pytest.mark.parametrize(
    ('name', 'options', 'said'),
    [
        ('home', {'colour': 'red'}, "no option 'colour', only scene, action_duration"),
        ('home', {'action_duration': 'long'}, "action_duration: 'long' is no float"),
        ('home', {'action_duration': True}, 'action_duration: True is no float'),
        ('home', {'scene': 3}, 'scene: 3 is no str'),
    ],
)
def test_an_option_that_is_not_taken_is_named(
    name: str, options: dict[str, object], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        make_environment(name, **options)


def test_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, 'textworld', None)
    with pytest.raises(ImportError, match=r"pip install 'sage_ros\[alfworld\]'"):
        make_environment('alfworld')


def test_home_is_made_with_options_and_gets_a_machine() -> None:
    home = make_environment('home', action_duration=0.5)
    assert make_machine(home, bytes(32)).info is home.info
    assert {'home', 'alfworld'} <= set(ENVIRONMENTS)


def test_worker_resets_and_performs() -> None:
    home = make_environment('home')
    reset = Command(
        command_id='c1', action=RESET_ACTION, args=('flat', ''), numbers=(Number('seed', 3.0),)
    )
    finished = carry_out(home, Start(reset), STOP)
    assert isinstance(finished, Finished)
    assert finished.performed.status is Status.DONE
    assert finished.task == 'put a clean mug on the desk'
    assert finished.performed.view.objects
    look = carry_out(home, Start(Command(command_id='c2', action='look')), STOP)
    assert isinstance(look, Finished)
    assert look.performed.status is Status.DONE
    assert carry_out(home, Look(full=False), STOP) == Looked(full=False)
    assert carry_out(home, Look(full=True), STOP).view is not None


def test_scene_that_cannot_be_used_fails_the_reset() -> None:
    reset = Command(command_id='c1', action=RESET_ACTION, args=('moon', ''))
    finished = carry_out(make_environment('home'), Start(reset), STOP)
    assert finished.performed.status is Status.FAILED
    assert 'moon' in finished.performed.reason


@pytest.mark.parametrize('error', [EnvironmentLost('unplugged'), KeyError('bug')])
def test_environment_that_breaks_counts_as_lost(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_environment('home')

    def broken(*_: object) -> None:
        raise error

    for name in ('reset', 'perform', 'view', 'changed'):
        monkeypatch.setattr(home, name, broken)
    for action, args in ((RESET_ACTION, ('', '')), ('look', ())):
        command = Command(command_id='c1', action=action, args=args)
        performed = carry_out(home, Start(command), STOP).performed
        assert (performed.status, performed.failure) == (Status.UNKNOWN, Failure.ENVIRONMENT_LOST)
        assert str(error.args[0]) in performed.reason
    for full in (True, False):
        looked = carry_out(home, Look(full), STOP)
        assert str(error.args[0]) in looked.lost
