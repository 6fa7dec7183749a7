"""The reaction of a fixed axis when nothing is known exactly: extremes inside tolerances.

No search: C_ID = l g(r, I/m) with g = r / (j + r²), j = I/m, and the reaction squared is
1 + ((1 - C_ID)² - 1) sin²φ. Each is monotonic between stationary points that are known (r = √j,
C_ID = 1, φ = π/2), so ends and stationary points hold the extremes, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from percuss.model.errors import ModelError, closest
from percuss.percussion.admissible import Interval
from percuss.percussion.fixed_axis import AxisBody, impact_coefficient, ratio_of
from percuss.percussion.sensitivity import PARAMETERS, UNITS


@dataclass(frozen=True)
class Extreme:
    """A reaction ratio, and values of all parameters inside the tolerances that give it."""

    ratio: float
    parameters: dict[str, float]


@dataclass(frozen=True)
class ReactionRange:
    """The least and the largest reaction inside tolerances, and the interval of C_ID there."""

    least: Extreme
    largest: Extreme
    coefficient: Interval


def reaction_range(
    body: AxisBody, at: float, angle: float, tolerances: Mapping[str, float]
) -> ReactionRange:
    """Extremes of the reaction ratio when each parameter may be off by its tolerance.

    Args:
        body: nominal values, plain numbers.
        at: nominal distance of the impact from the axis (m).
        angle: nominal angle of the impact (rad).
        tolerances: ± by parameter name, "angle" (rad), "at" (m), "mass" (kg), "com" (m),
            "inertia" (kg m²); what is not named is exact.
    """
    box = _box(body, at, angle, tolerances)
    if not _is_possible(box):
        raise ModelError(
            "the tolerances admit bodies that cannot be: mass must stay > 0 kg and inertia ≥ 0 "
            "kg m² (> 0 where the centre of mass may lie on the axis), got mass from "
            f"{box['mass'].lower:g} kg, inertia from {box['inertia'].lower:g} kg m²"
        )
    return _extremes(box)


def _extremes(box: Mapping[str, Interval]) -> ReactionRange:
    low, high = _coefficient_extremes(box)
    # Nearest to 1 and farthest from 1; the path between two bodies of the box passes 1 if 1
    # lies between their coefficients.
    near, far = sorted((low, high), key=lambda one: abs(1.0 - one.coefficient))
    if low.coefficient < 1.0 < high.coefficient:
        near = _between(low, high)
    flattest, steepest = _angles(box["angle"])

    def extreme(one: _Corner, angle: float) -> Extreme:
        values = {"angle": angle, **one.parameters}
        return Extreme(float(ratio_of(one.coefficient, angle)), values)  # type: ignore[arg-type]

    largest = extreme(far, steepest if abs(1.0 - far.coefficient) > 1.0 else flattest)
    least = extreme(near, steepest if abs(1.0 - near.coefficient) < 1.0 else flattest)
    return ReactionRange(least, largest, Interval(low.coefficient, high.coefficient))


def tolerance_margin(
    body: AxisBody, at: float, angle: float, tolerances: Mapping[str, float], *, limit: float
) -> float:
    """The factor by which all tolerances may grow together before the limit can be broken.

    Below 1 the tolerances are too wide; 0 if the nominal impact breaks the limit already;
    infinite if it never happens. Tolerances that admit a mass that is not positive count as
    breaking it. The range grows with the factor, so halving finds it.
    """

    def keeps(factor: float) -> bool:
        scaled = {name: factor * value for name, value in tolerances.items()}
        box = _box(body, at, angle, scaled)
        return _is_possible(box) and _extremes(box).largest.ratio <= limit

    _box(body, at, angle, tolerances)  # names and signs
    if not keeps(0.0):
        return 0.0
    high = 1.0
    while keeps(high):
        high *= 2.0
        if high > 2.0**60:
            return math.inf
    low = 0.0
    while high - low > 1e-14 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class _Corner:
    """C_ID, and at, mass, com, inertia that have it."""

    coefficient: float
    parameters: dict[str, float]


def _corner(at: float, com: float, mass: float, inertia: float) -> _Corner:
    parameters = {"at": at, "mass": mass, "com": com, "inertia": inertia}
    coefficient = impact_coefficient(AxisBody(mass, com, inertia), at)
    return _Corner(float(coefficient), parameters)  # type: ignore[arg-type]


def _coefficient_extremes(box: Mapping[str, Interval]) -> tuple[_Corner, _Corner]:
    """The least and the largest C_ID = l g(r, j) in the box: l at its ends, g at its extremes."""
    at, com, mass, inertia = (box[name] for name in ("at", "com", "mass", "inertia"))
    compact = (mass.upper, inertia.lower)  # least j = I/m
    spread = (mass.lower, inertia.upper)
    corners: list[_Corner] = []
    for m, central in (compact, spread):
        stationary = math.sqrt(central / m)  # |g| is largest where r = √j
        places = {com.lower, com.upper, *(r for r in (stationary, -stationary) if r in com)}
        if 0.0 in com:
            places.add(0.0)
        corners += [_corner(place, r, m, central) for r in places for place in (at.lower, at.upper)]
    corners.sort(key=lambda one: one.coefficient)
    return corners[0], corners[-1]


def _between(low: _Corner, high: _Corner) -> _Corner:
    """A body on the straight way between two corners of the box with C_ID = 1, by halving."""
    first, last = 0.0, 1.0
    while True:
        share = 0.5 * (first + last)
        values = {
            name: (1.0 - share) * low.parameters[name] + share * high.parameters[name]
            for name in low.parameters
        }
        found = _corner(values["at"], values["com"], values["mass"], values["inertia"])
        if share in (first, last) or found.coefficient == 1.0:
            return found
        first, last = (share, last) if found.coefficient < 1.0 else (first, share)


def _angles(angle: Interval) -> tuple[float, float]:
    """Where sin² is least and where it is largest."""
    candidates = [angle.lower, angle.upper]
    quarter = math.pi / 2
    first = math.ceil(angle.lower / quarter)
    inside: Iterable[float] = (k * quarter for k in (first, first + 1))
    candidates += [value for value in inside if value in angle]
    ordered = sorted(candidates, key=lambda value: math.sin(value) ** 2)
    return ordered[0], ordered[-1]


def _box(
    body: AxisBody, at: float, angle: float, tolerances: Mapping[str, float]
) -> dict[str, Interval]:
    nominal = {
        "angle": angle,
        "at": at,
        "mass": body.mass,
        "com": body.com,
        "inertia": body.inertia,
    }
    for name, value in tolerances.items():
        if name not in PARAMETERS:
            raise ModelError(
                f"there is no tolerance of {name!r}.{closest(name, PARAMETERS)} "
                f"There are: {', '.join(PARAMETERS)}"
            )
        if not (math.isfinite(value) and value >= 0.0):
            raise ModelError(
                f"the tolerance of {name} must be finite and ≥ 0 {UNITS[name]}, got {value:g}"
            )
    box = {}
    for name, given in nominal.items():
        value, half = float(given), float(tolerances.get(name, 0.0))
        if not math.isfinite(value):
            raise ModelError(f"{name} must be a finite number ({UNITS[name]}), got {value:g}")
        box[name] = Interval(value - half, value + half)
    return box


def _is_possible(box: Mapping[str, Interval]) -> bool:
    """Whether every body in the box has a positive mass and resists turning."""
    mass, com, inertia = box["mass"], box["com"], box["inertia"]
    if mass.lower <= 0.0 or inertia.lower < 0.0:
        return False
    return inertia.lower > 0.0 or 0.0 not in com
