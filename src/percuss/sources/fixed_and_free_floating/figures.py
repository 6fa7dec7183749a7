"""Figures 5–11 of the paper, and those of the free base."""

from __future__ import annotations

from percuss.sources.figure import Figure
from percuss.sources.fixed_and_free_floating import curves, drawings, floating_figures

PAPER = (
    Figure(
        "figure-5",
        "Figure 5. The end-effector goes once round a circle of 0.2 m radius, counter-clockwise, "
        "from rest to rest in 10 s. Both solutions of the inverse kinematics at the start are "
        "drawn; the paper goes on with case 2.",
        drawings.path_of_the_tool,
    ),
    Figure(
        "figure-6",
        "Figure 6. Joint angles (rad) over time (s) by inverse kinematics in closed form. Both "
        "return to where they began.",
        curves.angles,
    ),
    Figure(
        "figure-7",
        "Figure 7. Joint rates (rad/s) by the inverse Jacobian, zero at both ends.",
        curves.rates,
    ),
    Figure(
        "figure-8",
        "Figure 8. Joint accelerations (rad/s²). Dashed: J⁻¹Ẍ, which the paper prints after (10) "
        "and which leaves J̇q̇ out.",
        curves.accelerations,
    ),
    Figure(
        "figure-9",
        "Figure 9. Joint torques (N m) with gravity. Dashed: the paper's equations with numbers, "
        "whose τ1 has 22.084 − cos θ1 for 22.084 cos θ1.",
        curves.torques_with_gravity,
    ),
    Figure(
        "figure-10",
        "Figure 10. Joint torques (N m) without gravity. Dashed: the paper's equations with "
        "numbers, which halve the Coriolis term of τ1 and turn the sign of the centrifugal term "
        "of τ2.",
        curves.torques_without_gravity,
    ),
    Figure(
        "figure-11",
        "Figure 11. The difference of the two: what gravity adds to the torques (N m).",
        curves.gravity_effect,
    ),
)

FREE_BASE = (
    Figure(
        "free-base",
        "The same arm on a free base of 100 kg and 20 kg m², joint 1 at (0.5, 0) m. Left: the "
        "joints move as on the fixed base, and the tool misses the circle (dotted) by up to "
        "0.303 m. Right: with rates from the generalized Jacobian it stays on it.",
        drawings.free_base,
    ),
    Figure(
        "free-torques",
        "Torques (N m) without gravity for the same motion of the joints, with the base held and "
        "with the base free.",
        floating_figures.torques_on_free_base,
    ),
    Figure(
        "error-by-mass",
        "Largest error of taking the fixed arm without gravity for the free-floating one, over the "
        "mass of the base (kg), from 10 to 10⁸ kg. For heavy bases it falls as 1 / mass.",
        floating_figures.error_over_mass,
    ),
    Figure(
        "singularities",
        "Determinant of the generalized Jacobian (m²) over the joint space (degrees). It vanishes "
        "on curves that depend on the masses; those of the fixed arm are straight lines, dashed. "
        "Circles: the dynamic singularities at q1 = 90°.",
        floating_figures.singular_configurations,
    ),
)

FIGURES = (*PAPER, *FREE_BASE)
