"""What can be seen of a household, all of it or from one place, and what of that is new."""

from collections.abc import Collection, Iterator

from sage_ros.bridges.home_text import in_hand, standing_at, things_in
from sage_ros.contract.environment import View
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import ANY, Pattern, SceneObject
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import Atom, Fact, Value
from sage_ros.symbols.state import State

ITEM_ATTRIBUTES = ('clean', 'hot', 'cool', 'sliced', 'filled', 'on')
PLACE_ATTRIBUTES = ('openable', 'open', 'clean', 'on')

_ALWAYS_COVERED = (Pattern('at', (ANY,)), Pattern('holding', (ANY,)))


def full_look(state: State, domain: Domain, text: str) -> View:
    """See everything: all objects and facts; what is not listed is false."""
    return View(
        text=text,
        objects=tuple(SceneObject(*item) for item in state.objects.items()),
        facts=tuple(Fact.of(atom) for atom in sorted(state.atoms)),
        covers=tuple(
            Pattern(name, (ANY,) * len(types)) for name, types in domain.predicates.items()
        ),
    )


def full_change(told: Belief, state: State, text: str) -> View:
    """See everything, and say only which facts are not as they were told."""
    before = set(told.true_atoms())
    facts = [Fact.of(atom) for atom in sorted(state.atoms - before)]
    facts += [Fact.of(atom, Value.FALSE) for atom in sorted(before - state.atoms)]
    return View(text=text, facts=tuple(facts))


def partial_look(state: State, receptacles: Collection[str], text: str) -> View:
    """See from where the agent stands: the room, the hand, one receptacle and what shows of it."""
    objects = list(receptacles)
    facts: list[Fact] = [_fact(state, ('hand_empty',))]
    covers = list(_ALWAYS_COVERED)
    held = in_hand(state)
    if held is not None:
        objects.append(held)
        facts.append(Fact('holding', (held,)))
        facts.extend(_attributes(state, held, ITEM_ATTRIBUTES))
        covers.append(Pattern('in', (held, ANY)))
    place = standing_at(state)
    if place is not None:
        facts.append(Fact('at', (place,)))
        facts.extend(_attributes(state, place, PLACE_ATTRIBUTES))
        if ('openable', place) not in state or ('open', place) in state:
            covers.append(Pattern('in', (ANY, place)))
            for item in things_in(state, place):
                objects.append(item)
                facts.append(Fact('in', (item, place)))
                facts.extend(_attributes(state, item, ITEM_ATTRIBUTES))
                covers.append(Pattern('in', (item, ANY)))
    return View(
        text=text,
        objects=tuple(SceneObject(name, state.objects[name]) for name in objects),
        facts=tuple(facts),
        covers=tuple(covers),
    )


def what_is_new(told: Belief, look: View) -> View:
    """Reduce a look to what does not follow from what was told before."""
    said = {fact.atom for fact in look.facts if fact.value is Value.TRUE}
    covers = tuple(
        pattern
        for pattern in look.covers
        if not told.covered(pattern.atom)
        or any(pattern.matches(a) and a not in said for a in told.true_atoms(pattern.predicate))
    )
    facts = tuple(
        fact
        for fact in look.facts
        if told.value(fact.atom) is not fact.value
        or any(pattern.matches(fact.atom) for pattern in covers)
    )
    objects = tuple(item for item in look.objects if told.objects.get(item.name) != item.type)
    return View(text=look.text, objects=objects, facts=facts, covers=covers)


def _fact(state: State, atom: Atom) -> Fact:
    return Fact.of(atom, state.value(atom))


def _attributes(state: State, name: str, predicates: Collection[str]) -> Iterator[Fact]:
    return (_fact(state, (predicate, name)) for predicate in predicates)
