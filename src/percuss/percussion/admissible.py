"""Inverse questions: which impacts keep the reaction of a fixed axis below a limit?

The limit is Ω, the largest allowed reaction impulse per impulse of the impact. Everything is
solved from (Ω_N / Ω_F)² = 1 + (C_ID² - 2 C_ID) sin²φ, on plain numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from percuss.model.errors import ModelError
from percuss.percussion.fixed_axis import AxisBody, impact_coefficient, impact_distance


@dataclass(frozen=True)
class Interval:
    """All values from `lower` to `upper`, both included."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ModelError(
                f"an interval needs lower ≤ upper, got lower {self.lower:g}, upper {self.upper:g}"
            )

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    @property
    def width(self) -> float:
        return self.upper - self.lower


def coefficient_interval(limit: float, angle: float) -> Interval | None:
    """C_ID that keep the reaction within the limit at an angle (rad): 1 ± √(1 + (Ω² - 1)/sin²φ).

    None when no impact point does: the angle is too flat. With an impact along the body
    (φ = 0) every point does, or none.
    """
    _refuse_limit(limit)
    _refuse_angle(angle)
    across = math.sin(angle) ** 2
    # (Ω² - cos²φ) / sin²φ, which is 1 + (Ω² - 1) / sin²φ without its cancellation.
    room = (limit - abs(math.cos(angle))) * (limit + abs(math.cos(angle)))
    if across == 0.0:
        return Interval(-math.inf, math.inf) if room >= 0.0 else None
    if room < 0.0:
        return None
    half = math.sqrt(room / across)
    return Interval(1.0 - half, 1.0 + half)


def published_coefficient_interval(limit: float, angle: float) -> Interval:
    """Equation (39) of the paper as printed, 1 ± √(1 - (Ω² - 1)/sin²φ), whose sign is wrong.

    For comparison with the paper only: at its ends the reaction is not the limit. See
    `coefficient_interval`.
    """
    _refuse_limit(limit)
    _refuse_angle(angle)
    across = math.sin(angle) ** 2
    if across == 0.0:
        raise ModelError(f"(39) divides by sin²φ: angle must not be 0 or π rad, got {angle:g}")
    radicand = 1.0 - (limit**2 - 1.0) / across
    if radicand < 0.0:
        raise ModelError(
            f"(39) has no real value for the limit {limit:g} at {angle:g} rad: its radicand is "
            f"{radicand:.6g}"
        )
    half = math.sqrt(radicand)
    return Interval(1.0 - half, 1.0 + half)


def least_angle(limit: float) -> float:
    """φ_min = asin √(1 - Ω²) (rad): flatter impacts break the limit wherever they are.

    Reached at the centre of percussion only. 0 for limits from 1 on.
    """
    _refuse_limit(limit)
    return math.acos(min(limit, 1.0))


def coefficient_limits(limit: float) -> Interval:
    """C_ID from 1 - Ω to 1 + Ω: impacts outside break the limit at every angle, if Ω < 1.

    Reached by normal impacts only.
    """
    _refuse_limit(limit)
    return Interval(1.0 - limit, 1.0 + limit)


def admissible_points(body: AxisBody, limit: float, angle: float) -> Interval | None:
    """Distances from the axis (m) at which an impact keeps within the limit; None if nowhere.

    A body that is balanced about its axis has the reaction 1 at every point: all points, or none.
    """
    interval = coefficient_interval(limit, angle)
    if body.com == 0:
        return Interval(-math.inf, math.inf) if limit >= 1.0 else None
    if interval is None:
        return None
    ends = [float(impact_distance(body, end)) for end in (interval.lower, interval.upper)]  # type: ignore[arg-type]
    return Interval(min(ends), max(ends))


def admissible_angles(body: AxisBody, limit: float, at: float) -> tuple[Interval, ...]:
    """Angles in [0, π] (rad) at which an impact at `at` (m) keeps within the limit.

    Below Ω = 1 they lie around π/2, if there are any; an impact with C_ID outside [0, 2], where
    the axis acts as a fulcrum, keeps a limit above 1 near 0 and π only.
    """
    return angles_of(limit, float(impact_coefficient(body, at)))  # type: ignore[arg-type]


def angles_of(limit: float, coefficient: float) -> tuple[Interval, ...]:
    """Angles in [0, π] (rad) at which an impact with this C_ID keeps within the limit."""
    _refuse_limit(limit)
    if not math.isfinite(coefficient):
        raise ModelError(f"C_ID must be finite, got {coefficient:g}")
    across = abs(1.0 - coefficient)  # the reaction at φ = π/2; at φ = 0 it is 1
    if max(across, 1.0) <= limit:
        return (Interval(0.0, math.pi),)
    if min(across, 1.0) > limit:
        return ()
    # 1 + (across² - 1) sin²φ = Ω², with Ω between the reactions along and across.
    bound = math.sqrt((1.0 - limit) * (1.0 + limit) / ((1.0 - across) * (1.0 + across)))
    angle = math.asin(min(bound, 1.0))
    if across <= limit:
        return (Interval(angle, math.pi - angle),)
    return Interval(0.0, angle), Interval(math.pi - angle, math.pi)


def _refuse_limit(limit: float) -> None:
    if not (math.isfinite(limit) and limit >= 0.0):
        raise ModelError(
            "limit must be a finite number ≥ 0, the reaction impulse allowed per impulse of the "
            f"impact, got {limit:g}"
        )


def _refuse_angle(angle: float) -> None:
    if not math.isfinite(angle):
        raise ModelError(f"angle must be a finite angle in rad, got {angle:g}")
