"""The ROS 2 wheels to build and to run with, for each distribution that has wheels."""

import sys

# Listed one by one: the wheels do not depend on what their packages only export.
BUILD = [
    'ament-cmake',
    'ament-cmake-include-directories',
    'ament-cmake-python',
    'ament-cmake-pytest',
    'ament-cmake-ros',
    'ament-package',
    'rosidl-core-generators',
    'rosidl-default-generators',
]
BUILD_ONE = {
    'jazzy': [
        'ament-cmake-gmock',
        'ament-cmake-gtest',
        'fastrtps-cmake-module',
        'python-cmake-module',
    ],
    'kilted': ['ament-cmake-ros-core'],
}
RUN = [
    'action-msgs',
    'ament-index-python',
    'builtin-interfaces',
    'diagnostic-msgs',
    'geometry-msgs',
    'lifecycle-msgs',
    'rclpy',
    'rmw-fastrtps-cpp',
    'rosgraph-msgs',
    'sensor-msgs',
    'std-msgs',
    'std-srvs',
]


def check(distro: str) -> str:
    """Return the name of a distribution, or end with the names that exist."""
    if distro not in BUILD_ONE:
        sys.exit(f'sage_ros: SAGE_ROS_DISTRO={distro}: wheels exist for {", ".join(BUILD_ONE)}')
    return distro


def run_requirements(distro: str) -> list[str]:
    """Return the requirements of the installed package."""
    return [f'ros-{distro}-{name}' for name in RUN]


def build_requirements(distro: str) -> list[str]:
    """Return what must be there while CMake runs, the interfaces it depends on included."""
    names = [*BUILD, *BUILD_ONE[distro], *RUN]
    return ['catkin-pkg', 'numpy', *(f'ros-{distro}-{name}' for name in names)]


if __name__ == '__main__':
    print('\n'.join(build_requirements(check(sys.argv[1]))))
