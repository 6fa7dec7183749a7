"""Dynamics of trees by recursive algorithms."""

from percuss.dynamics.composite import (
    center_of_mass,
    mass_matrix,
    momentum,
    momentum_matrix,
    total_inertia,
    total_mass,
)
from percuss.dynamics.energy import kinetic_energy, potential_energy
from percuss.dynamics.forward import forward_dynamics
from percuss.dynamics.hybrid import hybrid_dynamics, hybrid_forces
from percuss.dynamics.inverse import (
    bias_forces,
    coriolis_forces,
    gravity_forces,
    inverse_dynamics,
    joint_reactions,
)
from percuss.dynamics.loads import Wrenches, joint_friction

__all__ = [
    "Wrenches",
    "bias_forces",
    "center_of_mass",
    "coriolis_forces",
    "forward_dynamics",
    "gravity_forces",
    "hybrid_dynamics",
    "hybrid_forces",
    "inverse_dynamics",
    "joint_friction",
    "joint_reactions",
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "momentum_matrix",
    "potential_energy",
    "total_inertia",
    "total_mass",
]
