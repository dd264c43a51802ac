"""The launch files, loaded and started with the real launch, where that is installed."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sage_ros import share_directory
from sage_ros.contract.task import TaskRequest
from sage_ros.nodes.client import GoalClient

FOLDER = share_directory() / 'launch'
FILES = sorted(FOLDER.glob('*.launch.py'))
COMMON = {'namespace', 'use_sim_time', 'params_file', 'autostart', 'log_level', 'key_file'}
START = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
path, *given = sys.argv[1:]
service = LaunchService(argv=given)
source = AnyLaunchDescriptionSource(path)
arguments = [tuple(each.split(':=', 1)) for each in given]
include = IncludeLaunchDescription(source, launch_arguments=arguments)
service.include_launch_description(LaunchDescription([include]))
sys.exit(service.run())
"""

needs_launch = pytest.mark.skipif(
    importlib.util.find_spec('launch') is None or importlib.util.find_spec('launch_ros') is None,
    reason='launch and launch_ros are not installed: they come with ROS 2, not from PyPI',
)


def test_there_is_a_launch_file_for_each_environment_and_one_without_a_bridge() -> None:
    names = [file.name for file in FILES]
    assert names == ['alfworld.launch.py', 'home.launch.py', 'stack.launch.py']


@needs_launch
@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_all_arguments_are_described(file: Path) -> None:
    from launch.launch_description_sources import get_launch_description_from_any_launch_file

    description: Any = get_launch_description_from_any_launch_file(str(file))
    arguments = description.get_launch_arguments()
    assert {argument.name for argument in arguments} >= COMMON
    for argument in arguments:
        assert argument.description
        assert argument.default_value is not None


@needs_launch
@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_stack_that_was_launched_takes_goals_and_ends_cleanly(
    file: Path, ros_domain: int, tmp_path: Path
) -> None:
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']])
    arguments = ['namespace:=/robot1', f'key_file:={tmp_path / "key"}']
    process = subprocess.Popen(
        [sys.executable, '-c', START, str(file), *arguments],
        env=os.environ | {'PATH': paths, 'ROS_LOG_DIR': str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        with GoalClient('/robot1') as client:
            client.wait_for_planner(30.0, lambda: None)
            request = TaskRequest(goal='put a clean mug on the desk')
            result = client.execute(request, lambda _: None)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    if file.name == 'home.launch.py':
        assert result.success
    elif file.name == 'stack.launch.py':
        assert 'no bridge' in result.reason
    else:
        assert 'game' in result.reason
    nodes = 3 if file.name == 'stack.launch.py' else 4
    assert output.count('process has finished cleanly') == nodes, output
