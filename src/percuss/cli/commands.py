"""Commands. Exit status: 0 done, 2 bad input, 1 anything else."""

from __future__ import annotations

import io
import os
import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from percuss import __version__
from percuss.cli.limits import bound_all
from percuss.cli.notices import notices_on_stderr
from percuss.cli.terminal import Commands, message
from percuss.encounter.failure import SimulationError
from percuss.model.errors import ModelError

HOMES = {
    "run": ("run", "run_scenario"),
    "approach": ("approach", "approach_times"),
    "source": ("source", "reproduce"),
    "derive": ("derive", "derive"),
    "identify": ("identify", "identify_target"),
    "check": ("check", "check_scenario"),
    "new": ("new", "new_scenario"),
    "robots": ("robots", "list_robots"),
    "schema": ("run", "print_schema"),
    "cop": ("cop", "app"),
}
"""Command to module of `percuss.cli` and what in it carries the command out: a function, or an
application with commands of its own. In the order in which they are listed."""

EXAMPLES = {
    "run": "percuss run scenarios/thesis-1.yaml --set target.mass=20",
    "approach": "percuss approach scenarios/mission-3d.yaml",
    "source": "percuss source thesis --out out/thesis",
    "derive": "percuss derive scenarios/thesis-1.yaml --as python --out forms.py",
    "identify": "percuss identify scenarios/identify/measured.csv --scenario "
    "scenarios/identify/capture.yaml --sensors scenarios/identify/sensors.yaml --unknown velocity",
    "check": "percuss check scenarios/thesis-1.yaml",
    "new": "percuss new --space --out capture.yaml",
    "robots": "percuss robots thesis",
    "schema": "percuss schema > scenario.schema.json",
}
"""Shown below the help of a command."""


@cache
def command(name: str) -> Any:
    """The command of this name; its module is imported now."""
    module, attribute = HOMES[name]
    found = getattr(import_module(f"percuss.cli.{module}"), attribute)
    made = typer.Typer(add_completion=False)
    if isinstance(found, typer.Typer):
        made = found
    else:
        made.command(name=name, epilog=f"Example: {EXAMPLES[name]}")(found)
    bound_all(made)
    built = typer.main.get_command(made)
    built.name = name
    return built


class _OnDemand(Commands):
    """The commands by name, made when they are asked for.

    Together they import most of the package; each needs a part of it, and none is to wait for
    what the others need.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # The names are listed, and proposed where one is mistyped.
        self.commands = dict.fromkeys(HOMES)  # type: ignore[assignment]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        return command(cmd_name) if cmd_name in HOMES else None


app = typer.Typer(
    name="percuss",
    cls=_OnDemand,
    help="Capture dynamics for space robots: an arm on a satellite touches something that tumbles.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def run_command() -> None:
    """Run the command line; bad input becomes one line on stderr and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 shows ? for what it cannot.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            with notices_on_stderr():
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
