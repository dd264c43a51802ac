"""The pip route: run CMake with the ROS 2 wheels and ship what it installs as one wheel.

SAGE_ROS_DISTRO names the distribution of the wheels (default: jazzy).
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from setuptools import Distribution, Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()
sys.path.insert(0, str(ROOT / 'tools'))

from prerequisites import missing  # noqa: E402
from ros_wheels import build_requirements, check, run_requirements  # noqa: E402

# First of all, before pip downloads anything.
if problems := missing():
    sys.exit('\n'.join(f'sage_ros: {problem}' for problem in problems))

DISTRO = check(os.environ.get('SAGE_ROS_DISTRO', 'jazzy'))
VERSION = ElementTree.parse(ROOT / 'package.xml').findtext('version')
ALFWORLD = ['alfworld>=0.4', 'textworld>=1.6.2']
OLLAMA = ['ollama>=0.4']


class SageDistribution(Distribution):
    """Ship data files with an editable wheel too; setuptools asks for this method there."""

    def has_data(self) -> bool:
        """Return whether the build found data files."""
        return bool(self.data_files)


class BuildInterfaces(build_ext):
    """Build and install the package by CMake into a staging folder and take it from there.

    The Python tree goes into the wheel as packages; everything else (libraries, share, the
    executables for ros2 run) as data files below the prefix. An editable build leaves the
    Python modules in the checkout and adds the generated ones beside it.
    """

    def run(self) -> None:
        """Build; an error of CMake ends it with what CMake said."""
        editable = bool(self.editable_mode)
        build = ROOT / 'build' / f'{DISTRO}-{"editable" if editable else "wheel"}'
        stage = build / 'stage'
        self.cmake(build, stage, editable)

        site = Path('lib', f'python{sys.version_info[0]}.{sys.version_info[1]}', 'site-packages')
        tree = stage / site / 'sage_ros'
        if editable:
            # Without an __init__.py this folder only adds to the package in the checkout.
            (tree / '__init__.py').unlink()
        else:
            # An earlier build may have left modules there that are gone since.
            package = Path(self.build_lib, 'sage_ros')
            shutil.rmtree(package, ignore_errors=True)
            shutil.copytree(tree, package)
        folders: dict[str, list[str]] = {}
        for file in sorted(stage.rglob('*')):
            relative = file.relative_to(stage)
            if file.is_dir() or '__pycache__' in relative.parts:
                continue
            if relative.is_relative_to(site) and not (editable and tree in file.parents):
                continue
            folders.setdefault(str(relative.parent), []).append(str(file.relative_to(ROOT)))
        self.distribution.data_files = list(folders.items())

    def cmake(self, build: Path, stage: Path, editable: bool) -> None:
        """Configure, build and install into `stage`, from nothing when the wheels moved."""
        prefix = ros_prefix()
        environment = os.environ | {
            'AMENT_PREFIX_PATH': str(prefix),
            # Another virtual environment may have started this one: its guard is not ours.
            'LD_LIBRARY_PATH': str(prefix / 'lib'),
            '_ROS_WHEELS_BOOTSTRAP_COMPLETE': '1',
        }
        # A CMake cache remembers the environment it was made in: trust it in that one only.
        made_in = build / 'made_in'
        here = f'{sys.executable}\n{prefix}\n'
        if not made_in.exists() or made_in.read_text() != here:
            shutil.rmtree(build, ignore_errors=True)
        shutil.rmtree(stage, ignore_errors=True)
        build.mkdir(parents=True, exist_ok=True)
        made_in.write_text(here)
        configure = [
            'cmake', '-S', ROOT, '-B', build, f'-DCMAKE_INSTALL_PREFIX={stage}',
            f'-DCMAKE_PREFIX_PATH={prefix}', f'-DPython3_EXECUTABLE={sys.executable}',
            '-DCMAKE_BUILD_TYPE=Release', '-DBUILD_TESTING=OFF', '-DSAGE_ROS_CPP_INTERFACES=OFF',
            f'-DSAGE_ROS_INSTALL_SOURCES={"OFF" if editable else "ON"}',
        ]  # fmt: skip
        install = [
            'cmake',
            '--build',
            build,
            '--target',
            'install',
            '--parallel',
            os.cpu_count() or 1,
        ]
        for command in (configure, install):
            subprocess.run([str(part) for part in command], env=environment, check=True)


def ros_prefix() -> Path:
    """Return the prefix that the ROS 2 wheels of this build are installed below."""
    spec = importlib.util.find_spec('ament_package')
    if spec is None or spec.origin is None:
        sys.exit(f'sage_ros: the wheels ros-{DISTRO}-* are not installed where pip builds')
    return Path(spec.origin).parents[4]


setup(
    version=VERSION,
    distclass=SageDistribution,
    packages=find_packages(include=['sage_ros', 'sage_ros.*']),
    package_dir={'': '.'},
    ext_modules=[Extension('sage_ros.interfaces', [])],
    cmdclass={'build_ext': BuildInterfaces},
    setup_requires=build_requirements(DISTRO),
    install_requires=[
        *run_requirements(DISTRO),
        'numpy',
        'pddl>=0.4.5',
        'platformdirs',
        'pydantic>=2',
        'PyYAML',
        'rich',
        'typer',
    ],
    extras_require={
        'alfworld': ALFWORLD,
        'ollama': OLLAMA,
        'dev': [
            'hypothesis',
            'import-linter>=2.5',
            'mypy',
            'pytest',
            'pytest-timeout',
            'pytest-xdist',
            'ruff',
            'types-PyYAML',
        ],
    },
)
