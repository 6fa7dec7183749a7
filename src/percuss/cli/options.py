"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ScenarioFile = Annotated[
    Path, typer.Argument(help="The scenario, a YAML file.", metavar="SCENARIO.yaml")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Replace a value of the scenario, e.g. --set target.mass=20. May be repeated.",
    ),
]
AllowCode = Annotated[
    bool,
    typer.Option(
        "--allow-code",
        help="Let the Python files that the scenario names (law: python) run. Such code can do "
        "whatever you can.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON and nothing else.")]
