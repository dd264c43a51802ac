"""Random goals of two facts in the large flat, in process."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from sage_ros.bridges.home import HomeEnvironment
from sage_ros.bridges.household import household
from sage_ros.bridges.scenes import find_scene, read_scene
from sage_ros.contract.environment import Performed, StopSignal
from sage_ros.contract.judgement import Decision, Verdict
from sage_ros.contract.plan import Number
from sage_ros.contract.task import TaskRequest
from sage_ros.runtime.local import run_local
from sage_ros.symbols.facts import parse_atom
from sage_ros.symbols.state import State

SUITE = 'home'
SCENE = 'flat'
MAX_STEPS = 300


@dataclass(frozen=True, slots=True)
class GoalResult:
    """How one goal went. ``unadmitted`` are actions done that no verdict had admitted."""

    seed: int
    goal: str
    success: bool
    outcome: str
    reason: str
    steps: int
    refused: int
    mismatches: int
    unadmitted: tuple[str, ...]
    wall_s: float


class _Recorded(HomeEnvironment):
    """The household, with what it really did."""

    def __init__(self) -> None:
        super().__init__(SCENE)
        self.performed: list[str] = []

    def perform(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...], stop: StopSignal
    ) -> Performed:
        """Do one action and note it."""
        self.performed.append(f'{action} {" ".join(args)}'.strip())
        return super().perform(action, args, numbers, stop)


def random_goal(seed: int) -> str:
    """Write a goal of two facts about different things, that the flat of this seed allows."""
    chosen = random.Random(seed)
    state = _start(seed)
    first = chosen.choice(_MAKERS)
    # The agent holds one thing and stands at one place.
    others = [m for m in _MAKERS if m is not first or m not in (_holding, _at)]
    fact = first(chosen, state, '?a')
    while True:
        other = chosen.choice(others)(chosen, state, '?b')
        # Different variables are different things, and of some types there is one thing only.
        if _about(fact).isdisjoint(_about(other)):
            return f'{fact}, {other}'


def _about(fact: str) -> set[str]:
    """Return the type and the names that a fact is about."""
    _, *args = parse_atom(fact)
    return {arg.partition(':')[2] or arg for arg in args}


def achieve(seed: int) -> GoalResult:
    """Carry out the goal of a seed with the symbolic planner."""
    goal = random_goal(seed)
    world = _Recorded()
    admitted: list[str] = []

    def note(verdict: Verdict) -> None:
        if verdict.decision is Decision.ADMITTED:
            admitted.append(f'{verdict.action} {" ".join(verdict.args)}'.strip())

    request = TaskRequest(goal=goal, scene=SCENE, seed=seed, max_steps=MAX_STEPS)
    result = run_local(request, environment=world, on_verdict=note)
    left = list(admitted)
    unadmitted = []
    for action in world.performed:
        if action in left:
            left.remove(action)
        else:
            unadmitted.append(action)
    return GoalResult(
        seed,
        goal,
        result.success,
        result.outcome.name,
        result.reason,
        result.steps,
        result.refused,
        result.mismatches,
        tuple(unadmitted),
        round(result.wall_s, 3),
    )


@lru_cache(maxsize=4)
def _start(seed: int) -> State:
    domain = household()
    return read_scene(find_scene(SCENE), domain).start(seed)


def _kinds(state: State, kind: str) -> list[str]:
    """List the types below one of which the flat has things, in a stable order."""
    return sorted({state.objects[name] for name in household().types.select(state.objects, kind)})


def _names(state: State, kind: str) -> list[str]:
    return sorted(household().types.select(state.objects, kind))


def _in(chosen: random.Random, state: State, variable: str) -> str:
    place = chosen.choice(_names(state, 'receptacle'))
    return f'in({variable}:{chosen.choice(_kinds(state, "portable"))}, {place})'


def _treated(predicate: str, kind: str) -> '_Maker':
    def make(chosen: random.Random, state: State, variable: str) -> str:
        return f'{predicate}({variable}:{chosen.choice(_kinds(state, kind))})'

    return make


def _open(chosen: random.Random, state: State, variable: str) -> str:
    del variable
    return f'open({chosen.choice([a[1] for a in sorted(state.atoms) if a[0] == "openable"])})'


def _at(chosen: random.Random, state: State, variable: str) -> str:
    del variable
    return f'at({chosen.choice(_names(state, "receptacle"))})'


_Maker = Callable[[random.Random, State, str], str]
_holding = _treated('holding', 'portable')
_on = _treated('on', 'device')
_MAKERS: tuple[_Maker, ...] = (
    _in,
    _treated('clean', 'portable'),
    _treated('hot', 'portable'),
    _treated('cool', 'portable'),
    _treated('sliced', 'food'),
    _treated('filled', 'vessel'),
    _on,
    _open,
    _holding,
    _at,
)
