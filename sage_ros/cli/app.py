"""The program ``sage``: its verbs and what holds for all of them."""

import typer

from sage_ros import __version__
from sage_ros.cli import bench, doctor, run, up_command

app = typer.Typer(
    name='sage',
    help='A language model may propose actions for a robot; only a symbolic monitor may act.',
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={'help_option_names': ['-h', '--help']},
)
app.command('doctor')(doctor.doctor)
app.command('up')(up_command.up)
app.command('run')(run.run)
app.add_typer(bench.app, name='bench')


def _version(value: bool) -> None:
    if value:
        typer.echo(f'sage_ros {__version__}')
        raise typer.Exit


@app.callback()
def _common(
    _: bool = typer.Option(
        False, '--version', callback=_version, is_eager=True, help='Print the version and exit.'
    ),
) -> None:
    """Hold the options of the program itself."""
