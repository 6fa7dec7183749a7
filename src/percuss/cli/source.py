"""`percuss source`: documents reproduced."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as RichTable

from percuss.cli.options import Json
from percuss.cli.progress import progress_bar
from percuss.cli.terminal import Terminal, as_is, marked
from percuss.io.folders import try_folder, write_folder
from percuss.sources.registry import reproduction, reproductions
from percuss.sources.table import Table, is_numeric

_SHORT = 14
"""Columns of numbers and of texts up to so many letters stay on one line; longer texts wrap."""


def reproduce(
    name: Annotated[
        str, typer.Argument(help=f"One of: {', '.join(reproductions())}.", metavar="NAME")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to put index.html, summary.json and the figures; default out/source-NAME.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Reproduce a source document: its tables in, its numbers and figures out, its errors shown."""

    folder = out if out is not None else Path("out") / f"source-{name}"
    try_folder(folder)
    started = time.perf_counter()
    with progress_bar(f"reproducing {name}") as progress:
        found = reproduction(name, progress)
    place = write_folder(folder, found.files)
    if as_json:
        print(json.dumps(found.summary, indent=2, allow_nan=False))
        return
    console = Terminal()
    console.rule(as_is(found.title, "bold"), align="left")
    for table in found.headline:
        console.print(as_is(f"\n{table.title}", "bold"))
        console.print(_rich(table), highlight=False)
    console.print()
    for text in found.words:
        console.print(marked("·", "green", text), highlight=False)
    figures = sum(file.endswith(".png") for file in found.files)
    took = time.perf_counter() - started
    console.print(
        as_is(
            f"\n{place}/index.html shows it all, with {figures} figures beside it; the numbers are "
            f"in {place}/summary.json ({took:.1f} s)."
        ),
        soft_wrap=True,
    )


def _rich(table: Table) -> RichTable:
    shown = RichTable(box=None, pad_edge=False, header_style="bold", padding=(0, 2))
    shown.add_column(as_is(table.header[0]))
    for k, name in enumerate(table.header[1:], start=1):
        if all(is_numeric(row[k]) or len(row[k]) <= _SHORT for row in table.rows):
            shown.add_column(as_is(name), justify="right", no_wrap=True)
        else:
            shown.add_column(as_is(name), overflow="fold")
    for row in table.rows:
        shown.add_row(*(as_is(cell) for cell in row))
    return shown
