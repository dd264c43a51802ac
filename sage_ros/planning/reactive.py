"""The reactive backend: a language model chooses one step at a time, strictly checked."""

from sage_ros.contract.plan import Expectation, ExpectationKind, PlanStep
from sage_ros.contract.task import Tokens
from sage_ros.language.asking import Asker
from sage_ros.language.client import ModelClient, ModelError
from sage_ros.language.ollama import OllamaClient
from sage_ros.language.schemas import GoalReply, StepReply, goal_schema, step_schema
from sage_ros.planning.backend import (
    BackendError,
    Context,
    Done,
    GoalError,
    NoPlan,
    Proposal,
    Settings,
)
from sage_ros.planning.goal_text import understand
from sage_ros.planning.grounding import Grounded, GroundingError, ground
from sage_ros.planning.prompts import GOAL_SYSTEM, STEP_SYSTEM, goal_prompt, step_prompt
from sage_ros.planning.world import World
from sage_ros.scene.belief import Belief
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.goals import Goal, check, typed
from sage_ros.symbols.model import PddlModel
from sage_ros.symbols.state import GroundAction


def open_backend(world: World, settings: Settings) -> 'ReactiveBackend':
    """Make the backend and see that its model can be used; BackendError if it cannot."""
    client = OllamaClient(
        settings.model,
        host=settings.host or None,
        timeout_s=settings.timeout_s,
        num_ctx=settings.num_ctx,
    )
    try:
        client.preflight()
    except ModelError as error:
        raise BackendError(str(error)) from error
    return ReactiveBackend(world, client, settings)


class ReactiveBackend:
    """Asks the model for a step, checks it against vocabulary and types, and proposes it.

    A reply that cannot be used is sent back with the reason, a bounded number of times; then
    there is no step. What a step is to change is predicted by the domain, not by the model.
    """

    name = 'ollama'

    def __init__(self, world: World, client: ModelClient, settings: Settings) -> None:
        self._world = world
        self._model = PddlModel(world.domain, {}, world.actions)
        self._asker = Asker(
            client,
            attempts=settings.attempts,
            on_exchange=settings.on_exchange,
            cancelled=settings.cancelled,
        )

    @property
    def calls(self) -> int:
        """Calls of the model so far."""
        return self._asker.usage.calls

    @property
    def tokens(self) -> Tokens:
        """Tokens of these calls."""
        return self._asker.usage.tokens

    def goal(self, text: str, context: Context) -> tuple[Fact, ...]:
        """Read a goal of a known form exactly; let the model turn any other into facts."""
        domain, objects = self._world.domain, context.belief.objects
        try:
            return understand(text, domain, objects).facts
        except GoalError:
            if not text.strip():
                raise

        def problem(reply: GoalReply) -> str | None:
            return '; '.join(check(_facts(reply), domain, objects)) or None

        try:
            reply = self._asker.ask(
                'goal',
                GOAL_SYSTEM,
                goal_prompt(text, context, domain),
                GoalReply,
                goal_schema(domain.predicates),
                problem,
                episode_id=context.episode_id,
            )
        except ModelError as error:
            raise GoalError(f'{text!r}: {error}') from error
        return typed(_facts(reply), domain).facts

    def propose(self, context: Context) -> Proposal | Done | NoPlan:
        """Ask for the next step."""
        grounded: list[Grounded] = []

        def problem(reply: StepReply) -> str | None:
            grounded.clear()
            if reply.done:
                return None
            try:
                found = ground(self._world, context.belief.objects, reply.action, reply.args)
            except GroundingError as error:
                return str(error)
            if found.action in context.barred:
                return f'{found.action} was tried already and makes no sense now'
            grounded.append(found)
            return None

        try:
            self._asker.ask(
                'step',
                STEP_SYSTEM,
                step_prompt(context, self._world.domain, self._world.actions),
                StepReply,
                step_schema(self._world.actions, context.belief.objects),
                problem,
                note=lambda: grounded[0].note if grounded else '',
                episode_id=context.episode_id,
            )
        except ModelError as error:
            return NoPlan(f'no usable step from {self._asker.client.model}: {error}')
        if not grounded:
            return Done('the model says that the goal is reached')
        action = grounded[0].action
        expectation = self._expectation(context.belief, action)
        return Proposal((PlanStep(action.name, action.args, expectation=expectation),))

    def _expectation(self, belief: Belief, action: GroundAction) -> Expectation:
        """Predict what the action changes, as far as that is certain."""
        effects = self._model.effects(action, belief.value, belief.objects)
        facts = tuple(
            fact
            for fact in effects
            if fact.value is not Value.UNKNOWN and belief.value(fact.atom) is not fact.value
        )
        return Expectation(ExpectationKind.FACTS, facts) if facts else Expectation()


def _facts(reply: GoalReply) -> Goal:
    return Goal(
        tuple(
            Fact(fact.predicate, tuple(fact.args), Value.TRUE if fact.value else Value.FALSE)
            for fact in reply.facts
        )
    )
