"""Figures 6–11: angles, rates, accelerations and torques over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kinematics import jacobian
from percuss.sources.fixed_and_free_floating.motion import whole_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, fixed_arm
from percuss.sources.fixed_and_free_floating.printed import numeric_torques
from percuss.sources.style import BLUE, ORANGE, new_figure, plain

Array = np.ndarray

JOINTS = (BLUE, ORANGE)
"""A colour for each joint, everywhere."""

_PRINTED = {"linestyle": (0, (4, 2)), "linewidth": 1.3, "alpha": 0.9}


def angles() -> Any:
    """Figure 6."""
    m = whole_motion()
    return _figure(
        "Figure 6: joint angles, case 2", "angle, rad", m.q, (r"$\theta_1$", r"$\theta_2$")
    )


def rates() -> Any:
    """Figure 7."""
    m = whole_motion()
    names = (r"$\dot\theta_1$", r"$\dot\theta_2$")
    return _figure("Figure 7: joint rates, case 2", "rate, rad/s", m.v, names)


def accelerations() -> Any:
    """Figure 8, with J⁻¹ Ẍ beside."""
    m = whole_motion()
    names = (r"$\ddot\theta_1$", r"$\ddot\theta_2$")
    return _figure(
        "Figure 8: joint accelerations, case 2",
        "acceleration, rad/s²",
        m.a,
        names,
        printed=without_drift(),
        meaning=r"$J^{-1}\ddot X$, as printed",
    )


def without_drift() -> Array:
    """q̈ = J⁻¹ Ẍ as printed after (10), shape (2, n)."""
    m = whole_motion()
    J = np.asarray(jacobian(fixed_arm(gravity=False), m.q, "tool"), float)[:2]
    wanted = np.moveaxis(m.tool_acceleration, -1, 0)[..., None]
    return np.linalg.solve(np.moveaxis(J, -1, 0), wanted)[..., 0].T


def torques_with_gravity() -> Any:
    """Figure 9."""
    return _torques("Figure 9: torques with gravity", gravity=True)


def torques_without_gravity() -> Any:
    """Figure 10."""
    return _torques("Figure 10: torques without gravity", gravity=False)


def gravity_effect() -> Any:
    """Figure 11."""
    m = whole_motion()
    names = (r"$\tau_1$", r"$\tau_2$")
    title = "Figure 11: what gravity adds to the torques"
    return _figure(title, "torque, N m", m.gravity_effect, names)


def _torques(title: str, gravity: bool) -> Any:
    m = whole_motion()
    return _figure(
        title,
        "torque, N m",
        m.with_gravity if gravity else m.without_gravity,
        (r"$\tau_1$", r"$\tau_2$"),
        printed=numeric_torques(m.q, m.v, m.a, gravity),
        meaning="equations with numbers, as printed",
    )


def _figure(
    title: str,
    label: str,
    values: Array,
    names: Sequence[str],
    *,
    printed: Array | None = None,
    meaning: str = "",
) -> Any:
    """Both joints over time; dashed what the paper's own equations give."""
    figure = new_figure(8.4, 4.0)
    axes = figure.subplots()
    plain(axes)
    time = whole_motion().t
    axes.axhline(0.0, color="black", linewidth=0.7)
    for joint, (name, color) in enumerate(zip(names, JOINTS, strict=True)):
        axes.plot(time, values[joint], color=color, linewidth=2.0, label=f"{name}, percuss")
        if printed is not None:
            axes.plot(time, printed[joint], color=color, label=f"{name}, {meaning}", **_PRINTED)
    axes.set_xlim(0.0, CIRCLE.duration)
    axes.set_xlabel("time, s")
    axes.set_ylabel(label)
    axes.set_title(title, fontsize=12, loc="left")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    return figure
