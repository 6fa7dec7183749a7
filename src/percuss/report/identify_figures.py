"""Figures of an identification: fit, residuals, posterior, and information against time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.identify.result import Identification
from percuss.report.words import digits_for, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, INK, SOFT = "#0072b2", "#d55e00", "#1c232b", "#66707c"
"""Told apart by colour-blind readers, and in grey print."""
MOST_CHANNELS = 12
"""Channels that are drawn; the table of the page tells of all."""
MOST_QUANTITIES = 8
"""Quantities in a corner plot."""
MOST_POINTS = 2_000
"""Samples of a channel that are drawn."""

_STYLE: Any = {
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": "#8a94a0",
    "grid.color": "#e6e9ee",
    "legend.frameon": False,
    "figure.facecolor": "white",
}


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
    yield "fit", "What was measured (dots) and what the estimate gives (line).", fit_figure(found)
    yield (
        "residuals",
        "Measured minus fitted, in standard deviations of the noise. With a right model they are "
        "noise: no pattern, two thirds within ±1, hardly any beyond ±3.",
        residual_figure(found),
    )
    if found.estimate:
        yield (
            "posterior",
            "What is known together: ellipses of one and two standard deviations (39 % and 86 %), "
            "bells for each quantity alone"
            + ("; dots and bars are draws of the posterior." if found.draws else "."),
            corner_figure(found),
        )
        yield (
            "information",
            "Standard deviation of each quantity had the record ended earlier. A line begins when "
            "its quantity becomes known.",
            information_figure(found),
        )


def fit_figure(found: Identification) -> Figure:
    """Measured against fitted, a panel for each channel."""
    channels = found.model.channels[:MOST_CHANNELS]
    with _style():
        figure, panels = _grid(len(channels))
        for k, (channel, axes) in enumerate(zip(channels, panels, strict=True)):
            values = found.measured.columns[channel.name]
            shown = _thinned(np.flatnonzero(np.isfinite(values)))
            time = found.model.times
            axes.plot(time[shown], values[shown], ".", color=SOFT, ms=2.5, alpha=0.6)
            axes.plot(time, found.fitted[k], color=ORANGE, lw=1.4)
            unit = "" if channel.unit == "1" else f", {channel.unit}"
            axes.set_title(_plain(f"{channel.name}{unit}"))
            axes.ticklabel_format(axis="y", useOffset=False)
        _times(panels)
        return figure


def residual_figure(found: Identification) -> Figure:
    """Residuals in standard deviations, a panel for each channel with its distribution."""
    components = found.fit.components[:MOST_CHANNELS]
    with _style():
        figure, panels = _grid(len(components))
        for k, (component, axes) in enumerate(zip(components, panels, strict=True)):
            columns = [found.model.channels[j].name for j in component.channels]
            there = np.all([np.isfinite(found.measured.columns[name]) for name in columns], axis=0)
            shown = _thinned(np.flatnonzero(there))
            axes.axhspan(-1, 1, color=BLUE, alpha=0.12, lw=0)
            axes.axhline(0, color=INK, lw=0.8)
            axes.plot(
                found.model.times[shown], found.fit.residuals[k][shown], ".", color=BLUE, ms=2.5
            )
            own = found.fit.residuals[k][there]
            rms = float(np.sqrt(np.mean(own**2))) if own.size else 0.0
            axes.set_title(_plain(f"{component.name}, rms {rms:.2f} σ"))
            largest = float(np.abs(own).max(initial=3.5))
            axes.set_ylim(-1.08 * largest, 1.08 * largest)
        _times(panels)
        return figure


def corner_figure(found: Identification) -> Figure:
    """The Gaussian around the estimate, pair by pair; draws of the posterior where there are."""
    names = list(found.estimate)[:MOST_QUANTITIES]
    mean = np.array([found.estimate[name] for name in names])
    covariance = found.covariance[: len(names), : len(names)]
    sigma = np.sqrt(np.diag(covariance))
    draws = None
    if found.draws is not None:
        draws = np.stack([np.asarray(found.draws[name], float) for name in names])
    count = len(names)
    with _style():
        figure = _new(1.2 + 1.9 * count, 1.0 + 1.7 * count)
        table = figure.subplots(count, count, squeeze=False)
        for row in range(count):
            for column in range(count):
                axes: Axes = table[row, column]
                if column > row:
                    axes.set_visible(False)
                    continue
                axes.tick_params(labelsize=7.5, labelbottom=row == count - 1)
                axes.tick_params(labelleft=column == 0)
                axes.set_xlim(-3.6, 3.6)
                if row == column:
                    own = None if draws is None else (draws[row] - mean[row]) / sigma[row]
                    _bell(axes, own)
                else:
                    pair = (column, row)
                    correlation = covariance[row, column] / (sigma[row] * sigma[column])
                    _ellipses(axes, float(correlation))
                    if draws is not None:
                        x, y = ((draws[k] - mean[k]) / sigma[k] for k in pair)
                        chosen = _thinned(np.arange(len(x)))
                        axes.plot(
                            x[chosen], y[chosen], ".", color=SOFT, ms=1.5, alpha=0.4, zorder=1
                        )
                    axes.set_ylim(-3.6, 3.6)
                if row == count - 1:
                    axes.set_xlabel(_plain(names[column]))
                if column == 0 and row:
                    axes.set_ylabel(_plain(names[row]))
        told = [
            f"{n} = {number(m, digits_for(m, s))} ± {number(s, 2)}"
            for n, m, s in zip(names, mean, sigma, strict=True)
        ]
        more = len(found.estimate) - count
        title = "axes in standard deviations from the estimate\n" + _wrapped(told)
        title += f"\n{more} more are not drawn" if more else ""
        figure.suptitle(_plain(title), fontsize=9, x=0.99, y=0.99, ha="right", va="top")
        return figure


def information_figure(found: Identification) -> Figure:
    """Standard deviations as shares of the plausible ranges against the end of the record."""
    with _style():
        figure = _new(8.0, 4.6)
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
                label=_plain(label),
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


def _bell(axes: Axes, draws: np.ndarray | None) -> None:
    x = np.linspace(-3.6, 3.6, 181)
    if draws is not None:
        axes.hist(draws, bins=40, range=(-3.6, 3.6), density=True, color=SOFT, alpha=0.35)
    axes.plot(x, np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi), color=BLUE, lw=1.5)
    axes.set_yticks([])
    axes.axvline(0, color=INK, lw=0.8)


def _ellipses(axes: Axes, correlation: float) -> None:
    """Of one and two standard deviations of a pair with unit variances."""
    turn = np.linspace(0, 2 * np.pi, 121)
    # The Cholesky factor of [[1, r], [r, 1]] takes the circle to the ellipse.
    x = np.cos(turn)
    y = correlation * np.cos(turn) + np.sqrt(max(1 - correlation**2, 0.0)) * np.sin(turn)
    for size, alpha in ((2, 0.18), (1, 0.35)):
        axes.fill(size * x, size * y, color=BLUE, alpha=alpha, lw=0)
        axes.plot(size * x, size * y, color=BLUE, lw=1.0)
    axes.plot(0, 0, "+", color=INK, ms=6)


def _grid(count: int) -> tuple[Figure, list[Axes]]:
    columns = 1 if count == 1 else 2 if count <= 4 else 3
    rows = -(-count // columns)
    figure = _new(3.9 * columns, 0.5 + 1.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel().tolist()
    for empty in panels[count:]:
        empty.set_visible(False)
    return figure, panels[:count]


def _times(panels: Sequence[Axes]) -> None:
    for axes in panels[-3:]:
        axes.set_xlabel("s after the impact")
        axes.tick_params(labelbottom=True)


def _thinned(places: np.ndarray) -> np.ndarray:
    step = -(-len(places) // MOST_POINTS) if len(places) else 1
    return places[::step]


def _wrapped(parts: Sequence[str]) -> str:
    return "\n".join("   ".join(parts[k : k + 2]) for k in range(0, len(parts), 2))


def _plain(text: str) -> str:
    """Text in which a dollar sign does not start a formula."""
    return text.replace("$", r"\$")


def _shades(count: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["viridis"](0.05 + 0.85 * k / max(count - 1, 1)) for k in range(count)]


def _style() -> Any:
    from matplotlib import rc_context

    return rc_context(_STYLE)


def _new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
