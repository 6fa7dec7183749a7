"""Figure 9: the robot and where it is struck; figure 6 with the printed example in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from percuss.report.percussion_figures import design_figure
from percuss.sources.centre_of_percussion.paper import JOINTS, LEAST_ANGLE, LIMIT, TABLE_1
from percuss.sources.style import BLUE, GREY, ORANGE, new_figure, plain

Array = np.ndarray

RED = "#b00020"

PRINTED_EXAMPLE = (0.68, 1.32)
"""C_ID of the points B and C as the paper reads them off its figure 6."""


def robot() -> Any:
    """Figure 9 at q = (-90°, 90°)."""
    figure = new_figure(7.6, 5.2)
    axes = figure.subplots()
    plain(axes)
    axes.set_aspect("equal")
    p = TABLE_1
    corners = 0.5 * np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1]])
    axes.fill(*corners, facecolor="#eef1f5", edgecolor=GREY, linewidth=1.6)
    axes.plot(0, 0, "+", color=GREY, markersize=10)
    axes.annotate("base, 300 kg", (-0.42, 0.33), fontsize=10, color=GREY)
    start = np.array(p.mount)
    for angle, link, color, length, name in (
        (JOINTS[0], p.link1, BLUE, p.joint_2, "1"),
        (sum(JOINTS), p.link2, ORANGE, p.link2.length, "2"),
    ):
        u = np.array([math.cos(angle), math.sin(angle)])
        tip = start + length * u
        axes.plot(*np.array([start, tip]).T, color=color, linewidth=7, alpha=0.35,
                  solid_capstyle="round", zorder=2)  # fmt: skip
        axes.plot(*(start + link.com * u), "s", color=color, markersize=7, zorder=4)
        axes.plot(*(start + link.cop * u), "D", color="white", markeredgecolor=color,
                  markeredgewidth=1.8, markersize=8, zorder=4)  # fmt: skip
        axes.plot(*start, "o", color="white", markeredgecolor="black", markersize=9, zorder=5)
        side = np.array([-u[1], u[0]]) * (0.07 if name == "1" else 0.1)
        ha, va = ("left", "center") if name == "1" else ("center", "bottom")
        for at, text in ((link.com, f"CM {link.com:g} m"), (link.cop, f"CoP {link.cop:.4g} m")):
            axes.annotate(text, start + at * u + side, ha=ha, va=va, fontsize=9.5, color=color)
        joint = (-0.1, 0.06) if name == "1" else (-0.09, -0.06)
        axes.annotate(f"joint {name}", start + joint, ha="right", va="center", fontsize=9.5)
        start = tip
    tip = start
    axes.annotate("", (tip[0], tip[1] - 0.03), (tip[0], tip[1] + 0.33),
                  arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 2.0})  # fmt: skip
    axes.annotate("F, here at the tip\nunder φ = 90°", (tip[0] + 0.06, tip[1] + 0.25),
                  fontsize=9.5, va="center")  # fmt: skip
    axes.set_xlim(-0.65, 2.15)
    axes.set_ylim(-0.8, 0.85)
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    axes.set_title("Figure 9: the planar space robot, q = (−90°, 90°)", fontsize=12, loc="left")
    return figure


def design() -> Any:
    """Figure 6 with the right regions, and the example's points as printed."""
    figure = design_figure(LIMIT, LEAST_ANGLE, TABLE_1.link2.body)
    axes = figure.axes[0]
    axes.plot(PRINTED_EXAMPLE, (LIMIT, LIMIT), "x", color=RED, markersize=9,
              markeredgewidth=2.2, zorder=7)  # fmt: skip
    leader = {"arrowstyle": "-", "color": RED, "lw": 0.9, "shrinkB": 5}
    for place, words in zip(PRINTED_EXAMPLE, (0.3, 1.7), strict=True):
        axes.annotate(f"printed: {place:g}", (place, LIMIT), (words, 0.24), fontsize=9,
                      ha="center", va="center", color=RED, zorder=7,
                      arrowprops=leader)  # fmt: skip
    return figure
