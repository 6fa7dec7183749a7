"""Figure 4.1: the VMS and its object, to scale, before (solid) and 10 s after (dashed)."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.encounter.simulation import Simulation
from percuss.kinematics import frame_pose
from percuss.sources.style import GREY, new_figure, plain
from percuss.sources.thesis.cases import CLOSURES, DURATION, Case, simulation_of
from percuss.sources.thesis.style import COLORS
from percuss.sources.thesis.tables import VELOCITIES, VMS


def initial_and_final() -> Any:
    """Figure 4.1: both simulations as rows, the closures as columns."""
    figure = new_figure(10.5, 9.6)
    grid = figure.subplots(len(VELOCITIES), len(CLOSURES), sharex="row", sharey=True)
    words = {1: "the object comes from the east", 2: "the object comes from the north"}
    for row, simulation in enumerate(VELOCITIES):
        for column, closure in enumerate(CLOSURES):
            axes = grid[row, column]
            _panel(axes, simulation_of(Case(simulation, closure)), closure)
            axes.set_title(
                f"{closure}\n" if row == 0 else "",
                color=COLORS[closure],
                fontweight="bold",
                fontsize=12,
                pad=2,
            )
            axes.set_xlabel("x, m")
            if column == 0:
                axes.set_ylabel(f"simulation {simulation}: {words[simulation]}\n\ny, m")
    figure.suptitle(
        f"Figure 4.1: initial (solid) and final (dashed, {DURATION:g} s) position of the VMS",
        fontsize=13,
    )
    return figure


def _panel(axes: Any, simulation: Simulation, closure: str) -> None:
    plain(axes)
    axes.set_aspect("equal")
    observation = simulation.observation
    tool = observation.tool_position[:, :2]
    axes.plot(*tool.T, color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    for index, color, dashes in ((0, "black", "-"), (-1, COLORS[closure], (0, (4, 2)))):
        _vms(axes, simulation, index, color, dashes=dashes)
        center, angle = observation.target_center[index, :2], observation.target_angle[index]
        _disk(axes, center, color, dashes, fill="#f3efe6" if index == 0 else "none")
        x_axis = center + VMS.r * np.array([np.cos(angle), np.sin(angle)])
        axes.plot(*zip(center, x_axis, strict=True), color=color, linewidth=0.9, linestyle=dashes)
    vx, vy, _ = np.asarray(simulation.contact.target_rates, float)
    start, coming = observation.target_center[0, :2], VMS.r * np.array([vx, vy]) / np.hypot(vx, vy)
    axes.annotate(
        "",
        xy=start - 1.1 * coming,
        xytext=start - 2.3 * coming,
        arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.4},
        zorder=5,
    )
    axes.set_xlim(*((-6.4, 3.6) if abs(vx) > abs(vy) else (-2.4, 4.4)))
    axes.set_ylim(-0.5, 10.5)


def _vms(axes: Any, simulation: Simulation, index: int, color: str, *, dashes: Any) -> None:
    """Base as a disk with its x axis, arms as lines, joints as dots."""
    system, q = simulation.contact.chaser, simulation.observation.q[:5, index]
    places = [
        np.asarray(frame_pose(system, q, name).position.array(), float)[:2]
        for name in ("base", "link1", "link2")
    ]
    tool = simulation.observation.tool_position[index, :2]
    base, joint_1, joint_2 = places
    _disk(axes, base, color, dashes, fill="#e8eef4" if index == 0 else "none")
    nose = base + VMS.r * np.array([np.cos(q[2]), np.sin(q[2])])
    axes.plot(*zip(base, nose, strict=True), color=color, linewidth=0.9, linestyle=dashes)
    axes.plot(
        *zip(joint_1, joint_2, tool, strict=True),
        color=color,
        linewidth=2.6,
        linestyle=dashes,
        zorder=3,
    )
    axes.plot(*zip(joint_1, joint_2, tool, strict=True), "o", color=color, markersize=4.5, zorder=4)


def _disk(axes: Any, center: np.ndarray, color: str, dashes: Any, *, fill: str) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(
        Circle(
            (float(center[0]), float(center[1])),
            VMS.r,
            facecolor=fill,
            edgecolor=color,
            linewidth=1.3,
            linestyle=dashes,
            zorder=2,
        )
    )
