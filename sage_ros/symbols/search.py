"""Satisficing search for plans in the transition model of a domain."""

from collections.abc import Callable, Container, Iterator
from functools import partial
from heapq import heappop, heappush
from itertools import count, islice

from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.goals import Goal, bindings
from sage_ros.symbols.heuristic import RelaxedPlans
from sage_ros.symbols.model import GroundAction, PddlModel, State
from sage_ros.symbols.relevance import Need, Relevance, Stop, reachable
from sage_ros.symbols.task import Operator, Task

_ASSIGNMENTS = 2_000
_AT_ONCE = 32
_OPERATORS_PER_NODE = 500
_GREED = 3.0


def plan(
    model: PddlModel,
    state: State,
    goal: Goal,
    *,
    without: Container[GroundAction] = frozenset(),
    max_nodes: int = 4_000,
    deadline: Callable[[], bool] | None = None,
) -> list[GroundAction] | None:
    """Find actions that lead from a state to a goal; None if none was found in the bounds.

    Actions of ``without`` are not used. ``max_nodes`` bounds the states looked at (in a task of
    thousands of actions each counts several times), ``deadline`` tells that the time is over.
    Equal input gives an equal plan. Plans are good, but not surely the shortest.
    """
    if model.goal(state, goal):
        return []
    stop = deadline or _never
    goals = _ground(goal, model, state)
    budget = _Budget(max_nodes)
    for ground in (_relevant_task, _whole_task):
        task = ground(model, state, goals, without, stop)
        found = None if task is None else _search(task, budget, stop)
        if task is not None and found is not None:
            return [operator.action for operator in _shorten(task, found)]
        if task is None or budget.spent or stop():
            return None
    return None


class _Budget:
    """How much may still be looked at."""

    def __init__(self, nodes: int) -> None:
        self._left = nodes

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def spend(self, weight: int) -> None:
        self._left -= weight


def _never() -> bool:
    return False


def _ground(goal: Goal, model: PddlModel, state: State) -> list[tuple[Fact, ...]]:
    """List the assignments of a goal, the promising ones first.

    Those come first that hold already in more facts, then those over fewer objects of which
    nothing is known.
    """
    known = {arg for atom in state.atoms for arg in atom[1:]}

    def rank(facts: tuple[Fact, ...]) -> tuple[int, int]:
        missing = sum((fact.atom in state) is not (fact.value is Value.TRUE) for fact in facts)
        return missing, sum(arg not in known for fact in facts for arg in fact.args)

    assignments = bindings(goal, state.objects, model.domain.types)
    return sorted((goal.ground(each) for each in islice(assignments, _ASSIGNMENTS)), key=rank)


def _relevant_task(
    model: PddlModel,
    state: State,
    goals: list[tuple[Fact, ...]],
    without: Container[GroundAction],
    stop: Stop,
) -> Task | None:
    """Ground what serves the goals; None if no goal can be reached, or if stopped."""
    rules, table = model.rules, model.table(state.objects)
    # Many assignments at once cost more than they help: take the next ones only if need be.
    for first in range(0, len(goals), _AT_ONCE):
        some = goals[first : first + _AT_ONCE]
        found = Relevance(rules, state, table, stop)
        found.close(dict.fromkeys(fact for facts in some for fact in facts))
        while not stop():
            actions = (action for action in found.actions if action not in without)
            task = Task(rules, state, table, actions, found.reached, some)
            plans = RelaxedPlans(task)
            if plans.estimate(task.start) is not None:
                return task
            missing = plans.missing(task.start)
            lacks = partial(_lacks, task, missing)
            if not found.widen(lacks):
                break
    return None


def _lacks(task: Task, missing: int, need: Need) -> bool:
    return task.lacks(*need, missing)


def _whole_task(
    model: PddlModel,
    state: State,
    goals: list[tuple[Fact, ...]],
    without: Container[GroundAction],
    stop: Stop,
) -> Task | None:
    """Ground everything that can be reached; None if that is too much."""
    rules, table = model.rules, model.table(state.objects)
    found = reachable(rules, state, table, stop)
    if found is None:
        return None
    actions = (action for action in found.actions if action not in without)
    return Task(rules, state, table, actions, found.reached, goals)


def _search(task: Task, budget: _Budget, stop: Stop) -> list[Operator] | None:
    """Search best first by cost so far and a weighted estimate, helpful operators first."""
    plans = RelaxedPlans(task)
    first = plans.estimate(task.start)
    if first is None:
        return None
    serial = count()
    weight = 1 + len(task.operators) // _OPERATORS_PER_NODE
    parents: dict[int, tuple[int, Operator] | None] = {task.start: None}
    cost = {task.start: 0.0}
    queue = [(_GREED * first.cost, next(serial), task.start, first)]
    # States are put back here to try the operators that their estimate did not prefer.
    later: list[tuple[float, int, int]] = []
    while queue or later:
        if budget.spent or stop():
            return None
        if queue:
            rank, _, bits, estimate = heappop(queue)
            operators: Iterator[Operator] = (
                task.operators[number] for number in sorted(estimate.preferred)
            )
            heappush(later, (rank, next(serial), bits))
        else:
            _, _, bits = heappop(later)
            operators = iter(task.operators)
        for operator in operators:
            if not task.applicable(bits, operator):
                continue
            child = task.advance(bits, operator)
            reached = cost[bits] + operator.cost
            if child in cost:
                continue
            cost[child] = reached
            parents[child] = (bits, operator)
            if task.reached(child):
                return _trace(parents, child)
            budget.spend(weight)
            ahead = plans.estimate(child)
            if ahead is not None:
                heappush(queue, (reached + _GREED * ahead.cost, next(serial), child, ahead))
    return None


def _trace(parents: dict[int, tuple[int, Operator] | None], bits: int) -> list[Operator]:
    found: list[Operator] = []
    while (step := parents[bits]) is not None:
        bits, operator = step
        found.append(operator)
    return found[::-1]


def _shorten(task: Task, found: list[Operator]) -> list[Operator]:
    """Leave out every operator, with those that then cannot be done, that the goal can spare."""
    i = 0
    while i < len(found):
        kept = _run(task, found, without=i)
        if kept is None:
            i += 1
        else:
            found = kept
    return found


def _run(task: Task, operators: list[Operator], without: int) -> list[Operator] | None:
    bits = task.start
    kept = []
    for i, operator in enumerate(operators):
        if i != without and task.applicable(bits, operator):
            bits = task.advance(bits, operator)
            kept.append(operator)
    return kept if task.reached(bits) else None
