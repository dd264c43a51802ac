"""Lookahead and dry runs on the gate's belief. They change nothing and are bounded."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from time import monotonic

from sage_ros.contract.plan import PlanStep
from sage_ros.contract.requests import (
    CheckPlanReply,
    CheckPlanRequest,
    Projection,
    ProjectReply,
    ProjectRequest,
    QueryStatus,
)
from sage_ros.monitoring.admission import Refusal, overlay
from sage_ros.monitoring.gate import Gate
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.symbols.facts import Atom, Fact, Value

MAX_PROJECTIONS = 1000
"""How many actions one answer holds at most."""
MAX_SECONDS = 0.2
"""After how long the search for actions ends; the monitor answers nobody else meanwhile."""


def project(
    gate: Gate, request: ProjectRequest, clock: Callable[[], float] = monotonic
) -> ProjectReply:
    """List the actions that would be admitted now, each with what it would change.

    TRUNCATED if there are more than the limit or the time (of ``clock``, in seconds) is over.
    """
    busy = _unavailable(gate)
    if busy is not None:
        return ProjectReply(*busy, observation_seq=gate.belief.seq)
    limit = min(request.limit or MAX_PROJECTIONS, MAX_PROJECTIONS)
    end = clock() + MAX_SECONDS
    found: list[Projection] = []
    status, reason = QueryStatus.OK, ''
    for step in _steps(gate):
        if clock() >= end:
            status, reason = QueryStatus.TRUNCATED, f'stopped after {MAX_SECONDS:g} s'
            break
        projection = _project(gate, step)
        if projection is None:
            continue
        if len(found) == limit:
            status, reason = QueryStatus.TRUNCATED, f'stopped after {limit} actions'
            break
        found.append(projection)
    return ProjectReply(status, reason, gate.belief.seq, tuple(found))


def check_plan(gate: Gate, request: CheckPlanRequest) -> CheckPlanReply:
    """Judge a batch as the gate would if everything went as the model predicts.

    Facts that may be tried are taken to hold, and are reported.
    """
    busy = _unavailable(gate)
    if busy is not None:
        return CheckPlanReply(*busy, observation_seq=gate.belief.seq)
    seq, admission = gate.belief.seq, gate.admission
    steps = tuple(map(admission.normalise, request.steps))
    if len(steps) > (limit := gate.config.max_plan_steps):
        reason = f'the plan has {len(steps)} steps, at most {limit} are taken'
        return CheckPlanReply(QueryStatus.OK, reason, seq, 0, rule_id=Rule.PLAN_LENGTH.value)
    for index, step in enumerate(steps):
        refusal = admission.malformed(step, gate.belief.objects, gate.taken)
        if refusal is not None:
            return _refused(seq, index, refusal, {}, ())
    predicted: dict[Atom, Value] = {}
    changed_by: dict[Atom, int] = {}
    tried: dict[Fact, None] = {}
    for index, step in enumerate(steps):
        lookup = overlay(gate.belief.value, predicted)
        judged = admission.precondition(step, lookup, gate.belief.objects)
        if isinstance(judged, Refusal):
            return _refused(seq, index, judged, changed_by, tuple(tried))
        tried.update(dict.fromkeys(judged))
        for fact in admission.effects(step, lookup, gate.belief.objects):
            if lookup(fact.atom) is not fact.value:
                changed_by[fact.atom] = index
            predicted[fact.atom] = fact.value
    return CheckPlanReply(QueryStatus.OK, '', seq, unknown_facts=tuple(tried))


def _unavailable(gate: Gate) -> tuple[QueryStatus, str] | None:
    if gate.episode is None:
        return QueryStatus.NO_EPISODE, 'no episode is running'
    if gate.busy:
        return QueryStatus.BUSY, 'a step is out'
    return None


def _steps(gate: Gate) -> Iterator[PlanStep]:
    """Iterate over all well-typed actions, by action in the domain's order, then objects."""
    admission, objects = gate.admission, gate.belief.objects
    types = admission.domain.types
    everything = {**admission.domain.constants, **dict(sorted(objects.items()))}
    for name, schema in admission.domain.actions.items():
        if name in admission.table.actions and name in gate.taken:
            choices = [types.select(everything, p.type) for p in schema.parameters]
            for args in product(*choices):
                yield PlanStep(name, args)


def _project(gate: Gate, step: PlanStep) -> Projection | None:
    """Say what an action would change; None if it would be refused."""
    admission, belief = gate.admission, gate.belief
    if admission.ruled_out(step, belief.value, belief.objects):
        return None
    judged = admission.precondition(step, belief.value, belief.objects)
    if isinstance(judged, Refusal):
        return None
    effects = admission.effects(step, belief.value, belief.objects)
    changes = tuple(fact for fact in effects if belief.value(fact.atom) is not fact.value)
    return Projection(step.action, step.args, changes, judged)


def _refused(
    seq: int,
    index: int,
    refusal: Refusal,
    changed_by: Mapping[Atom, int],
    tried: tuple[Fact, ...],
) -> CheckPlanReply:
    broken_by = max((changed_by.get(fact.atom, -1) for fact in refusal.facts), default=-1)
    return CheckPlanReply(
        status=QueryStatus.OK,
        reason=refusal.reason,
        observation_seq=seq,
        step=index,
        broken_by=broken_by,
        rule_id=refusal.rule.value,
        facts=refusal.facts,
        unknown_facts=refusal.unknown_facts or tried,
    )
