"""Kinetic and potential energy."""

from __future__ import annotations

from percuss.algebra.scalars import Scalar, total
from percuss.dynamics.composite import total_inertia
from percuss.dynamics.inertias import body_inertias
from percuss.kinematics.trees import Configuration, Velocities, tree_poses, tree_velocities
from percuss.model.systems import System


def kinetic_energy(system: System, q: Configuration, v: Velocities) -> Scalar:
    """T = ½ vᵀ M v, summed body by body (J)."""
    velocities = tree_velocities(tree_poses(system, q), v)
    return total(
        inertia.kinetic_energy(velocity)
        for inertia, velocity in zip(body_inertias(system), velocities.bodies, strict=True)
    )


def potential_energy(system: System, q: Configuration) -> Scalar:
    """U = -Σ m g · r in the system's uniform gravity, zero at the world origin (J)."""
    return -system.gravity.dot(total_inertia(system, q).first_moment)
