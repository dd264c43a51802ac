"""The command line ``sage``: one verb per file."""


def main() -> None:
    """Run the program ``sage``."""
    from sage_ros.cli.app import app

    app()
