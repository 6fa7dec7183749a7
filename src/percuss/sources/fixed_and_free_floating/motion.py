"""The arm on a fixed base along the circle: angles, rates, accelerations and torques."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from percuss.dynamics import inverse_dynamics
from percuss.kinematics import resolved_motion, two_link_angles
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, TABLE_1, fixed_arm
from percuss.sources.fixed_and_free_floating.peaks import SAMPLES, largest
from percuss.sources.fixed_and_free_floating.printed import numeric_torques

Array = np.ndarray

CASES = {1: "positive", 2: "negative"}
"""The paper's cases by the sign of θ2; it goes on with case 2."""


@dataclass(frozen=True)
class ArmMotion:
    """Motion of the arm at times t (n,): φ (n,), and for (x, y) or the two joints arrays (2, n).

    Tool in m, m/s and m/s²; joints in rad, rad/s, rad/s²; torques in N m.
    """

    t: Array
    phi: Array
    tool: Array
    tool_velocity: Array
    tool_acceleration: Array
    q: Array
    v: Array
    a: Array
    without_gravity: Array
    with_gravity: Array

    @property
    def gravity_effect(self) -> Array:
        """Figure 11: what gravity adds to the torques (N m)."""
        return self.with_gravity - self.without_gravity


def arm_motion(times: Any, case: int = 2) -> ArmMotion:
    """The motion at these times (s), by inverse kinematics, resolved rates and inverse dynamics."""
    t = np.atleast_1d(np.asarray(times, float))
    state = CIRCLE.path()(t)
    x, y, _ = state.pose.position
    angles = getattr(two_link_angles(TABLE_1.L1, TABLE_1.L2, x, y), CASES[case])
    q = np.array(angles, float)
    arm = fixed_arm(gravity=False)
    v, a = resolved_motion(arm, q, "tool", state, task="planar position")
    s, _, _ = CIRCLE.path().timing(t)
    return ArmMotion(
        t=t,
        phi=2 * np.pi * s[0],
        tool=_planar(state.pose.position),
        tool_velocity=_planar(state.velocity.linear),
        tool_acceleration=_planar(state.acceleration.linear),
        q=q,
        v=v,
        a=a,
        without_gravity=np.asarray(inverse_dynamics(arm, q, v, a), float),
        with_gravity=np.asarray(inverse_dynamics(fixed_arm(gravity=True), q, v, a), float),
    )


@dataclass(frozen=True)
class TorquePeaks:
    """Largest |τ1| and |τ2| over the motion, at samples or between them, (2,), N m."""

    without_gravity: Array
    with_gravity: Array
    printed_surplus: float
    """What the printed equations with numbers, with gravity, give more for τ1 at most (N m)."""


@lru_cache(maxsize=2)
def torque_peaks(samples: int = SAMPLES) -> TorquePeaks:
    """Maxima of case 2, looked for from `samples` points and refined to rounding."""

    def sizes(t: Array) -> Array:
        m = arm_motion(t)
        more = numeric_torques(m.q, m.v, m.a, gravity=True) - m.with_gravity
        return np.array([*np.abs(m.without_gravity), *np.abs(m.with_gravity), more[0]])

    found = largest(sizes, CIRCLE.duration, samples)
    return TorquePeaks(found[:2], found[2:4], float(found[4]))


@lru_cache(maxsize=2)
def whole_motion(case: int = 2) -> ArmMotion:
    """The motion over the ten seconds, a step of 0.025 s."""
    return arm_motion(np.linspace(0.0, CIRCLE.duration, SAMPLES), case)


def _planar(vector: Any) -> Array:
    x, y, _ = vector
    return np.array(np.broadcast_arrays(x, y), float)
