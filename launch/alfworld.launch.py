"""All nodes with a text game of ALFWorld."""

from launch import LaunchDescription

from sage_ros.nodes.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Describe what is started."""
    arguments = {'game': ('', 'Game file (game.tw-pddl) of a goal that names none')}
    return describe('alfworld', arguments)
