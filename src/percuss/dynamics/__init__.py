"""Dynamics of trees by recursive algorithms."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.dynamics.composite import (
        center_of_mass,
        mass_matrix,
        momentum,
        momentum_matrix,
        total_inertia,
        total_mass,
    )
    from percuss.dynamics.disturbance_maps import base_disturbance
    from percuss.dynamics.dynamic_singularities import (
        generalized_task_jacobian,
        singularities_along,
        singularity_map,
    )
    from percuss.dynamics.effective_inertia import effective_inertias
    from percuss.dynamics.energy import kinetic_energy, potential_energy
    from percuss.dynamics.flight import free_flight
    from percuss.dynamics.floating_integration import floating_motion
    from percuss.dynamics.forward import forward_dynamics
    from percuss.dynamics.free_floating import generalized_jacobian
    from percuss.dynamics.hybrid import hybrid_dynamics
    from percuss.dynamics.inverse import (
        bias_forces,
        coriolis_forces,
        gravity_forces,
        inverse_dynamics,
        joint_reactions,
    )
    from percuss.dynamics.loads import joint_friction
    from percuss.dynamics.null_space import reaction_null_space, reactionless
    from percuss.dynamics.orbit import CircularOrbit, orbital_loads
    from percuss.dynamics.torque_free import torque_free_motion

__all__ = [
    "CircularOrbit",
    "base_disturbance",
    "bias_forces",
    "center_of_mass",
    "coriolis_forces",
    "effective_inertias",
    "floating_motion",
    "forward_dynamics",
    "free_flight",
    "generalized_jacobian",
    "generalized_task_jacobian",
    "gravity_forces",
    "hybrid_dynamics",
    "inverse_dynamics",
    "joint_friction",
    "joint_reactions",
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "momentum_matrix",
    "orbital_loads",
    "potential_energy",
    "reaction_null_space",
    "reactionless",
    "singularities_along",
    "singularity_map",
    "torque_free_motion",
    "total_inertia",
    "total_mass",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "composite": (
            "center_of_mass",
            "mass_matrix",
            "momentum",
            "momentum_matrix",
            "total_inertia",
            "total_mass",
        ),
        "disturbance_maps": ("base_disturbance",),
        "dynamic_singularities": (
            "generalized_task_jacobian",
            "singularities_along",
            "singularity_map",
        ),
        "effective_inertia": ("effective_inertias",),
        "energy": ("kinetic_energy", "potential_energy"),
        "flight": ("free_flight",),
        "floating_integration": ("floating_motion",),
        "forward": ("forward_dynamics",),
        "free_floating": ("generalized_jacobian",),
        "hybrid": ("hybrid_dynamics",),
        "inverse": (
            "bias_forces",
            "coriolis_forces",
            "gravity_forces",
            "inverse_dynamics",
            "joint_reactions",
        ),
        "loads": ("joint_friction",),
        "null_space": ("reaction_null_space", "reactionless"),
        "orbit": ("CircularOrbit", "orbital_loads"),
        "torque_free": ("torque_free_motion",),
    },
    packages=("formulations",),
)
