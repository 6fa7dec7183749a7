"""What a free base changes: torques, the fall of the error with mass, dynamic singularities."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.dynamics import singularity_map
from percuss.sources.fixed_and_free_floating.curves import JOINTS
from percuss.sources.fixed_and_free_floating.floating import (
    BASE_MASS,
    MASSES,
    error_by_mass,
    floating_arm,
    on_free_base,
)
from percuss.sources.fixed_and_free_floating.followed import followed_circle
from percuss.sources.fixed_and_free_floating.motion import whole_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE
from percuss.sources.fixed_and_free_floating.singularities import dynamic_singularities
from percuss.sources.style import GREEN, GREY, new_figure, plain
from percuss.sources.table import number


def torques_on_free_base() -> Any:
    """Torques for the same joint motion, base fixed and base free."""
    figure = new_figure(10.0, 3.9)
    free = on_free_base()
    for joint, axes in enumerate(figure.subplots(1, 2)):
        plain(axes)
        axes.axhline(0.0, color="black", linewidth=0.7)
        fixed, torque = free.planned.without_gravity[joint], free.torques[joint]
        axes.fill_between(free.planned.t, fixed, torque, color="#e6e6e6", linewidth=0)
        axes.plot(
            free.planned.t,
            fixed,
            color=GREY,
            linewidth=1.6,
            linestyle=(0, (4, 2)),
            label="base fixed (the paper's “free-floating”)" if joint == 0 else None,
        )
        label = f"$\\tau_{joint + 1}$, base free, {BASE_MASS:g} kg"
        axes.plot(free.planned.t, torque, color=JOINTS[joint], linewidth=2.0, label=label)
        axes.set_xlim(0.0, CIRCLE.duration)
        axes.set_xlabel("time, s")
        axes.set_ylabel(f"$\\tau_{joint + 1}$, N m")
        share = 100 * free.peaks.torque_error[joint]
        title = f"joint {joint + 1}: up to {share:.0f} % of the peak apart"
        axes.set_title(title, fontsize=11, loc="left")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return figure


def error_over_mass() -> Any:
    """How the errors of "free-floating is fixed without gravity" fall with the base's mass."""
    figure = new_figure(8.4, 4.6)
    axes = figure.subplots()
    plain(axes)
    torque, tool = error_by_mass(MASSES)
    curves = (
        (torque[0], JOINTS[0], "o", r"$\tau_1$, share of its peak"),
        (torque[1], JOINTS[1], "s", r"$\tau_2$, share of its peak"),
        (tool, GREEN, "^", "place of the tool, m"),
    )
    for values, color, mark, name in curves:
        axes.loglog(MASSES, values, color=color, linewidth=1.6, marker=mark, ms=5, label=name)
    guide = np.array([1e5, 1e8])
    axes.loglog(guide, 0.02 * 1e5 / guide, color="black", linewidth=1.0, linestyle=":")
    axes.annotate("slope −1", (4e6, 0.0008), fontsize=10)
    arm = floating_arm()
    links = sum(float(arm.node(name).body.mass) for name in ("link1", "link2"))  # type: ignore[arg-type]
    axes.axvline(links, color=GREY, linewidth=0.9, linestyle="--")
    axes.annotate(
        f"mass of the arm, {links:g} kg",
        (links * 1.15, 3e-6),
        rotation=90,
        fontsize=9,
        color=GREY,
    )
    axes.set_xlabel("mass of the base, kg (moment of inertia 0.2 m² times it)")
    axes.set_ylabel("largest error over the motion")
    axes.set_title("Fixed without gravity, instead of free-floating", fontsize=12, loc="left")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=10)
    return figure


def singular_configurations() -> Any:
    """det J_g over the joint space: zero on curves that the fixed arm does not have."""
    figure = new_figure(7.6, 6.0)
    axes = figure.subplots()
    axes.tick_params(labelsize=9)
    grid = np.linspace(-np.pi, np.pi, 121)
    found = singularity_map(
        floating_arm(),
        np.zeros(5),
        "tool",
        {"joint1": grid, "joint2": grid},
        task="planar position",
    )
    degrees = np.degrees(grid)
    values = np.asarray(found.values).T
    top = 0.6
    filled = axes.contourf(
        degrees, degrees, values, levels=np.linspace(-top, top, 13), cmap="RdBu_r"
    )
    bar = figure.colorbar(filled, ax=axes, shrink=0.9)
    bar.set_label("determinant of the generalized Jacobian, m²")
    axes.contour(degrees, degrees, values, levels=[0.0], colors="black", linewidths=2.0)
    axes.plot([], [], color="black", linewidth=2.0, label="singular on the free base")
    for k, q2 in enumerate((-180, 0, 180)):
        label = "singular on a fixed base" if k == 0 else None
        axes.axhline(
            q2, color="black", linewidth=1.5, linestyle=(0, (3, 2)), label=label, clip_on=False
        )
    roots = np.degrees(dynamic_singularities())
    axes.plot([90] * len(roots), roots, "o", color="black", markerfacecolor="white", ms=7)
    for q2 in roots:
        up = 12 if q2 > 0 else 18
        axes.annotate(
            f"q2 = {number(float(np.radians(q2)))} rad", (84, q2 + up), fontsize=9, ha="right"
        )
    axes.plot(*np.degrees(whole_motion().q), color="#ffd84d", linewidth=3.5)
    axes.plot(
        *np.degrees(whole_motion().q), color="black", linewidth=1.0, label="case 2, base fixed"
    )
    axes.plot(*np.degrees(followed_circle().q[3:]), color="#ffd84d", linewidth=3.5)
    axes.plot(
        *np.degrees(followed_circle().q[3:]),
        color=GREEN,
        linewidth=1.6,
        label="the circle on the free base",
    )
    axes.set_xticks(range(-180, 181, 90))
    axes.set_yticks(range(-180, 181, 90))
    axes.set_xlabel("q1, degrees")
    axes.set_ylabel("q2, degrees")
    axes.set_title("Dynamic singularities, base of 100 kg", fontsize=12, loc="left")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    return figure
