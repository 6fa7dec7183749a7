"""The same arm on a base that nothing holds: what the paper leaves to future work.

With no momentum the base turns as the joints tell it, ω0 = B(q) q̇, whatever its attitude; so the
attitude over time is an integral of a known function, and then the position is one too. Both are
integrated as Chebyshev series, exact to rounding for a motion as smooth as this one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from percuss.dynamics import (
    all_rates,
    base_rates,
    generalized_task_jacobian,
    hybrid_forces,
    singularities_along,
)
from percuss.kinematics import frame_pose, jacobian
from percuss.model.library import robot
from percuss.model.systems import System
from percuss.sources.fixed_and_free_floating.motion import ArmMotion, arm_motion, whole_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, fixed_arm

Array = np.ndarray

BASE_MASS = 100.0
INERTIA_BY_MASS = 0.2
"""m²: the library's base has 20 kg m² for 100 kg, and so have lighter and heavier ones."""

_DEGREE = 120
_PRESCRIBED = (False, False, False, True, True)
"""No force on the base; the joints move as they should."""


def floating_arm(mass: float = BASE_MASS) -> System:
    """The library's robot "2r-floating" with a base of this mass (kg) and 0.2 m² times it."""
    values = {"base.mass": mass, "base.inertia.zz": INERTIA_BY_MASS * mass}
    return robot("2r-floating").with_parameters(values)


def mounted(base: Array, arm: System) -> Array:
    """Coordinates (x, y, θ0) of the base with joint 1 at the world's origin when θ0 = 0."""
    placement = arm.joint("joint1").placement.position
    return base - np.array([float(placement.x), float(placement.y), 0.0])  # type: ignore[arg-type]


@dataclass(frozen=True)
class FloatingArm:
    """The joints move as on a fixed base, and the base reacts. Times (n,), as in `ArmMotion`."""

    mass: float
    system: System
    planned: ArmMotion
    q: Array
    """(x, y, θ0, q1, q2), shape (5, n)."""
    v: Array
    torques: Array
    """Of the joints, shape (2, n), N m, without gravity."""

    @cached_property
    def tool(self) -> Array:
        """Where the end-effector goes, (2, n), m."""
        x, y, _ = frame_pose(self.system, self.q, "tool").position
        return np.array([x, y], float)

    @cached_property
    def tool_error(self) -> Array:
        """Distance from the circle's point of the same time, (n,), m."""
        return np.hypot(*(self.tool - self.planned.tool))

    @property
    def torque_error(self) -> Array:
        """Largest |τ - τ fixed| as a share of the largest |τ fixed|, (2,)."""
        fixed = self.planned.without_gravity
        return np.abs(self.torques - fixed).max(axis=1) / np.abs(fixed).max(axis=1)


@lru_cache(maxsize=32)
def on_free_base(mass: float = BASE_MASS) -> FloatingArm:
    """The arm of the paper, case 2, on a free base of this mass (kg), at rest at first."""
    arm, planned = floating_arm(mass), whole_motion()
    turn = _integral(lambda t: _base_rates(arm, t, np.zeros_like(t))[2])
    x, y = (_integral(lambda t, k=k: _base_rates(arm, t, turn(t))[k]) for k in (0, 1))
    start = mounted(np.zeros(3), arm)
    base = np.array([x(planned.t), y(planned.t), turn(planned.t)]) + start[:, None]
    q = np.concatenate([base, planned.q])
    v = np.asarray(all_rates(arm, q, planned.v), float)
    a = np.concatenate([np.zeros_like(base), planned.a])
    forces = np.asarray(hybrid_forces(arm, q, v, None, a, _PRESCRIBED), float)
    return FloatingArm(mass, arm, planned, q, v, forces[3:])


def error_by_mass(masses: Array) -> tuple[Array, Array]:
    """Torque errors (2, n), as shares, and tool errors (n,), m, for base masses (n,), kg."""
    found = [on_free_base(float(mass)) for mass in masses]
    return (
        np.array([arm.torque_error for arm in found]).T,
        np.array([arm.tool_error.max() for arm in found]),
    )


MASSES = np.logspace(1, 8, 15)
"""Base masses of the sweep, kg."""


def slopes(heaviest: int = 5) -> Array:
    """d log(error) / d log(mass) over the heaviest bases: of both torques and of the tool."""
    torque, tool = error_by_mass(MASSES)
    log = np.log(MASSES[-heaviest:])
    return np.array([np.polyfit(log, np.log(row[-heaviest:]), 1)[0] for row in (*torque, tool)])


def determinants() -> tuple[float, float]:
    """det of the generalized Jacobian and of the fixed arm's at t = 0, case 2, m²."""
    q = arm_motion(0.0).q[:, 0]
    general = generalized_task_jacobian(
        floating_arm(), [0.0, 0.0, 0.0, *q], "tool", "planar position"
    )
    fixed = np.asarray(jacobian(fixed_arm(gravity=False), q, "tool"), float)[:2]
    return float(np.linalg.det(np.asarray(general, float))), float(np.linalg.det(fixed))


def dynamic_singularities(q1: float = np.pi / 2) -> Array:
    """q2 at which the free arm loses a direction for this q1, sorted (rad)."""
    return singularities_along(
        floating_arm(), [0.0, 0.0, 0.0, q1, 0.0], "tool", "joint2", task="planar position"
    )


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
    from scipy.integrate import solve_ivp

    arm, path = floating_arm(), CIRCLE.path()

    def rates(t: float, q: Array) -> Array:
        vx, vy, _ = path(t).velocity.linear
        general = generalized_task_jacobian(arm, q, "tool", "planar position")
        joints = np.linalg.solve(np.asarray(general, float), np.array([vx, vy], float))
        return np.asarray(all_rates(arm, q, joints), float)

    planned = whole_motion()
    start = [*mounted(np.zeros(3), arm), *planned.q[:, 0]]
    # The rates vanish at the start, which would mislead the choice of steps without a limit.
    found = solve_ivp(
        rates,
        (0.0, CIRCLE.duration),
        start,
        method="DOP853",
        rtol=1e-10,
        atol=1e-11,
        t_eval=planned.t,
        max_step=0.5,
    )
    if not found.success:
        raise ArithmeticError(f"the circle could not be followed: {found.message}")
    x, y, _ = frame_pose(arm, found.y, "tool").position
    tool = np.array([x, y], float)
    general = generalized_task_jacobian(arm, found.y, "tool", "planar position")
    determinant = np.linalg.det(np.moveaxis(np.asarray(general, float), -1, 0))
    error = np.hypot(*(tool - planned.tool))
    return FollowedCircle(planned.t, found.y, tool, error, determinant)


def _base_rates(arm: System, t: Array, angle: Array) -> Array:
    """(ẋ, ẏ, θ̇0) at times, the base turned by these angles."""
    motion = arm_motion(t)
    q = np.array([np.zeros_like(t), np.zeros_like(t), angle, *motion.q])
    return np.asarray(base_rates(arm, q, motion.v), float)


def _integral(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """∫ from 0 of a function of time as a Chebyshev series."""
    from numpy.polynomial import Chebyshev

    series = Chebyshev.interpolate(function, _DEGREE, [0.0, CIRCLE.duration])
    return series.integ(lbnd=0.0)
