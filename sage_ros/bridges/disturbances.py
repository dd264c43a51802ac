"""Disturbances that a scene can switch on: of the world, and of what is reported of it."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sage_ros.bridges.machine import Report
from sage_ros.contract.execution import Admissible, Failure, Outcome, Status
from sage_ros.scene.observation import Observation
from sage_ros.symbols.facts import Value

Probability = Annotated[float, Field(ge=0, le=1)]
Numbers = list[Annotated[int, Field(ge=1)]]
When = Probability | Numbers
"""How likely each time, or at which times, counted from 1 after the reset."""


class Late(BaseModel):
    """Reports that come late, by ``seconds``."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    when: When = 0.0
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0


class ReportDisturbances(BaseModel):
    """What happens to reports of one kind; ``wrong`` tells the opposite."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    late: Late = Late()
    lost: When = 0.0
    doubled: When = 0.0
    wrong: When = 0.0


class Disturbances(BaseModel):
    """What goes wrong in a scene; nothing by default.

    ``no_effect``: an action does nothing and is reported as done. ``moves``: after an action,
    something that can be carried moves by itself to another receptacle.
    """

    model_config = ConfigDict(extra='forbid', frozen=True)

    no_effect: When = 0.0
    moves: When = 0.0
    outcome: ReportDisturbances = ReportDisturbances()
    observation: ReportDisturbances = ReportDisturbances()


class _Dice:
    """Answers for one kind of event, the n-th time it could happen."""

    def __init__(self, when: When, seed: str) -> None:
        self._when = when
        self._random = random.Random(seed)
        self._count = 0

    def fall(self) -> bool:
        self._count += 1
        if isinstance(self._when, list):
            return self._count in self._when
        return self._when > 0 and self._random.random() < self._when


class WorldDisturber:
    """Decides which actions have no effect and what moves by itself; same seed, same faults."""

    def __init__(self, spec: Disturbances, seed: int) -> None:
        self._no_effect = _Dice(spec.no_effect, f'{seed} no_effect')
        self._moves = _Dice(spec.moves, f'{seed} moves')
        self._random = random.Random(f'{seed} where')

    def has_no_effect(self) -> bool:
        """Tell whether the action that is now done does nothing."""
        return self._no_effect.fall()

    def move(self, items: Sequence[str], places: Sequence[str]) -> tuple[str, str] | None:
        """Choose what moves by itself after this action and where to, if anything does."""
        if not self._moves.fall() or not items or not places:
            return None
        return self._random.choice(items), self._random.choice(places)


class ReportDisturber:
    """A filter of reports; the outcome of the reset and the first observation pass untouched."""

    def __init__(self, spec: Disturbances, seed: int) -> None:
        self._channels = {
            Outcome: _Channel(spec.outcome, f'{seed} outcome'),
            Observation: _Channel(spec.observation, f'{seed} observation'),
        }

    def __call__(self, report: Report) -> list[tuple[float, Report]]:
        """Return what really leaves the bridge for a report, each with a delay in seconds."""
        if isinstance(report, Admissible):
            return [(0.0, report)]
        return self._channels[type(report)].pass_on(report)


class _Channel:
    def __init__(self, spec: ReportDisturbances, seed: str) -> None:
        self._spec = spec
        self._first = True
        self._late = _Dice(spec.late.when, f'{seed} late')
        self._lost = _Dice(spec.lost, f'{seed} lost')
        self._doubled = _Dice(spec.doubled, f'{seed} doubled')
        self._wrong = _Dice(spec.wrong, f'{seed} wrong')
        self._random = random.Random(f'{seed} which')

    def pass_on(self, report: Report) -> list[tuple[float, Report]]:
        if self._first:
            self._first = False
            return [(0.0, report)]
        late, lost = self._late.fall(), self._lost.fall()
        doubled, wrong = self._doubled.fall(), self._wrong.fall()
        if lost:
            return []
        said = self._opposite(report) if wrong else report
        delay = self._spec.late.seconds if late else 0.0
        return [(delay, said)] * (2 if doubled else 1)

    def _opposite(self, report: Report) -> Report:
        if isinstance(report, Outcome):
            if report.status is Status.DONE:
                return replace(report, status=Status.FAILED, failure=Failure.NO_EFFECT)
            if report.status is Status.FAILED:
                return replace(report, status=Status.DONE, failure=Failure.NONE, reason='')
        if isinstance(report, Observation) and report.facts:
            which = self._random.randrange(len(report.facts))
            fact = report.facts[which]
            flipped = replace(fact, value=Value(1 - min(fact.value, Value.TRUE)))
            facts = (*report.facts[:which], flipped, *report.facts[which + 1 :])
            return replace(report, facts=facts)
        return report
