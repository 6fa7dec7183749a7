"""Orientation errors that obey a linear equation: the derivative of the exponential map.

An orientation R is compared with a wanted one R_d by the rotation vector φ with R = exp(φ×) R_d.
Its rate is not the angular velocity: ω = J(φ) φ̇ + exp(φ×) ω_d, where

    J(φ) = 1 + A φ× + B φ× φ×,   A = (1 - cos θ) / θ²,   B = (θ - sin θ) / θ³,   θ = |φ|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from percuss.algebra.rotations import Quaternion
from percuss.algebra.scalars import (
    Scalar,
    cos_sqrt,
    formula,
    plain,
    sinc_sqrt,
    terms,
    where,
)
from percuss.algebra.vectors import Vector3


def velocity_of_turn(phi: Vector3, rate: Vector3) -> Vector3:
    """J(φ) φ̇: the angular velocity of exp(φ×), in the axes in which φ is given (rad/s)."""
    across = phi.cross(rate)
    a, b, _, _ = _coefficients(phi)
    return rate + across * a + phi.cross(across) * b


def acceleration_of_turn(phi: Vector3, rate: Vector3, change: Vector3) -> Vector3:
    """J(φ) φ̈ + J̇ φ̇: the angular acceleration of exp(φ×) (rad/s²)."""
    a, b, a_slope, b_slope = _coefficients(phi)
    twice = 2.0 * terms(phi.dot(rate))  # ds/dt of s = φ · φ
    across, across_change = phi.cross(rate), phi.cross(change)
    steady = change + across_change * a + phi.cross(across_change) * b
    turning = across * plain(a_slope * twice) + phi.cross(across) * plain(b_slope * twice)
    return steady + turning + rate.cross(across) * b


def rate_of_error(phi: Vector3, velocity: Vector3) -> Vector3:
    """φ̇ = J(φ)⁻¹ ω for ω = J(φ) φ̇; |φ| < 2π."""
    a, _, a_slope, _ = _coefficients(phi)
    across = phi.cross(velocity)
    # J⁻¹ = 1 - φ×/2 + C φ× φ× with C = (1 - (θ/2) cot(θ/2)) / θ² = -A'/A.
    return velocity - across * 0.5 + phi.cross(across) * plain(-(terms(a_slope) / a))


def tracking_turn(
    phi: Vector3,
    velocity: Vector3,
    goal_velocity: Vector3,
    goal_acceleration: Vector3,
    *,
    kp: Vector3,
    kd: Vector3,
) -> Vector3:
    """The angular acceleration ω̇ with which the error obeys φ̈ = -Kd φ̇ - Kp φ exactly.

    From ω = J φ̇ + E ω_d with E = exp(φ×):  ω̇ = J φ̈ + J̇ φ̇ + (J φ̇) × (E ω_d) + E ω̇_d.
    Everything in the axes in which φ is given; gains per component (1/s², 1/s).
    """
    turn = Quaternion.from_rotation_vector(phi).to_rotation()
    carried = turn @ goal_velocity
    relative = velocity - carried
    rate = rate_of_error(phi, relative)
    change = -(_scaled(kd, rate) + _scaled(kp, phi))
    own = acceleration_of_turn(phi, rate, change)
    return own + relative.cross(carried) + turn @ goal_acceleration


def _scaled(factors: Vector3, vector: Vector3) -> Vector3:
    return Vector3(*(plain(terms(k) * x) for k, x in zip(factors, vector, strict=True)))


def _coefficients(phi: Vector3) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """A, B, dA/ds and dB/ds at s = φ · φ."""
    s = phi.dot(phi)
    small = s < _SERIES_BELOW
    # The argument is guarded, not the result: no division by zero, in derivatives neither.
    safe = where(small, 1.0, s)
    far, sinc = terms(safe, sinc_sqrt(safe))
    half = terms(sinc_sqrt(plain(0.25 * far)))
    a = 0.5 * (half * half)
    b = (1.0 - sinc) / far
    a_slope = (0.5 * sinc - a) / far
    b_slope = ((sinc - cos_sqrt(safe)) / (2.0 * far) - b) / far
    near = (_series(s, _A), _series(s, _B), _series(s, _slope(_A)), _series(s, _slope(_B)))
    both = zip(near, plain((a, b, a_slope, b_slope)), strict=True)
    return tuple(where(small, x, y) for x, y in both)  # type: ignore[return-value]


_SERIES_BELOW = 1e-2
"""θ² below which six terms of the series are exact to rounding."""


def _terms(factorial: Callable[[int], int]) -> tuple[float, ...]:
    return tuple((-1) ** k / math.factorial(factorial(k)) for k in range(6))


_A = _terms(lambda k: 2 * k + 2)
_B = _terms(lambda k: 2 * k + 3)


def _slope(terms: Sequence[float]) -> tuple[float, ...]:
    return tuple(k * term for k, term in enumerate(terms))[1:]


@formula
def _series(s: Scalar, terms: Sequence[float]) -> Scalar:
    value: Scalar = 0.0
    for term in reversed(terms):
        value = term + s * value
    return value
