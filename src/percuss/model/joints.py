"""All joint motions, by kind too, and the one without freedom: fixed."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.model.floating_joints import Free, Planar, Spherical
from percuss.model.joint_motion import JointMotion, Scalars
from percuss.model.mimic import Mimic
from percuss.model.single_joints import Prismatic, Revolute, unit_axis

__all__ = [
    "JOINT_MOTIONS",
    "Fixed",
    "Free",
    "JointMotion",
    "Mimic",
    "Planar",
    "Prismatic",
    "Revolute",
    "Scalars",
    "Spherical",
    "unit_axis",
]


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

    def shared_out(self, inertia: SpatialInertia) -> tuple[SpatialInertia, SpatialInertia]:
        """The parent carries it all."""
        return SpatialInertia.zero(), inertia


JOINT_MOTIONS: dict[str, type[JointMotion]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "fixed": Fixed,
    "planar": Planar,
    "spherical": Spherical,
    "free": Free,
}
"""By the kind that files name; a `Mimic` is written as the motion that it couples."""
