"""Makes the gate's driver importable by the tests of this folder."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from gate_driver import GateDriver


@pytest.fixture
def gate() -> GateDriver:
    """Return an active gate with a bridge and a running episode."""
    driver = GateDriver()
    driver.begin()
    return driver
