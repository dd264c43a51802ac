"""Where the package's own configuration lies: the checkout, or the installed share folder."""

import os
import sys
from pathlib import Path


def config_path(name: str) -> Path:
    """Find a file of the package's ``config`` folder, such as ``domains/household.pddl``.

    Looks beside the source tree, then under each prefix of AMENT_PREFIX_PATH, then under the
    interpreter's own prefix. Raises FileNotFoundError with the places looked at.
    """
    prefixes = [*os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix]
    roots = [
        Path(__file__).resolve().parents[2] / 'config',
        *(Path(prefix, 'share', 'sage_ros', 'config') for prefix in prefixes if prefix),
    ]
    for root in roots:
        if (root / name).exists():
            return root / name
    raise FileNotFoundError(f'config/{name} not found in {", ".join(map(str, roots))}')
