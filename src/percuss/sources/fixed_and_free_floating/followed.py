"""The circle followed on the free base, with the generalized Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from percuss.dynamics import generalized_task_jacobian
from percuss.dynamics.free_floating import all_rates
from percuss.kinematics import frame_pose
from percuss.sources.fixed_and_free_floating.floating import floating_arm, mounted
from percuss.sources.fixed_and_free_floating.motion import arm_motion, whole_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE
from percuss.sources.fixed_and_free_floating.peaks import SAMPLES, largest

Array = np.ndarray


@dataclass(frozen=True)
class FollowedCircle:
    """The free arm with joint rates q̇ = J_g⁻¹ ẋ: the tool stays on the circle."""

    t: Array
    q: Array
    """(x, y, θ0, q1, q2), shape (5, n)."""
    tool: Array
    tool_error: Array
    determinant: Array
    """Of the generalized Jacobian along the way, m²."""


@lru_cache(maxsize=1)
def followed_circle() -> FollowedCircle:
    """The circle followed by the arm on the free base of 100 kg, from the same start."""
    return _followed(whole_motion().t)


@lru_cache(maxsize=4)
def smallest_determinant(samples: int = SAMPLES) -> float:
    """Smallest |det J_g| on that way, m², at samples or between them."""

    def negated(t: Array) -> Array:
        return -np.abs(_followed(t).determinant)[None]

    return -float(largest(negated, CIRCLE.duration, samples)[0])


def _followed(t: Array) -> FollowedCircle:
    arm, q = floating_arm(), _course()(t)
    x, y, _ = frame_pose(arm, q, "tool").position
    tool = np.array([x, y], float)
    general = generalized_task_jacobian(arm, q, "tool", "planar position")
    determinant = np.linalg.det(np.moveaxis(np.asarray(general, float), -1, 0))
    return FollowedCircle(
        t=t,
        q=q,
        tool=tool,
        tool_error=np.hypot(*(tool - arm_motion(t).tool)),
        determinant=determinant,
    )


@lru_cache(maxsize=1)
def _course() -> Callable[[Array], Array]:
    """Coordinates (5, n) at times (n,)."""
    from scipy.integrate import solve_ivp

    arm, path = floating_arm(), CIRCLE.path()

    def rates(t: float, q: Array) -> Array:
        vx, vy, _ = path(t).velocity.linear
        general = generalized_task_jacobian(arm, q, "tool", "planar position")
        joints = np.linalg.solve(np.asarray(general, float), np.array([vx, vy], float))
        return np.asarray(all_rates(arm, q, joints), float)

    start = [*mounted(np.zeros(3), arm), *whole_motion().q[:, 0]]
    # The rates vanish at the start, which would mislead the choice of steps without a limit.
    found = solve_ivp(
        rates,
        (0.0, CIRCLE.duration),
        start,
        method="DOP853",
        rtol=1e-10,
        atol=1e-11,
        dense_output=True,
        max_step=0.5,
    )
    if not found.success:
        raise ArithmeticError(f"the circle could not be followed: {found.message}")
    return found.sol
