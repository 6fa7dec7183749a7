"""How errors in angle, place, mass, CoM and inertia change the reaction: slope by slope."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.algebra.scalars import Scalar, add, cos, div, mul, neg, sin, sqrt, sub, where
from percuss.percussion.fixed_axis import AxisBody, impact_coefficient, reaction_of

PARAMETERS = ("angle", "at", "mass", "com", "inertia")
"""What an impact on a fixed axis depends on: rad, m, kg, m, kg m²."""

UNITS = {"angle": "rad", "at": "m", "mass": "kg", "com": "m", "inertia": "kg m²"}


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the reaction per impulse of the impact, by parameter name.

    `vector`: of its components along and across the body, smooth everywhere. `ratio`: of its
    size. At the very centre of percussion, hit at a right angle, the size is zero and has no
    derivative: it grows by |slope| per unit in *either* direction, and that is what is given.
    """

    reaction: tuple[Scalar, Scalar]
    vector: dict[str, tuple[Scalar, Scalar]]
    ratio: dict[str, Scalar]


def coefficient_slopes(body: AxisBody, at: Scalar) -> dict[str, Scalar]:
    """∂C_ID / ∂(at, mass, com, inertia), in 1/m, 1/kg, 1/m, 1/(kg m²)."""
    m, r, central, about = body.mass, body.com, body.inertia, body.inertia_about_axis
    squared = mul(about, about)
    return {
        "at": div(mul(r, m), about),
        "mass": div(mul(mul(at, r), central), squared),
        "com": div(mul(mul(at, m), sub(central, mul(m, mul(r, r)))), squared),
        "inertia": neg(div(mul(mul(at, r), m), squared)),
    }


def slopes(body: AxisBody, at: Scalar, angle: Scalar) -> Slopes:
    """Derivatives of the reaction to an impact at `at` (m) under `angle` (rad), in closed form."""
    coefficient = impact_coefficient(body, at)
    return _slopes(coefficient, angle, coefficient_slopes(body, at))


def slopes_of(coefficient: Scalar, angle: Scalar) -> Slopes:
    """Derivatives with respect to `coefficient` (C_ID) and `angle` (rad), for any body."""
    return _slopes(coefficient, angle, {"coefficient": 1.0})


def _slopes(coefficient: Scalar, angle: Scalar, inner: dict[str, Scalar]) -> Slopes:
    along, across = reaction_of(coefficient, angle)
    vector: dict[str, tuple[Scalar, Scalar]] = {
        "angle": (neg(sin(angle)), mul(sub(1.0, coefficient), cos(angle)))
    }
    for name, slope in inner.items():
        vector[name] = (0.0, neg(mul(slope, sin(angle))))
    size = sqrt(add(mul(along, along), mul(across, across)))
    ratio = {name: _of_size(size, (along, across), slope) for name, slope in vector.items()}
    return Slopes((along, across), vector, ratio)


def _of_size(size: Scalar, reaction: tuple[Scalar, Scalar], slope: tuple[Scalar, Scalar]) -> Scalar:
    """d|N| = N · dN / |N|, and |dN| where N = 0 (cos 90° is 6e-17 in floating point)."""
    sharp = size < 1e-15  # type: ignore[operator]
    guarded = where(sharp, 1.0, size)
    smooth = div(add(mul(reaction[0], slope[0]), mul(reaction[1], slope[1])), guarded)
    steepness = sqrt(add(mul(slope[0], slope[0]), mul(slope[1], slope[1])))
    return where(sharp, steepness, smooth)
