"""How a result looks in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from percuss.cli.show_impact import impact_lines, joint_table
from percuss.cli.show_lines import LABEL, remark_line, row
from percuss.cli.terminal import as_is, marked
from percuss.encounter.records.limits import LimitsRecord
from percuss.encounter.records.result import EncounterResult, EncounterStatus
from percuss.impact.verdict import State
from percuss.report.aftermath import meeting_sentences, rest_sentences, stabilisation_rows
from percuss.report.encounter import (
    Listing,
    Row,
    approach_rows,
    contact_rows,
    impact_listing,
    phase_listing,
    touch_listing,
)
from percuss.report.judgement import end_words, outcome_words
from percuss.report.limits import limit_headings, limit_rows

_CLOSURES = {
    "pin": "the target is caught on a pin",
    "weld": "the target is caught rigidly",
    "published": "the target is caught by the published equations",
    "bounce": "the target bounces off",
    "compliant": "the target is pushed by a contact that takes time",
    "pulse": "a force pushes the tool; there is no target",
}
_STATUS = {
    EncounterStatus.CAPTURED: "green",
    EncounterStatus.HELD: "green",
    EncounterStatus.BOUNCED: "cyan",
    EncounterStatus.PUSHED: "cyan",
    EncounterStatus.MISSED: "red",
    EncounterStatus.ACCUMULATED: "red",
    EncounterStatus.UNFINISHED: "red",
}
_OPEN = (EncounterStatus.MISSED, EncounterStatus.ACCUMULATED, EncounterStatus.UNFINISHED)
"""Ends in which the closure did not come about."""

_PHASES = 8
"""Phases that fit on a screen; the page has more."""

_MARKS = {
    State.KEPT: "[green]✓[/]",
    State.LOST: "[green]✓[/]",
    State.PASSED_ON: "[cyan]→[/]",
    State.BROKEN: "[red]✗[/]",
}


def show_encounter(console: Console, result: EncounterResult) -> None:
    """The story of a run in a screenful: approach, impacts, loads, end, balances, warnings."""
    kind = "planar" if result.planar else "spatial"
    console.print()
    console.rule(as_is(result.name, "bold"), align="left")
    console.print(as_is(f"{kind}, {result.mode} base; {_closure(result)}"))
    status, sentence = outcome_words(result)
    console.print(marked(status, f"bold {_STATUS[result.status]}", sentence), highlight=False)
    _rows(console, "Approach", approach_rows(result))
    _listing(console, impact_listing(result))
    if result.impact is not None:
        title = "Last impact" if len(result.impacts) > 1 else "Impact"
        _section(console, title, impact_lines(result.impact, result.mode))
    _rows(console, "Contact", contact_rows(result))
    _listing(console, touch_listing(result))
    joints = joint_table(result, console.width - 2)
    if joints is not None:
        console.print("\n[bold]What the joints feel[/]")
        console.print(Padding(joints, (0, 0, 0, 2)), highlight=False)
    if result.limits is not None:
        _limits(console, result.limits)
    _section(console, end_words(result), _after(result))
    _rows(console, "Bringing it to rest", stabilisation_rows(result))
    _listing(console, phase_listing(result, most=_PHASES))
    console.print()
    for law in result.laws:
        remark_line(console, _MARKS[law.state], law.text)
    for text in result.warnings:
        remark_line(console, "[yellow]![/]", text)
    for text in (*meeting_sentences(result), *result.advice, *rest_sentences(result)):
        remark_line(console, "[cyan]·[/]", text)


def _closure(result: EncounterResult) -> str:
    """What closed, in words; after bounces it is the last impact that catches the target."""
    closure = result.closure
    if result.status in _OPEN:
        return f"closure {closure}"
    if result.status == EncounterStatus.HELD:
        return "a spring holds tool and target together"
    if result.status == EncounterStatus.CAPTURED and result.impact is not None:
        closure = result.impact.closure
    return _CLOSURES.get(closure, closure)


def _section(console: Console, title: str, lines: Iterator[str]) -> None:
    console.print(as_is(f"\n{title}", "bold"))
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 2)), highlight=False)


def _rows(console: Console, title: str, rows: Iterable[Row]) -> None:
    """Rows of name, value and remark; nothing where there are none."""
    found = list(rows)
    if not found:
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=LABEL, no_wrap=True)
    table.add_column()
    table.add_column(style="dim")
    for name, value, remark in found:
        table.add_row(as_is(name.lower()), as_is(value), as_is(remark))
    console.print(as_is(f"\n{title}", "bold"))
    console.print(Padding(table, (0, 0, 0, 2)), highlight=False)


def _listing(console: Console, listing: Listing | None) -> None:
    """Rows under headings, and what is not listed."""
    if listing is None:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for k, heading in enumerate(listing.headings):
        table.add_column(as_is(heading), justify="left" if k == 0 else "right")
    for cells in listing.rows:
        table.add_row(*map(as_is, cells))
    console.print(as_is(f"\n{listing.title}", "bold"))
    console.print(Padding(table, (0, 0, 0, 2)), highlight=False)
    if listing.more:
        console.print(Padding(as_is(listing.more, "dim"), (0, 0, 0, 2)))


def _limits(console: Console, limits: LimitsRecord) -> None:
    """Each joint against its limits, and whether they hold."""
    color = "green" if limits.holds else "red"
    console.print("\n[bold]Against the joints' limits[/]", highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for k, heading in enumerate(limit_headings(limits)):
        table.add_column(as_is(heading), justify="left" if k == 0 else "right")
    for cells in limit_rows(limits):
        table.add_row(*(as_is(cell, "red" if "✗" in cell else "") for cell in cells))
    console.print(Padding(table, (0, 0, 0, 2)), highlight=False)
    console.print(Padding(as_is(limits.verdict, color), (0, 0, 0, 2)), highlight=False)


def _after(result: EncounterResult) -> Iterator[str]:
    final, target, balance = result.final, result.final.target, result.balance
    place = 2 if result.planar else 3
    yield row("base at", final.coordinates[:place], "m", size=False)
    yield row("base turned by", float(np.degrees(final.base_turn)), "deg")
    if target is not None:
        yield row("target at", target.position, "m", size=False)
        yield row("target moves at", target.linear, "m/s")
        yield row("target turns at", target.angular, "rad/s")
    count = 3 if result.planar else 6
    forces = result.peak.control[:count]
    if any(forces):
        yield row("forces on the base to", forces[:place], "N", size=False)
        yield row("torques on the base to", forces[place:], "N m", size=False)
    parts = [
        f"{name} {residual:.0e} {unit}"
        for residual, name, unit in (
            (balance.energy, "energy", "J"),
            (balance.linear_momentum, "linear momentum", "N s"),
            (balance.angular_momentum, "angular momentum", "N m s"),
        )
        if residual is not None
    ]
    yield f"[dim]{'out of balance by':{LABEL}} {', '.join(parts)}[/]"
