"""Spatial algebra over any scalar: vectors, rotations, poses, motions, forces, inertias."""

from percuss.algebra.inertias import (
    ArticulatedInertia,
    PseudoInertia,
    SpatialInertia,
    principal_moments,
)
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, is_constant, pack, unpack
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3

__all__ = [
    "ArticulatedInertia",
    "Force",
    "Matrix3",
    "Motion",
    "Pose",
    "PseudoInertia",
    "Quaternion",
    "Rotation",
    "Scalar",
    "SpatialInertia",
    "Symmetric3",
    "Vector3",
    "is_constant",
    "pack",
    "principal_moments",
    "unpack",
]
