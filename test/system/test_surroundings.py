"""What the command line says of surroundings in which ROS cannot work."""

import os
import subprocess
import sys

import pytest

GOAL = 'put a clean mug on the desk'


@pytest.mark.parametrize(
    ('variable', 'value', 'said'),
    [
        ('ROS_DOMAIN_ID', '500', "ROS_DOMAIN_ID is '500': give a number from 0 to 232"),
        ('ROS_DOMAIN_ID', 'mine', "ROS_DOMAIN_ID is 'mine': give a number from 0 to 232"),
        ('ROS_LOG_DIR', '/proc/nowhere', 'ROS cannot be used'),
    ],
)
def test_an_environment_that_ros_cannot_use_is_said_without_a_traceback(
    ros_domain: int, variable: str, value: str, said: str
) -> None:
    command = [sys.executable, '-c', 'import sage_ros.cli; sage_ros.cli.main()', 'run', GOAL]
    environment = {**os.environ, variable: value}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert 'Traceback' not in done.stderr
