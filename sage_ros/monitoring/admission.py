"""Admission of single steps: words, numbers, expectation, preconditions in three values."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sage_ros.contract.admission import ActionPolicy, AdmissionTable, problems
from sage_ros.contract.plan import ExpectationKind, Number, PlanStep
from sage_ros.monitoring.matching import normalise
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Atom, Fact, Value, format_atom
from sage_ros.symbols.formula import Lookup, evaluate
from sage_ros.symbols.model import GroundAction, PddlModel


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a step is refused: the rule, a sentence, the facts that decided or are missing."""

    rule: Rule
    reason: str
    facts: tuple[Fact, ...] = ()
    unknown_facts: tuple[Fact, ...] = ()


class Admission:
    """The rules for a step under an admission table and a domain.

    ValueError if the table does not fit the domain.
    """

    def __init__(self, domain: Domain, table: AdmissionTable) -> None:
        for key, message, mend in problems(table, domain):
            raise ValueError(f'{table.environment}: {".".join(map(str, key))}: {message}; {mend}')
        self.domain = domain
        self.table = table
        self.model = PddlModel(domain, {}, table.actions)

    def normalise(self, step: PlanStep) -> PlanStep:
        """Replace another name of an action by its own."""
        name = self.table.aliases.get(step.action)
        return step if name is None else replace(step, action=name)

    def policy(self, action: str) -> ActionPolicy:
        """Return the policy of an action; KeyError for one that is not admitted."""
        return self.table.actions[action]

    # ------------------------------------------------------------ what a step says

    def malformed(
        self, step: PlanStep, objects: Mapping[str, str], taken: Collection[str]
    ) -> Refusal | None:
        """Check words, numbers and expectation of a step; ``taken`` are the bridge's actions."""
        return (
            self.vocabulary(step, objects, taken)
            or self._numbers(step.numbers, self.table.actions[step.action])
            or self._expectation(step)
        )

    def vocabulary(
        self, step: PlanStep, objects: Mapping[str, str], taken: Collection[str]
    ) -> Refusal | None:
        """Check that action and objects exist and fit each other, and that the bridge takes it."""
        name = step.action
        schema = self.domain.actions.get(name)
        if schema is None or name not in self.table.actions:
            return Refusal(Rule.ACTION_UNKNOWN, f'unknown action {name!r}')
        if name not in taken:
            return Refusal(Rule.ACTION_NOT_TAKEN, f'the bridge does not take {name!r}')
        if len(step.args) != len(schema.parameters):
            wanted = len(schema.parameters)
            reason = f'{step} has {len(step.args)} arguments, {wanted} are needed'
            return Refusal(Rule.ACTION_ARITY, reason)
        for arg, parameter in zip(step.args, schema.parameters, strict=True):
            kind = objects.get(arg) or self.domain.constants.get(arg)
            if kind is None:
                return Refusal(Rule.OBJECT_UNKNOWN, f'unknown object {arg!r} in {step}')
            if not self.domain.types.is_a(kind, parameter.type):
                reason = f'{arg} in {step} is of type {kind}, not {parameter.type}'
                return Refusal(Rule.OBJECT_TYPE, reason)
        return None

    def _numbers(self, numbers: tuple[Number, ...], policy: ActionPolicy) -> Refusal | None:
        seen: set[str] = set()
        for number in numbers:
            declared = policy.numbers.get(number.name)
            if declared is None:
                return Refusal(Rule.NUMBER_UNDECLARED, f'undeclared number {number.name!r}')
            if number.name in seen:
                return Refusal(Rule.NUMBER_DOUBLED, f'{number.name} stands twice')
            seen.add(number.name)
            if not math.isfinite(number.value):
                return Refusal(Rule.NUMBER_NOT_FINITE, f'{number.name} is {number.value}')
            if number.unit != declared.unit:
                reason = f'{number.name} is in {number.unit!r}, not {declared.unit!r}'
                return Refusal(Rule.NUMBER_UNIT, reason)
            if not declared.min <= number.value <= declared.max:
                low, high = declared.min, declared.max
                reason = f'{number.name} is {number.value:g}, allowed is {low:g} to {high:g}'
                return Refusal(Rule.NUMBER_RANGE, f'{reason} {number.unit}'.rstrip())
        return None

    def _expectation(self, step: PlanStep) -> Refusal | None:
        """An expectation must be able to fail: one of nothing would confirm anything."""
        expected = step.expectation
        if expected.kind is ExpectationKind.TEXT and not normalise(expected.text):
            return Refusal(Rule.EXPECTATION_BAD, 'the expected text has no words')
        if expected.kind is not ExpectationKind.FACTS:
            return None
        if not expected.facts:
            return Refusal(Rule.EXPECTATION_BAD, 'no facts are expected')
        for fact in expected.facts:
            signature = self.domain.predicates.get(fact.predicate)
            if signature is None:
                return Refusal(Rule.EXPECTATION_BAD, f'unknown predicate {fact.predicate!r}')
            if len(signature) != len(fact.args):
                reason = f'{fact} has {len(fact.args)} arguments, {len(signature)} are needed'
                return Refusal(Rule.EXPECTATION_BAD, reason)
            if fact.value is Value.UNKNOWN:
                return Refusal(Rule.EXPECTATION_BAD, f'{fact}: expect true or false')
        return None

    # ------------------------------------------------------------ whether it can be done

    def precondition(
        self, step: PlanStep, lookup: Lookup, objects: Mapping[str, str]
    ) -> Refusal | tuple[Fact, ...]:
        """Judge a well-formed step: a refusal, or the unknown facts that trying will reveal."""
        action = GroundAction(step.action, step.args)
        value, false, unknown = self.model.precondition(action, lookup, objects)
        if value is Value.TRUE:
            return ()
        if value is Value.FALSE:
            what = ', '.join(_needed(fact) for fact in false) or 'its precondition'
            reason = f'{step} needs what does not hold: {what}'
            return Refusal(Rule.PRECONDITION_FALSE, reason, false, unknown)
        barred = [fact for fact in unknown if not self.may_try(step, fact.atom)]
        if barred or not unknown:
            reason = f'{step} depends on {", ".join(_needed(f) for f in barred) or "the unknown"}'
            return Refusal(Rule.PRECONDITION_UNKNOWN, reason, (), unknown)
        return unknown

    def ruled_out(self, step: PlanStep, lookup: Lookup, objects: Mapping[str, str]) -> bool:
        """Tell whether the precondition of a well-formed step is false, without reasons."""
        schema = self.domain.actions[step.action]
        bound = {p.name: arg for p, arg in zip(schema.parameters, step.args, strict=True)}
        objects_of = self.model.table(objects).of_type
        return evaluate(schema.precondition, bound, lookup, objects_of) is Value.FALSE

    def may_try(self, step: PlanStep, atom: Atom) -> bool:
        """Tell whether the attempt may be made although nobody knows the atom."""
        parameters = self.domain.actions[step.action].parameters
        bound = {p.name: arg for p, arg in zip(parameters, step.args, strict=True)}
        return any(
            len(pattern) == len(atom)
            and pattern[0] == atom[0]
            and all(
                bound.get(term, arg if term[0] == '?' else term) == arg
                for term, arg in zip(pattern[1:], atom[1:], strict=True)
            )
            for pattern in self.policy(step.action).try_facts
        )

    def effects(
        self, step: PlanStep, lookup: Lookup, objects: Mapping[str, str]
    ) -> tuple[Fact, ...]:
        """Predict what a well-formed step touches, as it is afterwards."""
        return self.model.effects(GroundAction(step.action, step.args), lookup, objects)


def overlay(lookup: Lookup, facts: Mapping[Atom, Value]) -> Lookup:
    """Look atoms up in predicted facts first, then in what is below them."""

    def value(atom: Atom) -> Value:
        found = facts.get(atom)
        return lookup(atom) if found is None else found

    return value


def _needed(fact: Fact) -> str:
    """Name a fact with its present value."""
    known = {Value.TRUE: 'is true', Value.FALSE: 'is false', Value.UNKNOWN: 'is unknown'}
    return f'{format_atom(fact.atom)} {known[fact.value]}'
