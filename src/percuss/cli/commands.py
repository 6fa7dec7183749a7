"""Commands. Exit status: 0 done, 2 bad input, 1 anything else."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from percuss import __version__
from percuss.cli.approach import approach_times
from percuss.cli.check import check_scenario
from percuss.cli.cop import app as cop
from percuss.cli.derive import derive
from percuss.cli.identify import EXAMPLE as IDENTIFY_EXAMPLE
from percuss.cli.identify import identify_target
from percuss.cli.limits import bound_all
from percuss.cli.new import new_scenario
from percuss.cli.notices import told_plainly
from percuss.cli.robots import list_robots
from percuss.cli.run import print_schema, run_scenario
from percuss.cli.source import reproduce
from percuss.cli.terminal import Commands, message
from percuss.model.errors import ModelError
from percuss.simulate.failure import SimulationError

app = typer.Typer(
    name="percuss",
    cls=Commands,
    help="Capture dynamics for space robots: an arm on a satellite touches something that tumbles.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command(name="run", epilog="Example: percuss run scenarios/thesis-1.yaml --set target.mass=20")(
    run_scenario
)
app.command(name="approach", epilog="Example: percuss approach scenarios/mission-3d.yaml")(
    approach_times
)
app.add_typer(cop, name="cop")
app.command(name="source", epilog="Example: percuss source thesis --out out/thesis")(reproduce)
app.command(
    name="derive",
    epilog="Example: percuss derive scenarios/thesis-1.yaml --as python --out forms.py",
)(derive)
app.command(name="identify", epilog=IDENTIFY_EXAMPLE)(identify_target)
app.command(name="check", epilog="Example: percuss check scenarios/thesis-1.yaml")(check_scenario)
app.command(name="new", epilog="Example: percuss new --space --out capture.yaml")(new_scenario)
app.command(name="robots", epilog="Example: percuss robots thesis")(list_robots)
app.command(name="schema", epilog="Example: percuss schema > scenario.schema.json")(print_schema)


def run_command() -> None:
    """Run the command line; bad input becomes one line on stderr and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 shows ? for what it cannot.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            with told_plainly():
                app()
        finally:
            # Not left to the interpreter's end, which would complain about a closed pipe.
            sys.stdout.flush()
    except ModelError as error:
        print(f"percuss: error: {message(str(error))}", file=sys.stderr)
        sys.exit(2)
    except (SimulationError, OSError, ArithmeticError, ImportError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader of a pipe went away (percuss robots | head): nothing left to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        else:
            print(f"percuss: error: {message(str(error))}", file=sys.stderr)
        sys.exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"percuss {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Capture dynamics for space robots: an arm on a satellite touches something that tumbles."""
    del version


bound_all(app)
