"""The symbolic backend: searches over what is known, and looks for what it needs and never saw."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace

from sage_ros.contract.execution import Status
from sage_ros.contract.plan import Expectation, ExpectationKind, PlanStep
from sage_ros.contract.task import Tokens
from sage_ros.planning.backend import Context, Done, NoPlan, Proposal, Settings, never
from sage_ros.planning.exploration import Explorer
from sage_ros.planning.goal_text import understand
from sage_ros.planning.predictions import Predictions
from sage_ros.planning.world import World
from sage_ros.scene.belief import Belief
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.goals import Goal, assignment, is_variable, variable
from sage_ros.symbols.model import Difference, PddlModel
from sage_ros.symbols.search import plan
from sage_ros.symbols.state import GroundAction, State

_MAX_NODES = 4_000
_SHORT_NODES = 500


def open_backend(world: World, settings: Settings) -> 'SymbolicBackend':
    """Make the backend; of the settings it heeds ``cancelled`` only."""
    return SymbolicBackend(world, settings.cancelled)


class SymbolicBackend:
    """Plans by search in the domain's transition model.

    What is not known is taken as the priors have it (doors) or as false; a batch ends where more
    will be known. Each look is chosen by its chance and its cost, and what lies at hand on the
    way is done on the way.
    """

    name = 'symbolic'
    calls = 0
    tokens = Tokens()

    def __init__(self, world: World, cancelled: Callable[[], bool] = never) -> None:
        self._world = world
        self._cancelled = cancelled
        self._max_nodes = _MAX_NODES
        self._domain = world.domain
        self._model = PddlModel(world.domain, {}, world.actions)
        self._explorer = Explorer(world.domain, world.priors, world.actions)
        self._predictions = Predictions()
        self._together: dict[str, frozenset[str]] = {}

    def goal(self, text: str, context: Context) -> tuple[Fact, ...]:
        """Turn the goal into facts; GoalError if it is of no known form."""
        return understand(text, self._domain, context.belief.objects).facts

    def propose(self, context: Context) -> Proposal | Done | NoPlan:
        """Return steps towards the goal, or a look for what it needs."""
        belief = context.belief
        examined = frozenset(t.args[0] for t in context.transitions if t.action == 'examine')
        self._explorer.notice(belief, examined)
        self._predictions.notice(belief, context.transitions, self._in_sight(belief))
        state = self._assume(belief)
        last = context.transitions[-1] if context.transitions else None
        if last is not None and last.action == 'look' and last.status is Status.DONE:
            here = frozenset(atom[1] for atom in belief.true_atoms('at'))
            self._together.update(dict.fromkeys(here, here))
        elif any(a.name == 'goto' for a in context.failed_here) and self._may_look(context):
            # Perhaps one stands there already: a place can be reached from another one.
            return Proposal((PlanStep('look'),))
        if context.failed_here:
            # What has just failed is tried again only if there is nothing else to try.
            barred = context.barred | context.failed_here
            proposal = self._plan(replace(context, barred=barred), state)
            if not isinstance(proposal, NoPlan):
                return proposal
        return self._plan(context, state)

    def _plan(self, context: Context, state: State) -> Proposal | Done | NoPlan:
        """Choose without the actions that are barred."""
        belief = context.belief
        if self._model.goal(state, context.goal):
            look = self._confirm(belief, context) or self._make_sure(belief, context, state)
            if look:
                return Proposal(self._batch(belief, state, look))
            return Done('all goal facts hold, as far as can be seen')
        unfit = self._unfit(context.goal, belief)
        if unfit:
            return NoPlan(unfit)
        sought, open_variables = self._sought(context.goal, belief)
        if not sought:
            steps = self._search(state, context.goal, context.barred)
            if steps:
                return Proposal(self._batch(belief, state, steps))
            # Other things of the same types may do.
            sought = self._kinds(context.goal)
        else:
            near = self._at_hand(state, context, open_variables)
            if near:
                return Proposal(self._batch(belief, state, near))
        look = self._explorer.next_look(belief, sought, context.barred)
        if look:
            return Proposal(self._batch(belief, state, look, exploring=True))
        if not open_variables and self._max_nodes < _MAX_NODES:
            self._max_nodes = _MAX_NODES
            steps = self._search(state, context.goal, context.barred)
            if steps:
                return Proposal(self._batch(belief, state, steps))
        return NoPlan(self._why(context, open_variables, sought))

    # ------------------------------------------------------------ what is known

    def _assume(self, belief: Belief) -> State:
        """Complete the belief to a state: unknown is false but for doors and the hand.

        What was changed out of sight is taken to be as predicted.
        """
        atoms = set(belief.true_atoms())
        for atom, value in self._predictions.values.items():
            (atoms.add if value is Value.TRUE else atoms.discard)(atom)
        for name in self._places(belief):
            if self._explorer.has_door(belief, name):
                atoms.add(('openable', name))
        if belief.value(('hand_empty',)) is Value.UNKNOWN and not any(
            atom[0] == 'holding' for atom in atoms
        ):
            atoms.add(('hand_empty',))
        return State(atoms, belief.objects)

    def _in_sight(self, belief: Belief) -> frozenset[str]:
        """List what an observation shows: what is in the hand and before the agent."""
        seen = {atom[1] for atom in belief.true_atoms('holding')}
        here = {atom[1] for atom in belief.true_atoms('at')}
        seen |= here
        shown = {r for r in here if self._explorer.shut(belief, r) is False}
        seen |= {atom[1] for atom in belief.true_atoms('in') if atom[2] in shown}
        return frozenset(seen)

    def _may_look(self, context: Context) -> bool:
        look = GroundAction('look')
        return 'look' in self._world.actions and look not in context.barred

    def _is_here(self, state: State, place: str) -> bool:
        """Tell whether a place was seen to be in reach from where the agent stands."""
        here = (atom[1] for atom in state.atoms if atom[0] == 'at')
        return any(place in self._together.get(name, ()) for name in here)

    def _places(self, belief: Belief) -> list[str]:
        return self._domain.types.select(belief.objects, self._domain.predicates['in'][1])

    def _located(self, belief: Belief) -> set[str]:
        located = {atom[1] for atom in belief.true_atoms('in')}
        return located | {atom[1] for atom in belief.true_atoms('holding')}

    def _unfit(self, goal: Goal, belief: Belief) -> str:
        """Say which place the goal needs and the scene does not have; empty if none."""
        place = self._domain.predicates['in'][1]
        for name, kind in goal.variables.items():
            if self._domain.types.is_a(kind, place):
                wanted = sum(k == kind for k in goal.variables.values())
                if len(self._domain.types.select(belief.objects, kind)) < wanted:
                    return f'no {kind} is known for {name}'
        return ''

    def _sought(self, goal: Goal, belief: Belief) -> tuple[list[str], list[str]]:
        """Find the types of things that the goal needs and nobody saw, and the open variables."""
        thing = self._domain.predicates['in'][0]
        located = self._located(belief)
        sought: list[str] = []
        unresolved: list[str] = []
        taken: Counter[str] = Counter()
        fixed = {a for fact in goal.facts for a in fact.args if not is_variable(a)}
        for name in sorted(fixed - located):
            kind = belief.objects.get(name)
            if kind is not None and self._domain.types.is_a(kind, thing):
                sought.append(kind)
                unresolved.append(name)
        for name, kind in goal.variables.items():
            if not self._domain.types.is_a(kind, thing):
                continue
            found = set(self._domain.types.select(belief.objects, kind)) & located - fixed
            taken[kind] += 1
            if len(found) < taken[kind]:
                sought.append(kind)
                unresolved.append(name)
        return sought, unresolved

    def _kinds(self, goal: Goal) -> list[str]:
        """List the types of all things that the goal leaves open."""
        thing = self._domain.predicates['in'][0]
        kinds = goal.variables.values()
        return [kind for kind in kinds if self._domain.types.is_a(kind, thing)]

    # ------------------------------------------------------------ what to do

    def _confirm(self, belief: Belief, context: Context) -> list[GroundAction]:
        """Find a look at what the goal needs and is only predicted; empty if there is none."""
        wanted = {fact.predicate for fact in context.goal.facts}
        hidden = {
            arg for atom in self._predictions.values if atom[0] in wanted for arg in atom[1:]
        }
        for _, item, place in sorted(belief.true_atoms('in')):
            if item in hidden:
                look = self._explorer.look(belief, place)
                if look and not any(action in context.barred for action in look):
                    return look
        return []

    def _make_sure(self, belief: Belief, context: Context, state: State) -> list[GroundAction]:
        """Find a look at what the goal needs and is only taken for granted; empty if none is."""
        goal, types = context.goal, self._domain.types
        found = assignment(goal, state.value, belief.objects, types)
        facts = () if found is None else goal.ground(found)
        unknown = {a for f in facts if belief.value(f.atom) is Value.UNKNOWN for a in f.args}
        places = {place for _, item, place in belief.true_atoms('in') if item in unknown}
        for place in sorted(places | unknown.intersection(self._places(belief))):
            look = self._explorer.look(belief, place)
            if look and not any(action in context.barred for action in look):
                return look
        return []

    def _search(
        self, state: State, goal: Goal, barred: frozenset[GroundAction]
    ) -> list[GroundAction]:
        without = _Without(self._world, state.objects, barred)
        found = plan(
            self._model,
            state,
            goal,
            without=without,
            max_nodes=self._max_nodes,
            deadline=self._cancelled,
        )
        # After a search in vain the next ones, each after another look, are kept short; when
        # there is nothing more to look at, a long one decides.
        self._max_nodes = _MAX_NODES if found is not None else _SHORT_NODES
        return found or []

    def _at_hand(
        self, state: State, context: Context, unresolved: Sequence[str]
    ) -> list[GroundAction]:
        """Find what can be done here and now for the part of the goal whose things are known."""
        known = _without(context.goal, set(unresolved))
        if not known.facts or self._model.goal(state, known):
            return []
        steps = self._search(state, known, context.barred)
        here = []
        for action in steps:
            if action.name == 'goto':
                break
            here.append(action)
        return here

    def _batch(
        self,
        belief: Belief,
        state: State,
        actions: Iterable[GroundAction],
        exploring: bool = False,
    ) -> tuple[PlanStep, ...]:
        """Make steps with what each is to change, up to where more will be known."""
        steps: list[PlanStep] = []
        changes: list[tuple[GroundAction, Difference]] = []
        for action in actions:
            if action.name == 'goto' and self._is_here(state, action.args[0]):
                # Going there would fail; looking around shows what else is in reach.
                steps.append(PlanStep('look'))
                break
            if action.name in ('open', 'pick', 'put'):
                place = action.args[-1]
                if self._explorer.unclear(belief, place):
                    steps.append(PlanStep('examine', (place,)))
                    break
            change = self._model.project(state, action)
            changes.append((action, change))
            steps.append(
                PlanStep(
                    action.name,
                    action.args,
                    expectation=_expectation(action, change),
                    skip=exploring and action.name in self._world.admission.skippable,
                )
            )
            state = state.change(change)
            if action.name in ('goto', 'open') and not self._explorer.contents_known(
                belief, action.args[0]
            ):
                break
        self._predictions.propose(changes)
        return tuple(steps)

    def _why(self, context: Context, unresolved: Sequence[str], sought: Sequence[str]) -> str:
        """Say why there is nothing more to try."""
        looked = f'in {len(self._places(context.belief))} places'
        if unresolved:
            kinds = ', '.join(dict.fromkeys(sought))
            reason = f'not found {looked}: {kinds}'
        else:
            reason = f'no actions lead to {context.goal} from what is known'
        barred = ', '.join(map(str, sorted(context.barred)))
        return f'{reason}; given up: {barred}' if barred else reason


class _Without(Container[GroundAction]):
    """The actions not to be used: barred ones, and those on things that the bridge excludes."""

    def __init__(
        self, world: World, objects: Mapping[str, str], barred: frozenset[GroundAction]
    ) -> None:
        self._types = world.domain.types
        self._taken = {action.name: action.types for action in world.bridge.actions}
        self._objects = objects
        self._barred = barred

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, GroundAction):
            return False
        if action in self._barred:
            return True
        kinds = map(self._objects.__getitem__, action.args)
        taken = self._taken[action.name]
        return not all(map(self._types.is_a, kinds, taken))


def _without(goal: Goal, unresolved: set[str]) -> Goal:
    """Keep the part of a goal that does without the unresolved variables and objects.

    A variable that loses a relation to them and keeps no other is unresolved as well.
    """
    facts = goal.facts
    while True:
        kept = tuple(
            fact for fact in facts if not any(variable(a) in unresolved for a in fact.args)
        )
        lost = {variable(a) for fact in goal.facts if fact not in kept for a in fact.args}
        tied = {variable(a) for fact in kept if len(fact.args) > 1 for a in fact.args}
        loose = {name for name in lost - tied if is_variable(name)} - unresolved
        if not loose:
            return Goal(kept)
        unresolved |= loose
        facts = kept


def _expectation(action: GroundAction, change: Difference) -> Expectation:
    """Expect what the action does to its own arguments.

    What it does to other things may be out of sight, such as what gets hot behind a door.
    """
    own = set(action.args)
    facts = [Fact.of(atom) for atom in sorted(change.added) if own.issuperset(atom[1:])]
    facts += [
        Fact.of(atom, Value.FALSE) for atom in sorted(change.deleted) if own.issuperset(atom[1:])
    ]
    if not facts:
        return Expectation()
    return Expectation(ExpectationKind.FACTS, tuple(facts))
