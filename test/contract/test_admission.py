"""Admission files: those of the package, and errors that name file, line, key and mend."""

from pathlib import Path

import pytest

from sage_ros.contract.admission import ActionPolicy, NumberRange, read_admission
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.pddl_reader import read_domain

CONFIG = Path(__file__).parents[2] / 'config'
GOOD = """\
environment: home
domain: household.pddl
open_loop: false
aliases: {move: put}
skippable: [goto]
failure_phrases: [nothing happens]
actions:
  goto:
    deadline_s: 30
    numbers:
      speed: {unit: m/s, min: 0.1, max: 1.5}
    try: ['at(?r)']
    repetitive: true
  put: {}
"""


@pytest.fixture(scope='module')
def domain() -> Domain:
    return read_domain(CONFIG / 'domains' / 'household.pddl')


def written(folder: Path, text: str) -> Path:
    """Write an admission file."""
    path = folder / 'home.yaml'
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    'path', sorted((CONFIG / 'admission').glob('*.yaml')), ids=lambda p: p.stem
)
def test_the_files_of_the_package_fit_their_domain(path: Path) -> None:
    table = read_admission(path)
    domain = read_domain(CONFIG / 'domains' / table.domain)
    assert read_admission(path, domain) == table
    assert table.environment == path.stem


def test_home_takes_primitives_and_alfworld_macros(domain: Domain) -> None:
    home = read_admission(CONFIG / 'admission' / 'home.yaml', domain)
    alfworld = read_admission(CONFIG / 'admission' / 'alfworld.yaml', domain)
    macros = {'clean', 'heat', 'cool'}
    assert set(home.actions) == set(domain.actions) - macros
    assert macros < set(alfworld.actions)
    assert home.aliases['move'] == alfworld.aliases['move'] == 'put'


def test_a_file_is_read_into_a_table(tmp_path: Path, domain: Domain) -> None:
    table = read_admission(written(tmp_path, GOOD), domain)
    assert table.actions['goto'] == ActionPolicy(
        30.0, {'speed': NumberRange('m/s', 0.1, 1.5)}, (('at', '?r'),), True
    )
    assert table.actions['put'] == ActionPolicy()
    assert table.skippable == {'goto'}
    assert table.aliases == {'move': 'put'}


@pytest.mark.parametrize(
    ('old', 'new', 'line', 'message'),
    [
        ('deadline_s: 30', 'deadline_s: -5', 9, r'actions\.goto\.deadline_s: -5 .*greater than 0'),
        ('deadline_s: 30', 'deadline_s: soon', 9, "'soon' is not right; give a valid number"),
        ('deadline_s: 30', 'deadline: 30', 9, r'actions\.goto\.deadline: unknown key; remove it'),
        ('open_loop: false\n', '', 1, 'open_loop: is missing; add it'),
        ('open_loop: false', 'open_loop: 1', 3, 'open_loop: 1 is not right'),
        (
            'skippable: [goto]',
            'skippable: [fly]',
            5,
            "skippable: unknown action 'fly'; take one of",
        ),
        ('{move: put}', '{move: fly}', 4, "aliases: unknown action 'fly'; take one of"),
        ('{move: put}', '{goto: put}', 4, "'goto' is an action itself; remove the alias"),
        ('[nothing happens]', "['...']", 6, r'failure_phrases\.0'),
        ('min: 0.1', 'min: 2', 11, r'speed: no range from 2\.0 to 1\.5; give finite numbers'),
        ('max: 1.5', 'max: .inf', 11, 'speed: no range'),
        ("'at(?r)'", "'at(?r'", 12, r"try: not an atom: 'at\(\?r'.*; write patterns such as"),
        ("'at(?r)'", "'near(?r)'", 12, r"try\.0: unknown predicate 'near'"),
        ("'at(?r)'", "'at(?r, ?q)'", 12, r'at\(\?r, \?q\) has 2 arguments; give 1'),
        ("'at(?r)'", "'at(desk_1)'", 12, "'desk_1' is not a variable; give a variable"),
        ('  put: {}', '  put: {}\n  fly: {}', 15, r'actions\.fly: household has no such action'),
        ('  put: {}', '  put: {}\n  reset: {}', 7, "'reset' begins an episode"),
        ('  put: {}', '  put: {}\n  goto: {}', 15, 'goto: stands twice, first in line 8; remove'),
        ('{move: put}', '{move: put', 5, 'not YAML'),
        ('environment: home', 'environment: ""', 1, 'environment: '),
        ('environment: home', 'enviroment: home', 1, 'enviroment: unknown key; remove it'),
        ('environment: home', 'environment: 2024-99-99', 1, 'not YAML: no value of its kind: mon'),
        ('environment: home', '? [a, b]\n: home', 1, 'not YAML: found unhashable key'),
        ('household.pddl', 'house\x00hold.pddl', 2, 'not YAML: the character #x0000; remove it'),
        ('[goto]', '&a [*a]', 5, r'skippable\.0: .* is not right; give a valid string'),
        ('[goto]', '[' * 2000 + ']' * 2000, 1, 'nested too deep; write it flat'),
        (GOOD, '', 1, 'is missing; add it'),
        (GOOD, '- a\n', 1, 'the file: .* is not right; give a valid dictionary'),
    ],
)
def test_an_error_names_file_line_key_and_mend(
    tmp_path: Path, domain: Domain, old: str, new: str, line: int, message: str
) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(ConfigurationError, match=message) as caught:
        read_admission(path, domain)
    assert str(caught.value).startswith(f'{path}:{line}: ')


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r'none\.yaml:1: cannot be read'):
        read_admission(tmp_path / 'none.yaml')
    path = tmp_path / 'home.yaml'
    path.write_bytes(b'\xff\xfe')
    with pytest.raises(ConfigurationError, match='give a readable UTF-8 text file'):
        read_admission(path)
