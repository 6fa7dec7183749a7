"""Figures of an identification: fit, residuals, posterior, and information against time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.identification.result import Identification
from percuss.report.identify_corner import corner_figure
from percuss.report.identify_style import BLUE, INK, ORANGE, SOFT, new, style, thinned
from percuss.report.letters import figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CHANNELS = 24
"""Channels that are drawn; the captions say how many are not."""


@dataclass(frozen=True)
class Picture:
    """A figure as the bytes of a PNG file."""

    name: str
    caption: str
    image: bytes


def pictures(found: Identification) -> tuple[Picture, ...]:
    """Every figure that there is something to show in."""
    return tuple(Picture(name, caption, _png(figure)) for name, caption, figure in _figures(found))


def _figures(found: Identification) -> Iterator[tuple[str, str, Figure]]:
    """Name, caption, figure."""
    yield (
        "fit",
        "What was measured (dots) and what the estimate gives (line)."
        + _left(len(found.model.channels)),
        fit_figure(found),
    )
    yield (
        "residuals",
        "Measured minus fitted, in standard deviations of the noise. With a right model they are "
        "noise: no pattern, two thirds within ±1, hardly any beyond ±3."
        + _left(len(found.fit.components)),
        residual_figure(found),
    )
    if found.estimate:
        yield (
            "posterior",
            "What is known together: ellipses of one and two standard deviations (39 % and 86 %), "
            f"bells for each quantity alone{_dots(found)}.",
            corner_figure(found),
        )
        yield (
            "information",
            "Standard deviation of each quantity had the record ended earlier. A line begins when "
            "its quantity becomes known.",
            information_figure(found),
        )


def _left(count: int) -> str:
    return f" {count - MOST_CHANNELS} more are not drawn." if count > MOST_CHANNELS else ""


def _dots(found: Identification) -> str:
    if found.draws is not None:
        return "; dots and bars are draws of the posterior"
    bent = found.fit.shape.spread is not None
    return "; dots and bars are draws along the valley of χ², which bends" if bent else ""


def fit_figure(found: Identification) -> Figure:
    """Measured against fitted, a panel for each channel."""
    channels = found.model.channels[:MOST_CHANNELS]
    with style():
        figure, panels = _grid(len(channels))
        for k, (channel, axes) in enumerate(zip(channels, panels, strict=True)):
            values = found.measured.columns[channel.name]
            shown = thinned(np.flatnonzero(np.isfinite(values)))
            time = found.model.times
            axes.plot(time[shown], values[shown], ".", color=SOFT, ms=2.5, alpha=0.6)
            axes.plot(time, found.fitted[k], color=ORANGE, lw=1.4)
            unit = "" if channel.unit == "1" else f", {channel.unit}"
            axes.set_title(figure_text(f"{channel.name}{unit}"))
            axes.ticklabel_format(axis="y", useOffset=False)
        _times(panels)
        return figure


def residual_figure(found: Identification) -> Figure:
    """Residuals in standard deviations, a panel for each channel with its distribution."""
    components = found.fit.components[:MOST_CHANNELS]
    with style():
        figure, panels = _grid(len(components))
        for k, (component, axes) in enumerate(zip(components, panels, strict=True)):
            columns = [found.model.channels[j].name for j in component.channels]
            there = np.all([np.isfinite(found.measured.columns[name]) for name in columns], axis=0)
            shown = thinned(np.flatnonzero(there))
            axes.axhspan(-1, 1, color=BLUE, alpha=0.12, lw=0)
            axes.axhline(0, color=INK, lw=0.8)
            axes.plot(
                found.model.times[shown], found.fit.residuals[k][shown], ".", color=BLUE, ms=2.5
            )
            own = found.fit.residuals[k][there]
            rms = float(np.sqrt(np.mean(own**2))) if own.size else 0.0
            axes.set_title(figure_text(f"{component.name}, rms {rms:.2f} σ"))
            largest = float(np.abs(own).max(initial=3.5))
            axes.set_ylim(-1.08 * largest, 1.08 * largest)
        _times(panels)
        return figure


def information_figure(found: Identification) -> Figure:
    """Standard deviations as shares of the plausible ranges against the end of the record."""
    with style():
        figure = new(8.0, 4.6)
        axes: Axes = figure.subplots()
        shades = _shades(len(found.estimate))
        names = found.unknowns.names
        for name, shade in zip(found.estimate, shades, strict=True):
            k = names.index(name)
            share = found.history.sigmas[:, k] / found.unknowns.ranges[k]
            entry = found.unknowns.entries[k]
            label = f"{name} (range {entry.range:.3g} {entry.unit})"
            axes.plot(
                found.history.time,
                share,
                color=shade,
                lw=1.7,
                marker="o",
                ms=2.2,
                label=figure_text(label),
            )
        axes.axhline(1.0, color=INK, lw=1.0, ls=(0, (5, 3)))
        axes.annotate(
            "not known", (0.995, 1.0), (0, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", color=SOFT,
        )  # fmt: skip
        axes.set_yscale("log")
        axes.set_xlim(0.0, None)
        axes.set_xlabel("end of the record, s after the impact")
        axes.set_ylabel("σ / plausible range")
        axes.set_title("What a shorter record would have told")
        figure.legend(loc="outside right upper", fontsize=8.5)
        return figure


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def _grid(count: int) -> tuple[Figure, list[Axes]]:
    columns = 1 if count == 1 else 2 if count <= 4 else 3
    rows = -(-count // columns)
    figure = new(3.9 * columns, 0.5 + 1.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel().tolist()
    for empty in panels[count:]:
        empty.set_visible(False)
    return figure, panels[:count]


def _times(panels: Sequence[Axes]) -> None:
    for axes in panels[-3:]:
        axes.set_xlabel("s after the impact")
        axes.tick_params(labelbottom=True)


def _shades(count: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["viridis"](0.05 + 0.85 * k / max(count - 1, 1)) for k in range(count)]
