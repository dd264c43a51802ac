"""Planner, monitor and memory; the bridge is somebody else's."""

from launch import LaunchDescription

from sage_ros.nodes.launching import describe


def generate_launch_description() -> LaunchDescription:
    """Describe what is started."""
    about = 'Environment of the bridge, which names the file in config/admission'
    return describe('home', {'environment': ('home', about)}, bridge=False)
