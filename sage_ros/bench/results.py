"""Results with what they were measured on, as JSON; no host name and no path."""

import hashlib
import json
import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sage_ros import __version__

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result was measured with and on."""

    version: str
    commit: str
    command: str
    cpu: str
    cores: int
    python: str
    ros: str


def provenance() -> Provenance:
    """Collect it for this process."""
    return Provenance(
        version=__version__,
        commit=_commit(),
        command=_command(sys.orig_argv),
        cpu=_cpu(),
        cores=os.cpu_count() or 0,
        python=platform.python_version(),
        ros=_ros(),
    )


def write_results(
    path: Path, suite: str, content: Mapping[str, Any], origin: Provenance | None = None
) -> None:
    """Write a result file, whole or not at all.

    ``origin`` was collected when the run began; without it, it is collected now.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {'suite': suite, 'provenance': asdict(origin or provenance()), **content}
    partial = path.with_name(f'.{path.name}.partial')
    partial.write_text(json.dumps(whole, indent=1) + '\n', encoding='utf-8')
    partial.replace(path)


def code_digest() -> str:
    """Return the SHA-256 of the package's modules and configuration: what results depend on."""
    digest = hashlib.sha256()
    folders = (Path(__file__).resolve().parents[1], _ROOT / 'config')
    for folder in folders:
        for path in sorted(folder.rglob('*')):
            if path.suffix in ('.py', '.yaml', '.pddl'):
                digest.update(path.relative_to(folder).as_posix().encode() + b'\0')
                digest.update(path.read_bytes())
    return digest.hexdigest()


def wilson(successes: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion, 95 % by default; (0, 1) for no trials."""
    if not 0 <= successes <= total:
        raise ValueError(f'{successes} successes of {total} trials')
    if not total:
        return 0.0, 1.0
    share = successes / total
    scale = 1 + z * z / total
    centre = (share + z * z / (2 * total)) / scale
    reach = z / scale * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    # At the ends rounding would leave the interval a hair outside of [0, 1].
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == total else centre + reach
    return low, high


def _command(argv: list[str]) -> str:
    """Return the command line with the last part of each path only."""
    return shlex.join(Path(word).name if os.sep in word else word for word in argv)


def _commit() -> str:
    """Return the commit of the checkout, with a mark if its files differ from it."""
    try:
        asked = subprocess.run(
            ['git', 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return 'unknown'
    return asked.stdout.strip() or 'unknown'


def _cpu() -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(':')[2].strip() for line in lines if line.startswith('model name'))
    return next(named, platform.machine())


def _ros() -> str:
    """Return the distribution and the version of its rclpy, as far as one is installed."""
    for distribution in ('jazzy', 'kilted'):
        try:
            return f'{distribution} (rclpy {version(f"ros-{distribution}-rclpy")})'
        except PackageNotFoundError:
            continue
    return os.environ.get('ROS_DISTRO', 'none')
