"""Calls the pddl library and turns its failures into errors with a place in the file."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lark import Token
from lark.exceptions import LarkError, ParseError, UnexpectedInput
from pddl.exceptions import PDDLError, PDDLMissingRequirementError
from pddl.parser.domain import DomainParser, DomainTransformer

from sage_ros.symbols.pddl_text import PddlText, Word

_SIGNS_OF_REQUIREMENT = {
    ':typing': ('-',),
    ':equality': ('=',),
    ':disjunctive-preconditions': ('or', 'imply'),
    ':existential-preconditions': ('exists',),
    ':universal-preconditions': ('forall',),
}
# How terminals of the library's grammar are written, where not in lower case after a colon.
_SPELLINGS = {
    'LPAR': '(',
    'RPAR': ')',
    'NAME': 'a name',
    'NUMBER': 'a number',
    'EQUAL_OP': '=',
    'TYPE_SEP': '-',
    'GREATER_OP': '>',
    'GREATER_EQUAL_OP': '>=',
    'LESSER_OP': '<',
    'LESSER_EQUAL_OP': '<=',
    'NEG_PRECONDITION': ':negative-preconditions',
    'DIS_PRECONDITION': ':disjunctive-preconditions',
    '$END': 'nothing more',
    '<END-OF-FILE>': 'nothing more',
}
_WITHOUT_COLON = frozenset(
    (
        *('DEFINE', 'DOMAIN', 'AND', 'OR', 'NOT', 'IMPLY', 'EITHER', 'FORALL', 'EXISTS'),
        *('WHEN', 'ONEOF', 'OBJECT', 'INCREASE', 'DECREASE', 'ASSIGN', 'SCALE_UP', 'SCALE_DOWN'),
    )
)


class DomainError(ValueError):
    """A domain file that cannot be used: where, why, and how to mend it."""

    def __init__(self, path: Path, line: int, column: int, message: str, mend: str) -> None:
        super().__init__(f'{path}:{line}:{column}: {message}; {mend}')
        self.path = path
        self.line = line
        self.column = column
        self.message = message
        self.mend = mend


class _Parts(DomainTransformer):  # type: ignore[misc]
    """Keeps the parts of a domain in the order of the file.

    The library's own Domain forgets the order, drops doubles and refuses variables of the type
    ``object``; it is never built.
    """

    def domain(self, args: list[Any]) -> list[Any]:
        return [arg for arg in args if arg is not None][2:-1]

    def typed_list_name(self, args: list[Any]) -> Any:
        return _placed(super().typed_list_name, args)

    def typed_list_variable(self, args: list[Any]) -> Any:
        return _placed(super().typed_list_variable, args)

    def constant(self, args: list[Any]) -> Any:
        return _placed(super().constant, args)


class _PlacedError(PDDLError):  # type: ignore[misc]
    """An error of the library and the token it is about."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.token = token


def _placed(rule: Callable[[list[Any]], Any], args: list[Any]) -> Any:
    """Call a rule of the library; its error is about the first doubled name, or the first."""
    try:
        return rule(args)
    except (PDDLError, ParseError) as error:
        before = [None, *args]
        names = [
            arg
            for previous, arg in zip(before, args, strict=False)
            if isinstance(arg, Token) and arg != '-' and previous != '-'
        ]
        doubled = (name for i, name in enumerate(names) if name in names[:i])
        raise _PlacedError(str(error), next(doubled, names[0])) from error


class _Parser(DomainParser):  # type: ignore[misc]
    transformer_cls = _Parts


def parse_domain(path: Path, source: str, text: PddlText) -> list[Any]:
    """Return the parts of a domain as the library gives them: mappings and actions in order."""
    # The library sets the interpreter's traceback limit to 0 and leaves it so on an error.
    limit = getattr(sys, 'tracebacklimit', None)
    try:
        parts: list[Any] = _Parser()(source)
        return parts
    except UnexpectedInput as error:
        raise _syntax_error(path, source, text, error) from error
    except PDDLMissingRequirementError as error:
        needed = str(error.requirement)
        needed = needed if needed.startswith(':') else f':{needed}'
        line, column = text.find(*_SIGNS_OF_REQUIREMENT.get(needed, ()))
        mend = f'add {needed} to (:requirements ...)'
        message = f'requirement {needed} is not declared'
        raise DomainError(path, line, column, message, mend) from error
    except (LarkError, PDDLError, ValueError) as error:
        token = getattr(error, 'token', None)
        line, column = (token.line, token.column) if token else (1, 1)
        message = str(error).rstrip('.')
        raise DomainError(path, line, column, message, 'correct the definition') from error
    finally:
        if limit is None:
            vars(sys).pop('tracebacklimit', None)
        else:
            sys.tracebacklimit = limit


def _syntax_error(path: Path, source: str, text: PddlText, error: UnexpectedInput) -> DomainError:
    line, column = error.line, error.column
    expected = getattr(error, 'expected', None) or getattr(error, 'allowed', None) or ()
    token = getattr(error, 'token', None)
    if token is not None and token.type == '$END':
        last = text.words[-1] if text.words else Word('', 1, 1)
        line, column, found = last.line, last.column, 'the end of the file'
    else:
        lines = source.splitlines()
        rest = lines[line - 1][column - 1 :] if 0 < line <= len(lines) else ''
        match = re.match(r'[()]|[^\s();]+', rest)
        found = repr(match[0]) if match else 'this'
    words = ', '.join(sorted(map(_spelling, expected)))
    mend = f'write one of: {words}' if words else 'correct the syntax'
    return DomainError(path, line, column, f'syntax error: {found} is not expected', mend)


def _spelling(terminal: str) -> str:
    word = terminal.lower().replace('_', '-')
    return _SPELLINGS.get(terminal, word if terminal in _WITHOUT_COLON else f':{word}')
