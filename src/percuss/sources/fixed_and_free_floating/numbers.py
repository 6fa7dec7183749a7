"""The paper's numbers beside percuss's."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.dynamics import gravity_forces, mass_matrix
from percuss.sources.comparison import Comparison
from percuss.sources.fixed_and_free_floating.floating import (
    BASE_MASS,
    MASSES,
    error_by_mass,
    free_base_peaks,
    slopes,
)
from percuss.sources.fixed_and_free_floating.followed import followed_circle, smallest_determinant
from percuss.sources.fixed_and_free_floating.motion import arm_motion, whole_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, TABLE_1, TIMES, fixed_arm
from percuss.sources.fixed_and_free_floating.printed import numeric_torques
from percuss.sources.fixed_and_free_floating.singularities import (
    PUBLISHED,
    determinants,
    dynamic_singularities,
    published_singularity,
)
from percuss.sources.table import number

_PRINTED_ANGLES = {1: (0.3109, 0.7953), 2: (1.1056, -0.7953)}


def printed_numbers() -> tuple[Comparison, ...]:
    """Every number that the paper prints, and its conclusions 4 and 5."""
    a2, a3 = CIRCLE.coefficients()
    rows = [
        Comparison.of("a2, rad/s²", 0.1885, a2, "rounded"),
        Comparison.of("a3, rad/s³", -0.0125, a3, "too few digits: φ(10 s) = 6.35, φ̇ = 0.02"),
    ]
    for case, printed in _PRINTED_ANGLES.items():
        angles = arm_motion(0.0, case).q[:, 0]
        for joint in (0, 1):
            slip = (case, joint) == (2, 0)
            rows.append(
                Comparison.of(
                    f"θ{joint + 1} at 0 s, case {case}, rad",
                    printed[joint],
                    angles[joint],
                    "a slip: 0.7 mrad" if slip else "cut off after four digits",
                )
            )
    return (*rows, *_coefficients(), *_conclusions())


def _coefficients() -> tuple[Comparison, ...]:
    """The equations with numbers, from the mass matrix and the gravity forces of the arm."""
    arm, heavy = fixed_arm(gravity=False), fixed_arm(gravity=True)
    bent, straight = (np.asarray(mass_matrix(arm, [0.0, x]), float) for x in (np.pi / 2, 0.0))
    # With θ1 + θ2 = 90° only cos θ1 is left of τ1, and the other way round.
    first = float(gravity_forces(heavy, [0.0, np.pi / 2])[0]) / TABLE_1.g
    second = float(gravity_forces(heavy, [0.0, 0.0])[1])
    coupling = straight[0, 0] - bent[0, 0]
    return (
        Comparison.of("H11 without cos θ2, kg m²", 26.2128, bent[0, 0], "inexact"),
        Comparison.of("H11, factor of cos θ2, kg m²", 14.52, coupling, "rounded"),
        Comparison.of("τ1, factor of −s2 θ̇1 θ̇2, kg m²", 7.26, coupling, "wrong: half of it"),
        Comparison.of("H12, factor of cos θ2, kg m²", 7.26, coupling / 2, "rounded"),
        Comparison.of("τ2, factor of s2 θ̇1², kg m²", -7.26, coupling / 2, "wrong: sign"),
        Comparison.of("H22, kg m²", 5.275, bent[1, 1], "cut off"),
        Comparison.of(
            "G1 / g, factor of cos θ1, kg m",
            22.084,
            first,
            "right, but cos θ1 is subtracted from it",
        ),
        Comparison.of("G2, factor of cos(θ1 + θ2), N m", 71.238, second, "cut off"),
    )


def _conclusions() -> tuple[Comparison, ...]:
    m = whole_motion()
    back = np.abs(m.q[:, -1] - m.q[:, 0]).max()
    still = np.abs(m.v[:, [0, -1]]).max()
    return (
        Comparison.of("angles at 10 s less those at 0 s, rad", 0.0, back, "conclusion 4: agrees"),
        Comparison.of("rates at 0 and 10 s, rad/s", 0.0, still, "conclusion 5: agrees"),
    )


def torque_numbers(gravity: bool) -> tuple[Comparison, ...]:
    """Torques at five times: the printed equations with numbers, on our motion, and percuss."""
    m = arm_motion(TIMES)
    printed = numeric_torques(m.q, m.v, m.a, gravity)
    ours = m.with_gravity if gravity else m.without_gravity
    remarks = (
        ("22.084 − cos θ1 printed for 22.084 cos θ1", "sign of 7.26 s2 θ̇1²")
        if gravity
        else ("half of the Coriolis term", "sign of 7.26 s2 θ̇1²")
    )
    return tuple(
        Comparison.of(
            f"τ{joint + 1} at {number(t)} s, N m",
            printed[joint, k],
            ours[joint, k],
            remarks[joint] if (gravity and joint == 0) or 0 < t < CIRCLE.duration else "rounded",
        )
        for joint in (0, 1)
        for k, t in enumerate(TIMES)
    )


def floating_numbers() -> tuple[Comparison, ...]:
    """The free base: what the paper assumes, and what happens at 100 kg and 20 kg m²."""
    peaks, followed = free_base_peaks(), followed_circle()
    general, fixed = determinants()
    light = f"base {number(BASE_MASS)} kg"
    return (
        *(
            Comparison.of(
                f"peak of |τ{k + 1}|, N m",
                peaks.fixed_torques[k],
                peaks.torques[k],
                f"{light}; off by up to {100 * peaks.torque_error[k]:.0f} % of the peak",
            )
            for k in (0, 1)
        ),
        Comparison.of("largest error of the tool, m", 0.0, peaks.tool_error, light),
        Comparison.of("largest turn of the base, rad", 0.0, peaks.turn, light),
        Comparison.of("det J at 0 s, m²", fixed, general, "generalized Jacobian, momentum kept"),
        *(
            Comparison.of("singular q2 at q1 = 90°, rad", place, q2, remark)
            for place, q2, remark in zip(
                (-np.pi, 0.0),
                dynamic_singularities(),
                ("folded, if the base is fixed", "stretched, if the base is fixed"),
                strict=True,
            )
        ),
        Comparison.of(
            f"singular q2 at q1 = {number(PUBLISHED[0])}°, degrees",
            PUBLISHED[1],
            published_singularity(),
            "another arm, Papadopoulos and Dubowsky 1993: agrees",
        ),
        *(
            Comparison(
                quantity=f"error of {what} ∝ massᵏ, k",
                source="none",
                percuss=number(slope, 4),
                difference="",
                remark=remark,
            )
            for what, slope, remark in zip(
                ("τ1", "τ2", "the tool's place"),
                slopes(),
                ("base of 10⁶ to 10⁸ kg: falls as 1 / mass", "likewise", "likewise"),
                strict=True,
            )
        ),
        Comparison(
            quantity="error of the tool with q̇ = J_g⁻¹ ẋ, m",
            source="0",
            percuss=f"< {number(_power_of_ten_above(followed.tool_error.max()))}",
            difference="",
            remark="the circle is met on the free base too",
        ),
        Comparison.of(
            "turn of the base after that circle, rad",
            0.0,
            followed.q[2, -1],
            "a closed path of the tool, and the base does not come back",
        ),
    )


def _power_of_ten_above(value: float) -> float:
    """For what is nothing but integration error, of which digits mean nothing."""
    return float(10.0 ** np.ceil(np.log10(value)))


def summary() -> dict[str, Any]:
    """Every number as plain data."""
    m, peaks, followed = arm_motion(TIMES), free_base_peaks(), followed_circle()
    torque, tool = error_by_mass(MASSES)
    general, fixed = determinants()
    a2, a3 = CIRCLE.coefficients()
    return {
        "table_1": dict(vars(TABLE_1)),
        "circle": {**vars(CIRCLE), "a2": a2, "a3": a3},
        "angles_at_0_s": {str(case): arm_motion(0.0, case).q[:, 0].tolist() for case in (1, 2)},
        "torques": {
            "time": list(TIMES),
            "without_gravity": m.without_gravity.T.tolist(),
            "with_gravity": m.with_gravity.T.tolist(),
        },
        "free_base": {
            "mass": BASE_MASS,
            "peak_torques": peaks.torques.tolist(),
            "peak_torques_fixed": peaks.fixed_torques.tolist(),
            "torque_error": peaks.torque_error.tolist(),
            "tool_error": peaks.tool_error,
            "base_turn": peaks.turn,
            "determinant": general,
            "determinant_fixed": fixed,
            "dynamic_singularities_at_90_deg": dynamic_singularities().tolist(),
            "published_singularity": {
                "robot": "papadopoulos",
                "q_deg": list(PUBLISHED),
                "q2_deg_found": published_singularity(),
            },
            "followed_circle": {
                "tool_error": float(followed.tool_error.max()),
                "base_at_end": followed.q[:3, -1].tolist(),
                "smallest_determinant": smallest_determinant(),
            },
        },
        "by_base_mass": {
            "mass": MASSES.tolist(),
            "torque_error": torque.T.tolist(),
            "tool_error": tool.tolist(),
            "slopes": slopes().tolist(),
        },
    }
