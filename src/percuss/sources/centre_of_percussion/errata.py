"""Errors of the paper, each with a computation that shows it, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable

from percuss.sources.centre_of_percussion import planar_errata as planar
from percuss.sources.centre_of_percussion import robot_errata as robot
from percuss.sources.centre_of_percussion import spatial_errata as spatial
from percuss.sources.errata import Erratum, Misprint
from percuss.sources.evidence import Evidence

_ERRATA: tuple[tuple[str, str, str, Callable[[], Evidence]], ...] = (
    (
        "2.1 (2)",
        "joints are fixed in space during an impact",
        "they give way: away from the CoP the fixed axis over-estimates the reaction",
        robot.joints_in_space,
    ),
    ("(1)", "−m θ̈ r_cm cos θ", "−m θ̈ r_cm sin θ", planar.component_of_acceleration),
    (
        "(25)–(26)",
        "the body turns about the moment of the impact, ω ∥ M",
        "I_o ω = M: only if t is a principal axis at O",
        spatial.axis_of_rotation,
    ),
    (
        "(27), (29), (46)",
        "m r^× ω^× l, that is r × (ω × l)",
        "m (r × ω) × l, as in (23): a triple product cannot be re-associated",
        spatial.triple_product,
    ),
    (
        "(31), rows 1–2",
        "I_nt + m r_t l_n, I_st + m r_t l_s",
        "I_nt + m l_t r_n, I_st + m l_t r_s; and l_t = 0 by (24)–(25)",
        spatial.rows,
    ),
    (
        "(32)",
        "t has to be a principal axis",
        "sufficient together with the others, not necessary",
        spatial.principal_axis_is_not_needed,
    ),
    (
        "(33)",
        "the CM has to be in the plane through O normal to t",
        "sufficient together with the others, not necessary",
        spatial.in_plane_is_not_needed,
    ),
    (
        "(35), text",
        "(35) requires that IP, CM and CR are collinear",
        "a scalar product does not; that follows from (21) and N∥ = 0",
        spatial.collinearity_is_not_needed,
    ),
    (
        "3.1",
        "errors of the angle change the reaction more than errors of the place",
        "at the CoP both slopes are 1: per radian, and per unit of C_ID",
        planar.which_error_costs_more,
    ),
    (
        "(39)",
        "C_ID = 1 ± √(1 − (Ω² − 1) / sin²φ)",
        "1 ± √(1 + (Ω² − 1) / sin²φ)",
        planar.interval_for_a_limit,
    ),
    (
        "3.3, example",
        "C_ID = 0.68 and 1.32 for φ = 70°, Ω = 0.4",
        "0.77927 and 1.22073",
        planar.example,
    ),
    ("(43)", "C_MD,t = I_tt,c I_tt,o", "I_tt,c / I_tt,o", planar.mass_distribution),
    (
        "(51)–(52)",
        "n from ω̇, as if it were known",
        "ω̇ depends on n: an algebraic loop; at onset n_N = −r F",
        robot.algebraic_loop,
    ),
    ("(55)", "… + Jᵀ F", "… − Jᵀ F, if F acts on the robot", robot.sign_of_the_force),
    (
        "4.2",
        "IC² can be used for all impacts to reduce reactions",
        "at the CoP of the last link it raises the reaction of that link's joint",
        robot.at_the_centre_of_percussion,
    ),
)

MISPRINTS = (
    Misprint("(42)", "m I_tt⁻¹ l r_cm", "m I_tt⁻¹ l · r_cm", "a dot lost"),
    Misprint("(44)", "‖r_cop r_cm‖", "‖r_cop · r_cm‖", "a dot lost"),
    Misprint(
        "after (57)",
        "“After each impact, the systems under impact are separated …” twice",
        "once",
        "words",
    ),
    Misprint(
        "6.2",
        "“Joint 1 is located at the tip of link 1”; impacts at “points of link 1”",
        "joint 2 is there; points of link 2",
        "names",
    ),
)


def findings() -> tuple[Erratum, ...]:
    """Every error with its numbers, computed now."""
    return tuple(Erratum(where, printed, right, show()) for where, printed, right, show in _ERRATA)
