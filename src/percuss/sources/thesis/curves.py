"""Figures 4.2, 4.3, 4.5, 4.6 and the underdamped appendix: coordinates over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.sources.style import GREY, new_figure, plain
from percuss.sources.table import number
from percuss.sources.thesis.cases import (
    CLOSURES,
    DAMPING,
    Case,
    closed_form,
    displacement,
    simulation_of,
)
from percuss.sources.thesis.style import line

_TITLES = (
    "$x_b$, m",
    "$y_b$, m",
    r"$\theta_0$, rad",
    "$q_1$, rad",
    "$q_2$, rad",
    r"$\theta_O$ of the object, rad",
)
_EVERY = 8
"""Of the recorded times one in so many is drawn."""


def coordinates(simulation: int, motion: str, name: str) -> Any:
    """Displacement of p and of θ_O since the impact, the closures on top of each other."""
    figure = new_figure(10.5, 5.6)
    grid = figure.subplots(2, 3, sharex=True)
    panels = list(grid.flat)
    for closure in CLOSURES:
        case = Case(simulation, closure, motion)
        run = simulation_of(case)
        time = run.observation.motion.time[::_EVERY]
        moved = displacement(run)[:, ::_EVERY]
        turned = (run.observation.target_angle - run.observation.target_angle[0])[::_EVERY]
        for axes, values in zip(panels, [*moved, turned], strict=True):
            axes.plot(time, values, **line(closure))
    if motion in DAMPING:
        _closed_forms(panels, simulation, motion)
    for axes, title in zip(panels, _TITLES, strict=True):
        plain(axes)
        axes.set_title(title, fontsize=11, loc="left")
        _show_nothing_as_nothing(axes)
    for axes in grid[1]:
        axes.set_xlabel("time after the impact, s")
    panels[0].set_xlim(0, 10)
    how = "no control"
    if motion in DAMPING:
        how = f"controlled by (4.26), ξ = {number(DAMPING[motion])}"
    figure.suptitle(
        f"{name}: displacement of the generalized coordinates, simulation {simulation}, {how}",
        fontsize=13,
    )
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=11)
    return figure


def _closed_forms(panels: list[Any], simulation: int, motion: str) -> None:
    """Dots where (4.27) has the pinned VMS: the same equation holds for each closure."""
    time = np.linspace(0.0, 10.0, 21)
    for closure in CLOSURES:
        values = closed_form(Case(simulation, closure, motion), time)
        for k, axes in enumerate(panels[:5]):
            label = "closed form (4.27)" if closure == CLOSURES[0] else None
            axes.plot(time, values[k], ".", color="black", markersize=4, zorder=5, label=label)


def _show_nothing_as_nothing(axes: Any) -> None:
    """Rounding is not to be blown up to the height of a panel."""
    sizes = [np.max(np.abs(curve.get_ydata())) for curve in axes.get_lines()]
    if max(sizes) < 1e-9:
        axes.set_ylim(-1, 1)
        axes.set_yticks([0])
        axes.text(
            0.5,
            0.62,
            "does not move",
            transform=axes.transAxes,
            ha="center",
            color=GREY,
            fontsize=9,
        )
