"""The table of nodes and the processes made from it."""

import importlib
import os
import signal
import stat
from pathlib import Path

import pytest

from sage_ros.cli.up import Stack, StackError, run_stack
from sage_ros.contract.signing import KeyFileError
from sage_ros.contract.yaml_file import ConfigurationError
from sage_ros.nodes.stack import NODES, StackOptions, default_key_file, prepare_key

BY_NAME = {spec.name: spec for spec in NODES}


def test_every_node_of_the_table_can_be_started() -> None:
    for spec in NODES:
        assert callable(importlib.import_module(spec.module).main)
        assert spec.parameter_file.is_file()


def test_options_become_arguments_of_the_nodes_they_are_for(tmp_path: Path) -> None:
    options = StackOptions(
        environment='alfworld', scene="it's.tw-pddl", key_file='/k', namespace='robot1/arm'
    )
    arguments = options.arguments(BY_NAME['bridge'])
    assert '__ns:=/robot1/arm' in arguments
    assert "environment:='alfworld'" in arguments
    assert "scene:='it''s.tw-pddl'" in arguments
    assert arguments[-2:] == ['--log-level', 'robot1.arm.bridge:=info']
    assert not [a for a in options.arguments(BY_NAME['memory']) if a.startswith('key_file')]


def test_options_as_usual_leave_the_files_their_say() -> None:
    assert StackOptions().parameters(BY_NAME['planner']) == {}


@pytest.mark.parametrize('namespace', ['sage', '/sage', 'sage/', '/sage/'])
def test_a_namespace_is_the_same_with_and_without_slashes_around_it(namespace: str) -> None:
    options = StackOptions(namespace=namespace)
    assert options.root == '/sage'
    assert '__ns:=/sage' in options.arguments(BY_NAME['monitor'])
    assert StackOptions(namespace='/').full_name(BY_NAME['monitor']) == '/monitor'


@pytest.mark.parametrize(
    'options',
    [
        {'log_level': 'loud'},
        {'environment': 'mars'},
        {'namespace': 'no space'},
        {'namespace': '/kitchen_\u00fc'},
        {'namespace': '/a//b'},
        {'namespace': '/a__b'},
        {'namespace': '/' + 'n' * 300},
        # Takes for ever where the pattern can match in many ways.
        {'namespace': '/' + 'n' * 100 + '!'},
    ],
)
def test_wrong_options_are_errors(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r'expected|take one of'):
        StackOptions(**options)  # type: ignore[arg-type]


def test_without_a_bridge_there_are_three_nodes() -> None:
    assert [spec.name for spec in StackOptions(bridge=False).nodes] == [
        'monitor',
        'memory',
        'planner',
    ]


def test_the_key_is_made_for_its_owner_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('ROS_HOME', str(tmp_path / 'ros'))
    path = Path(prepare_key(''))
    assert path == default_key_file()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = path.read_text()
    assert prepare_key('') == str(path)
    assert path.read_text() == key


def test_nothing_is_started_with_a_key_that_others_can_read(tmp_path: Path) -> None:
    key = Path(prepare_key(str(tmp_path / 'key')))
    key.chmod(0o640)
    stack = Stack(StackOptions(key_file=str(key)))
    with pytest.raises(KeyFileError, match='others can read'):
        stack.start()
    with pytest.raises(KeyError):
        stack.process('monitor')


def test_nothing_is_started_with_a_file_for_nobody(tmp_path: Path) -> None:
    file = tmp_path / 'wrong.yaml'
    file.write_text('/sage/montor:\n  ros__parameters: {max_steps: 3}\n')
    options = StackOptions(key_file=str(tmp_path / 'key'), parameter_file=str(file))
    stack = Stack(options)
    with pytest.raises(ConfigurationError, match='is for no node of this stack'):
        stack.start()
    with pytest.raises(KeyError):
        stack.process('monitor')


def test_a_node_that_ends_is_named_with_its_last_words(ros_domain: int, tmp_path: Path) -> None:
    file = tmp_path / 'wrong.yaml'
    file.write_text('/**/memory:\n  ros__parameters: {context_timeout: -1.0}\n')
    options = StackOptions(key_file=str(tmp_path / 'key'), parameter_file=str(file))
    with Stack(options, tmp_path / 'logs') as stack:
        stack.start(frozenset({'memory'}))
        assert stack.process('memory').wait(20.0) == 1
        with pytest.raises(
            StackError, match=r'memory ended with exit status 1:(.|\n)*-1\.0 is out'
        ):
            stack.check()


def test_a_killed_node_is_named_with_its_signal(ros_domain: int, tmp_path: Path) -> None:
    with Stack(StackOptions(key_file=str(tmp_path / 'key')), tmp_path / 'logs') as stack:
        stack.start(frozenset({'memory'}))
        os.kill(stack.process('memory').pid, signal.SIGKILL)
        stack.process('memory').wait(5.0)
        with pytest.raises(StackError, match='memory ended with signal SIGKILL'):
            stack.check()


def test_up_says_what_is_wrong_and_ends_with_status_2(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    monkeypatch.setattr(signal, 'signal', lambda *_: None)
    assert run_stack(log_level='loud') == 2
    assert "unknown log level 'loud'" in capfd.readouterr().err
