"""Real games: their walkthroughs win, and what is read from the text is true in the game."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sage_ros.bridges.alfworld_words import Wording, symbol
from sage_ros.bridges.household import household
from sage_ros.contract.environment import SceneError
from sage_ros.contract.execution import Failure, Status
from sage_ros.symbols.facts import Atom, Value, parse_atom

KINDS = (
    'look_at_obj_in_light',
    'pick_and_place_simple',
    'pick_clean_then_place_in_recep',
    'pick_heat_then_place_in_recep',
    'pick_cool_then_place_in_recep',
    'pick_two_obj_and_place',
)
EACH = 2
TRANSLATED = {
    'inreceptacle': 'in',
    'openable': 'openable',
    'opened': 'open',
    'holds': 'holding',
    'isclean': 'clean',
    'ishot': 'hot',
    'iscool': 'cool',
    'issliced': 'sliced',
    # The text says that a lamp is on from its first use for ever.
    'istoggled': 'on',
}


def sample(games: Path, kind: str) -> list[Path]:
    """Take some games of a kind, spread over all there are."""
    found = sorted(games.rglob(f'{kind}*/**/game.tw-pddl'))
    assert len(found) >= EACH
    return found[:: max(1, len(found) // EACH)][:EACH]


def steps(game: Path) -> list[tuple[str, ...]]:
    """Read the walkthrough of a game as actions."""
    words = Wording()
    actions = [words.read(command) for command in json.loads(game.read_text())['walkthrough']]
    return [parse_atom(action) for action in actions if action is not None]


@pytest.fixture
def alfworld(alfworld_games: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return what makes an environment whose games also tell the test their true facts."""
    import textworld

    from sage_ros.bridges.alfworld import AlfworldEnvironment

    asked = textworld.EnvInfos

    def make(**options: Any) -> AlfworldEnvironment:
        monkeypatch.setattr(textworld, 'EnvInfos', lambda **wanted: asked(facts=True, **wanted))
        return AlfworldEnvironment(**options)

    return make


def truth(environment: Any) -> set[Atom]:
    """Translate the hidden facts of the game."""
    facts: set[Atom] = set()
    for fact in environment._env.state['facts']:
        names = [symbol(argument.name.strip()) for argument in fact.arguments]
        if fact.name == 'holds':
            facts.add(('holding', names[1]))
        elif fact.name in TRANSLATED:
            facts.add((TRANSLATED[fact.name], *names))
    if not any(atom[0] == 'holding' for atom in facts):
        facts.add(('hand_empty',))
    return facts


def check(player: Any) -> int:
    """Check all that is believed against the truth; return how many facts were compared."""
    true = truth(player.environment)
    compared = 0
    for fact in player.belief.all_facts():
        if fact.predicate != 'at':
            assert fact.value is Value(fact.atom in true), fact
            compared += 1
    for atom in true:
        assert player.belief.value(atom) is not Value.FALSE, atom
    assert all(
        household().check_atom(fact.atom, player.belief.objects) is None
        for fact in player.belief.all_facts()
    )
    return compared


@pytest.mark.parametrize('kind', KINDS)
def test_walkthroughs_win_and_the_text_is_true(
    alfworld: Callable[..., Any], alfworld_games: Path, play: Any, kind: str
) -> None:
    environment = alfworld()
    for game in sample(alfworld_games, kind):
        player = play(environment)
        player.reset(str(game))
        assert player.task
        assert check(player) >= 1
        performed = None
        for action, *args in steps(game):
            assert performed is None or not performed.view.success
            performed = player.do(action, *args)
            assert performed.status is Status.DONE
            assert check(player) > 1
            if args:
                player.do('examine', args[0])
            player.do('look')
            check(player)
        assert performed is not None
        assert performed.view.success
        assert performed.view.done
    environment.close()


@pytest.fixture(scope='session')
def one_game(alfworld_games: Path) -> Path:
    """Return a small game."""
    return sample(alfworld_games, 'look_at_obj_in_light')[0]


def test_only_text_and_success_are_asked_of_a_game(
    one_game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import textworld

    from sage_ros.bridges.alfworld import AlfworldEnvironment

    asked: list[dict[str, bool]] = []
    infos = textworld.EnvInfos

    def note(**wanted: bool) -> Any:
        asked.append({name: value for name, value in wanted.items() if value})
        return infos(**wanted)

    monkeypatch.setattr(textworld, 'EnvInfos', note)
    environment = AlfworldEnvironment()
    _, view = environment.reset(str(one_game), 0, '')
    assert asked == [{'feedback': True, 'won': True}]
    assert not environment.info.lists_admissible
    assert view.admissible == ()


def test_admissible_actions_only_where_asked_for(one_game: Path, alfworld: Any) -> None:
    environment = alfworld(admissible=True, game=str(one_game.parent))
    assert environment.info.lists_admissible
    _, view = environment.reset('', 0, '')
    assert 'look()' in view.admissible
    taken = {action.name for action in environment.info.actions}
    assert {parse_atom(action)[0] for action in view.admissible} <= taken


def test_wording_the_game_does_not_know_is_no_effect(
    one_game: Path, alfworld: Any, play: Any
) -> None:
    player = play(alfworld())
    player.reset(str(one_game))
    before = player.belief
    for action in (('goto', 'moon_1'), ('pick', 'mug_1', 'desk_1'), ('toggle', 'bed_1')):
        performed = player.do(*action)
        assert (performed.status, performed.failure) == (Status.FAILED, Failure.NO_EFFECT)
        assert 'Nothing happens.' in performed.reason
    assert player.belief.hash == before.hash


def test_what_is_no_command_never_reaches_the_game(
    one_game: Path, alfworld: Any, play: Any
) -> None:
    player = play(alfworld())
    player.reset(str(one_game))
    for action, failure in (
        (('fly',), Failure.UNKNOWN_ACTION),
        (('goto', 'desk 1; help'), Failure.UNKNOWN_OBJECT),
        (('goto',), Failure.OTHER),
    ):
        performed = player.do(*action)
        assert (performed.status, performed.failure) == (Status.REFUSED, failure)
    player.stop.set()
    assert player.do('look').status is Status.STOPPED


def test_full_view_is_what_was_read_so_far(one_game: Path, alfworld: Any, play: Any) -> None:
    environment = alfworld()
    assert environment.view() is None
    player = play(environment)
    player.reset(str(one_game))
    for action, *args in steps(one_game)[:-1]:
        player.do(action, *args)
    late = play(environment)
    late.fold(environment.view())
    assert late.belief.hash == player.belief.hash
    assert environment.changed() is None


def test_same_game_begins_anew(one_game: Path, alfworld: Any, play: Any) -> None:
    player = play(alfworld())
    first = player.reset(str(one_game))
    player.do(*steps(one_game)[0])
    assert player.reset(str(one_game)) == first
    task, _ = player.environment.reset(str(one_game), 1, 'my own goal')
    assert task == 'my own goal'


def test_game_that_cannot_be_played(tmp_path: Path, one_game: Path, alfworld: Any) -> None:
    environment = alfworld()
    with pytest.raises(SceneError, match='name a game'):
        environment.reset('', 0, '')
    half = tmp_path / 'game.tw-pddl'
    half.write_text(one_game.read_text()[:5000])
    with pytest.raises(SceneError, match='not JSON'):
        environment.reset(str(half), 0, '')
    content = json.loads(one_game.read_text())
    content['pddl_domain'] = '(define (domain'
    half.write_text(json.dumps(content))
    with pytest.raises(SceneError, match='cannot be played'):
        environment.reset(str(half), 0, '')
    environment.reset(str(one_game), 0, '')
    assert environment.perform('look', (), (), threading.Event()).status is Status.DONE
