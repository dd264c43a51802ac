"""The package as a whole: one version, floors kept, what is installed is found."""

import ast
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import version
from pathlib import Path

import pytest
import rclpy
from ament_index_python import get_package_prefix
from std_srvs.srv import Trigger

import sage_ros

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / 'sage_ros').rglob('*.py'))
# The only places that may import rclpy.
ROS_MODULES = ('nodes/', 'bags/record.py', 'cli/up.py')

SERVER = """
import rclpy
from std_srvs.srv import Trigger

def answer(request, response):
    response.success = True
    return response

rclpy.init()
node = rclpy.create_node('answers')
node.create_service(Trigger, 'question', answer)
print('up', flush=True)
while rclpy.ok():
    rclpy.spin_once(node, timeout_sec=0.1)
"""


def imported_packages(module: Path) -> set[str]:
    """Return the top-level packages that a module imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(), module)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition('.')[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition('.')[0])
    return names


def test_one_version_everywhere() -> None:
    manifest = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    latest = re.search(r'^(\d+\.\d+\.\d+) \(', (ROOT / 'CHANGELOG.rst').read_text(), re.MULTILINE)
    assert latest is not None
    assert {manifest, latest[1], version('sage_ros')} == {sage_ros.__version__}


def test_manifest_names_every_interface_dependency() -> None:
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    declared = {element.text for element in manifest.iter('depend')}
    used = set()
    for kind in ('msg', 'srv', 'action'):
        for file in (ROOT / kind).glob(f'*.{kind}'):
            used |= set(re.findall(r'^([a-z]\w*)/[A-Z]\w*', file.read_text(), re.MULTILINE))
    assert used <= declared


def test_rclpy_stays_at_the_top() -> None:
    importers = {
        module.relative_to(ROOT / 'sage_ros').as_posix()
        for module in MODULES
        if 'rclpy' in imported_packages(module)
    }
    assert [name for name in sorted(importers) if not name.startswith(ROS_MODULES)] == []


def test_floors_are_kept() -> None:
    linter = Path(sys.executable).with_name('lint-imports')
    if not linter.exists():
        pytest.skip('import-linter is not installed: pip install "sage_ros[dev]"')
    result = subprocess.run(
        [linter, '--no-cache'], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_interface_is_built() -> None:
    for kind in ('msg', 'srv', 'action'):
        files = sorted((ROOT / kind).glob(f'*.{kind}'))
        module = __import__(f'sage_ros.{kind}', fromlist=['*'])
        assert [file.stem for file in files if not hasattr(module, file.stem)] == []


def test_share_directory_holds_the_configuration() -> None:
    assert (sage_ros.share_directory() / 'config').is_dir()


def test_executables_are_installed() -> None:
    folder = Path(get_package_prefix('sage_ros'), 'lib', 'sage_ros')
    for name in ('planner', 'monitor', 'memory', 'bridge', 'sage'):
        assert os.access(folder / name, os.X_OK)


def test_processes_talk_in_their_own_domain(ros_domain: int) -> None:
    server = subprocess.Popen(
        [sys.executable, '-c', SERVER], stdout=subprocess.PIPE, text=True, cwd='/'
    )
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == 'up\n'
        node = rclpy.create_node('asks', context=context)
        executor = rclpy.executors.SingleThreadedExecutor(context=context)
        executor.add_node(node)
        client = node.create_client(Trigger, 'question')
        assert client.wait_for_service(timeout_sec=20)
        future = client.call_async(Trigger.Request())
        executor.spin_until_future_complete(future, timeout_sec=20)
        assert future.result().success
    finally:
        server.kill()
        server.wait()
        rclpy.shutdown(context=context)
