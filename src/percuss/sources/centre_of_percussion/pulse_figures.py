"""Figures 10a, 10b and 10c, and what a fixed axis would have said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.percussion import reaction_ratio
from percuss.sources.centre_of_percussion.cases import PulseCase, PulseReactions, felt
from percuss.sources.centre_of_percussion.newton_euler import blow, onset
from percuss.sources.centre_of_percussion.paper import ANGLES, PLACES, TABLE_1
from percuss.sources.style import BLUE, GREY, ORANGE, new_figure, plain

COP = TABLE_1.link2.cop


def by_place() -> Any:
    """Figure 10a."""
    runs = [(place_name(at), felt(PulseCase(at))) for at in PLACES]
    return _components("Figure 10a: reaction at joint 2, struck at", runs, "joint2")


def by_angle() -> Any:
    """Figure 10b."""
    runs = [(f"{angle:g}°", felt(PulseCase(COP, angle))) for angle in ANGLES]
    title = "Figure 10b: reaction at joint 2, struck at the CoP of link 2 under"
    return _components(title, runs, "joint2")


def by_angle_joint_moved() -> Any:
    """Figure 10c."""
    moved = TABLE_1.with_joint_2_at_cop().joint_2
    runs = [(f"{angle:g}°", felt(PulseCase(COP, angle, joint_2=moved))) for angle in ANGLES]
    title = "Figure 10c: reaction at joint 1, joint 2 at the CoP of link 1, struck under"
    return _components(title, runs, "joint1")


def fixed_and_free() -> Any:
    """|N2| at onset: (7) with the axis fixed in space, and the robot that floats."""
    figure = new_figure(10.4, 4.5)
    left, right = figure.subplots(1, 2, sharey=True)
    body, size = TABLE_1.link2.body, 1000.0
    places = np.linspace(0.0, 1.0, 101)
    degrees = np.linspace(0.0, 90.0, 91)
    for axes, x, points, runs, fixed, free in (
        (
            left,
            places,
            PLACES,
            [PulseCase(at) for at in PLACES],
            [reaction_ratio(body, at, math.pi / 2) for at in places],
            [onset(TABLE_1, at, blow(math.pi / 2, size)).sizes[1] for at in places],
        ),
        (
            right,
            degrees,
            ANGLES,
            [PulseCase(COP, angle) for angle in ANGLES],
            [reaction_ratio(body, COP, math.radians(a)) for a in degrees],
            [onset(TABLE_1, COP, blow(math.radians(a), size)).sizes[1] for a in degrees],
        ),
    ):
        plain(axes)
        axes.plot(x, size * np.asarray(fixed, float), color=GREY, linewidth=1.8,
                  linestyle=(0, (4, 2)), label="axis fixed in space, (7)")  # fmt: skip
        axes.plot(x, free, color=BLUE, linewidth=2.2, label="floating robot, Newton–Euler")
        axes.plot(points, [felt(case).at_onset("joint2") for case in runs], "o", color=ORANGE,
                  markersize=6, zorder=4, label="simulated pulse, onset")  # fmt: skip
    left.set_xlabel("struck at, m from joint 2, φ = 90°")
    left.set_ylabel("$|N_2|$ for 1 kN, N")
    left.set_title("normal blows along link 2", fontsize=11, loc="left")
    left.set_xlim(0, 1.02)
    left.set_ylim(0, 1040)
    right.set_xlabel("impact angle φ, degrees, at the CoP")
    right.set_title("oblique blows at the CoP of link 2", fontsize=11, loc="left")
    right.set_xlim(0, 92)
    right.set_xticks(range(0, 91, 15))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3,
                  frameon=False, fontsize=10)  # fmt: skip
    return figure


def place_name(at: float) -> str:
    """Places of link 2 for a legend: the centre of percussion by its name."""
    return f"CoP, {at:.4g} m" if at == COP else f"{at:g} m"


def shades(count: int) -> list[Any]:
    """Colours from dark to light along one hue, so that order shows."""
    from matplotlib import colormaps

    return [colormaps["viridis"](0.02 + 0.84 * k / max(count - 1, 1)) for k in range(count)]


def _components(title: str, runs: Sequence[tuple[str, PulseReactions]], joint: str) -> Any:
    """Both components in the axes of the link after the joint, over time."""
    figure = new_figure(10.4, 4.4)
    panels = figure.subplots(1, 2)
    link = joint[-1]
    for k, axes in enumerate(panels):
        plain(axes)
        axes.axhline(0.0, color="black", linewidth=0.7)
        for (name, run), shade in zip(runs, shades(len(runs)), strict=True):
            # From rest: nothing before the pulse.
            time = np.concatenate([[-2.0, 0.0], 1e3 * run.time])
            force = np.concatenate([[0.0, 0.0], run.reactions[joint][:, k]])
            axes.plot(time, force, color=shade, linewidth=1.9, label=name)
        axes.set_xlim(-2, 16)
        axes.set_xlabel("time, ms")
        which, how = (("x", "along"), ("y", "across"))[k]
        axes.set_ylabel(f"$N_{{{link}{which}}}$, N")
        axes.set_title(f"{how} link {link}", fontsize=11, loc="left")
    handles = panels[0].get_legend_handles_labels()
    figure.suptitle(title, fontsize=12)
    figure.legend(*handles, loc="outside lower center", ncols=6, frameon=False, fontsize=10)
    return figure
