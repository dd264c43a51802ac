"""A belief in words, for people and language models: one line for each place, then the rest."""

from collections import defaultdict
from collections.abc import Iterable

from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import ANY
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Value, format_atom


def scene_text(belief: Belief, domain: Domain | None = None) -> str:
    """Describe what is known, and of which places the contents are not; in a stable order.

    A relation of two objects is written in the line of its second object. With a domain, a place
    of which some relation is not known at all is said to be unknown in it.
    """
    attributes: dict[str, list[str]] = defaultdict(list)
    relations: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    general: list[str] = []
    placed: set[str] = set()
    for fact in belief.all_facts():
        if len(fact.args) == 1:
            words = {Value.TRUE: '', Value.FALSE: 'not ', Value.UNKNOWN: 'perhaps '}[fact.value]
            attributes[fact.args[0]].append(words + fact.predicate)
        elif fact.value is not Value.TRUE:
            continue
        elif len(fact.args) == 2:
            relations[fact.args[1]][fact.predicate].append(fact.args[0])
            placed.add(fact.args[0])
        else:
            general.append(format_atom(fact.atom))
    lines = [f'now: {", ".join(sorted(general))}'] if general else []
    for name in _natural(belief.objects):
        inside = relations.get(name, {})
        if name in placed and not inside:
            continue  # it stands with its attributes in the line of its place
        parts = [', '.join(attributes[name])] if name in attributes else []
        for predicate in sorted(inside):
            things = (_thing(thing, attributes) for thing in _natural(inside[predicate]))
            parts.append(f'{predicate}: {", ".join(things)}')
        parts += [
            f'{predicate}: unknown'
            for predicate in _unknown_relations(belief, domain, name)
            if predicate not in inside
        ]
        parts += [
            f'{predicate}: nothing'
            for predicate in _empty_relations(belief, domain, name)
            if predicate not in inside
        ]
        lines.append(f'{name}: {"; ".join(parts)}' if parts else name)
    return '\n'.join(lines)


def _thing(name: str, attributes: dict[str, list[str]]) -> str:
    own = attributes.get(name)
    return f'{name} ({", ".join(own)})' if own else name


def _natural(names: Iterable[str]) -> list[str]:
    """Sort so that ``mug_2`` comes before ``mug_10``."""

    def key(name: str) -> tuple[str, int, str]:
        stem, _, number = name.rpartition('_')
        return (stem, int(number), '') if number.isdecimal() else (name, -1, name)

    return sorted(names, key=key)


def _takes(belief: Belief, domain: Domain | None, name: str) -> list[str]:
    """List the predicates of two arguments whose second argument the object can be."""
    if domain is None:
        return []
    kind = belief.objects[name]
    return [
        predicate
        for predicate, signature in domain.predicates.items()
        if len(signature) == 2
        and domain.types.is_a(kind, signature[1])
        and signature[1] != 'object'
    ]


def _unknown_relations(belief: Belief, domain: Domain | None, name: str) -> list[str]:
    return [p for p in _takes(belief, domain, name) if not belief.covered((p, ANY, name))]


def _empty_relations(belief: Belief, domain: Domain | None, name: str) -> list[str]:
    return [p for p in _takes(belief, domain, name) if belief.covered((p, ANY, name))]
