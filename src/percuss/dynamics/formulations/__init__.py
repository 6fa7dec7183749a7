"""The equations of motion by other routes than the recursive one, and proofs that they agree.

Classic Lagrange in SymPy, homogeneous matrices and the lecture's sums over any scalar, closed
forms in sines and cosines, and an exact test for zero. Importing this package imports SymPy.
"""

from percuss.dynamics.formulations.homogeneous import (
    action_matrix,
    congruent,
    pose_matrix,
    pseudo_scalar_product,
    similar,
    velocity_matrix,
)
from percuss.dynamics.formulations.homogeneous_equations import homogeneous_kinetic_energy
from percuss.dynamics.formulations.identities import is_identically_zero
from percuss.dynamics.formulations.lagrange import equations_from_energies, lagrange_equations
from percuss.dynamics.formulations.symbols import symbolic_system
from percuss.exports import on_demand as _on_demand

__all__ = [
    "action_matrix",
    "congruent",
    "equations_from_energies",
    "homogeneous_kinetic_energy",
    "is_identically_zero",
    "lagrange_equations",
    "pose_matrix",
    "pseudo_scalar_product",
    "similar",
    "symbolic_system",
    "velocity_matrix",
]

__getattr__, __dir__ = _on_demand(__name__, {})
