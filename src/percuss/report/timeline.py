"""When things happen in a run: its phases, its impacts, and what is worth a closer look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.report.words import flat, lookup, number
from percuss.simulate.record import Record

CODES = {0: "approach", 1: "contact", 2: "after"}
"""Names of the codes of the variable `phase`."""

MOST_MARKS = 200
"""Impacts that are drawn; bounces that pile up may be thousands."""

_MARGIN = 0.3
"""Share of a contact that is shown before and after it."""


@dataclass(frozen=True)
class Phase:
    """A stretch of a run from `begin` to `end`, s."""

    name: str
    begin: float
    end: float

    @property
    def duration(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Mark:
    """An impact: when (s), for how long (s, 0 if at once), its impulse (N s, world axes)."""

    time: float
    duration: float
    impulse: tuple[float, ...]


@dataclass(frozen=True)
class Timeline:
    """Phases, impacts and the closest approach of a run, in order of time, s.

    `first` and `last` bound the record.
    """

    first: float
    last: float
    phases: tuple[Phase, ...]
    marks: tuple[Mark, ...]
    closest: float | None

    @property
    def is_divided(self) -> bool:
        """Whether there is more than the motion after an impact at the start."""
        return _is_divided([phase.name for phase in self.phases])

    @property
    def turning_point(self) -> float:
        """The time one wants to compare with: first contact, else the closest approach (s)."""
        if self.marks:
            return self.marks[0].time
        return self.first if self.closest is None else self.closest

    @property
    def contacts(self) -> tuple[Phase, ...]:
        """Contacts that take time."""
        return tuple(p for p in self.phases if p.name == "contact" and p.duration > 0)

    @property
    def windows(self) -> tuple[tuple[float, float], ...]:
        """Stretches around contacts that are too short to be seen in the whole run, s.

        Each contact that takes time has its own; impacts that take none share one.
        """
        run = self.last - self.first
        if self.contacts:
            short = [c for c in self.contacts if c.duration < 0.5 * run]
            return tuple(
                self._around(c.begin, c.end, _MARGIN * c.duration) for c in short[:MOST_MARKS]
            )
        moments = [mark.time for mark in self.marks]
        if not moments and self.closest is not None:
            moments = [self.closest]
        if not self.is_divided or not moments or run <= 0:
            return ()
        spread = moments[-1] - moments[0]
        found = self._around(moments[0], moments[-1], max(0.15 * spread, 0.03 * run))
        return (found,) if found[1] - found[0] < 0.8 * run else ()

    def _around(self, begin: float, end: float, margin: float) -> tuple[float, float]:
        return max(self.first, begin - margin), min(self.last, end + margin)


def timeline(record: Record, summary: Mapping[str, Any]) -> Timeline:
    """Phases and impacts as the summary tells them, else as the record's `phase` does."""
    time = np.asarray(record.time, dtype=float)
    closest = lookup(summary, "approach.closest.time")
    missed = lookup(summary, "status") == "missed"
    return Timeline(
        float(time[0]),
        float(time[-1]),
        _phases(record, summary),
        marks(summary),
        float(closest) if missed and closest is not None else None,
    )


def _phases(record: Record, summary: Mapping[str, Any]) -> tuple[Phase, ...]:
    given = summary.get("phases")
    if given:
        return tuple(Phase(str(p["name"]), float(p["begin"]), float(p["end"])) for p in given)
    if "phase" not in record.variables:
        return ()
    codes = np.asarray(record["phase"]).astype(int)
    starts = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]
    borders = [*(float(record.time[k]) for k in starts), float(record.time[-1])]
    return tuple(
        Phase(CODES.get(int(codes[k]), f"phase {codes[k]}"), begin, end)
        for k, begin, end in zip(starts, borders[:-1], borders[1:], strict=True)
    )


def is_divided(summary: Mapping[str, Any]) -> bool:
    """Whether a run has more phases than the motion after the impact, or another one."""
    return _is_divided([str(phase.get("name")) for phase in summary.get("phases") or ()])


def _is_divided(names: Sequence[str]) -> bool:
    return len(names) > 1 or any(name != "after" for name in names)


def impacts_of(summary: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """All impacts of a summary in order of time; the one there is where they are not listed."""
    listed = summary.get("impacts")
    if listed is not None:
        return listed
    impact = summary.get("impact")
    return [impact] if isinstance(impact, Mapping) else []


def marks(summary: Mapping[str, Any]) -> tuple[Mark, ...]:
    """The first impacts of a summary, as many as are drawn."""
    return tuple(
        Mark(
            float(impact.get("time") or 0.0),
            float(impact.get("duration") or 0.0),
            tuple(flat(impact.get("impulse"))),
        )
        for impact in impacts_of(summary)[:MOST_MARKS]
    )


def told(line: Timeline) -> dict[str, Any]:
    """The timeline as the scripts of the page read it."""
    ticks = [
        {"time": mark.time, "kind": "impact", "text": _tick(k, mark, len(line.marks))}
        for k, mark in enumerate(line.marks, start=1)
    ]
    if line.closest is not None:
        text = f"closest approach at {number(line.closest)} s"
        ticks.append({"time": line.closest, "kind": "closest", "text": text})
    return {
        "phases": [
            {"name": p.name, "begin": p.begin, "end": p.end} for p in line.phases if line.is_divided
        ],
        "ticks": ticks if line.is_divided or len(line.marks) > 1 else [],
        "windows": [list(window) for window in line.windows],
    }


def _tick(k: int, mark: Mark, count: int) -> str:
    return (
        f"impact {k} at {number(mark.time)} s" if count > 1 else f"impact at {number(mark.time)} s"
    )
