"""The embedded household: executes the primitives of its domain on a true state it keeps."""

from dataclasses import dataclass

from sage_ros.bridges import home_text
from sage_ros.bridges.disturbances import ReportDisturber, WorldDisturber
from sage_ros.bridges.home_view import full_change, full_look, partial_look, what_is_new
from sage_ros.bridges.household import household
from sage_ros.bridges.machine import Report
from sage_ros.bridges.scenes import Scene, find_scene, read_scene
from sage_ros.contract.environment import Performed, StopSignal, View
from sage_ros.contract.execution import ActionInfo, BridgeInfo, Failure, Status
from sage_ros.contract.plan import Number
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Observation, ObservationKind
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.model import GroundAction, PddlModel, State

DEFAULT_SCENE = 'studio'
INFORMATION = ('look', 'inventory', 'examine')
ACTIONS = (
    *('goto', 'open', 'close', 'pick', 'put', 'toggle', 'slice', 'fill', 'empty', 'wipe'),
    *INFORMATION,
)

_FAILURES = {
    'at': Failure.NOT_REACHABLE,
    'in': Failure.NOT_VISIBLE,
}
"""What a false precondition means to somebody who tried; any other is a wrong state."""


@dataclass(slots=True)
class _World:
    """A scene being played. ``told`` is what the views so far add up to."""

    scene: Scene
    model: PddlModel
    state: State
    disturber: WorldDisturber
    told: Belief


class HomeEnvironment:
    """A household from a scene file, with one agent that has one hand."""

    def __init__(self, scene: str = DEFAULT_SCENE, action_duration: float = 0.0) -> None:
        """Choose the scene of a reset that names none, and how many seconds an action takes."""
        if not 0 <= action_duration < float('inf'):
            raise ValueError(f'action_duration must be 0 or more seconds, not {action_duration}')
        self._default_scene = scene
        self._duration = action_duration
        self._domain = household()
        self._world: _World | None = None
        self._report_disturber: ReportDisturber | None = None
        self._info = BridgeInfo(
            environment='home',
            domain_hash=self._domain.digest,
            actions=tuple(
                ActionInfo(name, tuple(p.type for p in self._domain.actions[name].parameters))
                for name in ACTIONS
            ),
            example_action='look',
        )

    @property
    def info(self) -> BridgeInfo:
        """Say what the household takes: the primitives and the information actions."""
        return self._info

    def report_filter(self, report: Report) -> list[tuple[float, Report]]:
        """Pass a report on as the disturbances of the scene want it."""
        return self._report_disturber(report) if self._report_disturber else [(0.0, report)]

    def reset(self, scene: str, seed: int, goal: str) -> tuple[str, View]:
        """Set a scene up and return the task and what is seen from the middle of the room."""
        found = read_scene(find_scene(scene or self._default_scene), self._domain)
        state = found.start(seed)
        model = PddlModel(self._domain, state.objects, ACTIONS)
        disturber = WorldDisturber(found.disturbances, seed)
        self._report_disturber = ReportDisturber(found.disturbances, seed)
        self._world = world = _World(found, model, state, disturber, Belief())
        task = goal or found.task
        text = home_text.room(found.room, found.receptacles)
        if found.full_view:
            seen = (home_text.contents(state, name) for name in found.receptacles)
            text = ' '.join((text, *seen))
        if task:
            text = f'{text}\n\nYour task is to: {task}.'
        return task, self._tell(world, self._look(world, text))

    def perform(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...], stop: StopSignal
    ) -> Performed:
        """Do one action; one that is stopped before its end changes nothing."""
        world = self._require()
        ground = GroundAction(action, args)
        problem = self._problem(world, ground, numbers)
        if problem is not None:
            failure, reason = problem
            return Performed(Status.REFUSED, failure, reason, self._nothing_happens(world))
        if stop.is_set() or (self._duration > 0 and stop.wait(self._duration)):
            return Performed(
                Status.STOPPED, Failure.STOPPED, 'stopped', self._nothing_happens(world)
            )
        if world.model.applies(world.state, ground) is not Value.TRUE:
            false = world.model.explain(world.state, ground)
            failure = next(
                (_FAILURES[fact.predicate] for fact in false if fact.predicate in _FAILURES),
                Failure.WRONG_STATE,
            )
            reason = f'{ground}: {", ".join(_denied(fact) for fact in false)}'
            return Performed(Status.FAILED, failure, reason, self._nothing_happens(world))
        if not world.disturber.has_no_effect():
            world.state = world.model.advance(world.state, ground)
        text = home_text.done(world.state, action, args, world.scene.receptacles)
        view = self._tell_news(world, text)
        self._move_something(world)
        return Performed(Status.DONE, view=view)

    def view(self) -> View | None:
        """Look around from where the agent stands."""
        world = self._world
        if world is None:
            return None
        return self._tell(world, self._look(world, home_text.around(world.state)))

    def changed(self) -> View | None:
        """Return what is seen to have changed by itself."""
        world = self._world
        if world is None:
            return None
        news = self._news(world, '')
        if not (news.facts or news.covers or news.objects):
            return None
        return self._tell(world, news)

    def words(self, action: str, args: tuple[str, ...]) -> str:
        """Say an action as a command in plain words."""
        return home_text.command(action, args)

    def close(self) -> None:
        """Forget the scene."""
        self._world = None

    # ------------------------------------------------------------ looking and telling

    def _require(self) -> _World:
        if self._world is None:
            raise RuntimeError('perform before reset')
        return self._world

    def _look(self, world: _World, text: str) -> View:
        if world.scene.full_view:
            return full_look(world.state, world.model.domain, text)
        return partial_look(world.state, world.scene.receptacles, text)

    def _news(self, world: _World, text: str) -> View:
        if world.scene.full_view:
            return full_change(world.told, world.state, text)
        return what_is_new(world.told, self._look(world, text))

    def _tell_news(self, world: _World, text: str) -> View:
        return self._tell(world, self._news(world, text))

    def _nothing_happens(self, world: _World) -> View:
        return self._tell_news(world, home_text.NOTHING)

    def _tell(self, world: _World, view: View) -> View:
        """Remember what a view says."""
        seq = world.told.seq + 1
        kind = ObservationKind.DELTA if seq > 1 else ObservationKind.SNAPSHOT
        observation = Observation(
            seq=seq,
            base_seq=seq - 1,
            kind=kind,
            objects=view.objects,
            facts=view.facts,
            covers=view.covers,
        )
        world.told = fold(world.told, observation)
        return view

    # ------------------------------------------------------------ the world

    def _problem(
        self, world: _World, ground: GroundAction, numbers: tuple[Number, ...]
    ) -> tuple[Failure, str] | None:
        if ground.name not in ACTIONS:
            return Failure.UNKNOWN_ACTION, f'home has no action {ground.name!r}'
        if numbers:
            return Failure.OTHER, f'{ground.name} takes no numbers'
        for arg in ground.args:
            if arg not in world.state.objects:
                return Failure.UNKNOWN_OBJECT, f'there is no {arg}'
        problem = world.model.check(ground, world.state.objects)
        return None if problem is None else (Failure.OTHER, problem)

    def _move_something(self, world: _World) -> None:
        """Let a thing move by itself if the scene wants it, after the action has been seen."""
        state = world.state
        items = sorted(
            atom[1]
            for atom in state.atoms
            if atom[0] == 'in' and self._domain.types.is_a(state.objects[atom[1]], 'portable')
        )
        moved = world.disturber.move(items, world.scene.receptacles)
        if moved is None:
            return
        item, place = moved
        kept = {atom for atom in state.atoms if atom[:2] != ('in', item)}
        world.state = State({*kept, ('in', item, place)}, state.objects)


def _denied(fact: Fact) -> str:
    """Say a fact that stands against an action."""
    return f'{Fact.of(fact.atom)} is {fact.value.name.lower()}'
