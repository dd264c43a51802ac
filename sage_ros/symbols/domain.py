"""A planning domain: types, predicates and action schemas, and checks of words against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sage_ros.symbols.facts import Atom, format_atom
from sage_ros.symbols.formula import Formula, Literal
from sage_ros.symbols.types import Parameter, TypeTree


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes true and false, for all objects of ``forall``, where the condition holds.

    The condition is evaluated before the action; what is both added and deleted is true after.
    """

    condition: Formula
    forall: tuple[Parameter, ...]
    add: tuple[Literal, ...]
    delete: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """An action with variables. ``cost`` is a positive number without unit."""

    name: str
    parameters: tuple[Parameter, ...]
    precondition: Formula
    effects: tuple[Effect, ...]
    cost: float = 1.0


@dataclass(frozen=True, slots=True)
class Domain:
    """Everything a domain file says. ``digest`` is the SHA-256 of its canonical text."""

    name: str
    types: TypeTree
    constants: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]
    actions: Mapping[str, ActionSchema]
    digest: str

    def check_atom(self, atom: Atom, objects: Mapping[str, str]) -> str | None:
        """Say what is wrong with a ground atom over these objects (name to type), or None."""
        signature = self.predicates.get(atom[0])
        if signature is None:
            return f'unknown predicate {atom[0]!r} in {format_atom(atom)}'
        return self._check_args(format_atom(atom), atom[1:], signature, objects)

    def check_action(
        self, name: str, args: Sequence[str], objects: Mapping[str, str]
    ) -> str | None:
        """Say what is wrong with a ground action over these objects (name to type), or None."""
        text = format_atom((name, *args))
        schema = self.actions.get(name)
        if schema is None:
            return f'unknown action {name!r} in {text}'
        return self._check_args(text, args, [p.type for p in schema.parameters], objects)

    def type_of(self, name: str, objects: Mapping[str, str]) -> str | None:
        """Find the type of an object or a constant."""
        return objects.get(name) or self.constants.get(name)

    def _check_args(
        self,
        text: str,
        args: Sequence[str],
        signature: Sequence[str],
        objects: Mapping[str, str],
    ) -> str | None:
        if len(args) != len(signature):
            return f'{text} has {len(args)} arguments, {len(signature)} are needed'
        for arg, wanted in zip(args, signature, strict=True):
            given = self.type_of(arg, objects)
            if given is None:
                return f'unknown object {arg!r} in {text}'
            if not self.types.is_a(given, wanted):
                return f'{arg} in {text} is of type {given}, not {wanted}'
        return None
