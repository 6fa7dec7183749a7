"""Reaction wheels of an attitude-controlled base: where the torque on it comes from.

The wheels' angular momentum h is given in world axes: shape (3,) in space, (1,) in the plane
(about its normal), N m s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Commands, Coordinates
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import (
    Scalar,
    add,
    dot,
    is_constant,
    pack,
    plain,
    sqrt,
    sub,
    terms,
    unpack,
    where,
)
from percuss.algebra.vectors import Vector3
from percuss.control.plant import Plant, TreePlant
from percuss.dynamics.hybrid import hybrid_forces
from percuss.model.checks import as_scalar, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Scalars
from percuss.model.names import BaseMode
from percuss.model.systems import System

LAYER = 0.02
"""Share of the capacity, its last, over which torques that load the wheels fade out."""


def wheel_rates(plant: Plant, u: Commands) -> Any:
    """ḣ of the wheels' angular momentum h in world axes (N m), under the commands u.

    The command on the base's angular rates is the torque that the wheels exert on the base; the
    base exerts the opposite on the wheels: ḣ = -u. Together with the momentum of the tree, h is
    conserved. (A wheel's own rotor is part of the base's mass.) The base is that of the plant's
    `system`; a plant without one has no wheels.

    Returns:
        Shape (1,) in the plane (about its normal), (3,) in space, and (0,) unless the base is
        attitude-controlled.
    """
    mount = _mount_of(plant)
    if mount is None:
        return pack([])
    return pack(-torque for torque in mount.torques(_entries(plant, u)))


def wheel_limited(plant: Plant, u: Commands, h: Any, capacity: Any) -> Any:
    """The commands u with the torque that would load the wheels beyond their capacity faded out.

    Of the wheels' rate ḣ = -u only the part along h changes |h|. Where it would grow, that part
    is multiplied by σ, and nothing else is touched:

        σ = x² (3 - 2 x),   x = (C² - |h|²) / (C² - (0.98 C)²) clipped to 0 … 1.

    So u is unchanged while |h| ≤ 98 % of the capacity C, torques that unload or that only turn h
    always pass, and the result is continuous in u and h. |h| never exceeds C unless it begins
    there: where |h| ≥ C, d|h|/dt ≤ 0, so there is no way across. The norm of h is what counts:
    that is a cluster of wheels with the same capacity in every direction, whatever the attitude
    in which h was taken up; single wheels on fixed axes would need the mounting of each.

    Args:
        u: generalized forces on the chaser's rates, shape (own_rates,), N and N m.
        h: momentum of the wheels in world axes (N m s), shape (3,), or (1,) in the plane.
        capacity: C > 0, N m s; infinite for wheels that never saturate.

    Returns:
        Shape (own_rates,), N and N m.
    """
    mount = _wheels_of(plant)
    bound = as_scalar(capacity, "capacity (N m s)")
    if violates(bound, lambda x: x > 0):
        raise ModelError(f"capacity of the wheels must be > 0 N m s, got {shown(bound)}")
    entries = _entries(plant, u)
    if is_constant(bound) and bound == math.inf:
        return pack(entries)
    stored = unpack(h, mount.count, "h (momentum of the wheels)")
    torques = mount.torques(entries)
    square, most = dot(stored, stored), terms(bound)
    limit = most * most
    left = terms(_clipped(plain((limit - square) / ((1 - (1 - LAYER) ** 2) * limit))))
    held = 1.0 - left * left * (3.0 - 2.0 * left)  # 1 - σ
    # ḣ = -torques: the momentum grows where h · torques < 0.
    loading = dot(stored, torques)
    full = left < 1.0
    loading = where(loading < 0.0, loading, 0.0)
    # Away from the limit h may be zero: the divisor is guarded, not the quotient.
    share = held * loading / where(full, square, 1.0)
    allowed = [torque - share * x for torque, x in zip(torques, stored, strict=True)]
    return pack(mount.replaced(entries, tuple(plain(allowed))))


def dump_torques(plant: Plant, h: Any, torque: Any, fade: float = 1.0) -> Any:
    """d: torque of thrusters on the base against the momentum of the wheels, N m.

    It has the size `torque` τ and points against h. The base is to feel nothing of it: the
    wheels take the rest of a command u, ḣ = -(u - d), so that with u = 0, h(t) = h(0) - τ t
    along its own direction, and d is what goes out of the system. Near zero it fades out with a
    continuous slope, over the momentum δ = τ · fade that the thrusters take out in a time `fade`:

        d = -τ (h / δ) (3 - |h|² / δ²) / 2   where |h| < δ,   d = -τ h / |h|   elsewhere.

    Where the wheels have a capacity, the base feels d + wheel_limited(plant, u - d, h, capacity).

    Args:
        h: momentum of the wheels in world axes (N m s), shape (3,), or (1,) in the plane.
        torque: τ > 0, N m.
        fade: > 0, s.

    Returns:
        On the chaser's rates, shape (own_rates,): zero but for the base's angular rates.
    """
    mount = _wheels_of(plant)
    size, time = as_scalar(torque, "torque (N m)"), as_scalar(fade, "fade (s)")
    for value, what in ((size, "torque of the thrusters (N m)"), (time, "fade (s)")):
        if violates(value, is_positive):
            raise ModelError(f"{what} must be finite and > 0, got {shown(value)}")
    stored = unpack(h, mount.count, "h (momentum of the wheels)")
    width = terms(size) * time
    square = dot(stored, stored) / (width * width)
    near = square < 1.0
    inside = 0.5 * (3.0 - square)
    outside = 1.0 / sqrt(where(near, 1.0, square))
    factor = -(where(near, inside, outside) / time)
    turned = plain(tuple(factor * x for x in stored))
    return pack(mount.replaced((0.0,) * plant.own_rates, turned))


def joints_kept(plant: TreePlant, q: Coordinates, u: Commands, limited: Any) -> Any:
    """The commands `limited` with joint torques that leave the joints' accelerations as under u.

    A law asks for torques u on joints and base together. Where the base gets less, the torques
    meant to hold the joints against its motion drive them instead: the arm stays where it is in
    the world and the base spins up under it. The equations of motion are linear in the forces, so
    the correction is what locked joints would take, at rest and without gravity, from the torque
    on the base that is missing.

    Args:
        q: coordinates of the whole plant, shape (coordinate_count,).
        u: what was asked for, shape (own_rates,), N and N m.
        limited: what is left of it, as from `wheel_limited`; equal to u on the joints.

    Returns:
        Shape (own_rates,): `limited` on the base, other torques on the joints.
    """
    system = plant.system
    base = range(plant.rate_count)[system.node(system.base_joint.child).rates]
    asked, left = _entries(plant, u), _entries(plant, limited)
    free = (0.0,) * (plant.rate_count - plant.own_rates)
    missing = [
        sub(b, a) if k in base else 0.0 for k, (a, b) in enumerate(zip(asked, left, strict=True))
    ]
    holds = [driven and k not in base for k, driven in enumerate(plant.actuated)]
    rest = (0.0,) * plant.rate_count
    taken = hybrid_forces(
        system.with_gravity((0.0, 0.0, 0.0)),
        q,
        rest,
        (*missing, *free),
        a=rest,
        prescribed=(*holds, *(False for _ in free)),
    )
    change = unpack(taken, plant.rate_count, "forces")
    return pack(add(x, change[k]) if holds[k] else x for k, x in enumerate(left))


# --- parts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _WheelMount:
    """Where wheels act: the base's angular rates, along axes that may be turned in the world."""

    rates: slice
    axes: Rotation | None
    """World ← axes of the rates; None in the plane."""

    @property
    def count(self) -> int:
        return self.rates.stop - self.rates.start

    def torques(self, u: Scalars) -> Scalars:
        """The torque on the base in world axes."""
        own = u[self.rates]
        return own if self.axes is None else tuple(self.axes @ Vector3(*own))

    def replaced(self, u: Scalars, torques: Scalars) -> Scalars:
        """Commands with another torque on the base, given in world axes."""
        entries: list[Scalar] = list(u)
        if self.axes is not None:
            torques = tuple(self.axes.inverse() @ Vector3(*torques))
        entries[self.rates] = torques
        return tuple(entries)


def _mount_of(plant: Plant) -> _WheelMount | None:
    system = getattr(plant, "system", None)
    if not isinstance(system, System) or system.mode != BaseMode.ATTITUDE_CONTROLLED:
        return None
    base = system.node(system.base_joint.child)
    if isinstance(base.joint.motion, Free):
        return _WheelMount(
            slice(base.rates.stop - 3, base.rates.stop), base.joint.placement.rotation
        )
    return _WheelMount(slice(base.rates.stop - 1, base.rates.stop), None)


def _wheels_of(plant: Plant) -> _WheelMount:
    mount = _mount_of(plant)
    if mount is None:
        mode = getattr(getattr(plant, "system", None), "mode", None)
        raise ModelError(
            f"wheels belong to a base of mode attitude-controlled; this one is {mode or 'none'}"
        )
    return mount


def _entries(plant: Plant, u: Commands) -> Scalars:
    system: Any = getattr(plant, "system", None)
    return unpack(u, plant.own_rates, "u", system.rate_names[: plant.own_rates])


def _clipped(x: Scalar) -> Scalar:
    """x between 0 and 1."""
    raised = where(x < 0.0, 0.0, x)
    return where(raised > 1.0, 1.0, raised)
