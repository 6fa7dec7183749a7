"""The derivative of the exponential map, from no turn at all to nearly a full one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from percuss.algebra import Quaternion, Vector3
from percuss.algebra.scalars import pack
from percuss.control.attitude import acceleration_of_turn, rate_of_error, velocity_of_turn
from tests.strategies import Array
from tests.tracers import slopes
from tests.truth.compare import derivative

angles = st.one_of(st.just(0.0), st.floats(1e-9, 6.0), st.floats(0.05, 0.15))
seeds = st.integers(0, 2**32 - 1)


def vectors(seed: int, angle: float) -> tuple[Vector3, Vector3, Vector3]:
    """A rotation vector of this length, and two others of about one."""
    rng = np.random.default_rng(seed)
    axis, rate, change = rng.normal(size=(3, 3))
    phi = axis * angle / np.linalg.norm(axis)
    return Vector3.of(phi), Vector3.of(rate), Vector3.of(change)


def array(vector: Vector3) -> Array:
    return np.array(vector.array(), float)


def turning(phi: Any) -> Array:
    return np.array(Quaternion.from_rotation_vector(Vector3.of(phi)).to_rotation().array(), float)


@given(seeds, angles)
def test_velocity_is_the_derivative_of_the_rotation(seed: int, angle: float) -> None:
    """Ṙ Rᵀ = (J φ̇)×."""
    phi, rate, _ = vectors(seed, angle)
    slope = derivative(lambda t: turning(array(phi) + t * array(rate)))
    spin = slope @ turning(array(phi)).T
    found = array(velocity_of_turn(phi, rate))
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], found, atol=1e-10)


@given(seeds, angles)
def test_acceleration_is_the_derivative_of_the_velocity(seed: int, angle: float) -> None:
    phi, rate, change = vectors(seed, angle)

    def velocity(t: float) -> Array:
        there = phi + rate * t + change * (0.5 * t * t)
        return array(velocity_of_turn(there, rate + change * t))

    found = array(acceleration_of_turn(phi, rate, change))
    np.testing.assert_allclose(derivative(velocity), found, atol=1e-9)


@given(seeds, st.one_of(st.just(0.0), st.floats(1e-9, 5.5), st.floats(0.05, 0.15)))
def test_rates_come_back(seed: int, angle: float) -> None:
    """J⁻¹ J φ̇ = φ̇ up to nearly a full turn, where J is singular."""
    phi, rate, _ = vectors(seed, angle)
    again = rate_of_error(phi, velocity_of_turn(phi, rate))
    np.testing.assert_allclose(array(again), array(rate), rtol=1e-12, atol=1e-12)


def test_series_and_closed_form_meet() -> None:
    """Both sides of the change of formula give the same to rounding."""
    for length in (0.1 - 1e-9, 0.1 + 1e-9):
        phi, rate, change = vectors(1, length)
        exact = _exact(array(phi), array(rate), array(change))
        np.testing.assert_allclose(
            array(acceleration_of_turn(phi, rate, change)), exact, rtol=1e-13, atol=1e-14
        )


def _exact(phi: Array, rate: Array, change: Array) -> Array:
    """J φ̈ + J̇ φ̇ in 50 digits."""
    t = sympy.Symbol("t")
    path = [
        sympy.Float(p, 50) + sympy.Float(r, 50) * t + sympy.Float(c, 50) * t**2 / 2
        for p, r, c in zip(phi, rate, change, strict=True)
    ]
    vector = sympy.Matrix(path)
    theta = sympy.sqrt(vector.dot(vector))
    speed = vector.diff(t)
    across = vector.cross(speed)
    first = (1 - sympy.cos(theta)) / theta**2 * across
    second = (theta - sympy.sin(theta)) / theta**3 * vector.cross(across)
    found = (speed + first + second).diff(t).subs(t, 0).evalf(30)
    return np.array(found, float).ravel()


@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.1, 3.0])
def test_derivatives_are_finite(angle: float) -> None:
    _, rate, change = vectors(2, 1.0)

    def both(phi: Any) -> Any:
        there = Vector3.of(phi)
        turn = acceleration_of_turn(there, rate, change)
        return pack([*turn, *rate_of_error(there, rate)])

    for way, found in slopes(both, np.array([angle, 0.0, 0.0])).items():
        assert np.isfinite(found).all(), way
