"""Places in the text of a PDDL file: which word stands where."""

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

_WORD = re.compile(r';[^\n]*|[()]|[^\s();]+')


class Word(NamedTuple):
    """A word or a parenthesis and where it stands (from 1), lower case."""

    text: str
    line: int
    column: int


class PddlText:
    """The words of a PDDL text without comments."""

    def __init__(self, text: str) -> None:
        self.words = list(_split(text))

    @property
    def digest(self) -> str:
        """SHA-256 of the words: independent of comments, layout and case."""
        return hashlib.sha256(' '.join(w.text for w in self.words).encode()).hexdigest()

    def sections(self, keyword: str) -> list[list[Word]]:
        """List the forms ``(keyword ...)``, each with its words from the keyword on."""
        found = []
        for i, word in enumerate(self.words):
            if word.text == keyword and i and self.words[i - 1].text == '(':
                found.append(self.words[i : _end(self.words, i)])
        return found

    def find(self, *texts: str, among: list[Word] | None = None) -> tuple[int, int]:
        """Return line and column of the first word that is one of the texts; else the start."""
        words = self.words if among is None else among
        for word in words:
            if word.text in texts:
                return word.line, word.column
        return (words[0].line, words[0].column) if words else (1, 1)

    @staticmethod
    def inside(words: list[Word], keyword: str) -> list[Word]:
        """Return what stands between the parentheses after a keyword."""
        for i, word in enumerate(words):
            if word.text == keyword:
                return words[i + 2 : _end(words, i + 2)]
        return []


def _end(words: list[Word], start: int) -> int:
    """Find the parenthesis that closes the form in which a word stands."""
    depth = 1
    for i in range(start, len(words)):
        depth += {'(': 1, ')': -1}.get(words[i].text, 0)
        if depth == 0:
            return i
    return len(words)


def _split(text: str) -> Iterator[Word]:
    for number, line in enumerate(text.splitlines(), start=1):
        for match in _WORD.finditer(line):
            if not match[0].startswith(';'):
                yield Word(match[0].lower(), number, match.start() + 1)
