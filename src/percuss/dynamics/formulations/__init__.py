"""The equations of motion by other routes than the recursive one, and proofs that they agree.

Classic Lagrange in SymPy, homogeneous matrices and the lecture's sums over any scalar, closed
forms in sines and cosines, and an exact test for zero. Importing this package imports SymPy.
"""

from percuss.dynamics.formulations.charts import (
    chart_coordinates,
    chart_names,
    chart_poses,
    rates_map,
    rates_map_derivative,
    true_coordinates,
)
from percuss.dynamics.formulations.closed_forms import ClosedForms, closed_forms
from percuss.dynamics.formulations.homogeneous import (
    acceleration_matrix,
    action_force,
    action_matrix,
    congruent,
    inertial_action,
    kinetic_energy_of,
    l_matrix,
    pose_matrix,
    pseudo_inertia,
    pseudo_scalar_product,
    similar,
    velocity_from_poses,
    velocity_matrix,
    velocity_motion,
    weight_action,
)
from percuss.dynamics.formulations.homogeneous_equations import (
    generalized_forces,
    homogeneous_bias_forces,
    homogeneous_kinetic_energy,
    homogeneous_mass_matrix,
    l_matrices,
    pose_matrices,
    pseudo_inertias,
    velocity_matrices,
)
from percuss.dynamics.formulations.identities import is_identically_zero, normal_form
from percuss.dynamics.formulations.lagrange import (
    LagrangeEquations,
    equations_from_energies,
    lagrange_equations,
)
from percuss.dynamics.formulations.lecture import (
    lecture_bias_forces,
    lecture_mass_matrix,
    lecture_mass_matrix_derivatives,
    link_mass_matrix,
)
from percuss.dynamics.formulations.quantities import SymbolQuantity
from percuss.dynamics.formulations.symbols import SymbolicSystem, symbolic_system
from percuss.dynamics.formulations.trigonometric import TrigPolynomial, TrigRing

__all__ = [
    "ClosedForms",
    "LagrangeEquations",
    "SymbolQuantity",
    "SymbolicSystem",
    "TrigPolynomial",
    "TrigRing",
    "acceleration_matrix",
    "action_force",
    "action_matrix",
    "chart_coordinates",
    "chart_names",
    "chart_poses",
    "closed_forms",
    "congruent",
    "equations_from_energies",
    "generalized_forces",
    "homogeneous_bias_forces",
    "homogeneous_kinetic_energy",
    "homogeneous_mass_matrix",
    "inertial_action",
    "is_identically_zero",
    "kinetic_energy_of",
    "l_matrices",
    "l_matrix",
    "lagrange_equations",
    "lecture_bias_forces",
    "lecture_mass_matrix",
    "lecture_mass_matrix_derivatives",
    "link_mass_matrix",
    "normal_form",
    "pose_matrices",
    "pose_matrix",
    "pseudo_inertia",
    "pseudo_inertias",
    "pseudo_scalar_product",
    "rates_map",
    "rates_map_derivative",
    "similar",
    "symbolic_system",
    "true_coordinates",
    "velocity_from_poses",
    "velocity_matrices",
    "velocity_matrix",
    "velocity_motion",
    "weight_action",
]
