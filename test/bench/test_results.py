"""Results say what they were measured on, and nothing about where."""

import json
import platform
from pathlib import Path

import pytest

from sage_ros.bench.results import code_digest, provenance, wilson, write_results


def test_wilson_interval() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(134, 134)[1] == 1.0
    assert wilson(0, 10)[0] == 0.0
    low, high = wilson(127, 134)
    assert (low, high) == pytest.approx((0.8960, 0.9746), abs=1e-3)
    with pytest.raises(ValueError):
        wilson(3, 2)


def test_provenance_names_no_host_and_no_path(tmp_path: Path) -> None:
    write_results(tmp_path / 'x.json', 'x', {'value': 1})
    content = json.loads((tmp_path / 'x.json').read_text())
    assert content['suite'] == 'x'
    assert content['value'] == 1
    found = content['provenance']
    assert set(found) == {'version', 'commit', 'command', 'cpu', 'cores', 'python', 'ros'}
    text = json.dumps(content)
    assert str(Path.cwd()) not in text
    assert str(Path.home()) + '/' not in text
    assert platform.node() == '' or platform.node() not in text
    assert list(tmp_path.iterdir()) == [tmp_path / 'x.json']


def test_provenance_is_filled_in() -> None:
    found = provenance()
    assert found.cores >= 1
    assert found.cpu
    assert found.python == platform.python_version()


def test_digest_is_stable() -> None:
    assert code_digest() == code_digest()
    assert len(code_digest()) == 64
