"""`percuss identify`: what was the target doing before the impact?"""

from __future__ import annotations

import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from percuss.cli.options import AllowCode, Json, Overrides
from percuss.cli.progress import progress_bar
from percuss.cli.show_lines import remark_line
from percuss.cli.terminal import Terminal, as_is
from percuss.io.files import try_files, write_files
from percuss.model.errors import ModelError
from percuss.report.words import digits_for, number
from percuss.scenario import load
from percuss.scenario.overrides import parse_settings

if TYPE_CHECKING:
    from percuss.identification.result import Identification

FILE = "identify.json"
PAGE = "identify.html"


def identify_target(
    measured: Annotated[
        Path, typer.Argument(help="Measurements, CSV or netCDF.", metavar="MEASURED")
    ],
    scenario: Annotated[
        Path,
        typer.Option(
            metavar="S.yaml", help="What is known; its values of the unknowns are first guesses."
        ),
    ],
    sensors: Annotated[
        Path, typer.Option(metavar="SENSORS.yaml", help="Noise, bias and delay of the sensors.")
    ],
    unknown: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="What is asked for: velocity, attitude, mass, com, inertia, contact, "
            "restitution, time, robot, and any number of the scenario, impact.friction.",
        ),
    ] = "velocity",
    *,
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help=f"Where to put {FILE}, {PAGE} and the figures."),
    ] = Path(),
    impact_at: Annotated[
        str | None,
        typer.Option(
            "--impact-at",
            metavar="SECONDS",
            help="When the impact was, by the clock of the measurements (Unix time, say), where "
            "their times are not counted from it; rows before it are left out.",
        ),
    ] = None,
    robust: Annotated[
        bool,
        typer.Option(
            "--robust",
            help="Leave out samples that are farther from their neighbours, or from the fit, than "
            "smooth motion and the noise allow; they are named.",
        ),
    ] = False,
    posterior: Annotated[
        bool,
        typer.Option("--posterior", help="Draw from the full posterior (NUTS); takes a while."),
    ] = False,
    starts: Annotated[int, typer.Option(min=1, max=1000, help="Searches, from other places.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Of the searches and of the draws.")] = 0,
    overrides: Overrides = None,
    allow_code: AllowCode = False,
    as_json: Json = False,
) -> None:
    """What the target did before the impact, from what was measured after it, and how surely."""
    # Late, as other commands do without it and start sooner.
    from percuss.identification.data.measured import read_measured
    from percuss.identification.data.sensors import read_sensors
    from percuss.identification.identification import identify
    from percuss.report.identify_figures import pictures
    from percuss.report.identify_page import identify_page

    groups = _groups(unknown)
    known = load(scenario, parse_settings(overrides or []))
    described = read_sensors(sensors)
    chaser = known.start.chaser
    record = read_measured(measured, chaser, impact_at=impact_at, robust=robust)
    try_files(out, (FILE, PAGE))
    started = time.perf_counter()
    with progress_bar(f"identifying {known.name}") as progress, redirect_stdout(sys.stderr):
        found = identify(
            known,
            record,
            described,
            groups,
            starts=starts,
            seed=seed,
            posterior=posterior,
            robust=robust,
            progress=progress,
            allow_code=allow_code,
        )
        drawn = pictures(found)
        page = identify_page(found, drawn)
    images = {f"identify-{picture.name}.png": picture.image for picture in drawn}
    place = write_files(out, {FILE: found.json(), PAGE: page, **images})
    if as_json:
        print(found.json(), end="")
        return
    console = Terminal()
    show_identification(console, found)
    took = time.perf_counter() - started
    console.print(as_is(f"\n{place / PAGE} shows it ({took:.2f} s)."), soft_wrap=True)


def show_identification(console: Console, found: Identification) -> None:
    """The table, then what is known only together, what cannot be known, and what is suspicious."""
    # Late, as other commands do without it and start sooner.
    from percuss.identification.data.left_out import summary
    from percuss.report.identify_words import bounds_in_words

    console.print()
    console.rule(as_is(found.encounter.name, "bold"), align="left")
    closure = found.encounter.closure.name
    console.print(
        f"{closure}; {found.fit.samples} samples up to {found.measured.time[-1]:g} s; residuals "
        f"{number(found.fit.rms, 3)} σ",
        highlight=False,
    )
    table = _table("quantity", "estimate", "± 1σ", "unit", "how known")
    for row in found.rows:
        digits = digits_for(row.estimate, row.sigma)
        style = "dim" if row.estimate is None else ""
        cells = (row.name, number(row.estimate, digits), number(row.sigma, 2))
        table.add_row(*map(as_is, (*cells, _unit(row.unit), row.how)), style=style)
    console.print()
    console.print(Padding(table, (0, 0, 0, 2)), highlight=False)
    if found.combinations:
        console.print("\n[bold]Known only together[/]")
        together = _table("combination", "value", "± 1σ", "unit")
        for c in found.combinations:
            value = number(c.value, digits_for(c.value, c.sigma))
            together.add_row(*map(as_is, (c.words, value, number(c.sigma, 2), _unit(c.unit))))
        console.print(Padding(together, (0, 0, 0, 2)), highlight=False)
    if found.unobservable:
        console.print("\n[bold]What cannot be known[/]")
        for text in (*(hidden.words for hidden in found.unobservable), *bounds_in_words(found)):
            console.print(Padding(as_is(text), (0, 0, 0, 2)), highlight=False)
    console.print()
    for text in found.warnings:
        remark_line(console, "[red]![/]", text)
    for text in (*(weak.words for weak in found.weak), *found.notes):
        remark_line(console, "[yellow]![/]", text)
    if found.left_out:
        remark_line(console, "[yellow]![/]", f"{summary(found.left_out)} (see {FILE})")
    for text in (*found.unknowns.assumptions, *(c.words for c in found.conditions)):
        remark_line(console, "[cyan]·[/]", text)
    for text in found.remedies:
        remark_line(console, "[cyan]·[/]", text)
    if found.checks.passed:
        count = len(found.checks.tests)
        remark_line(console, "[green]✓[/]", f"{count} tests of the residuals: the model fits")


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for k, heading in enumerate(headings):
        table.add_column(heading, justify="right" if k in (1, 2) else "left")
    return table


def _unit(unit: str) -> str:
    return "" if unit == "1" else unit


def _groups(text: str) -> list[str]:
    from percuss.identification.forward.unknowns import GROUPS

    groups = [part.strip() for part in text.split(",")]
    if not all(groups):
        raise ModelError(
            f"--unknown {text!r}: write names with commas between them, of {', '.join(GROUPS)}, or "
            "numbers of the scenario, impact.friction"
        )
    return groups
