"""Phases and impacts on the axes of a figure for paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from percuss.report.timeline import Timeline, TimelinePhase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = {
    "observe": "#8c9bab",
    "approach": "#5b9bf0",
    "contact": "#f08c3a",
    "flight": "#a98af0",
    "after": "#45b981",
}
INK = "#7d8894"
IMPACT = "#c2271d"
CLOSEST = "#2563c9"

LEAST = 0.13
"""Share of the width that a name needs."""


def draw_bands(axes: Axes, line: Timeline, window: tuple[float, float] | None = None) -> None:
    """Faint bands behind the curves, their names above the axes, moments as triangles.

    Impacts are red, the closest approach of a miss is blue.

    `window` (s) is the stretch that the axes show; the whole run where none is given.
    """
    begin, end = window or (line.first, line.last)
    if not line.is_divided or not end > begin:
        return
    # Bands must not move the limits that the curves have.
    height = axes.get_ylim()
    for phase in line.phases:
        left, right = max(phase.begin, begin), min(phase.end, end)
        if right < begin or left > end:
            continue
        strength = 0.22 if phase.name == "contact" else 0.07
        axes.axvspan(left, right, color=_color(phase), alpha=strength, lw=0, zorder=0)
        if begin < phase.begin < end:
            axes.axvline(phase.begin, color=INK, lw=0.6, ls=(0, (2, 2)), zorder=0.5)
        if right - left >= LEAST * (end - begin):
            axes.text(
                (left + right) / 2,
                1.015,
                phase.name.replace("$", r"\$"),
                transform=axes.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=6.5,
                color=INK,
            )
    moments = [(mark.time, IMPACT) for mark in line.marks]
    if line.closest is not None:
        moments.append((line.closest, CLOSEST))
    for moment, color in moments:
        if begin <= moment <= end:
            place = {"transform": axes.get_xaxis_transform(), "clip_on": False}
            axes.plot([moment], [1.0], "v", color=color, ms=3.5, label="_moment", **place)
    # A power of ten above the axis would stand where the names are.
    axes.yaxis.get_offset_text().set(x=-0.02, ha="right")
    axes.set_ylim(height)
    axes.set_xlim(begin, end)


def _color(phase: TimelinePhase) -> str:
    return COLORS.get(phase.name, INK)
