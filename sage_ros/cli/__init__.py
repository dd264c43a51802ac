"""The command line ``sage``: one verb per file."""

import signal
import sys


def main() -> None:
    """Run the program ``sage``."""
    try:
        from sage_ros.cli.app import app

        app()
    except KeyboardInterrupt:
        # Before any verb could take note of it, or one time too many.
        sys.exit(128 + signal.SIGINT)
