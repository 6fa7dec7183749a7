"""Joint motions: how a child moves relative to its parent.

A joint's *coordinates* q say where the child is, its *rates* v how fast it moves. The child's
velocity relative to the parent is S Q(q) v in the child's frame: S, the motion `subspace`, is
constant there, and the orthogonal Q turns the rates as the user sees them into *local*
components on S. Q is the identity except for `Planar` and `Free`, whose rates are along the
axes of the parent side (the world, for a base), as the literature on space robots has it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, add, div, is_constant, mul, neg, sub
from percuss.algebra.vectors import Vector3
from percuss.model.errors import ModelError

Scalars = tuple[Scalar, ...]

X = Vector3(1.0, 0.0, 0.0)
Y = Vector3(0.0, 1.0, 0.0)
Z = Vector3(0.0, 0.0, 1.0)
_ZERO = Vector3.zero()


class JointMotion(ABC):
    """How a joint moves. Subclasses are final; every method is pure."""

    coordinate_names: tuple[str, ...]
    """Suffixes of the coordinates; one empty string for a joint of one coordinate."""
    rate_names: tuple[str, ...]
    rate_units: tuple[str, ...]
    """Unit of each rate: m/s or rad/s."""

    @property
    def kind(self) -> str:
        """The name used in files and tables."""
        return type(self).__name__.lower()

    @property
    def coordinate_count(self) -> int:
        return len(self.coordinate_names)

    @property
    def rate_count(self) -> int:
        return len(self.rate_names)

    @property
    @abstractmethod
    def subspace(self) -> tuple[Motion, ...]:
        """S: the unit motions of the child relative to the parent, child frame, constant."""

    @abstractmethod
    def pose(self, q: Scalars) -> Pose:
        """Child frame in the joint frame at coordinates q."""

    @abstractmethod
    def coordinates(self, pose: Pose) -> Scalars:
        """The coordinates at which the child has this pose; what the joint cannot do is ignored."""

    @abstractmethod
    def neutral(self) -> Scalars:
        """Coordinates of the identity pose."""

    @abstractmethod
    def reverse(self) -> JointMotion:
        """The motion of the parent seen from the child."""

    @abstractmethod
    def reverse_coordinates(self, q: Scalars) -> Scalars:
        """The coordinates of `reverse()` at the same relative pose."""

    def reverse_rates(self, q: Scalars, v: Scalars) -> Scalars:
        """The rates of `reverse()` for the same relative motion."""
        del q
        return v

    def to_local(self, rotation: Rotation, rates: Scalars) -> Scalars:
        """Q x: rates, or generalized forces, as components on the subspace.

        `rotation` is that of `pose(q)`.
        """
        del rotation
        return rates

    def from_local(self, rotation: Rotation, local: Scalars) -> Scalars:
        """Qᵀ x: the inverse of `to_local`, Q being orthogonal."""
        del rotation
        return local

    def turned(self, local_rates: Scalars, local: Scalars) -> Scalars:
        """ω × x block by block, ω the rotation of the local axes: Q̇ᵀ x = Qᵀ (ω × x)."""
        del local_rates
        return (0.0,) * len(local)

    def coordinate_rates(self, q: Scalars, v: Scalars) -> Scalars:
        """dq/dt for rates v."""
        del q
        return v

    def integrate(self, q: Scalars, step: Scalars) -> Scalars:
        """The coordinates after moving at constant rates v for a time h, with step = v h."""
        return tuple(add(a, b) for a, b in zip(q, step, strict=True))

    def difference(self, start: Scalars, end: Scalars) -> Scalars:
        """The step for which `integrate(start, step)` is the pose of `end`."""
        return tuple(sub(b, a) for a, b in zip(start, end, strict=True))


def unit_axis(axis: Any, what: str) -> Vector3:
    """The axis scaled to length one; refused when it is zero or not finite."""
    vector = Vector3.of(axis, what)
    if not all(is_constant(a) for a in vector):
        return vector * div(1.0, vector.norm())
    x, y, z = (float(a) for a in vector)  # type: ignore[arg-type]
    length = (x * x + y * y + z * z) ** 0.5
    if not 0 < length < float("inf"):
        raise ModelError(f"{what} must be a finite vector of length > 0, got ({x:g}, {y:g}, {z:g})")
    # Dividing an axis that has length one already would only add rounding.
    return vector if abs(length - 1) < 1e-15 else Vector3(x / length, y / length, z / length)


@dataclass(frozen=True, init=False)
class Revolute(JointMotion):
    """Turns about an axis through the joint origin. q and v: angle (rad), rate (rad/s)."""

    axis: Vector3
    coordinate_names = ("",)
    rate_names = ("",)
    rate_units = ("rad/s",)

    def __init__(self, axis: Any = Z) -> None:
        """The axis is three scalars of any length but zero."""
        object.__setattr__(self, "axis", unit_axis(axis, "revolute axis"))

    @property
    def subspace(self) -> tuple[Motion, ...]:
        return (Motion(_ZERO, self.axis),)

    def pose(self, q: Scalars) -> Pose:
        return Pose(Rotation.about(self.axis, q[0]), _ZERO)

    def coordinates(self, pose: Pose) -> Scalars:
        return (pose.rotation.to_rotation_vector().dot(self.axis),)

    def neutral(self) -> Scalars:
        return (0.0,)

    def reverse(self) -> Revolute:
        return Revolute(-self.axis)

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return q


@dataclass(frozen=True, init=False)
class Prismatic(JointMotion):
    """Slides along an axis. q and v: displacement (m), rate (m/s)."""

    axis: Vector3
    coordinate_names = ("",)
    rate_names = ("",)
    rate_units = ("m/s",)

    def __init__(self, axis: Any = X) -> None:
        """The axis is three scalars of any length but zero."""
        object.__setattr__(self, "axis", unit_axis(axis, "prismatic axis"))

    @property
    def subspace(self) -> tuple[Motion, ...]:
        return (Motion(self.axis, _ZERO),)

    def pose(self, q: Scalars) -> Pose:
        return Pose(Rotation.identity(), self.axis * q[0])

    def coordinates(self, pose: Pose) -> Scalars:
        return (pose.position.dot(self.axis),)

    def neutral(self) -> Scalars:
        return (0.0,)

    def reverse(self) -> Prismatic:
        return Prismatic(-self.axis)

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return q


@dataclass(frozen=True)
class Fixed(JointMotion):
    """No motion: the child is part of the parent."""

    coordinate_names = ()
    rate_names = ()
    rate_units = ()

    @property
    def subspace(self) -> tuple[Motion, ...]:
        return ()

    def pose(self, q: Scalars) -> Pose:
        del q
        return Pose.identity()

    def coordinates(self, pose: Pose) -> Scalars:
        del pose
        return ()

    def neutral(self) -> Scalars:
        return ()

    def reverse(self) -> Fixed:
        return self

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return q


@dataclass(frozen=True)
class Planar(JointMotion):
    """Slides in the x-y plane of the joint frame and turns about z: q = (x, y, angle).

    Rates (m/s, m/s, rad/s) are the time derivatives of the coordinates, so x and y are along
    the axes of the joint frame, not of the moving child.
    """

    coordinate_names = ("x", "y", "angle")
    rate_names = ("x", "y", "angle")
    rate_units = ("m/s", "m/s", "rad/s")

    @property
    def subspace(self) -> tuple[Motion, ...]:
        return Motion(X, _ZERO), Motion(Y, _ZERO), Motion(_ZERO, Z)

    def pose(self, q: Scalars) -> Pose:
        return Pose.planar(*q)

    def coordinates(self, pose: Pose) -> Scalars:
        return pose.position.x, pose.position.y, pose.rotation.angle_about_z()

    def neutral(self) -> Scalars:
        return (0.0, 0.0, 0.0)

    def reverse(self) -> Planar:
        return self

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        position = self.pose(q).inverse().position
        return position.x, position.y, neg(q[2])

    def reverse_rates(self, q: Scalars, v: Scalars) -> Scalars:
        # p' = -Rᵀ p  ⇒  ṗ' = -Rᵀ ṗ + ω z × (Rᵀ p).
        pose = self.pose(q)
        x, y, turn = self.to_local(pose.rotation, v)
        position = pose.inverse().position
        return add(neg(x), mul(turn, position.y)), sub(neg(y), mul(turn, position.x)), neg(turn)

    def to_local(self, rotation: Rotation, rates: Scalars) -> Scalars:
        vx, vy, turn = rates
        local = rotation.inverse() @ Vector3(vx, vy, 0.0)
        return local.x, local.y, turn

    def from_local(self, rotation: Rotation, local: Scalars) -> Scalars:
        vx, vy, turn = local
        rates = rotation @ Vector3(vx, vy, 0.0)
        return rates.x, rates.y, turn

    def turned(self, local_rates: Scalars, local: Scalars) -> Scalars:
        turn = local_rates[2]
        return neg(mul(turn, local[1])), mul(turn, local[0]), 0.0


@dataclass(frozen=True)
class Spherical(JointMotion):
    """Turns freely about the joint origin: q is a quaternion (w, x, y, z), parent ← child.

    Rates are the relative angular velocity in the child's frame (rad/s).
    """

    coordinate_names = ("qw", "qx", "qy", "qz")
    rate_names = ("wx", "wy", "wz")
    rate_units = ("rad/s",) * 3

    @property
    def subspace(self) -> tuple[Motion, ...]:
        return Motion(_ZERO, X), Motion(_ZERO, Y), Motion(_ZERO, Z)

    def pose(self, q: Scalars) -> Pose:
        return Pose(Quaternion(*q).to_rotation(), _ZERO)

    def coordinates(self, pose: Pose) -> Scalars:
        return tuple(pose.rotation.to_quaternion())

    def neutral(self) -> Scalars:
        return (1.0, 0.0, 0.0, 0.0)

    def reverse(self) -> Spherical:
        return self

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return tuple(Quaternion(*q).conjugate())

    def reverse_rates(self, q: Scalars, v: Scalars) -> Scalars:
        return tuple(-(Quaternion(*q).to_rotation() @ Vector3(*v)))

    def coordinate_rates(self, q: Scalars, v: Scalars) -> Scalars:
        # q̇ = ½ q ⊗ ω, ω in the child's frame.
        half = Quaternion(0.0, *(Vector3(*v) * 0.5))
        return tuple(Quaternion(*q) @ half)

    def integrate(self, q: Scalars, step: Scalars) -> Scalars:
        turn = Quaternion.from_rotation_vector(Vector3(*step))
        return tuple((Quaternion(*q) @ turn).normalized())

    def difference(self, start: Scalars, end: Scalars) -> Scalars:
        turn = Quaternion(*start).conjugate() @ Quaternion(*end)
        return tuple(turn.to_rotation_vector())


@dataclass(frozen=True)
class Free(JointMotion):
    """Moves freely: q = (position in the joint frame, quaternion w x y z parent ← child).

    Rates are (velocity of the child's origin, angular velocity), both along the axes of the
    joint frame: world axes for a base (m/s, rad/s).
    """

    coordinate_names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    rate_names = ("vx", "vy", "vz", "wx", "wy", "wz")
    rate_units = ("m/s",) * 3 + ("rad/s",) * 3

    @property
    def subspace(self) -> tuple[Motion, ...]:
        linear = tuple(Motion(axis, _ZERO) for axis in (X, Y, Z))
        return linear + tuple(Motion(_ZERO, axis) for axis in (X, Y, Z))

    def pose(self, q: Scalars) -> Pose:
        return Pose(Quaternion(*q[3:]).to_rotation(), Vector3(*q[:3]))

    def coordinates(self, pose: Pose) -> Scalars:
        return (*pose.position, *pose.rotation.to_quaternion())

    def neutral(self) -> Scalars:
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def reverse(self) -> Free:
        return self

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return (*self.pose(q).inverse().position, *Quaternion(*q[3:]).conjugate())

    def reverse_rates(self, q: Scalars, v: Scalars) -> Scalars:
        # p' = -Rᵀ p  ⇒  ṗ' = -Rᵀ v + ω × (Rᵀ p) with ω in the child's axes.
        pose = self.pose(q)
        local = self.to_local(pose.rotation, v)
        linear, angular = Vector3(*local[:3]), Vector3(*local[3:])
        position = pose.inverse().position
        return (*(-linear - angular.cross(position)), *(-angular))

    def to_local(self, rotation: Rotation, rates: Scalars) -> Scalars:
        return _in_both_blocks(rotation.inverse(), rates)

    def from_local(self, rotation: Rotation, local: Scalars) -> Scalars:
        return _in_both_blocks(rotation, local)

    def turned(self, local_rates: Scalars, local: Scalars) -> Scalars:
        turn = Vector3(*local_rates[3:])
        return (*turn.cross(Vector3(*local[:3])), *turn.cross(Vector3(*local[3:])))

    def coordinate_rates(self, q: Scalars, v: Scalars) -> Scalars:
        # q̇ = ½ ω ⊗ q, ω along the parent's axes.
        half = Quaternion(0.0, *(Vector3(*v[3:]) * 0.5))
        return (*v[:3], *(half @ Quaternion(*q[3:])))

    def integrate(self, q: Scalars, step: Scalars) -> Scalars:
        position = Vector3(*q[:3]) + Vector3(*step[:3])
        turn = Quaternion.from_rotation_vector(Vector3(*step[3:]))
        return (*position, *(turn @ Quaternion(*q[3:])).normalized())

    def difference(self, start: Scalars, end: Scalars) -> Scalars:
        displacement = Vector3(*end[:3]) - Vector3(*start[:3])
        turn = Quaternion(*end[3:]) @ Quaternion(*start[3:]).conjugate()
        return (*displacement, *turn.to_rotation_vector())


def _in_both_blocks(rotation: Rotation, values: Sequence[Scalar]) -> Scalars:
    return (*(rotation @ Vector3(*values[:3])), *(rotation @ Vector3(*values[3:])))


JOINT_MOTIONS: dict[str, type[JointMotion]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "fixed": Fixed,
    "planar": Planar,
    "spherical": Spherical,
    "free": Free,
}
