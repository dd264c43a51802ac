"""Scene-graph Anticipation and Gated Execution: a planner may propose, only a monitor may act."""

import os
import pkgutil
import sys
from pathlib import Path

# The generated msg, srv and action modules may be installed in another folder than these ones.
__path__ = pkgutil.extend_path(__path__, __name__)

__version__ = '0.1.0'

# ROS 2 wheels lie below the prefix of the interpreter and are found there with nothing sourced.
_prefixes = [
    prefix for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if prefix
]
if sys.prefix not in _prefixes and Path(sys.prefix, 'share', 'ament_index').is_dir():
    os.environ['AMENT_PREFIX_PATH'] = os.pathsep.join([*_prefixes, sys.prefix])


def share_directory() -> Path:
    """Return the folder that holds `config` and `launch`: the checkout's, or the installed one.

    Raises FileNotFoundError when no prefix of AMENT_PREFIX_PATH holds the package.
    """
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / 'package.xml').is_file() and (checkout / 'config').is_dir():
        return checkout
    prefixes = [*os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix]
    for prefix in prefixes:
        share = Path(prefix, 'share', 'sage_ros')
        if (share / 'config').is_dir():
            return share
    raise FileNotFoundError(f'no share/sage_ros with config below any of {prefixes}')
