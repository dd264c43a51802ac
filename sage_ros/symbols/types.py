"""The tree of object types of a domain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

OBJECT = 'object'
"""The root of every type tree."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed variable of an action, an effect or a quantifier; the name begins with ``?``."""

    name: str
    type: str = OBJECT


@dataclass(frozen=True, slots=True)
class TypeTree:
    """Types by their direct parent; ``object`` is the root and need not be listed.

    ValueError if a parent is unknown or the parents run in a circle.
    """

    parents: Mapping[str, str]
    _ancestors: dict[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    _subtypes: dict[str, frozenset[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ancestors = {OBJECT: frozenset((OBJECT,))}
        for name in self.parents:
            line = [name]
            while line[-1] != OBJECT:
                parent = self.parents.get(line[-1])
                if parent is None:
                    raise ValueError(f'unknown type {line[-1]!r}, parent of {line[-2]!r}')
                if parent in line:
                    raise ValueError(f'types in a circle: {" - ".join([*line, parent])}')
                line.append(parent)
            ancestors[name] = frozenset(line)
        below: dict[str, set[str]] = {name: set() for name in ancestors}
        for name, above in ancestors.items():
            for ancestor in above:
                below[ancestor].add(name)
        object.__setattr__(self, '_ancestors', ancestors)
        object.__setattr__(self, '_subtypes', {k: frozenset(v) for k, v in below.items()})

    def __contains__(self, name: object) -> bool:
        return name in self._ancestors

    def __iter__(self) -> Iterator[str]:
        return iter(self._ancestors)

    def is_a(self, name: str, ancestor: str) -> bool:
        """Tell whether a type is another or lies below it; false for an unknown type."""
        above = self._ancestors.get(name)
        return above is not None and ancestor in above

    def subtypes(self, name: str) -> frozenset[str]:
        """Return a type and all below it; empty for an unknown type."""
        return self._subtypes.get(name, frozenset())

    def select(self, objects: Mapping[str, str], name: str) -> list[str]:
        """List the objects (name to type) of a type in the order of the mapping."""
        wanted = self.subtypes(name)
        return [item for item, its_type in objects.items() if its_type in wanted]
