"""Figures for paper: one overview of a run by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.report.charts import Chart, charts
from percuss.report.judgement import headline
from percuss.report.strobe import draw_strobe
from percuss.simulate.record import Record

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
    ("energy",),
    ("target_velocity",),
    ("drift",),
)
"""Keys of the charts that a panel may show: the first that the record has."""

PREFERRED = {"target_velocity": "rad/s"}
"""Of several charts of one key, the unit to show; else the first."""

FILLER = "joint_rates"
"""Shown second where one more panel fills the sheet."""

SHARED = 4
"""From as many curves on, panels share one legend below the sheet."""


def plot(record: Record, summary: Mapping[str, Any]) -> Figure:
    """An overview of a run on one sheet: the motion as a strobe picture, and the main curves.

    A panel whose quantity the record does not have is left out. Save it with
    ``figure.savefig(path)``.
    """
    from cycler import cycler
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    style: Any = _STYLE | {"axes.prop_cycle": cycler(color=COLORS)}
    with rc_context(style):
        found = _panels(charts(record))
        rows = max(2, (len(found) + 1) // 2)
        figure = Figure(figsize=(13.5, 2.15 * rows + 0.9), layout="constrained")
        grid = figure.add_gridspec(rows, 4)
        draw_strobe(figure, grid[:, :2], record)
        shared: dict[str, Any] = {}
        for k, chart in enumerate(found):
            axes = figure.add_subplot(grid[k // 2, 2 + k % 2])
            _curves(axes, record.time, chart)
            _legend(axes, chart, shared)
        if shared:
            texts = list(shared)
            figure.legend(list(shared.values()), texts, loc="outside lower right", ncols=8)
        name = str(summary.get("name") or "capture")
        figure.suptitle(_plain(f"{name}\n{headline(summary)}"), fontsize=12, x=0.01, ha="left")
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


def _curves(axes: Axes, time: np.ndarray, chart: Chart) -> None:
    marker = "o" if len(time) == 1 else ""
    for series in chart.series:
        values = np.asarray(series.values, dtype=float)
        if chart.logarithmic:
            values = np.where(values > 0, values, np.nan)
        axes.plot(time, values, label=_plain(series.label), marker=marker, markersize=3)
    if chart.logarithmic:
        _logarithmic(axes, chart)
    else:
        _quiet(axes, chart)
    axes.set(title=chart.title, xlabel="time, s", ylabel=chart.unit)
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


def _plain(text: str) -> str:
    """Text in which a dollar sign does not start a formula."""
    return text.replace("$", r"\$")
