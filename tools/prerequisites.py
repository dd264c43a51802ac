"""Say at once what the build needs and this machine lacks. Runs on any Python 3, alone."""

import os
import shutil
import sys
import sysconfig


def missing():
    """Return one sentence for each thing that is missing, in the order to mend them."""
    version = '{}.{}'.format(*sys.version_info[:2])
    found = []
    if sys.version_info[:2] not in ((3, 11), (3, 12)):
        found.append(
            'Python 3.11 or 3.12 is needed (the ROS 2 wheels exist for these only); this is '
            'Python {} ({}). Name another: make PYTHON=python3.12 ...'.format(
                version, sys.executable
            )
        )
    elif not os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')):
        found.append(
            'the headers of Python {0} are needed (apt install python{0}-dev)'.format(version)
        )
    if not shutil.which('cmake'):
        found.append('cmake is needed (apt install cmake)')
    if not any(shutil.which(c) for c in (os.environ.get('CXX'), 'c++', 'g++', 'clang++') if c):
        found.append('a C++ compiler is needed (apt install g++)')
    if not any(shutil.which(c) for c in ('ninja', 'make', 'gmake')):
        found.append('make is needed (apt install make)')
    return found


if __name__ == '__main__':
    problems = missing()
    for problem in problems:
        print('sage_ros: ' + problem, file=sys.stderr)
    sys.exit(2 if problems else 0)
