"""Where the momentum went: what VMS and object carry before and after, and over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.sources.style import GREY, new_figure, plain
from percuss.sources.thesis.cases import CLOSURES, Case, simulation_of
from percuss.sources.thesis.numbers import shares
from percuss.sources.thesis.style import COLORS, line

_QUANTITIES = (
    ("linear_momentum", "linear momentum\nin x, N s"),
    ("angular_momentum", "angular momentum\nabout the origin, N m s"),
    ("energy", "kinetic energy, J"),
)
_LEAD = 1.0
"""Time shown before the impact (s)."""


def where_the_momentum_went(simulation: int = 1) -> Any:
    """Rows: momentum, angular momentum, energy. Left: who has it. Right: over time."""
    figure = new_figure(10.5, 9.6)
    grid = figure.subplots(3, 2, width_ratios=(1.0, 1.25))
    for row, (quantity, title) in enumerate(_QUANTITIES):
        _bars(grid[row, 0], simulation, quantity, title)
        _course(grid[row, 1], simulation, quantity)
    for axes in grid[0]:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    figure.align_ylabels(grid[:, 0])
    grid[2, 1].set_xlabel("time after the impact, s")
    figure.suptitle(f"Where the momentum went: simulation {simulation}, free motion", fontsize=13)
    return figure


def _bars(axes: Any, simulation: int, quantity: str, title: str) -> None:
    plain(axes)
    axes.grid(visible=False, axis="x")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel(title)
    found = {closure: shares(simulation_of(Case(simulation, closure))) for closure in CLOSURES}
    first = found[CLOSURES[0]]
    columns = [("before", first["VMS before"][quantity], first["object before"][quantity])]
    columns += [
        (closure, shared["VMS after"][quantity], shared["object after"][quantity])
        for closure, shared in found.items()
    ]
    total = columns[0][1] + columns[0][2]
    for k, (name, own, other) in enumerate(columns):
        gone = total - own - other
        axes.bar(k, other, color="#b8a878", width=0.62, label="object" if k == 0 else None)
        axes.bar(k, own, bottom=other, color="#5b7690", width=0.62, label="VMS" if k == 0 else None)
        if abs(gone) > 1e-9 * abs(total):
            label = "gone" if name == CLOSURES[0] else None
            axes.bar(
                k,
                gone,
                bottom=own + other,
                facecolor="none",
                edgecolor=COLORS["published"] if name == "published" else GREY,
                hatch="///",
                linewidth=0.9,
                width=0.62,
                label=label,
            )
            axes.text(
                k,
                own + other + gone / 2,
                f"{100 * gone / total:.0f} %",
                ha="center",
                va="center",
                fontsize=9,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
    axes.set_ylim(*sorted((0.0, 1.06 * total)))
    axes.set_xticks(range(len(columns)), [name for name, _, _ in columns])
    for tick, (name, _, _) in zip(axes.get_xticklabels(), columns, strict=True):
        tick.set_color(COLORS.get(name, "black"))


def _course(axes: Any, simulation: int, quantity: str) -> None:
    plain(axes)
    axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    before = 0.0
    for closure in CLOSURES:
        run = simulation_of(Case(simulation, closure))
        observation, impact = run.observation, run.impact
        linear, angular = observation.momentum
        before, after = {
            "linear_momentum": (impact.linear_momentum_before[0], linear[:, 0]),
            "angular_momentum": (impact.angular_momentum_before[2], angular[:, 2]),
            "energy": (impact.energy_before, observation.kinetic_energy),
        }[quantity]
        time = np.concatenate([[-_LEAD, 0.0], observation.motion.time[::8]])
        axes.plot(time, np.concatenate([[before, before], after[::8]]), **line(closure))
    axes.set_xlim(-_LEAD, 10)
    axes.set_ylim(*sorted((0.0, 1.06 * before)))
