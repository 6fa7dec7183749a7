"""Joint motions of one freedom: revolute and prismatic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import div, is_constant
from percuss.algebra.vectors import Vector3
from percuss.model.checks import is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joint_motion import ZERO, JointMotion, Scalars, X, Z


def unit_axis(axis: Any, what: str) -> Vector3:
    """The axis scaled to length one; refused when it is zero or not finite."""
    vector = Vector3.of(axis, what)
    length = vector.norm()
    if violates(length, is_positive):
        given = ", ".join(shown(a) for a in vector)
        raise ModelError(f"{what} must be a finite vector of length > 0, got ({given})")
    if is_constant(length) and abs(length - 1) < 1e-15:
        return vector  # dividing would only add rounding
    return Vector3(*(div(a, length) for a in vector))


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
        return (Motion(ZERO, self.axis),)

    def pose(self, q: Scalars) -> Pose:
        return Pose(Rotation.about(self.axis, q[0]), ZERO)

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
        return (Motion(self.axis, ZERO),)

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
