"""When things happen in a run: its phases, its impacts, and what is worth a closer look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.encounter.record import Record
from percuss.encounter.records.result import EncounterResult
from percuss.report.words import number

MOST_MARKS = 200
"""Impacts that are drawn; bounces that pile up may be thousands."""

_MARGIN = 0.3
"""Share of a contact that is shown before and after it."""


@dataclass(frozen=True)
class TimelinePhase:
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
    phases: tuple[TimelinePhase, ...]
    marks: tuple[Mark, ...]
    closest: float | None

    @property
    def is_divided(self) -> bool:
        """Whether there is more than the motion after an impact at the start."""
        return len(self.phases) > 1 or any(phase.name != "after" for phase in self.phases)

    @property
    def turning_point(self) -> float:
        """The time one wants to compare with: first contact, else the closest approach (s)."""
        if self.marks:
            return self.marks[0].time
        return self.first if self.closest is None else self.closest

    @property
    def contacts(self) -> tuple[TimelinePhase, ...]:
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


def timeline(record: Record, result: EncounterResult) -> Timeline:
    """Phases and impacts of an encounter; what was closest, where it is a miss."""
    time = np.asarray(record.time, dtype=float)
    approach = result.approach
    return Timeline(
        first=float(time[0]),
        last=float(time[-1]),
        phases=tuple(TimelinePhase(phase.name, phase.begin, phase.end) for phase in result.phases),
        marks=marks(result),
        closest=approach.closest.time if result.is_missed and approach is not None else None,
    )


def marks(result: EncounterResult) -> tuple[Mark, ...]:
    """The first impacts of an encounter, as many as are drawn."""
    return tuple(
        Mark(impact.time, impact.duration or 0.0, impact.impulse)
        for impact in result.impacts[:MOST_MARKS]
    )


def timeline_data(line: Timeline) -> dict[str, Any]:
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
