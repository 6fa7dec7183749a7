"""Poses: where one frame is, seen from another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, is_constant, pack
from percuss.algebra.vectors import Vector3


class Movable(Protocol):
    """A quantity whose components depend on the frame: point, motion, force, inertia, pose."""

    def moved_by(self, pose: Pose) -> Self:
        """Components in A of what is given in B, for the pose A_T_B."""
        ...

    def moved_back_by(self, pose: Pose) -> Self:
        """Components in B of what is given in A, for the pose A_T_B."""
        ...


T = TypeVar("T", bound=Movable)


@dataclass(frozen=True, slots=True)
class Pose:
    """``A_T_B``: frame B seen from frame A. Maps components in B to components in A.

    `rotation` is A_R_B and `position` is the origin of B in A (m).
    """

    rotation: Rotation = field(default_factory=Rotation.identity)
    position: Vector3 = field(default_factory=Vector3.zero)

    @staticmethod
    def identity() -> Pose:
        return Pose()

    @staticmethod
    def at(position: Any = (0.0, 0.0, 0.0), *, rpy: Any = None, quaternion: Any = None) -> Pose:
        """The pose at a position (m), turned by roll-pitch-yaw (rad) or a quaternion (w, x, y, z).

        A position of two entries lies in the plane z = 0.
        """
        if rpy is not None and quaternion is not None:
            raise ValueError("give rpy or quaternion, not both")
        position = tuple(position)
        if len(position) == 2:
            position = (*position, 0.0)
        rotation = Rotation.identity()
        if rpy is not None:
            rotation = Rotation.from_rpy(*Vector3.of(rpy, "rpy (roll, pitch, yaw)"))
        elif quaternion is not None:
            rotation = Quaternion.of(quaternion).to_rotation()
        return Pose(rotation, Vector3.of(position, "a position"))

    @staticmethod
    def planar(x: Scalar, y: Scalar, angle: Scalar) -> Pose:
        """The pose in the plane z = 0 at (x, y) in m, turned by `angle` (rad) about z."""
        return Pose(Rotation.about(Vector3(0.0, 0.0, 1.0), angle), Vector3(x, y, 0.0))

    def act(self, quantity: T) -> T:
        """A_x = A_T_B · B_x, for a point, motion, force, inertia or pose x."""
        return quantity.moved_by(self)

    def act_inverse(self, quantity: T) -> T:
        """B_x = (A_T_B)⁻¹ · A_x, without forming the inverse."""
        return quantity.moved_back_by(self)

    def __matmul__(self, other: Pose) -> Pose:
        """A_T_C = A_T_B B_T_C."""
        return other.moved_by(self)

    def inverse(self) -> Pose:
        """B_T_A."""
        rotation = self.rotation.inverse()
        return Pose(rotation, -(rotation @ self.position))

    def moved_by(self, pose: Pose) -> Pose:
        return Pose(pose.rotation @ self.rotation, pose.act(self.position))

    def moved_back_by(self, pose: Pose) -> Pose:
        return Pose(pose.rotation.inverse() @ self.rotation, pose.act_inverse(self.position))

    @property
    def is_identity(self) -> bool:
        """Whether this is the identity, exactly and for certain (constants only)."""
        return all(
            is_constant(x) and x == y for x, y in zip(self._entries(), _IDENTITY, strict=True)
        )

    def matrix(self) -> Any:
        """The homogeneous matrix [R p; 0 1], shape (4, 4)."""
        rows = [(*row, p) for row, p in zip(self.rotation.matrix.rows, self.position, strict=True)]
        return pack([*rows, (0.0, 0.0, 0.0, 1.0)])

    def _entries(self) -> list[Any]:
        return [*(x for row in self.rotation.matrix.rows for x in row), *self.position]


_IDENTITY = tuple(Pose.identity()._entries())
