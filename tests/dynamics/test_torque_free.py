"""A body on which no torque acts: the closed form against integrations and conservation laws."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.dynamics import torque_free_motion
from percuss.dynamics.elliptic import amplitude, first_kind, quarter_period, third_kind
from percuss.model import ModelError
from tests.dynamics.taylor_top import PRECISE, integrate
from tests.strategies import rotation, unit_quaternion

NORTH = (1.0, 0.0, 0.0, 0.0)
HOURS = 3 * 3600.0
Generator = np.random.Generator


def matrices(quaternions: Any) -> Any:
    """World ← body, shape (3, 3, n)."""
    return percuss.Quaternion(*np.asarray(quaternions, float)).to_rotation().array()


def random_moments(rng: Generator) -> Any:
    """Of some mass distribution, about 1 kg m²."""
    second = rng.uniform(0.05, 2.0, 3)
    return second.sum() - second


def near_separatrix(moments: Any, share: float) -> Any:
    """Angular momentum in principal axes, off the separatrix by this share of m₁."""
    order = np.argsort(moments)
    A, B, C = np.asarray(moments)[order]
    m = np.empty(3)
    m[order] = 1.0 + share, 0.7, math.sqrt((1 / A - 1 / B) / (1 / B - 1 / C))
    return m / np.linalg.norm(m)


def invariants(inertia: Any, quaternions: Any, rates: Any) -> tuple[Any, Any]:
    """Kinetic energy (J) and angular momentum in the world (N m s), shapes (n,) and (3, n)."""
    R = matrices(quaternions)
    in_body = np.einsum("jik,jk->ik", R, rates)
    momentum = np.asarray(inertia) @ in_body
    return 0.5 * np.einsum("ik,ik->k", in_body, momentum), np.einsum("ijk,jk->ik", R, momentum)


# --- against an integration in extended precision ---------------------------------------------


@pytest.mark.skipif(not PRECISE, reason="no extended precision on this machine")
def test_agrees_with_a_taylor_integration_in_extended_precision() -> None:
    rng = np.random.default_rng(5)
    count, times = 40, [0.5, 10.0, 300.0]
    moments = np.stack([random_moments(rng) for _ in range(count)], 1)
    rates = 0.5 * rng.normal(size=(3, count))
    moments[:, 0], moments[:, 1], moments[:, 2] = (1, 2, 2), (1, 1, 2), (3, 3, 3)
    moments[:, 3], rates[:, 3] = (1, 2, 3), (0, 0, -0.7)
    moments[:, 4], rates[:, 4] = (3, 1, 2), (0.2, 1e-9, 0)
    q, w = integrate(moments, np.tile(np.array(NORTH)[:, None], count), rates, times, 0.25)
    for k in range(count):
        turned, spin = torque_free_motion(moments[:, k].tolist(), NORTH, rates[:, k], times)
        # A few ulps of the angle turned.
        slack = 3e-15 + 1e-15 * np.array(times) * np.linalg.norm(rates[:, k])
        assert (np.abs(turned - q[:, k]).max(0) < slack).all(), f"attitude of case {k}"
        in_body = np.einsum("jik,jk->ik", matrices(turned), spin)
        assert (np.abs(in_body - w[:, k]).max(0) < slack).all(), f"spin of case {k}"


@pytest.mark.skipif(not PRECISE, reason="no extended precision on this machine")
def test_close_to_the_separatrix_only_the_motion_itself_magnifies_rounding() -> None:
    shares = np.array([1e-2, -1e-2, 1e-4, -1e-4, 1e-6, -1e-6, 1e-8, -1e-8, 1e-10, -1e-10])
    moments = np.array([1.0, 2.0, 3.0])
    rates = np.stack([0.5 * near_separatrix(moments, share) / moments for share in shares], 1)
    times = [20.0, 200.0]
    many = np.tile(moments[:, None], len(shares))
    q, _ = integrate(many, np.tile(np.array(NORTH)[:, None], len(shares)), rates, times, 0.25)
    for k, share in enumerate(shares):
        turned, _ = torque_free_motion(moments.tolist(), NORTH, rates[:, k], times)
        # Moving the start by an ulp moves the period by that relative to the distance.
        slack = 1e-13 + 20e-16 / abs(share)
        assert np.abs(turned - q[:, k]).max() < slack, f"share {share:g}"


def test_at_the_separatrix_the_body_goes_over_and_stays() -> None:
    """m = (α sech, tanh, γ sech): from next to one intermediate axis to the other, once."""
    A, B, C = 1.0, 2.0, 4.0  # (1/A − 1/B) / (1/B − 1/C) = 2
    momentum = np.array([1.0, 0.0, math.sqrt(2.0)]) / math.sqrt(3.0)
    times = np.array([-1000.0, -3.0, 0.0, 2.0, 40.0, 1e5])
    turned, spin = torque_free_motion((A, B, C), NORTH, momentum / (A, B, C), times)
    m = np.array([A, B, C])[:, None] * np.einsum("jik,jk->ik", matrices(turned), spin)
    pace = math.sqrt((1 / A - 1 / B) * (1 / B - 1 / C))
    wanted = np.outer(momentum, 1 / np.cosh(np.minimum(np.abs(pace * times), 700.0)))
    wanted[1] = np.tanh(pace * times)
    # √2 is no number: the start is half an ulp off the separatrix, and falls from it in the end.
    early = np.abs(times) < 10
    np.testing.assert_allclose(m[:, early], wanted[:, early], atol=1e-14)
    energy, L = invariants(np.diag([A, B, C]), turned, spin)
    np.testing.assert_allclose(energy, energy[2], rtol=1e-14)
    np.testing.assert_allclose(L, np.tile(momentum[:, None], len(times)), atol=2e-14)


# --- conservation, over hours -----------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["any", "separatrix", "symmetric", "almost symmetric", "almost a ball"]),
    pace=st.floats(-3.0, 0.3),
)
def test_energy_and_angular_momentum_are_kept_for_hours(seed: int, kind: str, pace: float) -> None:
    rng = np.random.default_rng(seed)
    moments, direction = random_moments(rng), rng.normal(size=3)
    if kind == "separatrix":
        direction = near_separatrix(moments, float(rng.choice([-1, 1]) * 10 ** rng.uniform(-17, 0)))
    elif kind == "symmetric":
        moments = np.array([1.0, 1.0, rng.uniform(0.1, 2.0)])
    elif kind == "almost symmetric":
        moments = np.array([1.0, 1.0 + 10 ** rng.uniform(-16, -1), rng.uniform(0.2, 1.9)])
    elif kind == "almost a ball":
        moments = 1.0 + 10 ** rng.uniform(-16, -1, 3)
    axes, start = rotation(rng), unit_quaternion(rng)
    inertia = axes @ np.diag(moments) @ axes.T
    inertia = 0.5 * (inertia + inertia.T)
    spin = axes @ (direction / moments)
    spin = matrices(start) @ spin * (10.0**pace / np.linalg.norm(spin))
    times = np.concatenate([[0.0], np.sort(rng.uniform(0.0, HOURS, 30)), [HOURS, -HOURS]])
    q, w = torque_free_motion(inertia, start, spin, times)
    np.testing.assert_allclose(np.linalg.norm(q, axis=0), 1.0, atol=4e-15)
    np.testing.assert_allclose(q[:, 0], start, atol=4e-15)
    np.testing.assert_allclose(w[:, 0], spin, atol=1e-14 * float(np.linalg.norm(spin)))
    energy, momentum = invariants(inertia, q, w)
    np.testing.assert_allclose(energy, energy[0], rtol=2e-14)
    size = float(np.linalg.norm(momentum[:, 0]))
    np.testing.assert_allclose(momentum, np.tile(momentum[:, :1], len(times)), atol=2e-14 * size)


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_motion_goes_on_from_anywhere(seed: int) -> None:
    """Flying to s + t is flying to s, and from there for t; and t = s − s comes back."""
    rng = np.random.default_rng(seed)
    moments, axes = random_moments(rng), rotation(rng)
    inertia = axes @ np.diag(moments) @ axes.T
    inertia = 0.5 * (inertia + inertia.T)
    start, spin = unit_quaternion(rng), rng.normal(size=3)
    s, t = rng.uniform(-200.0, 200.0, 2)
    # How far the motion is from the separatrix, which magnifies the rounding of the state at s.
    A, B, C = np.sort(moments)
    m = (axes.T @ (inertia @ matrices(start).T @ spin))[np.argsort(moments)]
    terms = (1 / A - 1 / B) * m[0] ** 2, (1 / B - 1 / C) * m[2] ** 2
    far = abs(terms[0] - terms[1]) / (terms[0] + terms[1])
    slack = 1e-14 * (1 + (abs(s) + abs(t)) * np.linalg.norm(spin)) / far
    q, w = torque_free_motion(inertia, start, spin, [s, s + t])
    onwards, later = torque_free_motion(inertia, q[:, 0], w[:, 0], [t, -s])
    assert np.abs(onwards[:, 0] - q[:, 1]).max() < slack
    assert np.abs(later[:, 0] - w[:, 1]).max() < slack * (1 + np.abs(w).max())
    assert np.abs(onwards[:, 1] - start).max() < slack


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_attitude_turns_at_the_angular_velocity(seed: int) -> None:
    """q̇ = ½ ω ⊗ q by the sixth-order difference of the closed form, at any time of hours."""
    rng = np.random.default_rng(seed)
    moments, spin = random_moments(rng), rng.normal(size=3)
    h = 0.02 / np.linalg.norm(spin)
    middle = rng.uniform(0.0, HOURS)
    q, w = torque_free_motion(
        moments.tolist(), unit_quaternion(rng), spin, middle + h * np.arange(-3, 4)
    )
    weights = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / (60.0 * h)
    half = percuss.Quaternion(0.0, *(0.5 * w[:, 3]).tolist())
    wanted = (half @ percuss.Quaternion(*q[:, 3].tolist())).array()
    # Times and angles of 1e4 round to 1e-12, and h is 1e-2.
    np.testing.assert_allclose(q @ weights, wanted, atol=2e-9 * float(np.linalg.norm(spin)))


# --- cases that textbooks solve ---------------------------------------------------------------


@pytest.mark.parametrize(("transverse", "axial"), [(1.0, 0.3), (1.0, 1.7), (2.0, 2.0)])
def test_a_symmetric_top_precesses_steadily(transverse: float, axial: float) -> None:
    """L turns the axis at L / A in the world, and the body turns at (1/C − 1/A) L₃ about it."""
    spin = np.array([0.3, -0.2, 0.5])
    momentum = spin * (transverse, transverse, axial)
    times = np.array([0.0, 1.0, 77.0, 5000.0])
    q, _ = torque_free_motion((transverse, transverse, axial), NORTH, spin, times)
    for t, turned in zip(times, q.T, strict=True):
        swing = percuss.Quaternion.from_rotation_vector(
            percuss.Vector3(*(momentum / transverse * t))
        )
        own = percuss.Quaternion.from_rotation_vector(
            percuss.Vector3(0.0, 0.0, (1 / axial - 1 / transverse) * momentum[2] * t)
        )
        np.testing.assert_allclose(turned, (swing @ own).array(), atol=1e-14 + 1e-15 * t)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("moments", [(1.0, 2.0, 3.0), (3.0, 1.0, 2.0), (2.0, 3.0, 1.0)])
def test_spin_about_a_principal_axis_stays(axis: int, moments: tuple[float, ...]) -> None:
    """Also about the intermediate one, which is no stable motion but is one."""
    spin = -0.8 * np.eye(3)[axis]
    q, w = torque_free_motion(moments, NORTH, spin, [0.0, 3.0, 1e5])
    np.testing.assert_allclose(w, np.tile(spin[:, None], 3), rtol=0, atol=5e-16)
    for t, turned in zip((0.0, 3.0, 1e5), q.T, strict=True):
        half = 0.5 * 0.8 * t
        wanted = [math.cos(half), *(-math.sin(half) * np.eye(3)[axis])]
        np.testing.assert_allclose(turned, wanted, atol=2e-16 + 2e-16 * t)


def test_a_body_turned_about_its_intermediate_axis_flips_when_it_should() -> None:
    """A tennis racket, off the axis by 1e-100: it turns over after K(μ)/p, not before."""
    times = np.linspace(0.0, 6000.0, 12001)
    moments, off = np.array([1.0, 2.0, 3.0]), 1e-100
    spin = np.array([off, 0.5, 0.0])
    q, w = torque_free_motion(moments.tolist(), NORTH, spin, times)
    side = np.sign(np.einsum("jik,jk->ik", matrices(q), w)[1])
    flips = times[1:][side[1:] != side[:-1]]
    # The nearest that γ dn comes to zero, so that u₀ = K, and sn is zero a quarter period later:
    # K = ln(4 / √(1 − μ)) with √(1 − μ) = m₁ / γ, where L = 1 and m₁ = off.
    pace = 0.5 * 2.0 * math.sqrt((1 - 1 / 2) * (1 / 2 - 1 / 3))
    gamma = math.sqrt((1 / 2 - 1 / 3) / (1 - 1 / 3))
    first = math.log(4 * gamma / off) / pace
    # The samples are half a second apart; from one flip to the next it takes twice as long.
    np.testing.assert_allclose(flips, [first, 3 * first, 5 * first, 7 * first], atol=0.5)


def test_a_body_at_rest_stays() -> None:
    q, w = torque_free_motion((1, 2, 3), (0.0, 2.0, 0.0, 0.0), (0, 0, 0), [0.0, 1e5])
    np.testing.assert_array_equal(q, [[0, 0], [1, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(w, np.zeros((3, 2)))


def test_one_time_and_several() -> None:
    several = torque_free_motion((1, 2, 3), NORTH, (0.1, 0.2, 0.3), [5.0, -7.0])
    one = torque_free_motion((1, 2, 3), NORTH, (0.1, 0.2, 0.3), 5.0)
    assert (one[0].shape, one[1].shape) == ((4,), (3,))
    for single, row in zip(one, several, strict=True):
        np.testing.assert_array_equal(single, row[:, 0])
    none = torque_free_motion((1, 2, 3), NORTH, (0.1, 0.2, 0.3), [])
    assert (none[0].shape, none[1].shape) == ((4, 0), (3, 0))


def test_quaternions_are_continuous() -> None:
    """They never jump to their opposite, which is the same attitude."""
    times = np.linspace(-500.0, 500.0, 20001)
    q, _ = torque_free_motion((1.0, 2.0, 2.9), NORTH, (0.02, 0.9, -0.01), times)
    assert np.abs(np.diff(q, axis=1)).max() < 0.03


# --- the functions behind it ------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    exponent=st.floats(-25.0, 0.0),
    share=st.floats(-3.0, 3.0),
    n=st.floats(-6.0, 4.0).map(lambda e: -(10.0**e)),
)
def test_elliptic_functions_up_to_the_separatrix(exponent: float, share: float, n: float) -> None:
    complement = 10.0**exponent
    K = quarter_period(complement)
    u = share * K
    at = amplitude(np.array([u]), complement)
    with mpmath.workdps(60):
        m = 1 - mpmath.mpf(complement)
        sn, cn, dn = (mpmath.ellipfun(kind, mpmath.mpf(u), m=m) for kind in ("sn", "cn", "dn"))
        # u itself is rounded, and cn and dn change by their own size over one unit of u.
        slack = 4e-15 + 4e-16 * abs(u)
        assert float(abs(at.signs[0] * at.sine[0] - sn)) < slack
        assert float(abs(at.signs[0] * at.cosine[0] - cn)) < slack
        assert float(abs(at.delta[0] / dn - 1)) < 2 * slack
        rest = mpmath.mpf(float(at.rest[0]))
        s, c = (mpmath.ellipfun(kind, rest, m=m) for kind in ("sn", "cn"))
        third = mpmath.ellippi(mpmath.mpf(n), mpmath.atan2(s, c), m)
        full = mpmath.ellippi(mpmath.mpf(n), mpmath.pi / 2, m)
        wanted = 2 * float(at.half_turns[0]) * full + third
        found = third_kind(n, complement, at)[0]
        assert float(abs(found - wanted)) < 2e-14 + 2e-15 * abs(u)
    back = first_kind(float(at.sine[0]), float(at.cosine[0]), complement)
    assert back == pytest.approx(float(at.rest[0]), abs=4e-15 * (1 + K), rel=4e-15)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (((1, 2, 3), NORTH, (0, math.nan, 0), 1.0), "angular_velocity .* must be 3 finite numbers"),
        (((1, 2, 3), NORTH, (0, 1), 1.0), "angular_velocity .* must be 3 finite numbers"),
        (((1, 2, 3), (0, 0, 0, 0), (0, 1, 0), 1.0), "must not be zero"),
        (((1, 2, 3), (1, 0, 0), (0, 1, 0), 1.0), "orientation .* must be 4 finite numbers"),
        (((1, 2, 3), NORTH, (0, 1, 0), math.inf), "times must be finite"),
        (((1, 2, 3), NORTH, (0, 1, 0), [[1.0]]), "times must be finite"),
        (((0, 2, 2), NORTH, (0, 1, 0), 1.0), "positive about every axis .* 0, 2, 2 kg m²"),
        (((1, -2, 3), NORTH, (0, 1, 0), 1.0), "positive about every axis"),
        (((1, math.nan, 3), NORTH, (0, 1, 0), 1.0), "inertia must be finite"),
        (([[1, 2, 0], [0, 1, 0], [0, 0, 1]], NORTH, (0, 1, 0), 1.0), "must be symmetric"),
        (("heavy", NORTH, (0, 1, 0), 1.0), "inertia"),
        (((1, 2, 3), "north", (0, 1, 0), 1.0), "orientation"),
    ],
)
def test_what_no_body_can_be_is_refused(arguments: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        torque_free_motion(*arguments)
