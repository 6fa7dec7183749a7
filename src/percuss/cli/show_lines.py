"""Lines of a terminal: a label and a number or a vector."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from percuss.cli.terminal import as_is
from percuss.encounter.records.impact import Axial

LABEL = 22
"""Width of labels, characters."""


def remark_line(console: Console, mark: str, text: str) -> None:
    """A marked text whose further lines stand under its first."""
    grid = Table.grid(padding=(0, 1))
    grid.add_row(mark, as_is(text))
    console.print(grid, highlight=False)


def change(label: str, before: float, after: float, unit: str) -> str:
    """before → after."""
    tiny = 1e-12 * max(abs(before), abs(after))
    return f"{label:{LABEL}} {short(before, tiny)} → {short(after, tiny)} {unit}"


def row(label: str, value: Axial, unit: str, *, size: bool = True) -> str:
    """A number, or a vector with its length in front."""
    if not isinstance(value, tuple):
        return f"{label:{LABEL}} {short(value)} {unit}"
    tiny = 1e-12 * length(value)
    entries = f"({', '.join(short(entry, tiny) for entry in value)})"
    if not size:
        return f"{label:{LABEL}} {entries} {unit}"
    return f"{label:{LABEL}} {short(length(value))} {unit}   [dim]{entries}[/]"


def length(value: Axial) -> float:
    """Euclidean length of a scalar or vector."""
    return float(np.linalg.norm(np.atleast_1d(value)))


def short(value: float, tiny: float = 0.0) -> str:
    """Four digits; what is rounding beside its neighbours is zero."""
    return "0" if abs(value) <= tiny else f"{value:.4g}"
