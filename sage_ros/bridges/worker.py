"""What a bridge's worker does with the machine's wishes: the blocking calls, and how they end."""

import logging

from sage_ros.bridges.machine import Finished, Look, Looked, Start
from sage_ros.contract.environment import (
    Environment,
    EnvironmentLost,
    Performed,
    SceneError,
    StopSignal,
)
from sage_ros.contract.execution import RESET_ACTION, Command, Failure, Status

_log = logging.getLogger(__name__)


def carry_out(environment: Environment, wish: Start | Look, stop: StopSignal) -> Finished | Looked:
    """Call the environment, one call at a time, and return the event to feed to the machine.

    Never raises: an environment that fails in a way it should not counts as lost.
    """
    try:
        if isinstance(wish, Start):
            return _start(environment, wish.command, stop)
        view = environment.view() if wish.full else environment.changed()
        return Looked(wish.full, view)
    except EnvironmentLost as error:
        return _lost(wish, str(error))
    except Exception as error:
        _log.exception('the environment failed')
        return _lost(wish, f'{type(error).__name__}: {error}')


def _start(environment: Environment, command: Command, stop: StopSignal) -> Finished:
    if command.action != RESET_ACTION:
        performed = environment.perform(command.action, command.args, command.numbers, stop)
        return Finished(command.command_id, performed)
    scene, goal = command.args
    seed = next((int(number.value) for number in command.numbers if number.name == 'seed'), 0)
    try:
        task, view = environment.reset(scene, seed, goal)
    except SceneError as error:
        failed = Performed(Status.FAILED, Failure.OTHER, str(error))
        return Finished(command.command_id, failed)
    return Finished(command.command_id, Performed(Status.DONE, view=view), task)


def _lost(wish: Start | Look, reason: str) -> Finished | Looked:
    if isinstance(wish, Look):
        return Looked(wish.full, lost=reason)
    lost = Performed(Status.UNKNOWN, Failure.ENVIRONMENT_LOST, reason)
    return Finished(wish.command.command_id, lost)
