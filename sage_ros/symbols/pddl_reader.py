"""Reads PDDL domain files by the pddl library and reports errors with their place."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pddl.action import Action
from pddl.logic import base, effects, functions, predicates
from pddl.logic.terms import Constant

from sage_ros.symbols.domain import ActionSchema, Domain, Effect
from sage_ros.symbols.formula import (
    TRUE,
    And,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Not,
    Or,
)
from sage_ros.symbols.pddl_parse import DomainError, parse_domain
from sage_ros.symbols.pddl_text import PddlText, Word
from sage_ros.symbols.types import OBJECT, Parameter, TypeTree

__all__ = ['DomainError', 'read_domain']

_COMPARISONS = ('<', '>', '<=', '>=', '=')


def read_domain(path: Path | str) -> Domain:
    """Read a domain file; DomainError names the place of whatever is wrong with it."""
    path = Path(path)
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(
            path, 1, 1, f'cannot be read: {error}', 'give a readable UTF-8 text file'
        ) from error
    return _Reader(path, text).read()


class _Reader:
    """Converts what the library read and checks it; every failure has a place."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._source = text
        self._text = PddlText(text)
        self._types = TypeTree({})
        self._predicates: dict[str, tuple[str, ...]] = {}
        self._constants: dict[str, str] = {}
        # The words of the action or section at hand, to place errors.
        self._among: list[Word] = self._text.words

    def read(self) -> Domain:
        parts: dict[str, Any] = {}
        actions: list[Action] = []
        for part in parse_domain(self._path, self._source, self._text):
            if isinstance(part, Action):
                actions.append(part)
            elif isinstance(part, dict):
                parts.update(part)
            else:
                message = 'derived predicates are not supported'
                raise self._error(message, 'use action effects', ':derived')
        self._read_types(parts.get('types') or {})
        self._read_constants(parts.get('constants') or [])
        self._read_predicates(parts.get('predicates') or [])
        self._among = self._section(':functions')
        for function in parts.get('functions') or {}:
            if str(function.name).lower() != 'total-cost':
                raise self._error(
                    f'function {function.name} is not supported',
                    'only total-cost may be declared',
                    str(function.name),
                )
        schemas: dict[str, ActionSchema] = {}
        for action, words in zip(actions, self._text.sections(':action'), strict=True):
            self._among = words
            schema = self._read_action(action)
            if schema.name in schemas:
                raise self._error(
                    f'action {schema.name} is defined twice', 'rename one of them', schema.name
                )
            schemas[schema.name] = schema
        return Domain(
            name=str(parts['name']).lower(),
            types=self._types,
            constants=self._constants,
            predicates=self._predicates,
            actions=schemas,
            digest=self._text.digest,
        )

    def _error(self, message: str, mend: str, *words: str) -> DomainError:
        line, column = self._text.find(*(w.lower() for w in words), among=self._among)
        return DomainError(self._path, line, column, message, mend)

    # ------------------------------------------------------------ declarations

    def _read_types(self, types: Mapping[Any, Any]) -> None:
        self._among = self._section(':types')
        parents = {str(k).lower(): str(v or OBJECT).lower() for k, v in types.items()}
        parents.pop(OBJECT, None)
        for parent in list(parents.values()):
            # A type that only stands to the right of a dash is declared by that.
            parents.setdefault(parent, OBJECT) if parent != OBJECT else None
        try:
            self._types = TypeTree(parents)
        except ValueError as error:
            named = re.findall(r'[\w-]+', str(error).rpartition(':')[2])
            raise self._error(str(error), 'break the circle', *named[:1]) from error

    def _read_constants(self, constants: list[Constant]) -> None:
        self._among = self._section(':constants')
        for constant in constants:
            name = str(constant.name).lower()
            self._constants[name] = self._type(constant)

    def _read_predicates(self, declared: list[predicates.Predicate]) -> None:
        self._among = self._section(':predicates')
        for predicate in declared:
            name = str(predicate.name).lower()
            if name in self._predicates:
                self._among = self._among[self._last_index(name) :]
                raise self._error(
                    f'predicate {name} is declared twice', 'remove one of them', name
                )
            self._predicates[name] = tuple(self._type(term) for term in predicate.terms)

    def _section(self, keyword: str) -> list[Word]:
        found = self._text.sections(keyword)
        return found[0] if found else self._text.words

    def _last_index(self, word: str) -> int:
        return max(i for i, w in enumerate(self._among) if w.text == word)

    def _type(self, term: Any) -> str:
        tags = sorted(str(tag).lower() for tag in term.type_tags)
        if len(tags) > 1:
            raise self._error('either is not supported', 'declare a common parent type', 'either')
        name = tags[0] if tags else OBJECT
        if name not in self._types:
            raise self._error(f'unknown type {name}', 'declare it in (:types ...)', name)
        return name

    # ------------------------------------------------------------ actions

    def _read_action(self, action: Action) -> ActionSchema:
        parameters = self._variables(action.parameters)
        scope = {p.name: p.type for p in parameters}
        self._check_doubled()
        collected = _Effects()
        if not _nothing(action.effect):
            self._effect(action.effect, (), TRUE, scope, collected)
        empty = _nothing(action.precondition)
        return ActionSchema(
            name=str(action.name).lower(),
            parameters=parameters,
            precondition=TRUE if empty else self._formula(action.precondition, scope),
            effects=collected.effects(),
            cost=collected.cost,
        )

    def _check_doubled(self) -> None:
        """Look for a parameter that stands twice: the library drops the second one."""
        words = self._text.inside(self._among, ':parameters')
        names = [word for word in words if word.text.startswith('?')]
        for i, name in enumerate(names):
            if any(name.text == earlier.text for earlier in names[:i]):
                self._among = names[i:]
                message = f'parameter {name.text} stands twice'
                raise self._error(message, 'rename one of them', name.text)

    def _variables(self, terms: Any) -> tuple[Parameter, ...]:
        return tuple(Parameter(f'?{str(t.name).lower()}', self._type(t)) for t in terms)

    def _quantified(self, terms: Any) -> tuple[Parameter, ...]:
        # The library keeps the variables of quantifiers in a set: restore a stable order.
        return tuple(sorted(self._variables(terms), key=lambda p: p.name))

    def _formula(self, node: Any, scope: Mapping[str, str]) -> Formula:
        match node:
            case predicates.Predicate():
                return self._literal(node, scope)
            case predicates.EqualTo():
                return Equals(self._term(node.left, scope)[0], self._term(node.right, scope)[0])
            case base.Not():
                return Not(self._formula(node.argument, scope))
            case base.And():
                return And(tuple(self._formula(part, scope) for part in node.operands))
            case base.Or():
                return Or(tuple(self._formula(part, scope) for part in node.operands))
            case base.Imply():
                left, right = (self._formula(part, scope) for part in node.operands)
                return Imply(left, right)
            case base.ForallCondition() | base.ExistsCondition():
                variables = self._quantified(node.variables)
                inner = {**scope, **{v.name: v.type for v in variables}}
                body = self._formula(node.condition, inner)
                universal = isinstance(node, base.ForallCondition)
                return Forall(variables, body) if universal else Exists(variables, body)
            case functions.BinaryFunction():
                raise self._error(
                    'numeric conditions are not supported', 'use predicates', *_COMPARISONS
                )
        raise self._error(f'{type(node).__name__} is not supported', 'use predicates')

    def _effect(
        self,
        node: Any,
        forall: tuple[Parameter, ...],
        condition: Formula,
        scope: Mapping[str, str],
        collected: '_Effects',
    ) -> None:
        match node:
            case predicates.Predicate():
                collected.at(forall, condition).add.append(self._literal(node, scope))
            case base.Not() if isinstance(node.argument, predicates.Predicate):
                literal = self._literal(node.argument, scope)
                collected.at(forall, condition).delete.append(literal)
            case base.And():
                for part in node.operands:
                    self._effect(part, forall, condition, scope, collected)
            case effects.Forall():
                variables = self._quantified(node.variables)
                inner = {**scope, **{v.name: v.type for v in variables}}
                self._effect(node.effect, (*forall, *variables), condition, inner, collected)
            case effects.When():
                when = self._formula(node.condition, scope)
                both = when if condition == TRUE else And((condition, when))
                self._effect(node.effect, forall, both, scope, collected)
            case functions.Increase():
                collected.cost = self._cost(node)
            case functions.FunctionExpression():
                raise self._error(
                    'numeric effects are not supported',
                    'only (increase (total-cost) number) is',
                    'assign', 'increase', 'decrease', 'scale-up', 'scale-down',
                )  # fmt: skip
            case base.OneOf():
                raise self._error('oneof is not supported', 'give one definite effect', 'oneof')
            case _:
                kind = type(node).__name__
                raise self._error(f'{kind} is not supported as an effect', 'use predicates')

    def _cost(self, node: functions.Increase) -> float:
        target, amount = node.operands
        if str(target.name).lower() != 'total-cost' or not hasattr(amount, 'value'):
            raise self._error(
                'numeric effects are not supported',
                'only (increase (total-cost) number) is',
                'increase',
            )
        return float(amount.value)

    def _literal(self, node: predicates.Predicate, scope: Mapping[str, str]) -> Literal:
        name = str(node.name).lower()
        signature = self._predicates.get(name)
        if signature is None:
            raise self._error(f'unknown predicate {name}', 'declare it in (:predicates ...)', name)
        if len(signature) != len(node.terms):
            raise self._error(
                f'{name} has {len(node.terms)} arguments, declared are {len(signature)}',
                'give it as many as declared',
                name,
            )
        terms = []
        for term, wanted in zip(node.terms, signature, strict=True):
            text, given = self._term(term, scope)
            if not self._types.is_a(given, wanted):
                raise self._error(
                    f'{text} of type {given} stands in {name} where {wanted} is declared',
                    'narrow the type of the variable or widen the declaration',
                    name,
                )
            terms.append(text)
        return Literal(name, tuple(terms))

    def _term(self, term: Any, scope: Mapping[str, str]) -> tuple[str, str]:
        name = str(term.name).lower()
        if isinstance(term, Constant):
            return name, self._constants[name]
        text = f'?{name}'
        if text not in scope:
            mend = 'declare it in :parameters or a quantifier'
            raise self._error(f'unknown variable {text}', mend, text)
        return text, scope[text]


class _Effects:
    """Effect literals gathered by what they are conditional on, in the order of the file."""

    class Part:
        def __init__(self) -> None:
            self.add: list[Literal] = []
            self.delete: list[Literal] = []

    def __init__(self) -> None:
        self.cost = 1.0
        self._parts: dict[tuple[tuple[Parameter, ...], Formula], _Effects.Part] = {}

    def at(self, forall: tuple[Parameter, ...], condition: Formula) -> 'Part':
        return self._parts.setdefault((forall, condition), _Effects.Part())

    def effects(self) -> tuple[Effect, ...]:
        return tuple(
            Effect(condition, forall, tuple(part.add), tuple(part.delete))
            for (forall, condition), part in self._parts.items()
        )


def _nothing(node: Any) -> bool:
    """Tell whether a part is missing or ``()``, which the library gives as an empty Or."""
    return node is None or (isinstance(node, base.Or) and not node.operands)
