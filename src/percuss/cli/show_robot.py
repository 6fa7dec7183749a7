"""Robots and targets of the library in a terminal."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from percuss.model.library.entry import Assumption, LibraryEntry
from percuss.model.library.registry import robot
from percuss.model.systems import System
from percuss.model.table import text_table

_WIDTH = 80
"""Columns that every terminal has."""


def library_listing(entries: Iterable[LibraryEntry]) -> str:
    """Names, degrees of freedom and what they are, under the headings of their groups."""
    found = list(entries)
    width = max(len(entry.name) for entry in found)
    lines: list[str] = []
    for group, members in itertools.groupby(found, key=lambda entry: entry.group):
        if lines:
            lines.append("")
        lines += [group, "─" * len(group)]
        for entry in members:
            head = f"{entry.name:{width}}  {robot(entry.name).rate_count:3d}  "
            lines += textwrap.wrap(
                entry.title,
                _WIDTH,
                initial_indent=head,
                subsequent_indent=" " * len(head),
                break_on_hyphens=False,
            )
    lines += [
        "",
        "Each with its degrees of freedom. percuss robots NAME prints bodies, joints,",
        "limits, source and what is assumed; --json is for programs.",
    ]
    return "\n".join(lines)


def entry_text(entry: LibraryEntry) -> str:
    """The table of a robot or target, its usual posture, what is assumed, and remarks."""
    system = robot(entry.name)
    parts = [str(system)]
    if entry.posture:
        parts.append(_posture(entry, system))
    if entry.assumed:
        parts.append(_assumed(entry.assumed))
    if entry.notes:
        notes = (textwrap.fill(note, _WIDTH, subsequent_indent="  ") for note in entry.notes)
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def entry_document(entry: LibraryEntry) -> dict[str, Any]:
    """What the library knows about a robot or target, apart from its model, for programs."""
    return {
        "name": entry.name,
        "kind": entry.kind,
        "title": entry.title,
        "source": entry.source,
        "group": entry.group,
        "posture": dict(entry.posture),
        "assumed": [
            {
                "parameter": number.parameter,
                "value": number.value,
                "low": number.low,
                "high": number.high,
                "reason": number.reason,
            }
            for number in entry.assumed
        ],
        "notes": list(entry.notes),
    }


def _posture(entry: LibraryEntry, system: System) -> str:
    rows = [
        [name, f"{math.degrees(angle):.6g} deg" if _turns(system, name) else f"{angle:.6g} m"]
        for name, angle in entry.posture.items()
    ]
    return text_table(["usual posture", "joints: usual"], rows)


def _turns(system: System, joint: str) -> bool:
    return system.joint(joint).motion.rate_units[:1] == ("rad/s",)


def _assumed(numbers: Iterable[Assumption]) -> str:
    """Value and plausible range of every assumed number, under the reasons."""
    return "assumed, and any study can vary it:\n" + "\n".join(_reasons(numbers))


def _reasons(numbers: Iterable[Assumption]) -> Iterator[str]:
    for reason, members in itertools.groupby(numbers, key=lambda number: number.reason):
        rows = [
            [number.parameter, f"{number.value:.6g}", f"{number.low:.6g} … {number.high:.6g}"]
            for number in members
        ]
        yield ""
        yield textwrap.fill(reason, _WIDTH)
        yield text_table(["parameter (SI)", "used", "plausible"], rows)
