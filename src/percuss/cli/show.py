"""How a result looks in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape

_CLOSURES = {
    "pin": "caught on a pin",
    "weld": "caught rigidly",
    "published": "caught by the published equations",
    "bounce": "bounced off",
}
_LABEL = 22
_BAR = 24


def show_summary(console: Console, summary: dict[str, Any]) -> None:
    """The story of a run in a screenful: impact, loads, end, balances, warnings."""
    kind = "planar" if summary["planar"] else "spatial"
    console.print()
    console.rule(f"[bold]{escape(summary['name'])}", align="left")
    console.print(
        f"{kind}, {summary['mode']} base; the target is {_CLOSURES[summary['closure']]}",
        highlight=False,
    )
    for title, lines in (
        ("Impact", _impact(summary)),
        ("What the joints feel", _joints(summary)),
        (f"After {summary['final']['time']:g} s", _after(summary)),
    ):
        console.print(f"\n[bold]{title}[/]", highlight=False)
        for line in lines:
            console.print(f"  {line}", highlight=False, soft_wrap=True)
    console.print()
    for line in summary["verdict"]:
        warns = line.startswith("warning: ") or "NOT" in line
        mark = "[yellow]![/]" if warns else "[green]✓[/]"
        console.print(f"{mark} {escape(line)}", highlight=False)
    for line in summary["advice"]:
        console.print(f"[cyan]i[/] {escape(line)}", highlight=False)


def _impact(summary: dict[str, Any]) -> Iterator[str]:
    impact, energy = summary["impact"], summary["impact"]["energy"]
    yield _row("impulse on the chaser", impact["impulse"], "N s")
    if impact["moment"] is not None:
        yield _row("moment at the contact", impact["moment"], "N m s")
    if impact["effective_mass"] is not None:
        yield _row("effective mass", impact["effective_mass"], "kg")
    if summary["mode"] == "fixed":
        yield _row("passed to the ground", impact["base_impulse"], "N s")
    share = 1 - energy["after"] / energy["before"] if energy["before"] else 0.0
    lost = f"   [dim]{100 * share:.3g} % lost[/]"
    before, after = _number(energy["before"]), _number(energy["after"])
    yield f"{'kinetic energy':{_LABEL}} {before} → {after} J{lost}"
    for key, label, unit in (
        ("linear_momentum", "linear momentum", "N s"),
        ("angular_momentum", "angular momentum", "N m s"),
    ):
        before, after = (_size(impact[key][when]) for when in ("before", "after"))
        yield f"{label:{_LABEL}} {_number(before)} → {_number(after)} {unit}"


def _joints(summary: dict[str, Any]) -> Iterator[str]:
    reactions, later = summary["impact"]["joint_reactions"], summary["peak"]["joint_reaction"]
    if not reactions:
        yield "the chaser has no joints"
        return
    most = max(load["magnitude"] for load in reactions.values()) or 1.0
    width = max(_LABEL, *(len(name) for name in reactions))
    for name, load in reactions.items():
        bar = "█" * round(_BAR * load["magnitude"] / most)
        peak = f"   [dim]then up to {_number(later[name])} N[/]" if name in later else ""
        text = f"{escape(name):{width}} {_number(load['magnitude']):>9} N s"
        yield f"{text} [blue]{bar:{_BAR}}[/]{peak}"


def _after(summary: dict[str, Any]) -> Iterator[str]:
    final = summary["final"]
    count = 3 if summary["planar"] else 7
    base, joints = final["coordinates"][:count], final["coordinates"][count:]
    place = 2 if summary["planar"] else 3
    yield _row("base at", base[:place], "m", size=False)
    if summary["planar"]:
        yield _row("base turned to", base[2], "rad")
    else:
        yield _row("base turned by", 2 * np.degrees(np.arccos(min(1.0, abs(base[3])))), "deg")
    yield _row("joints at", joints, "rad or m", size=False)
    target = final["target"]
    yield _row("target at", target["position"], "m", size=False)
    yield _row("target moves at", target["linear"], "m/s")
    yield _row("target turns at", target["angular"], "rad/s")
    if any(summary["peak"]["control"]):
        yield _row("largest forces", summary["peak"]["control"], "N, N m", size=False)
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


def _row(label: str, value: float | list[float], unit: str, *, size: bool = True) -> str:
    """A number, or a vector with its length in front."""
    if not isinstance(value, list):
        return f"{label:{_LABEL}} {_number(value)} {unit}"
    entries = f"({', '.join(_number(entry) for entry in value)})"
    if not size:
        return f"{label:{_LABEL}} {entries} {unit}"
    return f"{label:{_LABEL}} {_number(_size(value))} {unit}   [dim]{entries}[/]"


def _size(value: float | list[float]) -> float:
    return float(np.linalg.norm(np.atleast_1d(value)))


def _number(value: float) -> str:
    return "0" if abs(value) < 1e-11 else f"{value:.4g}"
