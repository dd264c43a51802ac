"""Reads PDDL domain files by the pddl library and reports errors with their place."""

from pathlib import Path

from sage_ros.symbols.domain import Domain


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
    raise NotImplementedError
