"""How a result looks in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

_CLOSURES = {
    "pin": "the target is caught on a pin",
    "weld": "the target is caught rigidly",
    "published": "the target is caught by the published equations",
    "bounce": "the target bounces off",
}
_MARKS = {"kept": "[green]✓[/]", "lost": "[green]✓[/]", "passed on": "[cyan]→[/]"}
_LABEL = 22
_BAR = 10


def show_summary(console: Console, summary: dict[str, Any]) -> None:
    """The story of a run in a screenful: impact, loads, end, balances, warnings."""
    kind = "planar" if summary["planar"] else "spatial"
    console.print()
    console.rule(f"[bold]{escape(summary['name'])}", align="left")
    closure = _CLOSURES[summary["closure"]]
    console.print(f"{kind}, {summary['mode']} base; {closure}", highlight=False)
    _section(console, "Impact", _impact(summary))
    if summary["impact"]["joint_reactions"]:
        console.print("\n[bold]What the joints feel[/]")
        console.print(Padding(_joints(summary), (0, 0, 0, 2)), highlight=False)
    _section(console, f"After {summary['final']['time']:g} s", _after(summary))
    console.print()
    for law in summary["laws"]:
        _remark(console, _MARKS.get(law["state"], "[red]✗[/]"), law["text"])
    for text in summary["warnings"]:
        _remark(console, "[yellow]![/]", text)
    for text in summary["advice"]:
        _remark(console, "[cyan]·[/]", text)


def _section(console: Console, title: str, lines: Iterator[str]) -> None:
    console.print(f"\n[bold]{title}[/]", highlight=False)
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 2)), highlight=False)


def _remark(console: Console, mark: str, text: str) -> None:
    """A marked text whose further lines stand under its first."""
    grid = Table.grid(padding=(0, 1))
    grid.add_row(mark, escape(text))
    console.print(grid, highlight=False)


def _impact(summary: dict[str, Any]) -> Iterator[str]:
    impact, energy = summary["impact"], summary["impact"]["energy"]
    yield _row("impulse on the chaser", impact["impulse"], "N s")
    if impact["moment"] is not None:
        yield _row("moment at the contact", impact["moment"], "N m s")
    if impact["effective_mass"] is not None:
        yield _row("effective mass", impact["effective_mass"], "kg")
    if summary["mode"] == "fixed":
        yield _row("passed to the ground", impact["base_impulse"], "N s")
    yield _change("kinetic energy", energy["before"], energy["after"], "J")
    for key, label, unit in (
        ("linear_momentum", "linear momentum", "N s"),
        ("angular_momentum", "angular momentum", "N m s"),
    ):
        yield _change(label, _size(impact[key]["before"]), _size(impact[key]["after"]), unit)


def _joints(summary: dict[str, Any]) -> Table:
    """Impulse at each joint as a bar, the largest force and motor effort after, where it ends."""
    reactions, later = summary["impact"]["joint_reactions"], summary["peak"]["joint_reaction"]
    final, efforts = summary["final"], summary["peak"]["control"]
    coordinates = zip(final["coordinates"], final["units"], strict=True)
    ends = dict(zip(final["names"], coordinates, strict=True))
    joints = final["names"][3 if summary["planar"] else 7 :]
    motors = dict(zip(joints, efforts[len(efforts) - len(joints) :], strict=True))
    driven = any(motors.values())
    most = max(load["magnitude"] for load in reactions.values()) or 1.0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("joint", no_wrap=True)
    table.add_column("impulse, N s", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("then, N", justify="right", no_wrap=True)
    if driven:
        table.add_column("motor", justify="right", no_wrap=True)
    table.add_column("ends at", justify="right", no_wrap=True)
    for name, load in reactions.items():
        value, unit = ends.get(name, (None, ""))
        force = "N" if unit == "m" else "N m"
        cells = [
            escape(name),
            _number(load["magnitude"]),
            f"[blue]{'█' * round(_BAR * load['magnitude'] / most):{_BAR}}[/]",
            _number(later[name]) if name in later else "",
        ]
        if driven:
            cells.append(f"{_number(motors[name])} {force}" if name in motors else "")
        cells.append("" if value is None else f"{value:.4f} {unit}")
        table.add_row(*cells)
    return table


def _after(summary: dict[str, Any]) -> Iterator[str]:
    final, target = summary["final"], summary["final"]["target"]
    place = 2 if summary["planar"] else 3
    yield _row("base at", final["coordinates"][:place], "m", size=False)
    yield _row("base turned by", float(np.degrees(final["base_turn"])), "deg")
    yield _row("target at", target["position"], "m", size=False)
    yield _row("target moves at", target["linear"], "m/s")
    yield _row("target turns at", target["angular"], "rad/s")
    count = 3 if summary["planar"] else 6
    forces = summary["peak"]["control"][:count]
    if any(forces):
        yield _row("forces on the base to", forces[:place], "N", size=False)
        yield _row("torques on the base to", forces[place:], "N m", size=False)
    parts = [
        f"{name} {summary['balance'][key]:.0e} {unit}"
        for key, name, unit in (
            ("energy", "energy", "J"),
            ("linear_momentum", "linear momentum", "N s"),
            ("angular_momentum", "angular momentum", "N m s"),
        )
        if summary["balance"][key] is not None
    ]
    yield f"[dim]{'out of balance by':{_LABEL}} {', '.join(parts)}[/]"


def _change(label: str, before: float, after: float, unit: str) -> str:
    tiny = 1e-12 * max(abs(before), abs(after))
    return f"{label:{_LABEL}} {_number(before, tiny)} → {_number(after, tiny)} {unit}"


def _row(label: str, value: float | list[float], unit: str, *, size: bool = True) -> str:
    """A number, or a vector with its length in front."""
    if not isinstance(value, list):
        return f"{label:{_LABEL}} {_number(value)} {unit}"
    tiny = 1e-12 * _size(value)
    entries = f"({', '.join(_number(entry, tiny) for entry in value)})"
    if not size:
        return f"{label:{_LABEL}} {entries} {unit}"
    return f"{label:{_LABEL}} {_number(_size(value))} {unit}   [dim]{entries}[/]"


def _size(value: float | list[float]) -> float:
    return float(np.linalg.norm(np.atleast_1d(value)))


def _number(value: float, tiny: float = 0.0) -> str:
    """Four digits; what is rounding beside its neighbours is zero."""
    return "0" if abs(value) <= tiny else f"{value:.4g}"
