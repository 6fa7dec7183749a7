"""How errors in angle, place, mass, CoM and inertia change the reaction: slope by slope."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.algebra.scalars import (
    Scalar,
    cos,
    formula,
    plain,
    sin,
    sqrt,
    terms,
    where,
)
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


@formula
def coefficient_slopes(body: AxisBody, at: Scalar) -> dict[str, Scalar]:
    """∂C_ID / ∂(at, mass, com, inertia), in 1/m, 1/kg, 1/m, 1/(kg m²)."""
    m, r, central, about = terms(body.mass, body.com, body.inertia, body.inertia_about_axis)
    squared = about * about
    return {
        "at": r * m / about,
        "mass": at * r * central / squared,
        "com": at * m * (central - m * (r * r)) / squared,
        "inertia": -(at * r * m / squared),
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
    turned = plain((1.0 - terms(coefficient)) * cos(angle))
    vector: dict[str, tuple[Scalar, Scalar]] = {"angle": (-sin(angle), turned)}
    for name, slope in inner.items():
        vector[name] = (0.0, plain(-(terms(slope) * sin(angle))))
    x, y = terms(along, across)
    size = plain(sqrt(x * x + y * y))
    ratio = {name: _of_size(size, (along, across), slope) for name, slope in vector.items()}
    return Slopes((along, across), vector, ratio)


@formula
def _of_size(size: Scalar, reaction: tuple[Scalar, Scalar], slope: tuple[Scalar, Scalar]) -> Scalar:
    """d|N| = N · dN / |N|, and |dN| where N = 0 (cos 90° is 6e-17 in floating point)."""
    sharp = size < 1e-15
    guarded = where(sharp, 1.0, size)
    smooth = (reaction[0] * slope[0] + reaction[1] * slope[1]) / guarded
    steepness = sqrt(slope[0] * slope[0] + slope[1] * slope[1])
    return where(sharp, steepness, smooth)
