"""Spatial algebra over any scalar: vectors, rotations, poses, motions, forces, inertias."""

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.vectors import Symmetric3, Vector3

__all__ = [
    "Force",
    "Motion",
    "Pose",
    "Quaternion",
    "Rotation",
    "SpatialInertia",
    "Symmetric3",
    "Vector3",
]


def __dir__() -> list[str]:
    """Names for users, which completion shows."""
    return sorted(__all__)
