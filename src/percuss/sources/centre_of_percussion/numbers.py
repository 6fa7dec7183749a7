"""The paper's numbers beside percuss's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from percuss.percussion import (
    admissible_points,
    coefficient_interval,
    published_coefficient_interval,
    ratio_of,
    reaction_ratio,
)
from percuss.percussion.admissible import coefficient_limits, least_angle
from percuss.percussion.fixed_axis import impact_coefficient
from percuss.sources.centre_of_percussion.cases import PulseCase, felt
from percuss.sources.centre_of_percussion.drawings import PRINTED_EXAMPLE
from percuss.sources.centre_of_percussion.paper import (
    ANGLES,
    LEAST_ANGLE,
    LIMIT,
    PLACES,
    TABLE_1,
    PaperLink,
)
from percuss.sources.comparison import Comparison
from percuss.sources.table import Table, number

LINKS = {"link 1": TABLE_1.link1, "link 2": TABLE_1.link2}
COP = TABLE_1.link2.cop


def link_data(link: PaperLink) -> dict[str, float]:
    """A link as its own joint sees it."""
    body = link.body
    return {
        "cop": link.cop,
        "inertia_about_joint": float(body.inertia_about_axis),  # type: ignore[arg-type]
        "mass_distribution": float(body.mass_distribution),  # type: ignore[arg-type]
        "impact_coefficient_at_tip": float(impact_coefficient(body, link.length)),  # type: ignore[arg-type]
    }


def table_1() -> tuple[Comparison, ...]:
    """The last column of Table 1, and what the paper defines but does not print."""
    rows: list[Comparison] = []
    for name, link in LINKS.items():
        exact = math.isclose(link.printed_cop, link.cop, abs_tol=1e-12)
        remark = "agrees" if exact else "rounded"
        rows.append(Comparison.of(f"CoP of {name}, m", link.printed_cop, link.cop, remark))
    for name, link in LINKS.items():
        data = link_data(link)
        for quantity, key, equation in (
            ("I_o", "inertia_about_joint", "(4), kg m²"),
            ("C_MD", "mass_distribution", "(41)"),
            ("C_ID at the tip", "impact_coefficient_at_tip", "(8)"),
        ):
            rows.append(_ours(f"{quantity} of {name}", data[key], equation))
    return tuple(rows)


def design() -> tuple[Comparison, ...]:
    """Section 3: bounds, (39) as printed and corrected, and the example of section 3.3."""
    right = coefficient_interval(LIMIT, LEAST_ANGLE)
    printed = published_coefficient_interval(LIMIT, LEAST_ANGLE)
    points = admissible_points(TABLE_1.link2.body, LIMIT, LEAST_ANGLE)
    assert right is not None
    assert points is not None
    bounds = coefficient_limits(LIMIT)
    rows = [
        _ours("φ_min for Ω = 0.4, degrees", math.degrees(least_angle(LIMIT)), "(37)"),
        _ours("least C_ID for Ω = 0.4", bounds.lower, "(38)"),
        _ours("largest C_ID for Ω = 0.4", bounds.upper, "(38)"),
    ]
    for which, wrong, example, ours in zip(
        ("least", "largest"),
        (printed.lower, printed.upper),
        PRINTED_EXAMPLE,
        (right.lower, right.upper),
        strict=True,
    ):
        rows += [
            Comparison.of(f"{which} C_ID at 70°, (39)", wrong, ours, "wrong sign"),
            Comparison.of(f"{which} C_ID at 70°, example", example, ours, "wrong"),
        ]
    return (
        *rows,
        Comparison.of(
            "Ω at 0.68 and 70°", LIMIT, ratio_of(PRINTED_EXAMPLE[0], LEAST_ANGLE), "over the limit"
        ),
        _ours("link 2 may be struck from, m", points.lower, "by (8)"),
        _ours("link 2 may be struck to, m", points.upper, "by (8)"),
    )


@dataclass(frozen=True)
class Blow:
    """1 kN on link 2: reactions (N) of joints 1 and 2 at onset and at most within the pulse.

    `fixed_axis` is what (7) gives for joint 2 (N).
    """

    case: PulseCase
    fixed_axis: float
    onset: dict[str, float]
    peak: dict[str, float]

    @staticmethod
    def of(case: PulseCase) -> Blow:
        found, body = felt(case), TABLE_1.link2.body
        ratio = float(reaction_ratio(body, case.at, math.radians(case.angle)))  # type: ignore[arg-type]
        joints = ("joint1", "joint2")
        return Blow(
            case,
            case.force * ratio,
            {joint: found.at_onset(joint) for joint in joints},
            {joint: found.peak(joint) for joint in joints},
        )

    def data(self) -> dict[str, Any]:
        """The case and what was found of it, as plain data."""
        return {
            "at": self.case.at,
            "angle_deg": self.case.angle,
            "joint_2_at": self.case.joint_2,
            "fixed_axis": self.fixed_axis,
            "onset": self.onset,
            "peak": self.peak,
        }


def blows() -> tuple[Blow, ...]:
    """Figures 10a and 10b."""
    cases = (*(PulseCase(at) for at in PLACES), *(PulseCase(COP, angle) for angle in ANGLES[1:]))
    return tuple(Blow.of(case) for case in cases)


def shielded() -> tuple[Blow, ...]:
    """Figure 10c."""
    moved = TABLE_1.with_joint_2_at_cop().joint_2
    return tuple(Blow.of(PulseCase(COP, angle, joint_2=moved)) for angle in ANGLES)


def blow_table() -> Table:
    """Section 6.1: (7), axis fixed in space, beside the floating robot."""
    rows = []
    for blow in blows():
        at, angle = blow.case.at, blow.case.angle
        place = "CoP" if at == COP else f"{number(at, 4)} m"
        onset, peak = blow.onset["joint2"], blow.peak["joint2"]
        values = (blow.fixed_axis, onset, onset - blow.fixed_axis, peak)
        rows.append((f"{place}, {angle:g}°", *(_tenths(x) for x in values)))
    header = ("struck at, φ", "fixed axis, (7)", "free robot", "difference", "peak in the pulse")
    return Table("Section 6.1: |N2| for 1 kN over 10 ms, N", header, tuple(rows))


def shield_table() -> Table:
    """Figure 10c: joint 1, joint 2 at the tip of link 1 and at its centre of percussion."""
    rows = []
    for angle, moved in zip(ANGLES, shielded(), strict=True):
        at_tip = Blow.of(PulseCase(COP, angle))
        values = (at_tip.onset["joint1"], moved.onset["joint1"], moved.peak["joint1"])
        rows.append((f"{angle:g}°", *(number(x, 3) if abs(x) > 1e-9 else "0" for x in values)))
    header = ("φ", "joint 2 at the tip", "at the CoP of link 1", "peak in the pulse there")
    return Table("Figure 10c: |N1| for 1 kN at the CoP of link 2, N", header, tuple(rows))


def summary() -> dict[str, Any]:
    """Every number of sections 2 to 6.1 as plain data."""
    right = coefficient_interval(LIMIT, LEAST_ANGLE)
    printed = published_coefficient_interval(LIMIT, LEAST_ANGLE)
    assert right is not None
    return {
        "links": {name: link_data(link) for name, link in LINKS.items()},
        "design": {
            "limit": LIMIT,
            "angle_deg": math.degrees(LEAST_ANGLE),
            "coefficients": [right.lower, right.upper],
            "coefficients_by_printed_39": [printed.lower, printed.upper],
            "coefficients_of_printed_example": list(PRINTED_EXAMPLE),
            "least_angle_deg": math.degrees(least_angle(LIMIT)),
        },
        "pulses": [blow.data() for blow in (*blows(), *shielded())],
    }


def _tenths(value: float) -> str:
    """With one digit after the point: more would not be printed of newtons."""
    text = f"{value:.1f}".replace("-", "−")
    return "0" if text in ("0.0", "−0.0") else text


def _ours(quantity: str, value: float, remark: str) -> Comparison:
    """What the paper defines, and does not give a number for."""
    return Comparison(
        quantity=quantity, source="", percuss=number(value), difference="", remark=remark
    )
