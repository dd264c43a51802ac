"""Reads PDDL domain files by the pddl library and reports errors with their place."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from lark.exceptions import LarkError, UnexpectedInput
from pddl.action import Action
from pddl.exceptions import PDDLError, PDDLMissingRequirementError
from pddl.logic import base, effects, functions, predicates
from pddl.logic.terms import Constant
from pddl.parser.domain import DomainParser, DomainTransformer

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
from sage_ros.symbols.pddl_text import PddlText, Word
from sage_ros.symbols.types import OBJECT, Parameter, TypeTree

_SIGNS_OF_REQUIREMENT = {
    ':typing': ('-',),
    ':equality': ('=',),
    ':disjunctive-preconditions': ('or', 'imply'),
    ':existential-preconditions': ('exists',),
    ':universal-preconditions': ('forall',),
}
_COMPARISONS = ('<', '>', '<=', '>=', '=')
_TOKENS = {'LPAR': '(', 'RPAR': ')', 'NAME': 'a name', 'EQUAL_OP': '=', 'TYPE_SEP': '-'}


class DomainError(ValueError):
    """A domain file that cannot be used: where, why, and how to mend it."""

    def __init__(self, path: Path, line: int, column: int, message: str, mend: str) -> None:
        super().__init__(f'{path}:{line}:{column}: {message}; {mend}')
        self.path = path
        self.line = line
        self.column = column
        self.message = message
        self.mend = mend


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


class _Parts(DomainTransformer):  # type: ignore[misc]
    """Keeps the parts of a domain in the order of the file.

    The library's own Domain forgets the order, drops doubles and refuses variables of the type
    ``object``; it is never built.
    """

    def domain(self, args: list[Any]) -> list[Any]:
        return [arg for arg in args if arg is not None][2:-1]


class _Parser(DomainParser):  # type: ignore[misc]
    transformer_cls = _Parts


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
        for part in self._parse():
            if isinstance(part, Action):
                actions.append(part)
            elif isinstance(part, dict):
                parts.update(part)
            else:
                message = 'derived predicates are not supported'
                self._fail(message, 'use action effects', ':derived')
        self._read_types(parts.get('types') or {})
        self._read_constants(parts.get('constants') or [])
        self._read_predicates(parts.get('predicates') or [])
        for function in parts.get('functions') or {}:
            if str(function.name).lower() != 'total-cost':
                self._fail(
                    f'function {function.name} is not supported',
                    'only total-cost may be declared',
                    str(function.name),
                )
        schemas: dict[str, ActionSchema] = {}
        for action, words in zip(actions, self._text.sections(':action'), strict=True):
            self._among = words
            schema = self._read_action(action)
            if schema.name in schemas:
                self._fail(
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

    def _fail(self, message: str, mend: str, *words: str) -> NoReturn:
        line, column = self._text.find(*(w.lower() for w in words), among=self._among)
        raise DomainError(self._path, line, column, message, mend)

    def _parse(self) -> list[Any]:
        # The library sets the interpreter's traceback limit to 0 and leaves it so on an error.
        limit = getattr(sys, 'tracebacklimit', None)
        try:
            parts: list[Any] = _Parser()(self._source)
            return parts
        except UnexpectedInput as error:
            self._fail_at(error)
        except PDDLMissingRequirementError as error:
            needed = str(error.requirement)
            needed = needed if needed.startswith(':') else f':{needed}'
            self._fail(
                f'requirement {needed} is not declared',
                f'add {needed} to (:requirements ...)',
                *_SIGNS_OF_REQUIREMENT.get(needed, ()),
            )
        except (LarkError, PDDLError, ValueError) as error:
            named = re.findall(r"'([^']+)'", str(error))
            known = [w.text for w in self._text.words]
            words = [w for w in named if w.lower() in known and w not in ('-', '(', ')')]
            self._fail(str(error).rstrip('.'), 'correct the definition', *words[:1])
        finally:
            if limit is None:
                vars(sys).pop('tracebacklimit', None)
            else:
                sys.tracebacklimit = limit

    def _fail_at(self, error: UnexpectedInput) -> NoReturn:
        line, column = error.line, error.column
        expected = getattr(error, 'expected', None) or getattr(error, 'allowed', None) or ()
        if _at_end(error):
            last = self._text.words[-1] if self._text.words else Word('', 1, 1)
            line, column, found = last.line, last.column, 'the end of the file'
        else:
            lines = self._source.splitlines()
            rest = lines[line - 1][column - 1 :] if 0 < line <= len(lines) else ''
            match = re.match(r'[()]|[^\s();]+', rest)
            found = repr(match[0]) if match else 'this'
        words = ', '.join(_TOKENS.get(name, name.lower()) for name in sorted(expected))
        raise DomainError(
            self._path,
            line,
            column,
            f'syntax error: {found} is not expected',
            f'write one of: {words}' if words else 'correct the syntax',
        ) from error

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
            self._fail(str(error), 'break the circle', *named[:1])

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
                self._fail(f'predicate {name} is declared twice', 'remove one of them', name)
            self._predicates[name] = tuple(self._type(term) for term in predicate.terms)

    def _section(self, keyword: str) -> list[Word]:
        found = self._text.sections(keyword)
        return found[0] if found else self._text.words

    def _last_index(self, word: str) -> int:
        return max(i for i, w in enumerate(self._among) if w.text == word)

    def _type(self, term: Any) -> str:
        tags = sorted(str(tag).lower() for tag in term.type_tags)
        if len(tags) > 1:
            self._fail('either is not supported', 'declare a common parent type', 'either')
        name = tags[0] if tags else OBJECT
        if name not in self._types:
            self._fail(f'unknown type {name}', 'declare it in (:types ...)', name)
        return name

    # ------------------------------------------------------------ actions

    def _read_action(self, action: Action) -> ActionSchema:
        parameters = self._variables(action.parameters)
        scope = {p.name: p.type for p in parameters}
        if len(scope) != len(parameters):
            names = [p.name for p in parameters]
            doubled = next(name for name in names if names.count(name) > 1)
            self._fail(f'parameter {doubled} stands twice', 'rename one of them', doubled)
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
                self._fail('numeric conditions are not supported', 'use predicates', *_COMPARISONS)
        self._fail(f'{type(node).__name__} is not supported', 'use predicates')

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
                self._fail(
                    'numeric effects are not supported',
                    'only (increase (total-cost) number) is',
                    'assign', 'increase', 'decrease', 'scale-up', 'scale-down',
                )  # fmt: skip
            case base.OneOf():
                self._fail('oneof is not supported', 'give one definite effect', 'oneof')
            case _:
                kind = type(node).__name__
                self._fail(f'{kind} is not supported as an effect', 'use predicates')

    def _cost(self, node: functions.Increase) -> float:
        target, amount = node.operands
        if str(target.name).lower() != 'total-cost' or not hasattr(amount, 'value'):
            self._fail(
                'numeric effects are not supported',
                'only (increase (total-cost) number) is',
                'increase',
            )
        return float(amount.value)

    def _literal(self, node: predicates.Predicate, scope: Mapping[str, str]) -> Literal:
        name = str(node.name).lower()
        signature = self._predicates.get(name)
        if signature is None:
            self._fail(f'unknown predicate {name}', 'declare it in (:predicates ...)', name)
        if len(signature) != len(node.terms):
            self._fail(
                f'{name} has {len(node.terms)} arguments, declared are {len(signature)}',
                'give it as many as declared',
                name,
            )
        terms = []
        for term, wanted in zip(node.terms, signature, strict=True):
            text, given = self._term(term, scope)
            if not self._types.is_a(given, wanted):
                self._fail(
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
            self._fail(f'unknown variable {text}', mend, text)
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


def _at_end(error: UnexpectedInput) -> bool:
    token = getattr(error, 'token', None)
    return token is not None and token.type == '$END'
