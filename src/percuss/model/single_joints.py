"""Joint motions of one freedom: revolute and prismatic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import div, is_constant
from percuss.algebra.vectors import Symmetric3, Vector3
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

    def shared_out(self, inertia: SpatialInertia) -> tuple[SpatialInertia, SpatialInertia] | None:
        """The parent may carry mass on the axis, and what is round about the axis but thin.

        Only where the axis is a coordinate axis and the inertia plain numbers is anything saved.
        """
        along = [is_constant(a) and abs(a) == 1.0 for a in self.axis]
        if not any(along) or not inertia.is_constant:
            return None
        first, second = inertia.first_moment, inertia.second_moment
        moments = (second.xx, second.yy, second.zz)
        # The smaller one: what is left of them is not negative, and nothing cancels.
        across = min(float(m) for m, on in zip(moments, along, strict=True) if not on)  # type: ignore[arg-type]
        carried = SpatialInertia(
            inertia.mass,
            Vector3(*(h if on else 0.0 for h, on in zip(first, along, strict=True))),
            Symmetric3(*(0.0 if on else across for on in along)),
        )
        felt = SpatialInertia(0.0, first - carried.first_moment, second - carried.second_moment)
        return felt, carried


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

    def shared_out(self, inertia: SpatialInertia) -> tuple[SpatialInertia, SpatialInertia]:
        """The parent may carry the second moments: the child turns as it does."""
        mass, first = inertia.mass, inertia.first_moment
        return (
            SpatialInertia(mass, first, Symmetric3.zero()),
            SpatialInertia(0.0, ZERO, inertia.second_moment),
        )
