"""Where reports wait that a filter lets out late."""

from collections.abc import Iterable
from heapq import heappop, heappush

from sage_ros.bridges.events import BridgeEffect, ReportFilter
from sage_ros.contract.execution import Admissible, Outcome
from sage_ros.scene.observation import Observation

_NANOSECONDS = 1_000_000_000


class Outbox:
    """Passes reports through a filter; all other effects leave at once. Times in nanoseconds."""

    def __init__(self, report_filter: ReportFilter | None) -> None:
        self._filter = report_filter
        self._waiting: list[tuple[int, int, BridgeEffect]] = []
        self._order = 0

    @property
    def next_time(self) -> int | None:
        """When the next late report is due."""
        return self._waiting[0][0] if self._waiting else None

    def pass_on(self, effects: Iterable[BridgeEffect], now: int) -> list[BridgeEffect]:
        """Return what leaves now: what the filter leaves of the effects, and what was due."""
        passed: list[BridgeEffect] = []
        for effect in effects:
            if self._filter is None or not isinstance(effect, Outcome | Observation | Admissible):
                passed.append(effect)
                continue
            for delay, report in self._filter(effect):
                if delay <= 0:
                    passed.append(report)
                else:
                    self._order += 1
                    due = now + round(delay * _NANOSECONDS)
                    heappush(self._waiting, (due, self._order, report))
        while self._waiting and self._waiting[0][0] <= now:
            passed.append(heappop(self._waiting)[2])
        return passed
