"""How a result looks in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from percuss.cli.show_impact import impact_lines, joint_table
from percuss.cli.show_lines import LABEL, remark_line, row
from percuss.cli.terminal import as_is, marked
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
from percuss.report.limits import limit_headings, limit_rows, limit_verdict
from percuss.report.timeline import impacts_of

_CLOSURES = {
    "pin": "the target is caught on a pin",
    "weld": "the target is caught rigidly",
    "published": "the target is caught by the published equations",
    "bounce": "the target bounces off",
    "compliant": "the target is pushed by a contact that takes time",
    "pulse": "a force pushes the tool; there is no target",
}
_STATUS = {
    "captured": "green",
    "held": "green",
    "bounced": "cyan",
    "pushed": "cyan",
    "missed": "red",
    "accumulated": "red",
    "unfinished": "red",
}
_OPEN = ("missed", "accumulated", "unfinished")
"""Ends in which the closure did not come about."""

_PHASES = 8
"""Phases that fit on a screen; the page has more."""

_MARKS = {"kept": "[green]✓[/]", "lost": "[green]✓[/]", "passed on": "[cyan]→[/]"}


def show_summary(console: Console, summary: dict[str, Any]) -> None:
    """The story of a run in a screenful: approach, impacts, loads, end, balances, warnings."""
    kind = "planar" if summary["planar"] else "spatial"
    console.print()
    console.rule(as_is(summary["name"], "bold"), align="left")
    console.print(as_is(f"{kind}, {summary['mode']} base; {_closure(summary)}"))
    _outcome(console, summary)
    _rows(console, "Approach", approach_rows(summary))
    _listing(console, impact_listing(summary))
    if summary["impact"] is not None:
        title = "Last impact" if len(impacts_of(summary)) > 1 else "Impact"
        _section(console, title, impact_lines(summary))
    _rows(console, "Contact", contact_rows(summary))
    _listing(console, touch_listing(summary))
    joints = joint_table(summary, console.width - 2)
    if joints is not None:
        console.print("\n[bold]What the joints feel[/]")
        console.print(Padding(joints, (0, 0, 0, 2)), highlight=False)
    _limits(console, summary)
    _section(console, end_words(summary), _after(summary))
    _rows(console, "Bringing it to rest", stabilisation_rows(summary))
    _listing(console, phase_listing(summary, most=_PHASES))
    console.print()
    for law in summary["laws"]:
        remark_line(console, _MARKS.get(law["state"], "[red]✗[/]"), law["text"])
    for text in summary["warnings"]:
        remark_line(console, "[yellow]![/]", text)
    for text in [*meeting_sentences(summary), *summary["advice"], *rest_sentences(summary)]:
        remark_line(console, "[cyan]·[/]", text)


def _closure(summary: dict[str, Any]) -> str:
    """What closed, in words; after bounces it is the last impact that catches the target."""
    closure, status = summary["closure"], summary.get("status")
    if status in _OPEN:
        return f"closure {closure}"
    if status == "held":
        return "a spring holds tool and target together"
    if status == "captured" and summary["impact"] is not None:
        closure = summary["impact"]["closure"]
    return _CLOSURES.get(closure, str(closure))


def _outcome(console: Console, summary: dict[str, Any]) -> None:
    """How it ended, where the summary says it."""
    status, sentence = outcome_words(summary)
    if not status:
        return
    color = _STATUS.get(status, "cyan")
    console.print(marked(status, f"bold {color}", sentence), highlight=False)


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


def _limits(console: Console, summary: dict[str, Any]) -> None:
    """Each joint against its limits, and whether they hold; nothing where there are none."""
    rows = limit_rows(summary)
    if not rows:
        return
    holds, sentence = limit_verdict(summary)
    color = "green" if holds else "red"
    console.print("\n[bold]Against the joints' limits[/]", highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for k, heading in enumerate(limit_headings(summary)):
        table.add_column(as_is(heading), justify="left" if k == 0 else "right")
    for cells in rows:
        table.add_row(*(as_is(cell, "red" if "✗" in cell else "") for cell in cells))
    console.print(Padding(table, (0, 0, 0, 2)), highlight=False)
    console.print(Padding(as_is(sentence, color), (0, 0, 0, 2)), highlight=False)


def _after(summary: dict[str, Any]) -> Iterator[str]:
    final, target = summary["final"], summary["final"]["target"]
    place = 2 if summary["planar"] else 3
    yield row("base at", final["coordinates"][:place], "m", size=False)
    yield row("base turned by", float(np.degrees(final["base_turn"])), "deg")
    if target is not None:
        yield row("target at", target["position"], "m", size=False)
        yield row("target moves at", target["linear"], "m/s")
        yield row("target turns at", target["angular"], "rad/s")
    count = 3 if summary["planar"] else 6
    forces = summary["peak"]["control"][:count]
    if any(forces):
        yield row("forces on the base to", forces[:place], "N", size=False)
        yield row("torques on the base to", forces[place:], "N m", size=False)
    parts = [
        f"{name} {summary['balance'][key]:.0e} {unit}"
        for key, name, unit in (
            ("energy", "energy", "J"),
            ("linear_momentum", "linear momentum", "N s"),
            ("angular_momentum", "angular momentum", "N m s"),
        )
        if summary["balance"][key] is not None
    ]
    yield f"[dim]{'out of balance by':{LABEL}} {', '.join(parts)}[/]"
