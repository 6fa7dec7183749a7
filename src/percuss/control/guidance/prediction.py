"""Where a target will be: its motion with nothing acting on it but gravity, and the orbit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar
from percuss.dynamics.flight import free_flight
from percuss.dynamics.forward import forward_dynamics
from percuss.dynamics.orbit import CircularOrbit, orbital_loads
from percuss.kinematics.frames import frame_acceleration, frame_pose, frame_velocity
from percuss.kinematics.manifold import coordinate_rates
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.systems import Frame, System

Array = NDArray[np.float64]

_TOLERANCE = 1e-12


@dataclass(frozen=True)
class GripState:
    """A frame on a target at one instant, world axes at its origin."""

    pose: Pose
    velocity: Motion
    acceleration: Motion
    """Of the point (m/s²) and of the body (rad/s²)."""


def predicted_state(
    target: System, q: Coordinates, v: Rates, t: float, *, orbit: CircularOrbit | None = None
) -> tuple[Array, Array]:
    """Coordinates and rates of a target after t (s) of free flight from (q, v) at time 0.

    In closed form for one body that no orbit acts on; a target of several, whose parts move
    freely against each other, is integrated, and so is one in an orbit.
    """
    start, rates = checked_state(target, q, v)
    if not np.isfinite(t):
        raise ModelError(f"the time to predict must be finite (s), got {t!r}")
    if t == 0 or not target.rate_count:
        return start, rates
    if orbit is None and _is_one_free_body(target):
        return free_flight(target, start, rates, float(t))
    return _integrated(target, start, rates, float(t), orbit=orbit)


def flight_accelerations(
    target: System, q: Coordinates, v: Rates, orbit: CircularOrbit | None = None, *, t: Scalar = 0.0
) -> Any:
    """v̇ of a target that nothing drives, shape (nv,), m/s² and rad/s², any scalar.

    Gravity acts on it, and the loads of the orbit as they are at the time t (s) of the run.
    """
    if orbit is None:
        return forward_dynamics(target, q, v, None)
    falling = orbital_loads(orbit, target, orbit.angle(t), q, v=v)
    return forward_dynamics(target, q, v, None, wrenches=falling.wrenches)


def grip_state(
    target: System,
    q: Coordinates,
    v: Rates,
    grip: str | Frame,
    *,
    orbit: CircularOrbit | None = None,
    t: Scalar = 0.0,
) -> GripState:
    """How a frame of a target moves while nothing drives the target; in an orbit, at time t (s)."""
    a = flight_accelerations(target, q, v, orbit, t=t)
    return GripState(
        frame_pose(target, q, grip),
        frame_velocity(target, q, v, grip),
        frame_acceleration(target, q, v, a, frame=grip),
    )


def checked_state(system: System, q: Coordinates, v: Rates) -> tuple[Array, Array]:
    """A state of numbers, refused with the names of what is wanted."""
    found = []
    for what, values, names in (
        ("coordinates", q, system.coordinate_names),
        ("rates", v, system.rate_names),
    ):
        array = np.array(values, float)
        if array.shape != (len(names),) or not np.isfinite(array).all():
            raise ModelError(
                f"{system.name!r}: {what} must be {len(names)} finite numbers "
                f"({', '.join(names)}), got {values!r}"
            )
        found.append(array)
    return found[0], found[1]


def _is_one_free_body(target: System) -> bool:
    first, *others = (node.joint.motion for node in target.tree)
    return isinstance(first, (Free, Planar)) and not any(m.rate_count for m in others)


def _integrated(
    target: System, q: Array, v: Array, t: float, *, orbit: CircularOrbit | None
) -> tuple[Array, Array]:
    from scipy.integrate import solve_ivp

    count = target.coordinate_count

    def rates(time: float, x: Array) -> Array:
        place, speed = x[:count], x[count:]
        change = np.asarray(coordinate_rates(target, place, speed), float)
        turning = np.asarray(flight_accelerations(target, place, speed, orbit, t=time), float)
        return np.concatenate([change, turning])

    found = solve_ivp(
        rates,
        (0.0, t),
        np.concatenate([q, v]),
        method="DOP853",
        rtol=_TOLERANCE,
        atol=_TOLERANCE,
    )
    if not found.success:
        raise ModelError(f"the flight of {target.name!r} could not be predicted: {found.message}")
    end = found.y[:, -1]
    return end[:count], end[count:]
