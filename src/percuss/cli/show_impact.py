"""An impact, and what the joints feel of it, in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from percuss.cli.show_lines import change, length, row, short
from percuss.cli.terminal import as_is
from percuss.encounter.records.impact import ImpactRecord
from percuss.encounter.records.result import EncounterResult
from percuss.model.names import BaseMode

_BAR = 10
_OTHERS = 46
"""Columns that the numbers of the table of joints take at most, with the spaces between them."""


def impact_lines(impact: ImpactRecord, mode: str) -> Iterator[str]:
    """Impulse, and what it changed; `mode` is that of the base."""
    if impact.time:
        yield row("at", impact.time, "s")
    if impact.duration:
        yield row("for", impact.duration, "s")
    yield row("impulse on the chaser", impact.impulse, "N s")
    if impact.moment is not None:
        yield row("moment at the contact", impact.moment, "N m s")
    if impact.effective_mass is not None:
        yield row("effective mass", impact.effective_mass, "kg")
    if mode == BaseMode.FIXED:
        yield row("passed to the ground", impact.base_impulse, "N s")
    yield change("kinetic energy", impact.energy.before, impact.energy.after, "J")
    for momentum, label, unit in (
        (impact.linear_momentum, "linear momentum", "N s"),
        (impact.angular_momentum, "angular momentum", "N m s"),
    ):
        yield change(label, length(momentum.before), length(momentum.after), unit)


def joint_table(result: EncounterResult, width: int = 100) -> Table | None:
    """Impulse at each joint as a bar, the largest force and motor effort, where it ends.

    Without an impact the forces alone; None where there is nothing to feel. Where `width`
    columns do not hold everything the bars are left out, and names go on in the next line.
    """
    later = result.peak.joint_reaction
    reactions = {} if result.impact is None else result.impact.joint_reactions
    names = list(reactions or later)
    if not names or not (reactions or any(later.values())):
        return None
    final, efforts = result.final, result.peak.control
    coordinates = zip(final.coordinates, final.units, strict=True)
    ends = dict(zip(final.names, coordinates, strict=True))
    joints = final.names[3 if result.planar else 7 :]
    motors = dict(zip(joints, efforts[len(efforts) - len(joints) :], strict=True))
    driven = any(motors.values())
    most = max((load.magnitude for load in reactions.values()), default=0.0) or 1.0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    bars = max(map(len, names)) + _OTHERS + _BAR + 2 <= width
    table.add_column("joint", overflow="fold")
    if reactions:
        table.add_column("impulse, N s", justify="right", no_wrap=True)
    if reactions and bars:
        table.add_column("", no_wrap=True)
    table.add_column("then, N" if reactions else "force, N", justify="right", no_wrap=True)
    if driven:
        table.add_column("motor", justify="right", no_wrap=True)
    table.add_column("ends at", justify="right", no_wrap=True)
    for name in names:
        value, unit = ends.get(name, (None, ""))
        force = "N" if unit == "m" else "N m"
        cells: list[RenderableType] = [as_is(name)]
        if reactions:
            size = reactions[name].magnitude
            cells.append(short(size))
            if bars:
                cells.append(f"[blue]{'█' * round(_BAR * size / most):{_BAR}}[/]")
        cells.append(short(later[name]) if name in later else "")
        if driven:
            cells.append(f"{short(motors[name])} {force}" if name in motors else "")
        cells.append("" if value is None else f"{value:.4f} {unit}")
        table.add_row(*cells)
    return table
