"""Parameters: the files in config hold all of them; wrong ones are errors that say where."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sage_ros.contract.signing import make_key
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.nodes import settings
from sage_ros.nodes.parameter_files import addressees, addresses, check_file
from sage_ros.nodes.parameters import Parameter
from sage_ros.nodes.stack import NODES, StackOptions

TABLES = {spec.name: getattr(settings, spec.name.upper()) for spec in NODES}


@pytest.mark.parametrize('spec', NODES, ids=lambda spec: spec.name)
def test_the_file_of_a_node_holds_all_its_parameters_with_their_defaults(spec: Any) -> None:
    content = yaml.safe_load(spec.parameter_file.read_text())
    assert content == {
        f'/**/{spec.name}': {
            'ros__parameters': {each.name: each.default for each in TABLES[spec.name]}
        }
    }


@pytest.mark.parametrize('name', TABLES)
def test_defaults_are_in_range_and_described(name: str) -> None:
    for parameter in TABLES[name]:
        assert parameter.problem(parameter.default) is None
        assert parameter.description
        assert parameter.descriptor.description.startswith(parameter.description)


@pytest.mark.parametrize(
    ('value', 'what', 'mend'),
    [
        (2, '2 is not a double', 'write 2.0'),
        (-1.0, '-1.0 is out of range', 'give 0.5 to 9 s'),
        (float('nan'), 'nan is out of range', 'give 0.5 to 9 s'),
        ('2', "'2' is not a double", 'give a double'),
        (True, 'True is not a double', 'give a double'),
    ],
)
def test_a_wrong_value_is_said_with_its_mend(value: object, what: str, mend: str) -> None:
    parameter = Parameter('timeout', 1.0, 'wait', 0.5, 9.0, 's')
    assert parameter.problem(value) == (what, mend)


@pytest.mark.parametrize(
    ('section', 'yes'),
    [
        ('/**', True),
        ('/**/monitor', True),
        ('/sage/monitor', True),
        ('sage/monitor', True),
        ('/*/monitor', True),
        ('/sage/*', True),
        ('monitor', False),
        ('/monitor', False),
        ('/sage/planner', False),
        ('/sage/sub/monitor', False),
    ],
)
def test_sections_address_nodes_as_ros_understands_them(section: str, yes: bool) -> None:
    assert addresses(section, '/sage/monitor') is yes


def test_a_file_for_another_node_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / 'wrong.yaml'
    file.write_text('/other/monitor:\n  ros__parameters: {max_steps: 3}\n')
    with pytest.raises(ConfigurationError) as raised:
        check_file(file, ['/sage/monitor'])
    assert str(raised.value).startswith(f'{file}:1: is for /other/monitor, not for /sage/monitor;')


def test_a_section_for_no_node_of_the_stack_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / 'stack.yaml'
    file.write_text(
        '/sage/monitor:\n  ros__parameters: {max_steps: 3}\n'
        'sage:\n  montor:\n    ros__parameters: {max_steps: 3}\n'
    )
    with pytest.raises(ConfigurationError, match=r':4: sage\.montor: is for no node of this'):
        addressees(file, ['/sage/monitor', '/sage/planner'])


def test_a_users_file_goes_to_those_it_is_for(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('/**/bridge:\n  ros__parameters: {monitor_lease: 1.0}\n')
    options = StackOptions(parameter_file=str(file))
    takers = [spec.name for spec in NODES if file in options.files(spec)]
    assert takers == ['bridge']


@pytest.mark.parametrize('text', ['- a list\n', '/**: 3\n', 'a: {b: 3}\n', 'a: [3\n', ''])
def test_what_is_no_parameter_file_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / 'no.yaml'
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=f'^{file}:[12]: '):
        check_file(file, ['/sage/monitor'])


def run_monitor(*arguments: str, key: Path) -> tuple[int, str]:
    """Start a monitor that must not start and return its exit status and what it says."""
    done = subprocess.run(
        [
            *(sys.executable, '-m', 'sage_ros.nodes.monitor', '--ros-args', '-r', '__ns:=/sage'),
            *('-p', f"key_file:='{key}'", *arguments),
        ],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=os.environ,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        (
            '/sage/monitor:\n  ros__parameters:\n    bridge_timeout: 3\n',
            ':3: /sage/monitor.ros__parameters.bridge_timeout: 3 is not a double; write 3.0',
        ),
        (
            '/sage/monitor:\n  ros__parameters:\n    bridge_timeout: -5.0\n',
            ':3: /sage/monitor.ros__parameters.bridge_timeout: -5.0 is out of range; give 0.001',
        ),
        (
            '/**/monitor:\n  ros__parameters:\n    bridge_timout: 3.0\n',
            ':3: /**/monitor.ros__parameters.bridge_timout: there is no such parameter; give one',
        ),
        (
            '/sage/planner:\n  ros__parameters:\n    max_steps: 3\n',
            ':1: is for /sage/planner, not for /sage/monitor; name the section /sage/monitor',
        ),
        (
            '/**/monitor:\n  ros__parameters:\n    environment: mars\n',
            ":3: /**/monitor.ros__parameters.environment: no admission file for 'mars'",
        ),
    ],
)
def test_a_node_with_a_wrong_file_ends_and_says_where(
    ros_domain: int, tmp_path: Path, text: str, expected: str
) -> None:
    key, file = tmp_path / 'key', tmp_path / 'wrong.yaml'
    make_key(key)
    file.write_text(text)
    status, said = run_monitor('--params-file', str(file), key=key)
    assert status == 1
    assert f'{file}{expected}' in said
    assert 'Traceback' not in said


def test_a_wrong_value_on_the_command_line_ends_the_node(ros_domain: int, tmp_path: Path) -> None:
    make_key(tmp_path / 'key')
    status, said = run_monitor('-p', 'plan_timeout:=-5.0', key=tmp_path / 'key')
    assert status == 1
    assert 'node /sage/monitor: parameter plan_timeout: -5.0 is out of range; give 0.001' in said


def test_a_key_file_that_others_can_read_ends_the_node(ros_domain: int, tmp_path: Path) -> None:
    key = tmp_path / 'key'
    make_key(key)
    key.chmod(0o644)
    status, said = run_monitor(key=key)
    assert status == 1
    assert f'{key}: others can read the key file (mode 0644)' in said


def test_without_a_key_file_the_node_ends(ros_domain: int, tmp_path: Path) -> None:
    status, said = run_monitor(key=tmp_path / 'missing')
    assert status == 1
    assert f'{tmp_path / "missing"}: cannot read the key file' in said


def test_a_broken_admission_file_ends_the_node(ros_domain: int, tmp_path: Path) -> None:
    make_key(tmp_path / 'key')
    file = tmp_path / 'admission.yaml'
    file.write_text('environment: home\ndomain: household.pddl\nopen_loop: maybe\n')
    status, said = run_monitor('-p', f'admission_file:={file}', key=tmp_path / 'key')
    assert status == 1
    assert f'{file}:3: open_loop' in said
