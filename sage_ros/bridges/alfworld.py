"""ALFWorld's text games, of which only the text is read."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from sage_ros.bridges.alfworld_text import TextReader, task_of
from sage_ros.bridges.alfworld_words import ACTIONS, Wording, is_symbol
from sage_ros.bridges.games import read_game
from sage_ros.bridges.household import household
from sage_ros.contract.environment import EnvironmentLost, Performed, SceneError, StopSignal, View
from sage_ros.contract.execution import ActionInfo, BridgeInfo, Failure, Status
from sage_ros.contract.plan import Number
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Observation, ObservationKind, SceneObject

_MACROS = frozenset(('clean', 'heat', 'cool'))
_NARROWER = {'toggle': ('lamp',)}
"""Argument types where the games take less than the domain: of all things only lamps switch."""
_FETCH = "games come with the alfworld package's command alfworld-download"
_INSTALL = "install it with: pip install 'sage_ros[alfworld]'"


class AlfworldEnvironment:
    """A game.tw-pddl played through its text.

    A game begins with its introduction and a look into the hand. Nothing changes in it but by
    commands, so the full view is all that its texts have said since the reset.
    """

    def __init__(self, game: str = '', admissible: bool = False) -> None:
        """Choose the game of a reset that names none, and whether valid commands are listed.

        Raises ImportError that says what to install.
        """
        self._default_game = game
        self._lists_admissible = admissible
        self._textworld, self._demangler = _packages()
        self._domain = household()
        self._reader = TextReader(self._domain.types)
        self._wording = Wording()
        self._env: Any = None
        self._loaded = ''
        self._told = Belief()
        self._last = View()
        self._info = BridgeInfo(
            environment='alfworld',
            domain_hash=self._domain.digest,
            actions=tuple(
                ActionInfo(
                    name,
                    _NARROWER.get(
                        name, tuple(p.type for p in self._domain.actions[name].parameters)
                    ),
                    macro=name in _MACROS,
                )
                for name in ACTIONS
            ),
            lists_admissible=admissible,
            static_between_commands=True,
            example_action='look',
        )

    @property
    def info(self) -> BridgeInfo:
        """Say what the games take: the household's actions, with clean, heat and cool as one."""
        return self._info

    def reset(
        self,
        scene: str,
        seed: int,  # noqa: ARG002
        goal: str,
    ) -> tuple[str, View]:
        """Begin the game in the file, or folder, ``scene``; the seed changes nothing."""
        self._load(scene or self._default_game)
        self._told = Belief()
        self._last = View()
        introduction = self._call(self._env.reset).feedback.strip()
        hand = self._command(self._wording.say('inventory', ()))
        text = f'{introduction}\n\n{hand}'
        view = self._read(text)[0]
        return goal or task_of(introduction), view

    def perform(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...], stop: StopSignal
    ) -> Performed:
        """Give one command and read the answer."""
        refusal = self._refusal(action, args, numbers)
        if refusal is not None:
            return Performed(Status.REFUSED, *refusal)
        if stop.is_set():
            return Performed(Status.STOPPED, Failure.STOPPED, 'stopped before it began')
        command = self._wording.say(action, args)
        view, no_effect, understood = self._read(self._command(command))
        if no_effect:
            reason = f'{command}: {view.text}'
            return Performed(Status.FAILED, Failure.NO_EFFECT, reason, view)
        if not understood:
            reason = f'{command}: the answer is not understood: {view.text}'
            return Performed(Status.UNKNOWN, Failure.OTHER, reason, view)
        return Performed(Status.DONE, view=view)

    def view(self) -> View | None:
        """Say all that the texts have said since the reset."""
        if not self._told.seq:
            return None
        told = self._told
        return View(
            text=self._last.text,
            objects=tuple(SceneObject(*item) for item in sorted(told.objects.items())),
            facts=told.all_facts(),
            covers=told.all_closed(),
            done=self._last.done,
            success=self._last.success,
            score=self._last.score,
            admissible=self._last.admissible,
        )

    def changed(self) -> View | None:
        """Return None: nothing changes by itself."""
        return None

    def words(self, action: str, args: tuple[str, ...]) -> str:
        """Say an action as the game's command."""
        return self._wording.say(action, args)

    def close(self) -> None:
        """End the game."""
        if self._env is not None:
            self._env.close()
        self._env, self._loaded, self._told = None, '', Belief()

    # ------------------------------------------------------------ the game

    def _load(self, scene: str) -> None:
        if not scene:
            raise SceneError(f'no game: name a game.tw-pddl file; {_FETCH}')
        game = read_game(scene)
        if self._loaded == str(game.path):
            return
        self.close()
        # Of the state only what the text says and whether the task is done is asked for.
        wanted = self._textworld.EnvInfos(
            feedback=True, won=True, admissible_commands=self._lists_admissible
        )
        wrapper = partial(self._demangler, shuffle=False)
        try:
            self._env = self._textworld.start(str(game.path), wanted, wrappers=[wrapper])
        except (Exception, SystemExit) as error:
            what = f'{type(error).__name__}: {error}'
            raise SceneError(f'{game.path}: cannot be played: {what}; get it again') from error
        self._loaded = str(game.path)
        self._wording = Wording(game.grammar)

    def _call(self, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except (Exception, SystemExit) as error:
            self._loaded = ''
            raise EnvironmentLost(
                f'the game broke off: {type(error).__name__}: {error}'
            ) from error

    def _command(self, command: str) -> str:
        state, _, done = self._call(lambda: self._env.step(command))
        listed: tuple[str | None, ...] = ()
        if self._lists_admissible:
            listed = tuple(map(self._wording.read, state.admissible_commands))
        won = bool(state.won)
        self._last = View(
            done=bool(done),
            success=won,
            score=float(won),
            admissible=tuple(action for action in listed if action is not None),
        )
        return str(state.feedback).strip()

    def _read(self, text: str) -> tuple[View, bool, bool]:
        """Turn a text into a view and remember it; was there no effect, was it understood?"""
        reading = self._reader.read(text)
        last = self._last
        self._last = view = replace(
            reading.view(text),
            done=last.done,
            success=last.success,
            score=last.score,
            admissible=last.admissible,
        )
        seq = self._told.seq + 1
        self._told = fold(
            self._told,
            Observation(
                seq=seq,
                base_seq=seq - 1,
                kind=ObservationKind.DELTA if seq > 1 else ObservationKind.SNAPSHOT,
                objects=view.objects,
                facts=view.facts,
                covers=view.covers,
            ),
        )
        return view, reading.no_effect, reading.understood

    def _refusal(
        self, action: str, args: tuple[str, ...], numbers: tuple[Number, ...]
    ) -> tuple[Failure, str] | None:
        if action not in ACTIONS:
            return Failure.UNKNOWN_ACTION, f'ALFWorld has no action {action!r}'
        if numbers:
            return Failure.OTHER, f'{action} takes no numbers'
        for arg in args:
            if not is_symbol(arg):
                return Failure.UNKNOWN_OBJECT, f'{arg!r} is no type and number'
        if len(args) != len(self._domain.actions[action].parameters):
            return Failure.OTHER, f'{action} does not take {len(args)} arguments'
        return None


def _packages() -> tuple[Any, Any]:
    """Import what plays the games; ImportError says what to install."""
    try:
        textworld = import_module('textworld')
        module = import_module('alfworld.agents.environment.alfred_tw_env')
    except ImportError as error:
        raise ImportError(f'ALFWorld cannot be played: {error}; {_INSTALL}') from error
    return textworld, module.AlfredDemangler
