"""The relaxed-plan heuristic: how far a goal is if nothing is ever undone."""

from dataclasses import dataclass
from heapq import heappop, heappush

from sage_ros.symbols.task import Task


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of a relaxed plan, and which operators begin it (by number)."""

    cost: float
    preferred: frozenset[int]


class RelaxedPlans:
    """Estimates states of one task.

    Costs of atoms add up over conditions; the relaxed plan follows the cheapest achievers.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._goal = task.size
        # One rule for every change of every operator: conditions, what it gives, its operator.
        self._conditions: list[list[int]] = []
        self._gives: list[list[int]] = []
        self._operator: list[int] = []
        self._costs: list[float] = []
        for number, operator in enumerate(task.operators):
            for change in operator.changes:
                gives = change.add | (change.freed & ~change.gone)
                if gives:
                    condition = operator.condition | change.condition
                    self._rule(condition, _bits(gives), number, operator.cost)
        for mask in task.goals:
            self._rule(mask, [self._goal], -1, 0.0)
        self._waiting: list[list[int]] = [[] for _ in range(task.size + 1)]
        for rule, conditions in enumerate(self._conditions):
            for bit in conditions:
                self._waiting[bit].append(rule)
        self._counts = [len(conditions) for conditions in self._conditions]
        self._free = [rule for rule, count in enumerate(self._counts) if not count]

    def estimate(self, state: int) -> Estimate | None:
        """Estimate a state; None if the goal cannot be reached from it."""
        closed, achiever = self._explore(state)
        return self._extract(state, achiever) if closed[self._goal] else None

    def missing(self, state: int) -> int:
        """Return the bits that can never be set, the goal being out of reach too."""
        closed, _ = self._explore(state)
        return sum(1 << bit for bit in range(self._goal) if not closed[bit])

    def _rule(self, condition: int, gives: list[int], operator: int, cost: float) -> None:
        self._conditions.append(_bits(condition))
        self._gives.append(gives)
        self._operator.append(operator)
        self._costs.append(cost)

    def _explore(self, state: int) -> tuple[list[bool], list[int]]:
        """Find the cheapest rule for every bit, cheapest bits first, until the goal has one.

        Returns which bits were reached, and the rules.
        """
        counts = self._counts.copy()
        sums = self._costs.copy()
        infinite = float('inf')
        cost = [infinite] * (self._task.size + 1)
        achiever = [-1] * (self._task.size + 1)
        waiting, gives = self._waiting, self._gives
        queue: list[tuple[float, int]] = []
        closed = [False] * (self._task.size + 1)
        for bit in _bits(state):
            cost[bit] = 0.0
            queue.append((0.0, bit))
        for rule in self._free:
            for bit in gives[rule]:
                if sums[rule] < cost[bit]:
                    cost[bit], achiever[bit] = sums[rule], rule
                    heappush(queue, (sums[rule], bit))
        goal = self._goal
        while queue:
            value, bit = heappop(queue)
            if closed[bit]:
                continue
            closed[bit] = True
            if bit == goal:
                break
            for rule in waiting[bit]:
                counts[rule] -= 1
                total = sums[rule] = sums[rule] + value
                if not counts[rule]:
                    for given in gives[rule]:
                        if total < cost[given]:
                            cost[given], achiever[given] = total, rule
                            heappush(queue, (total, given))
        return closed, achiever

    def _extract(self, state: int, achiever: list[int]) -> Estimate:
        operators = self._task.operators
        used: set[int] = set()
        seen = {self._goal}
        stack = [self._goal]
        while stack:
            rule = achiever[stack.pop()]
            if rule < 0:
                continue
            if self._operator[rule] >= 0:
                used.add(self._operator[rule])
            for bit in self._conditions[rule]:
                if bit not in seen:
                    seen.add(bit)
                    stack.append(bit)
        # Alternatives of one action count once.
        actions = {operators[number].action: operators[number].cost for number in used}
        begin = frozenset(
            number for number in used if self._task.applicable(state, operators[number])
        )
        return Estimate(sum(actions.values()), begin)


def _bits(mask: int) -> list[int]:
    """List the numbers of the bits that are set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
