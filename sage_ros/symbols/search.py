"""Satisficing search for plans in a transition model."""

from collections.abc import Callable

from sage_ros.symbols.goals import Goal
from sage_ros.symbols.model import GroundAction, PddlModel, State


def plan(
    model: PddlModel,
    state: State,
    goal: Goal,
    *,
    max_nodes: int = 20_000,
    deadline: Callable[[], bool] | None = None,
) -> list[GroundAction] | None:
    """Find actions that lead from a state to a goal; None if none was found in the bounds.

    ``max_nodes`` bounds the expanded states, ``deadline`` says that the time is over.
    """
    raise NotImplementedError
