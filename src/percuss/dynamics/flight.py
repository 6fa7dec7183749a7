"""Free flight of a single body: its centre of mass on a parabola, its attitude torque-free."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.rotations import Quaternion
from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Vector3
from percuss.dynamics.torque_free import torque_free_motion
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.merge import merge_fixed
from percuss.model.parameters import parameters
from percuss.model.systems import System

Array = NDArray[np.float64]


def free_flight(system: System, q: Coordinates, v: Rates, t: Any) -> tuple[Array, Array]:
    """Coordinates and rates of a free body at times t, from where it is and how it moves at 0.

    With r the centre of mass, s its place in the moving joint frame and R(t) the attitude,

        r(t) = r + ṙ t + ½ g t²,   x(t) = r(t) − R(t) s,   ẋ(t) = ṙ + g t − ω(t) × R(t) s.

    In the plane ω is constant and the angle grows without wrapping; in space attitude and ω are
    those of `torque_free_motion`. Gravity is uniform and turns nothing. No force but gravity acts.

    Args:
        system: one body on a free or planar joint on the world; bodies fixed to it count as part
            of it.
        q: coordinates at time 0, shape (nq,).
        v: rates at time 0, shape (nv,), m/s and rad/s.
        t: times (s), of either sign; shape (n,) or ().

    Returns:
        q and v at these times, shapes (nq, n) and (nv, n), or (nq,) and (nv,).
    """
    alone = _single(system)
    joint, body = alone.base_joint, alone.base
    place = _state(q, alone.coordinate_names, "coordinates")
    speed = _state(v, alone.rate_names, "rates")
    when = np.asarray(t, float)
    if when.ndim > 1 or not np.isfinite(when).all():
        raise ModelError(f"t must be finite (s), one time or a row of them, got {t!r}")
    # All in the axes of the joint frame on the world, in which coordinates and rates are given.
    fall = joint.placement.rotation.inverse() @ alone.gravity
    arm = joint.child_placement.act(body.com)
    if isinstance(joint.motion, Planar):
        return _in_plane(place, speed, when, fall, arm=arm)
    inertia = joint.child_placement.rotation.conjugate(body.inertia.matrix())
    turned, spin = torque_free_motion(inertia, place[3:], speed[3:], when)
    offset = Quaternion(*place[3:].tolist()).to_rotation() @ arm
    velocity = Vector3(*speed[:3].tolist()) + Vector3(*speed[3:].tolist()).cross(offset)
    center = Vector3(*place[:3].tolist()) + offset
    later = Quaternion(*turned).to_rotation() @ arm
    x = _fallen(center, velocity, fall, when) - later
    dx = velocity + fall * when - Vector3(*spin).cross(later)
    return _stacked((*x, *turned), when), _stacked((*dx, *spin), when)


def _in_plane(
    place: Array, speed: Array, when: Array, fall: Vector3, *, arm: Vector3
) -> tuple[Array, Array]:
    x, y, angle = place.tolist()
    vx, vy, turning = speed.tolist()
    spin = Vector3(0.0, 0.0, turning)
    offset = _turned(arm, np.float64(angle))
    velocity = Vector3(vx, vy, 0.0) + spin.cross(offset)
    angles = angle + turning * when
    later = _turned(arm, angles)
    position = _fallen(Vector3(x, y, 0.0) + offset, velocity, fall, when) - later
    rates = velocity + fall * when - spin.cross(later)
    return (
        _stacked((position.x, position.y, angles), when),
        _stacked((rates.x, rates.y, turning), when),
    )


def _turned(vector: Vector3, angle: Any) -> Vector3:
    """In the plane, by an angle (rad) about z; the height is left out."""
    c, s = np.cos(angle), np.sin(angle)
    return Vector3(c * vector.x - s * vector.y, s * vector.x + c * vector.y, 0.0)


def _fallen(start: Vector3, velocity: Vector3, fall: Vector3, when: Array) -> Vector3:
    return start + (velocity + fall * (0.5 * when)) * when


def _stacked(rows: Any, when: Array) -> Array:
    return np.stack([np.broadcast_to(np.asarray(row, float), when.shape) for row in rows])


def _single(system: System) -> System:
    """The system as one body on the joint that leaves it free."""
    alone = merge_fixed(system) if len(system.bodies) > 1 else system
    if len(alone.bodies) != 1 or not isinstance(alone.base_joint.motion, (Free, Planar)):
        joints = ", ".join(f"{joint.name!r} ({joint.motion.kind})" for joint in alone.joints)
        raise ModelError(
            f"free flight is that of one body on a free or planar joint; system {system.name!r} "
            f"has the joints {joints}"
        )
    for name, value in parameters(alone).items():
        if not is_constant(value):
            raise ModelError(f"free flight needs numbers: parameter {name} is {value!r}")
    if not all(is_constant(x) for x in alone.gravity):
        raise ModelError(f"free flight needs numbers: gravity is {alone.gravity!r}")
    return alone


def _state(given: Any, names: tuple[str, ...], what: str) -> Array:
    try:
        state = np.asarray(given, float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be numbers: {error}") from None
    if state.shape != (len(names),) or not np.isfinite(state).all():
        raise ModelError(
            f"{what} must be {len(names)} finite numbers ({', '.join(names)}), got {given!r}"
        )
    return state
