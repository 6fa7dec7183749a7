"""Figure 5, and the free base: where arm, base and tool are."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kinematics import frame_pose
from percuss.sources.fixed_and_free_floating.floating import on_free_base
from percuss.sources.fixed_and_free_floating.followed import followed_circle
from percuss.sources.fixed_and_free_floating.motion import arm_motion, whole_motion
from percuss.sources.fixed_and_free_floating.paper import TABLE_1, TIMES
from percuss.sources.style import BLUE, GREEN, GREY, ORANGE, new_figure, plain

Array = np.ndarray


def path_of_the_tool() -> Any:
    """Figure 5: the circle, and the arm with both elbows at the start."""
    figure = new_figure(8.4, 5.4)
    axes = figure.subplots()
    plain(axes)
    axes.set_aspect("equal")
    axes.plot(*whole_motion().tool, color="black", linewidth=2.0, label="path of the tool")
    for case, color in ((2, BLUE), (1, ORANGE)):
        q = arm_motion(0.0, case).q[:, 0]
        angles = f"{q[0]:.4f}, {q[1]:.4f}".replace("-", "−")
        name = f"case {case}: θ = ({angles}) rad"
        _arm(
            axes,
            np.zeros(2),
            0.0,
            q,
            color=color,
            dashes="-" if case == 2 else (0, (4, 2)),
            label=name,
        )
    marks = arm_motion(TIMES[1:4])
    axes.plot(*marks.tool, "o", color="black", markersize=5)
    beside = ((0.05, 0.05), (-0.07, 0.0), (0.09, -0.01))
    for place, t, aside in zip(marks.tool.T, TIMES[1:4], beside, strict=True):
        axes.annotate(f"{t:g} s", place + aside, ha="center", va="center", fontsize=9)
    axes.annotate("0, 10 s", (1.47, 1.2), ha="left", va="center", fontsize=9)
    axes.set_xlim(-0.15, 2.0)
    axes.set_ylim(-0.1, 1.55)
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    axes.set_title("Figure 5: path of the end-effector", fontsize=12, loc="left")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return figure


def free_base() -> Any:
    """The tool on the free base: joints as planned for a fixed one, and with J_g."""
    figure = new_figure(10.0, 4.9)
    left, right = figure.subplots(1, 2)
    free, followed = on_free_base(), followed_circle()
    for axes, q, tool, color, how, title in (
        (left, free.q, free.tool, ORANGE, "as planned", "joints move as planned for a fixed base"),
        (
            right,
            followed.q,
            followed.tool,
            GREEN,
            "with $J_g$",
            "rates by the generalized Jacobian",
        ),
    ):
        plain(axes)
        axes.set_aspect("equal")
        axes.plot(*free.planned.tool, color="black", linewidth=1.4, linestyle=":", zorder=5)
        axes.plot(*tool, color=color, linewidth=2.2, label=f"path of the tool, {how}")
        k = q.shape[1] // 2
        for index, shade, dashes in ((0, GREY, "-"), (k, color, (0, (4, 2)))):
            _base(axes, q[:3, index], shade, dashes)
            _mounted_arm(axes, free.system, q[:, index], shade, dashes=dashes)
        axes.set_xlim(-1.25, 1.75)
        axes.set_ylim(-0.75, 1.65)
        axes.set_xlabel("x, m")
        axes.set_title(title, fontsize=11, loc="left")
    left.set_ylabel("y, m")
    figure.suptitle(
        "The arm on a free base of 100 kg: at 0 s (grey) and at 5 s (dashed)", fontsize=12
    )
    left.plot([], [], color="black", linewidth=1.4, linestyle=":", label="the circle")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return figure


def _arm(
    axes: Any, start: Array, angle: float, q: Array, *, color: str, dashes: Any, label: str | None
) -> None:
    a, b = angle + q[0], angle + q[0] + q[1]
    elbow = start + TABLE_1.L1 * np.array([np.cos(a), np.sin(a)])
    tip = elbow + TABLE_1.L2 * np.array([np.cos(b), np.sin(b)])
    points = np.array([start, elbow, tip]).T
    axes.plot(*points, color=color, linewidth=2.2, linestyle=dashes, zorder=3, label=label)
    axes.plot(*points, "o", color=color, markersize=4.5, zorder=4)


def _mounted_arm(axes: Any, system: Any, q: Array, color: str, *, dashes: Any) -> None:
    x, y, _ = frame_pose(system, q, "link1").position
    _arm(axes, np.array([x, y], float), float(q[2]), q[3:], color=color, dashes=dashes, label=None)


def _base(axes: Any, place: Array, color: str, dashes: Any) -> None:
    """A square of one metre, joint 1 in the middle of a side."""
    x, y, angle = place
    corners = 0.5 * np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1]], float)
    c, s = np.cos(angle), np.sin(angle)
    turned = np.array([[c, -s], [s, c]]) @ corners + np.array([[x], [y]])
    axes.plot(*turned, color=color, linewidth=1.4, linestyle=dashes, zorder=2)
    axes.plot(x, y, "+", color=color, markersize=8, zorder=2)
