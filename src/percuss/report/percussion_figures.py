"""Design charts of the centre of percussion, drawn: slopes, feasible impacts, limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.percussion.charts import ANGLES, design_chart, feasible_region, slope_chart
from percuss.percussion.fixed_axis import AxisBody, ratio_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, INK, SOFT = "#0072b2", "#d55e00", "#009e73", "#1c232b", "#66707c"
"""Told apart by colour-blind readers; greens, oranges and blues differ in grey print too."""

_STYLE: Any = {
    "font.size": 10.0,
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": "#8a94a0",
    "grid.color": "#e6e9ee",
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "figure.facecolor": "white",
}


def slope_figure() -> Figure:
    """Figure 4 of the paper: what an error of the angle and one of the place cost."""
    with _style():
        chart = slope_chart()
        figure = _new(10.6, 4.6)
        left, right = figure.subplots(1, 2)
        shades = _shades(len(chart.drawn_coefficients))
        rows = zip(chart.drawn_coefficients, chart.by_angle, shades, strict=True)
        for coefficient, values, shade in rows:
            left.plot(np.degrees(chart.angles), values, color=shade, label=f"{coefficient:g}")
        left.set_title("if the angle is off")
        left.set_xlabel("impact angle φ, degrees")
        left.set_ylabel("∂(Ω_N/Ω_F) / ∂φ, 1/rad".replace("Ω_N/Ω_F", r"$\Omega_N/\Omega_F$"))
        left.set_xlim(0, 180)
        left.set_xticks(range(0, 181, 30))
        left.legend(title="$C_{ID}$", loc="upper left")
        shades = _shades(len(chart.drawn_angles))
        rows = zip(chart.drawn_angles, chart.by_coefficient, shades, strict=True)
        for angle, values, shade in rows:
            label = f"{math.degrees(angle):.0f}°"
            right.plot(chart.coefficients, values, color=shade, label=label)
        right.set_title("if the place is off")
        right.set_xlabel("coefficient of impact design $C_{ID}$")
        right.set_ylabel(r"∂($\Omega_N/\Omega_F$) / ∂$C_{ID}$")
        right.set_xlim(0, 2)
        right.legend(title="φ", loc="upper left")
        for axes in (left, right):
            axes.set_ylim(-1.12, 1.12)
        return figure


def feasible_figure(
    limits: Sequence[float] = (0.2, 0.4, 0.6, 0.8), body: AxisBody | None = None
) -> Figure:
    """Figure 5 of the paper: impacts inside an area stay below the reaction written on it.

    With a body, a second axis gives the impact point in metres from its axis.
    """
    with _style():
        figure = _new(7.2, 5.2)
        axes = figure.subplots()
        shades = _shades(len(limits))
        for limit, shade in zip(sorted(limits, reverse=True), reversed(shades), strict=True):
            region = feasible_region(limit)
            angles = np.degrees(region.angles)
            axes.fill_between(angles, region.lower, region.upper, color=shade, alpha=0.18, lw=0)
            axes.plot(angles, region.lower, color=shade)
            axes.plot(angles, region.upper, color=shade)
            axes.annotate(
                f"{limit:g}", (90, 1 + limit), (0, -4), textcoords="offset points",
                ha="center", va="top", color=INK, fontsize=9.5,
            )  # fmt: skip
        axes.plot(90, 1, "o", color=ORANGE, markersize=6, zorder=5)
        axes.annotate(
            "no reaction", (90, 1), (163, 1), ha="center", va="center", color=ORANGE,
            arrowprops={"arrowstyle": "-", "color": ORANGE, "lw": 0.9, "shrinkB": 4},
        )  # fmt: skip
        axes.set_title(r"Impacts that keep $\Omega_N/\Omega_F$ below a limit", pad=12)
        axes.set_xlabel("impact angle φ, degrees")
        axes.set_ylabel("coefficient of impact design $C_{ID}$")
        axes.set_xlim(0, 180)
        axes.set_xticks(range(0, 181, 30))
        axes.set_ylim(0, 2)
        _metres(axes, body, along="y")
        return figure


def design_figure(
    limit: float | None = None,
    angle: float | None = None,
    body: AxisBody | None = None,
    impact: tuple[float, float] | None = None,
) -> Figure:
    """Figure 6 of the paper: reaction over C_ID at constant angles, with the designer's limits.

    Args:
        limit, angle: largest reaction Ω and least angle (rad): both, or neither.
        body: puts a second axis in metres from its axis.
        impact: C_ID and angle (rad) of an impact to mark.
    """
    with _style():
        chart = design_chart(limit, angle)
        figure = _new(7.6, 5.6)
        axes = figure.subplots()
        for name, color, words in (
            ("within", GREEN, "within both limits"),
            ("closer allowed", BLUE, "flatter, if closer to the centre"),
            ("steeper required", ORANGE, "farther, if steeper"),
        ):
            for k, polygon in enumerate(chart.regions.get(name, ())):
                label = None if k else words
                axes.fill(*polygon.T, facecolor=color, alpha=0.32, lw=0, label=label, zorder=1)
        for drawn, ratios in zip(chart.angles, chart.ratios, strict=True):
            normal = drawn == max(ANGLES)
            axes.plot(chart.coefficients, ratios, color=INK if normal else SOFT,
                      lw=1.9 if normal else 1.1, zorder=3)  # fmt: skip
            place = (1.66, 0.66) if normal else (0.9, float(ratio_of(0.9, drawn)))  # type: ignore[arg-type]
            axes.annotate(
                f"{math.degrees(drawn):.0f}°", place, (15, -9) if normal else (0, 2.5),
                textcoords="offset points", ha="center", va="bottom", fontsize=8.5,
                color=INK if normal else SOFT,
            )  # fmt: skip
        axes.fill_between(
            chart.coefficients, 0, np.abs(1 - chart.coefficients), color="#f3f4f6", lw=0, zorder=0
        )
        axes.text(
            0.03, 0.03, "no impact gives less", color=SOFT, fontsize=9, transform=axes.transAxes
        )
        if chart.limit is not None and chart.angle is not None:
            _limits(axes, chart.limit, chart.angle, chart.coefficients, points=chart.points)
        if impact is not None:
            at = (impact[0], float(ratio_of(*impact)))  # type: ignore[arg-type]
            axes.plot(*at, "D", color=ORANGE, markersize=6.5, zorder=6, label="this impact")
        axes.set_title("Reaction of the axis at constant impact angle", pad=12)
        axes.set_xlabel("coefficient of impact design $C_{ID}$")
        axes.set_ylabel(r"reaction $\Omega_N/\Omega_F$")
        axes.set_xlim(0, 2)
        axes.set_ylim(0, 1.02)
        _metres(axes, body, along="x")
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower center", ncols=3, fontsize=9.5)
        return figure


def _limits(
    axes: Axes,
    limit: float,
    angle: float,
    coefficients: np.ndarray,
    *,
    points: dict[str, tuple[float, float]],
) -> None:
    axes.axhline(limit, color=INK, lw=1.0, ls=(0, (5, 3)), zorder=2)
    axes.annotate(f"Ω = {limit:g}", (0.02, limit), (0, 3), textcoords="offset points", color=INK)
    curve = np.asarray(ratio_of(coefficients, angle))
    label = f"φ = {math.degrees(angle):g}°"
    axes.plot(coefficients, curve, color=GREEN, lw=2.0, zorder=4, label=label)
    aside = {"A": (-10, 5), "B": (-3, 5), "C": (3, 5), "D": (12, 4), "E": (9, -8), "F": (11, 4),
             "G": (-9, -8), "H": (9, -9)}  # fmt: skip
    for name, place in points.items():
        axes.plot(*place, "o", color="white", markeredgecolor=INK, markersize=4.2, zorder=5)
        axes.annotate(
            name, place, aside[name], textcoords="offset points", fontsize=9, weight="bold",
            color=INK, ha="center", zorder=6,
        )  # fmt: skip


def _metres(axes: Axes, body: AxisBody | None, along: str) -> None:
    """A second axis with the impact's distance from the body's axis."""
    if body is None or body.com == 0:
        return
    unit = float(body.percussion_distance)  # type: ignore[arg-type]
    there_and_back: Any = (lambda c: c * unit, lambda x: x / unit)
    words = "impact point from the axis, m"
    if along == "x":
        side = axes.secondary_xaxis("top", functions=there_and_back)
        side.set_xlabel(words, color=SOFT)
    else:
        side = axes.secondary_yaxis("right", functions=there_and_back)
        side.set_ylabel(words, color=SOFT)
    side.tick_params(colors=SOFT)


def _shades(count: int) -> list[Any]:
    """From dark to light along one hue, so that order shows."""
    from matplotlib import colormaps

    return [colormaps["viridis"](0.05 + 0.8 * k / max(count - 1, 1)) for k in range(count)]


def _style() -> Any:
    from matplotlib import rc_context

    return rc_context(_STYLE)


def _new(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[union-attr]
    return figure
