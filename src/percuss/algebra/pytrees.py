"""Vectors, poses, motions … as JAX pytrees, so that they go in and out of `jit` and `vmap`."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

from percuss.algebra.inertias import ArticulatedInertia, PseudoInertia, SpatialInertia
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3

_TYPES = (
    Vector3,
    Matrix3,
    Symmetric3,
    Rotation,
    Quaternion,
    Pose,
    Motion,
    Force,
    SpatialInertia,
    ArticulatedInertia,
    PseudoInertia,
)


@cache
def register() -> None:
    """Tell JAX how to take our types apart. Done by itself when the first JAX value is seen."""
    import jax

    for kind in _TYPES:
        jax.tree_util.register_dataclass(kind, [field.name for field in fields(kind)], [])
