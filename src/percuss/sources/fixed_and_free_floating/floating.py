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

from percuss.dynamics.free_floating import all_rates, base_rates
from percuss.dynamics.hybrid import hybrid_forces
from percuss.kinematics import frame_pose
from percuss.model.library.registry import robot
from percuss.model.systems import System
from percuss.sources.fixed_and_free_floating.motion import ArmMotion, arm_motion, whole_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE
from percuss.sources.fixed_and_free_floating.peaks import SAMPLES, largest

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
    def peaks(self) -> LargestLoads:
        """What is largest over the ten seconds, whatever the times of this motion are."""
        return free_base_peaks(self.mass)


@dataclass(frozen=True)
class LargestLoads:
    """Largest absolute values over the motion, at samples or between them."""

    fixed_torques: Array
    """On the fixed base without gravity, (2,), N m."""
    torques: Array
    """On the free base, (2,), N m."""
    torque_change: Array
    """|τ - τ fixed|, (2,), N m."""
    tool_error: float
    """Distance of the tool from the circle's point of the same time, m."""
    turn: float
    """Of the base, rad."""

    @property
    def torque_error(self) -> Array:
        """Largest |τ - τ fixed| as a share of the largest |τ fixed|, (2,)."""
        return self.torque_change / self.fixed_torques


@lru_cache(maxsize=32)
def on_free_base(mass: float = BASE_MASS) -> FloatingArm:
    """The arm of the paper, case 2, on a free base of this mass (kg), at rest at first."""
    return _on_free_base(mass, whole_motion())


@lru_cache(maxsize=64)
def free_base_peaks(mass: float = BASE_MASS, samples: int = SAMPLES) -> LargestLoads:
    """Maxima of that motion, looked for from `samples` points and refined to rounding."""

    def sizes(t: Array) -> Array:
        free = _on_free_base(mass, arm_motion(t))
        fixed = free.planned.without_gravity
        rows = [*fixed, *free.torques, *(free.torques - fixed), free.tool_error, free.q[2]]
        return np.abs(rows)

    found = largest(sizes, CIRCLE.duration, samples)
    return LargestLoads(
        fixed_torques=found[:2],
        torques=found[2:4],
        torque_change=found[4:6],
        tool_error=float(found[6]),
        turn=float(found[7]),
    )


def _on_free_base(mass: float, planned: ArmMotion) -> FloatingArm:
    arm = floating_arm(mass)
    base = _base_course(mass)(planned.t)
    q = np.concatenate([base, planned.q])
    v = np.asarray(all_rates(arm, q, planned.v), float)
    a = np.concatenate([np.zeros_like(base), planned.a])
    forces = np.asarray(hybrid_forces(arm, q, v, None, a=a, prescribed=_PRESCRIBED), float)
    return FloatingArm(mass=mass, system=arm, planned=planned, q=q, v=v, torques=forces[3:])


@lru_cache(maxsize=32)
def _base_course(mass: float) -> Callable[[Array], Array]:
    """(x, y, θ0) of the base, shape (3, n), at times (n,)."""
    arm = floating_arm(mass)
    turn = _integral(lambda t: _base_rates(arm, t, np.zeros_like(t))[2])
    x, y = (_integral(lambda t, k=k: _base_rates(arm, t, turn(t))[k]) for k in (0, 1))
    start = mounted(np.zeros(3), arm)
    return lambda t: np.array([x(t), y(t), turn(t)]) + start[:, None]


def error_by_mass(masses: Array) -> tuple[Array, Array]:
    """Torque errors (2, n), as shares, and tool errors (n,), m, for base masses (n,), kg."""
    found = [free_base_peaks(float(mass)) for mass in masses]
    return (
        np.array([peaks.torque_error for peaks in found]).T,
        np.array([peaks.tool_error for peaks in found]),
    )


MASSES = np.logspace(1, 8, 15)
"""Base masses of the sweep, kg."""


def slopes(heaviest: int = 5) -> Array:
    """d log(error) / d log(mass) over the heaviest bases: of both torques and of the tool."""
    torque, tool = error_by_mass(MASSES)
    log = np.log(MASSES[-heaviest:])
    return np.array([np.polyfit(log, np.log(row[-heaviest:]), 1)[0] for row in (*torque, tool)])


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
