"""All nodes with the embedded home simulator."""

from launch import LaunchDescription

from sage_ros.nodes.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Describe what is started."""
    arguments = {
        'scene': ('', 'Scene of config/scenes, or a file; empty: studio'),
        'seed': ('0', 'Seed of the scene'),
    }
    return describe('home', arguments)
