"""A world of one room: a desk, a lamp on it, and an agent that can walk and press the switch."""

from sage_ros.contract.environment import Performed, StopSignal, View
from sage_ros.contract.execution import ActionInfo, BridgeInfo, Failure, Status
from sage_ros.contract.plan import Number
from sage_ros.contract.resources import config_path
from sage_ros.scene.observation import Pattern, SceneObject
from sage_ros.symbols.facts import Fact, Value
from sage_ros.symbols.pddl_reader import read_domain

OBJECTS = (SceneObject('desk_1', 'desk'), SceneObject('desklamp_1', 'desklamp'))


class LampEnvironment:
    """Knows nothing of ROS, ids, numbers or deadlines: those are the bridge machine's."""

    def __init__(self) -> None:
        self._there = False
        self._lit = False

    @property
    def info(self) -> BridgeInfo:
        """Say what is taken, and that nothing happens between commands."""
        return BridgeInfo(
            environment='home',
            domain_hash=read_domain(config_path('domains/household.pddl')).digest,
            actions=(ActionInfo('goto', ('receptacle',)), ActionInfo('toggle', ('object',))),
            static_between_commands=True,
            example_action='goto',
            example_args=('desk_1',),
        )

    def reset(self, scene: str, seed: int, goal: str) -> tuple[str, View]:
        """Begin anew: there is one scene, and no chance in it."""
        self._there = self._lit = False
        return goal or 'on(desklamp_1)', self._look()

    def perform(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...], stop: StopSignal
    ) -> Performed:
        """Do it, or say in which class of failure it ended; then look."""
        if (action, args) == ('goto', ('desk_1',)):
            self._there = True
        elif (action, args) == ('toggle', ('desklamp_1',)) and self._there:
            self._lit = not self._lit
        else:
            return Performed(Status.FAILED, Failure.NOT_REACHABLE, view=self._look())
        return Performed(Status.DONE, view=self._look())

    def view(self) -> View | None:
        """Look at everything."""
        return self._look()

    def changed(self) -> View | None:
        """Nothing changes by itself here."""
        return None

    def words(self, action: str, args: tuple[str, ...]) -> str:
        """Say an action."""
        return f'{action} {" ".join(args)}'

    def close(self) -> None:
        """Nothing is held."""

    def _look(self) -> View:
        """Report facts, and with ``covers`` which others are thereby known to be false."""
        at = (Fact('at', ('desk_1',)),) if self._there else ()
        return View(
            text='The lamp is on.' if self._lit else 'The lamp is off.',
            objects=OBJECTS,
            facts=(
                *at,
                Fact('in', ('desklamp_1', 'desk_1')),
                Fact('openable', ('desk_1',), Value.FALSE),
                Fact('on', ('desklamp_1',), Value(self._lit)),
            ),
            covers=(Pattern('at', ('',)), Pattern('in', ('', '')), Pattern('holding', ('',))),
        )
