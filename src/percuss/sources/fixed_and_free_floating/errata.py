"""Errors of the paper, each with a computation that shows it, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable

from percuss.sources.errata import Erratum, Misprint
from percuss.sources.evidence import Evidence
from percuss.sources.fixed_and_free_floating import dynamics_errata as dynamics
from percuss.sources.fixed_and_free_floating import kinematics_errata as kinematics

_ERRATA: tuple[tuple[str, str, str, Callable[[], Evidence]], ...] = (
    (
        "(3), (4)",
        "tan⁻¹",
        "atan2; on the paper's circle, where cos θ2 > 0, both agree",
        kinematics.inverse_tangent,
    ),
    ("(8)", "− a2 cos(θ1 + θ2)", "+ a2 cos(θ1 + θ2)", kinematics.tool_velocity),
    ("after (10)", "q̈ = J⁻¹ Ẍ", "q̈ = J⁻¹ (Ẍ − J̇ q̇)", kinematics.joint_acceleration),
    ("case study", "Δx, Δẋ as velocity and acceleration", "divide by Δt", kinematics.differences),
    ("(18)", "y2 = L2 sin θ1 + …", "y2 = L1 sin θ1 + …", kinematics.middle_of_link_2),
    ("(19)", "I2 = ½ m2 L2²", "I2 = m2 L2²/12", dynamics.inertia_of_link_2),
    (
        "(23)",
        "G1: g on the second term only; G2 with L1",
        "g on both terms; G2 with L2",
        dynamics.gravity,
    ),
    (
        "(23) and Table 1",
        "H, C, G of rods with their centres halfway",
        "centres at 0.773 and 0.583 m, as Table 1 and the numbers have them",
        dynamics.centres_of_mass,
    ),
    ("numbers, τ1", "− 7.26 s2 θ̇1 θ̇2", "− 14.52 s2 θ̇1 θ̇2", dynamics.coriolis_1),
    ("numbers, τ2", "− 7.26 s2 θ̇1²", "+ 7.26 s2 θ̇1²", dynamics.coriolis_2),
    (
        "numbers, τ1",
        "9.81 (22.084 − cos θ1 + …)",
        "9.81 (22.084 cos θ1 + …)",
        dynamics.gravity_of_link_1,
    ),
    ("numbers", "26.2128 and 5.275", "26.216479 and 5.2756574", dynamics.constants),
    ("a3", "−0.0125", "−0.012566371", kinematics.cubic_coefficient),
    ("case 2", "θ = (1.1056, −0.7953)", "(1.1063257, −0.79539883)", kinematics.printed_angles),
    ("a0", "0", "qˢ", kinematics.first_coefficient),
    (
        "(A3), (A4)",
        "m2 (L2²/3 + …) without θ̈2, and Ṡ2",
        "times θ̈2, and S2",
        dynamics.appendix,
    ),
    (
        "III.C",
        "free-floating is fixed without gravity",
        "true for an infinitely heavy base; the error falls as 1 / mass",
        dynamics.free_base,
    ),
    (
        "conclusion 5",
        "the velocity grows and falls linearly",
        "parabolically: φ is a cubic",
        kinematics.course_of_velocity,
    ),
)

MISPRINTS = (
    Misprint(
        "II.D",
        "torques for a motion: “direct” problem; motion under loads: “inverse”",
        "the other way round",
        "names",
    ),
    Misprint("after (18)", "velocity of the end of link 2", "of its middle", "words"),
    Misprint(
        "case study", "Fig. 4 shows the path; Fig. 6 the velocities", "Fig. 5; Fig. 7", "reference"
    ),
)


def findings() -> tuple[Erratum, ...]:
    """Every error with its numbers, computed now."""
    return tuple(Erratum(where, printed, right, show()) for where, printed, right, show in _ERRATA)
