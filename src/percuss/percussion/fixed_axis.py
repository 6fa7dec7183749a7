"""One body on a fixed axis in the plane: its centre of percussion and the reaction of the axis.

The body's frame has its origin on the axis and x towards the centre of mass. An impact at a
distance `at` along x under the angle φ puts the impulse -Ω (cos φ, sin φ) on the body, as the
paper on the centre of percussion draws it; φ = 90° is normal to the line from axis to CoM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.scalars import (
    Scalar,
    cos,
    formula,
    plain,
    sin,
    sqrt,
    terms,
    unpack,
)
from percuss.model.bodies import Body
from percuss.model.checks import as_scalar, is_finite, is_not_negative, is_positive, shown, violates
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class AxisBody:
    """A body that turns about a fixed axis: scalars of any kind.

    `mass` in kg; `com` the distance of the centre of mass from the axis (m); `inertia` about an
    axis through the centre of mass, parallel to the fixed one (kg m²).
    """

    mass: Scalar
    com: Scalar
    inertia: Scalar

    def __post_init__(self) -> None:
        for field, unit, allowed, words in (
            ("mass", "kg", is_positive, "finite and > 0"),
            ("com", "m", is_finite, "finite"),
            ("inertia", "kg m²", is_not_negative, "finite and ≥ 0"),
        ):
            value = as_scalar(getattr(self, field), f"body on an axis: {field}")
            if violates(value, allowed):
                raise ModelError(
                    f"body on an axis: {field} must be {words} {unit}, got {shown(value)}"
                )
            object.__setattr__(self, field, value)
        if violates(self.inertia_about_axis, is_positive):
            raise ModelError(
                "body on an axis: nothing resists its rotation: inertia about its centre of mass "
                f"is {shown(self.inertia)} kg m² and the centre of mass is on the axis"
            )

    @staticmethod
    def of(body: Body) -> AxisBody:
        """A body of a planar system, its joint at the origin of its frame and its axis along z."""
        x, y = terms(body.com.x, body.com.y)
        across = plain(sqrt(x * x + y * y))
        return AxisBody(body.mass, across, body.inertia.zz)

    @property
    @formula
    def inertia_about_axis(self) -> Scalar:
        """I_o = I_c + m r² (kg m²)."""
        m, r = terms(self.mass, self.com)
        return self.inertia + m * (r * r)

    @property
    @formula
    def mass_distribution(self) -> Scalar:
        """C_MD = I_c / I_o, from 0 (all mass in one point) to 1 (balanced about the axis)."""
        return terms(self.inertia) / self.inertia_about_axis

    @property
    @formula
    def percussion_beyond_com(self) -> Scalar:
        """r_cop = I_c / (m r): the centre of percussion, from the centre of mass outwards (m).

        Infinite for a body that is balanced about its axis.
        """
        m, r = terms(self.mass, self.com)
        return self.inertia / (m * r)

    @property
    @formula
    def percussion_distance(self) -> Scalar:
        """l_cop = r + r_cop = I_o / (m r): the centre of percussion, from the axis (m)."""
        m, r = terms(self.mass, self.com)
        return self.inertia_about_axis / (m * r)


@formula
def impact_coefficient(body: AxisBody, at: Scalar) -> Scalar:
    """C_ID = l r m / I_o of an impact at l from the axis (m): 1 at the centre of percussion."""
    return at * body.com * body.mass / body.inertia_about_axis


@formula
def impact_distance(body: AxisBody, coefficient: Scalar) -> Scalar:
    """The distance from the axis (m) at which an impact has this C_ID."""
    return coefficient * body.percussion_distance


@formula
def displacement(body: AxisBody, at: Scalar) -> Scalar:
    """r̃ = (l - l_cop) / r_cop, for which C_ID = 1 + C_MD r̃."""
    return (at - body.percussion_distance) / body.percussion_beyond_com


@formula
def ratio_of(coefficient: Scalar, angle: Scalar) -> Scalar:
    """Ω_N / Ω_F = √(cos²φ + (1 - C_ID)² sin²φ), which is √(1 + (C_ID² - 2 C_ID) sin²φ).

    Written as a sum of squares it does not cancel near the centre of percussion. `angle` in rad.
    """
    along, across = terms(*reaction_of(coefficient, angle))
    return sqrt(along * along + across * across)


@formula
def reaction_of(coefficient: Scalar, angle: Scalar) -> tuple[Scalar, Scalar]:
    """Impulse of the axis on the body per impulse of the impact: along x and along y.

    (cos φ, (1 - C_ID) sin φ): what comes in along the body goes straight to the axis.
    """
    return cos(angle), (1.0 - coefficient) * sin(angle)


def reaction_ratio(body: AxisBody, at: Scalar, angle: Scalar) -> Scalar:
    """Size of the axis' reaction impulse per impulse of an impact at `at` (m), `angle` (rad)."""
    return ratio_of(impact_coefficient(body, at), angle)


def reaction(body: AxisBody, point: Any, impulse: Any) -> tuple[Scalar, Scalar]:
    """Impulse of the axis on the body (N s) for an impulse (x, y) (N s) at any point (x, y) (m).

    Both in the body's frame, x from the axis to the centre of mass: ω = p × J / I_o and
    N = m ω ẑ × r - J.
    """
    x, y = terms(*unpack(point, 2, "point (x, y)"))
    jx, jy = terms(*unpack(impulse, 2, "impulse (x, y)"))
    moment = x * jy - y * jx
    rate = moment / body.inertia_about_axis
    return plain((-jx, body.mass * rate * body.com - jy))
