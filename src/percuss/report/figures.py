"""Figures for paper: one overview of a run by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.encounter.record import Record
from percuss.encounter.records.result import EncounterResult
from percuss.report.bands import draw_bands
from percuss.report.charts import charts
from percuss.report.curves import Chart
from percuss.report.judgement import headline
from percuss.report.letters import figure_text
from percuss.report.strobe import draw_strobe
from percuss.report.timeline import Timeline, timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#2563c9", "#d9720b", "#17895a", "#b3267e", "#7a55d1", "#0c8ea6", "#9a6b12", "#5b6775")

_STYLE = {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e9ee",
    "axes.edgecolor": "#8a94a0",
    "axes.axisbelow": True,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
}

PANELS: tuple[tuple[str, ...], ...] = (
    ("joint_coordinates",),
    ("base_position",),
    ("base_attitude",),
    ("joint_control", "base_control"),
    ("joint_reaction_force",),
    ("gap", "distance"),
    ("contact_force",),
    ("energy",),
    ("target_velocity",),
    ("drift",),
)
"""Keys of the charts that a panel may show: the first that the record has."""

PREFERRED = {"target_velocity": "rad/s"}
"""Of several charts of one key, the unit to show; else the first."""

FILLER = "joint_rates"
"""Shown second where one more panel fills the sheet."""

CLOSE = 0.2
"""Share of the run below which the contacts are shown close up."""

SHARED = 4
"""From as many curves on, panels share one legend below the sheet."""


def plot(record: Record, result: EncounterResult) -> Figure:
    """An overview of a run on one sheet: the motion as a strobe picture, and the main curves.

    Phases are bands behind the curves, impacts triangles above them. The force of a contact
    that takes time is shown for the time of the contact.

    A panel whose quantity the record does not have is left out. Save it with
    ``figure.savefig(path)``.
    """
    from cycler import cycler
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    line = timeline(record, result)
    style: Any = _STYLE | {"axes.prop_cycle": cycler(color=COLORS)}
    if line.is_divided:
        style["axes.titlepad"] = 12.0  # names of phases stand between title and axes
    with rc_context(style):
        found = _panels(charts(record))
        rows = max(2, (len(found) + 1) // 2)
        figure = Figure(figsize=(13.5, 2.15 * rows + 0.9), layout="constrained")
        grid = figure.add_gridspec(rows, 4)
        draw_strobe(figure, grid[:, :2], record, line)
        shared: dict[str, Any] = {}
        for k, chart in enumerate(found):
            axes = figure.add_subplot(grid[k // 2, 2 + k % 2])
            window = _closer(chart, line)
            _curves(axes, record.time, chart, window)
            draw_bands(axes, line, window)
            _legend(axes, chart, shared)
        if shared:
            texts = list(shared)
            figure.legend(list(shared.values()), texts, loc="outside lower right", ncols=8)
        title = figure_text(f"{result.name}\n{headline(result)}")
        figure.suptitle(title, fontsize=12, x=0.01, ha="left")
    return figure


def _panels(available: Sequence[Chart]) -> list[Chart]:
    by_key: dict[str, Chart] = {}
    for chart in available:
        if chart.key not in by_key or chart.unit == PREFERRED.get(chart.key):
            by_key[chart.key] = chart
    chosen = [next((by_key[key] for key in keys if key in by_key), None) for keys in PANELS]
    found = [chart for chart in chosen if chart is not None]
    if len(found) % 2 and FILLER in by_key:
        found.insert(1, by_key[FILLER])
    return found


def _legend(axes: Axes, chart: Chart, shared: dict[str, Any]) -> None:
    """Beside the curves where there is room; many curves go to the legend of the sheet."""
    handles, texts = axes.get_legend_handles_labels()
    if len(texts) >= SHARED:
        shared |= dict(zip(texts, handles, strict=True))
    elif len(texts) > 1:
        place = {"loc": "lower right", "ncols": 1} if chart.logarithmic else {"ncols": len(texts)}
        axes.legend(**place, handlelength=1.2, columnspacing=0.9, labelspacing=0.25)


def _closer(chart: Chart, line: Timeline) -> tuple[float, float] | None:
    """The time that a chart looks at: contacts that are too short to be seen are close up."""
    if chart.key != "contact_force" or not line.windows:
        return None
    begin, end = line.windows[0][0], line.windows[-1][1]
    return (begin, end) if end - begin < CLOSE * (line.last - line.first) else None


def _curves(axes: Axes, time: np.ndarray, chart: Chart, window: tuple[float, float] | None) -> None:
    marker = "o" if len(time) == 1 else ""
    shown = slice(None)
    if window is not None:
        # One sample beyond each end, so that curves reach the edges.
        first, last = np.searchsorted(time, window)
        shown = slice(max(0, int(first) - 1), int(last) + 1)
        axes.ticklabel_format(axis="x", useOffset=False)
        axes.locator_params(axis="x", nbins=5)
    for series in chart.series:
        values = np.asarray(series.values, dtype=float)
        if chart.logarithmic:
            values = np.where(values > 0, values, np.nan)
        axes.plot(
            time[shown], values[shown], label=figure_text(series.label), marker=marker, markersize=3
        )
    if chart.logarithmic:
        _logarithmic(axes, chart)
    else:
        _quiet(axes, chart)
    close_up = "" if window is None else ", close up"
    axes.set(title=f"{chart.title}{close_up}", xlabel="time, s", ylabel=chart.unit)
    axes.margins(x=0.0 if len(time) > 1 else 0.5)


def _logarithmic(axes: Axes, chart: Chart) -> None:
    """Twelve decades at most, with room for the legend below."""
    positive = np.concatenate([series.values[series.values > 0] for series in chart.series])
    if positive.size:
        axes.set_yscale("log")
        top = 10.0 * float(positive.max())
        low = max(float(positive.min()), 1e-12 * top)
        axes.set_ylim(low * (low / top) ** 0.6, top)


def _quiet(axes: Axes, chart: Chart) -> None:
    """A curve that varies by rounding only is drawn as constant."""
    values = np.concatenate([series.values for series in chart.series])
    values = values[np.isfinite(values)]
    axes.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 4))
    if not values.size:
        return
    largest, spread = float(np.abs(values).max()), float(np.ptp(values))
    if largest < 1e-12:
        axes.set_ylim(-1.0, 1.0)
    elif spread <= 1e-7 * largest:
        axes.set_ylim(values[0] - 0.1 * largest, values[0] + 0.1 * largest)
