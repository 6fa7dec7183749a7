"""Joint motions of several freedoms: planar, spherical and free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, mul, plain, terms
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.joint_motion import ZERO, JointMotion, Scalars, X, Y, Z


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
        return Motion(X, ZERO), Motion(Y, ZERO), Motion(ZERO, Z)

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
        return position.x, position.y, -q[2]

    def reverse_rates(self, q: Scalars, v: Scalars) -> Scalars:
        # p' = -Rᵀ p  ⇒  ṗ' = -Rᵀ ṗ + ω z × (Rᵀ p).
        pose = self.pose(q)
        x, y, turn = self.to_local(pose.rotation, v)
        position = pose.inverse().position
        return (
            plain(-terms(x) + terms(turn) * position.y),
            plain(-terms(y) - terms(turn) * position.x),
            -turn,
        )

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
        return plain(-(terms(turn) * local[1])), mul(turn, local[0]), 0.0


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
        return Motion(ZERO, X), Motion(ZERO, Y), Motion(ZERO, Z)

    def pose(self, q: Scalars) -> Pose:
        return Pose(Quaternion(*q).to_rotation(), ZERO)

    def coordinates(self, pose: Pose) -> Scalars:
        return tuple(pose.rotation.to_quaternion())

    def neutral(self) -> Scalars:
        return (1.0, 0.0, 0.0, 0.0)

    def reverse(self) -> Spherical:
        return self

    def reverse_coordinates(self, q: Scalars) -> Scalars:
        return tuple(Quaternion(*q).conjugate())

    def shared_out(self, inertia: SpatialInertia) -> tuple[SpatialInertia, SpatialInertia]:
        """The parent may carry the mass, at the joint origin."""
        return (
            SpatialInertia(0.0, inertia.first_moment, inertia.second_moment),
            SpatialInertia(inertia.mass, ZERO, Symmetric3.zero()),
        )

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
        linear = tuple(Motion(axis, ZERO) for axis in (X, Y, Z))
        return linear + tuple(Motion(ZERO, axis) for axis in (X, Y, Z))

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
