"""A strategy: of the actions that apply, take the first whose result is closest to the goal."""

from sage_ros.contract.plan import PlanStep
from sage_ros.contract.task import Tokens
from sage_ros.planning.backend import Context, Done, NoPlan, Proposal, Settings
from sage_ros.planning.world import World
from sage_ros.symbols.facts import Fact
from sage_ros.symbols.goals import parse_goal
from sage_ros.symbols.model import PddlModel, State


class OneStepAhead:
    """Counts goal facts that hold after each action; asks no model, remembers nothing."""

    name = 'one_step_ahead'
    calls = 0
    tokens = Tokens()

    def __init__(self, world: World) -> None:
        self._model = PddlModel(world.domain, {}, world.actions)

    def goal(self, text: str, context: Context) -> tuple[Fact, ...]:
        """Understand conjunctions of facts only."""
        return parse_goal(text).facts

    def propose(self, context: Context) -> Proposal | Done | NoPlan:
        """Return one step; what it is not sure of is the monitor's business."""
        state = State(context.belief.true_atoms(), context.belief.objects)
        if self._model.goal(state, context.goal):
            return Done('all goal facts hold')
        best = max(
            (a for a in self._model.applicable(state) if a not in context.barred),
            key=lambda action: self._achieved(self._model.advance(state, action), context),
            default=None,
        )
        if best is None:
            return NoPlan('no action applies')
        return Proposal((PlanStep(best.name, best.args),))

    def _achieved(self, state: State, context: Context) -> int:
        return sum(state.value(fact.atom) is fact.value for fact in context.goal.facts)


def open_backend(world: World, settings: Settings) -> OneStepAhead:
    """Make the strategy; it has no settings."""
    return OneStepAhead(world)
