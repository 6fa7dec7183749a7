"""Stiff problems in the kernel against closed forms and SciPy's Radau."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import Rosenbrock
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import FirstCrossing, Integral, Maximum

TIGHT = Rosenbrock(1e-10, 1e-13)


def radau(f: Callable[..., Any], x: Any, p: Any, end: float, **options: Any) -> np.ndarray:
    """The state at the end by another method, with its own differences as Jacobian."""
    options = {"rtol": 1e-12, "atol": 1e-15} | options
    found = solve_ivp(lambda t, x: f(t, x, None, p), (0.0, end), x, method="Radau", **options)
    assert found.success
    return found.y[:, -1]


# --- classics ------------------------------------------------------------------------------------


def robertson(t: Any, x: Any, u: Any, p: Any) -> Any:
    """Three reactions whose rates differ by nine powers of ten."""
    slow, back, fast = 0.04 * x[0], 1e4 * x[1] * x[2], 3e7 * x[1] ** 2
    return np.stack([back - slow, slow - back - fast, fast])


def test_robertson() -> None:
    run = rollout(robertson, state=np.zeros(3), method=Rosenbrock(1e-10, 1e-16))
    result = run(np.array([1.0, 0.0, 0.0]), duration=1e5)
    assert result.status == Status.DONE
    assert result.steps < 2000
    wanted = radau(robertson, [1.0, 0.0, 0.0], None, 1e5)
    np.testing.assert_allclose(result.state, wanted, rtol=2e-9)
    assert result.state.sum() == pytest.approx(1.0, abs=1e-12)


def van_der_pol(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.stack([x[1], p * ((1.0 - x[0] ** 2) * x[1] - x[0])])


def test_van_der_pol() -> None:
    run = rollout(van_der_pol, state=np.zeros(2), parameters=0.0, method=TIGHT)
    result = run(np.array([2.0, 0.0]), 1e6, duration=2.0)
    assert result.status == Status.DONE
    wanted = radau(van_der_pol, [2.0, 0.0], 1e6, 2.0, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(result.state, wanted, rtol=1e-6)


# --- mechanics -----------------------------------------------------------------------------------

GRAVITY, LENGTH = 9.81, 1.0


def stiff_pendulum(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A point mass of 1 kg on a spring with damping along it; p is the stiffness (N/m)."""
    along = np.sqrt(x[0] ** 2 + x[1] ** 2)
    stretched = (x[0] * x[2] + x[1] * x[3]) / along
    pull = (p * (along - LENGTH) + 2.0 * np.sqrt(p) * stretched) / along
    return np.stack([x[2], x[3], -pull * x[0], -GRAVITY - pull * x[1]])


def test_a_stiff_spring_is_a_rod() -> None:
    """Let go at 60°: as by Radau, and the closed form of the rigid pendulum to the stretch."""
    amplitude, stiffness, time = np.pi / 3, 1e6, 3.0
    start = np.array([np.sin(amplitude), -np.cos(amplitude), 0.0, 0.0])
    # Stretched as it is held.
    start[:2] *= 1.0 + GRAVITY * np.cos(amplitude) / stiffness
    run = rollout(stiff_pendulum, state=np.zeros(4), parameters=0.0, method=Rosenbrock(1e-8, 1e-10))
    result = run(start, stiffness, duration=time)
    assert result.status == Status.DONE
    wanted = radau(stiff_pendulum, start, stiffness, time, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(result.state, wanted, atol=1e-7)
    modulus = np.sin(amplitude / 2) ** 2
    sn = ellipj(ellipk(modulus) - np.sqrt(GRAVITY / LENGTH) * time, modulus)[0]
    angle = 2 * np.arcsin(np.sin(amplitude / 2) * sn)
    rod = [np.sin(angle), -np.cos(angle)]
    np.testing.assert_allclose(result.state[:2], rod, atol=10 * GRAVITY / stiffness)


def on_a_belt(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A mass on a moving belt, held by a spring; dry friction smoothed over the speed p (m/s)."""
    slip = x[1] - 0.1
    rubs = slip / np.sqrt(slip**2 + p**2) * (1.0 + 0.5 / (1.0 + (slip / 0.05) ** 2))
    return np.stack([x[1], -x[0] - rubs])


@pytest.mark.parametrize("smoothing", [1e-3, 1e-6])
def test_stick_and_slip(smoothing: float) -> None:
    run = rollout(on_a_belt, state=np.zeros(2), parameters=0.0, method=TIGHT)
    result = run(np.array([0.0, 0.1]), smoothing, duration=40.0)
    assert result.status == Status.DONE
    assert result.steps < 3000
    wanted = radau(on_a_belt, [0.0, 0.1], smoothing, 40.0, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(result.state, wanted, atol=2e-8)


STIFFNESS, EXPONENT = 1e9, 1.5


def hunt_crossley(t: Any, x: Any, u: Any, p: Any) -> Any:
    """1 kg against a wall: F = k δ^1.5 (1 + p δ'), x the depth (m) and its rate (m/s)."""
    depth = np.maximum(x[0], 0.0)
    return np.stack([x[1], -STIFFNESS * depth**EXPONENT * (1.0 + p * x[1])])


@pytest.mark.parametrize("damping", [0.2, 2.0, 50.0])
def test_hunt_crossley_bounce(damping: float) -> None:
    """Along the path v dv/dδ = -k δ^n (1 + p v): ln(1 + p v) - p v is the same in and out."""
    run = rollout(
        hunt_crossley,
        state=np.zeros(2),
        parameters=0.0,
        method=Rosenbrock(1e-11, 1e-15),
        events=[Event(lambda t, x, u, p: x[0], direction=-1, terminal=True)],
    )
    speed = 1.0
    result = run(np.array([0.0, speed]), damping, duration=1.0)
    assert result.status == Status.EVENT

    kept = np.log1p(damping * speed) - damping * speed
    # Out, with 1 + p v = exp(-w).
    w: Any = brentq(lambda w: -w - np.expm1(-w) - kept, 1e-9, 1e3, xtol=1e-14)
    assert result.state[1] == pytest.approx(np.expm1(-w) / damping, rel=1e-8)
    assert abs(result.state[0]) < 1e-15


# --- linear systems ------------------------------------------------------------------------------


def linear(t: Any, x: Any, u: Any, p: Any) -> Any:
    return p @ x


@functools.cache
def linear_run(backend: str = "llvm") -> Rollout:
    return rollout(
        linear,
        state=np.zeros(4),
        parameters=np.zeros((4, 4)),
        method=Rosenbrock(1e-9, 1e-12),
        backend=backend,
    )


def damped(seed: int, damping: float, stiffness: float) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of a random system of two masses, and a start."""
    rng = np.random.default_rng(seed)
    shapes = rng.normal(size=(3, 2, 2))
    mass, d, k = (s @ s.T + 0.05 * np.eye(2) for s in shapes)
    inverse = np.linalg.inv(mass)
    lower = [-inverse @ (10.0**stiffness * k), -inverse @ (10.0**damping * d)]
    matrix = np.block([[np.zeros((2, 2)), np.eye(2)], lower])
    return matrix, rng.normal(size=4)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    damping=st.floats(0.0, 6.0),
    stiffness=st.floats(-2.0, 3.0),
)
def test_damped_linear_systems(seed: int, damping: float, stiffness: float) -> None:
    """Masses, dampers and springs that couple, against the matrix exponential."""
    matrix, start = damped(seed, damping, stiffness)
    result = linear_run()(start, matrix, duration=1.0)
    assert result.status == Status.DONE
    np.testing.assert_allclose(result.state, expm(matrix) @ start, atol=2e-7 * np.abs(start).max())


def test_back_ends_agree() -> None:
    cases = [damped(seed, seed, 2.0) for seed in range(7)]
    matrices, starts = (np.stack(arrays, axis=-1) for arrays in zip(*cases, strict=True))
    compiled, oracle = (linear_run(b)(starts, matrices, duration=1.0) for b in ("llvm", "numpy"))
    np.testing.assert_array_equal(compiled.steps, oracle.steps)
    np.testing.assert_allclose(compiled.state, oracle.state, rtol=1e-9, atol=1e-12)
    alone = linear_run()(starts[:, 3], matrices[..., 3], duration=1.0)
    np.testing.assert_array_equal(alone.state, compiled.state[:, 3])


# --- what rollouts do besides --------------------------------------------------------------------


def test_statistics_of_a_stiff_motion() -> None:
    """What friction takes is what the motion loses; where a crossing is, and the largest value."""
    rate, rest = 1e6, 1e-4

    def braked(t: Any, x: Any, u: Any, p: Any) -> Any:
        return np.stack([x[1], -x[0] - rate * rest * x[1] / np.sqrt(x[1] ** 2 + rest**2)])

    run = rollout(
        braked,
        state=np.zeros(2),
        method=Rosenbrock(1e-11, 1e-14),
        statistics={
            "lost": Integral(lambda t, x, u, p: -x[1] * (braked(t, x, u, p)[1] + x[0])),
            "depth": Maximum(lambda t, x, u, p: x[0]),
            "half": FirstCrossing(lambda t, x, u, p: x[1] - 1.0, -1),
        },
    )
    result = run(np.array([0.0, 2.0]), duration=1.0)
    energy = 0.5 * (2.0**2 - result.state @ result.state)
    assert result.statistics["lost"] == pytest.approx(energy, rel=1e-9)
    # A constant force but for the spring: v falls by 100 m/s².
    assert result.statistics["half"] == pytest.approx(0.01, rel=1e-3)
    assert result.statistics["depth"] == pytest.approx(2.0**2 / (2 * 100.0), rel=1e-3)


@pytest.mark.parametrize("period", [None, 0.05])
def test_laws_with_high_gains(period: float | None) -> None:
    """A stiff servo follows its goal; the derivative goes through a law that is not sampled."""
    gain = 1e8

    def servo(t: Any, x: Any, memory: Any, p: Any) -> Any:
        return np.sin(t) if period else -gain * (x[0] - np.sin(t)), memory

    def plant(t: Any, x: Any, u: Any, p: Any) -> Any:
        push = -gain * (x[0] - u) if period else u
        return np.stack([x[1], push - 2.0 * np.sqrt(gain) * x[1]])

    run = rollout(
        plant,
        state=np.zeros(2),
        method=Rosenbrock(1e-9, 1e-11),
        controller=Controller(servo, memory=None, period=period),
    )
    result = run(np.zeros(2), duration=2.0)
    assert result.status == Status.DONE
    assert result.steps < (10_000 if period else 4000), "each sample starts a transient"
    # Behind its goal by 2/√gain s, or by the sample it holds.
    goal = np.sin(1.95 if period else 2.0 - 2.0 / np.sqrt(gain))
    assert result.state[0] == pytest.approx(goal, abs=1e-7)


def test_single_precision() -> None:
    run = rollout(
        on_a_belt,
        state=np.zeros(2),
        parameters=0.0,
        method=Rosenbrock(1e-4, 1e-6),
        dtype=np.float32,
    )
    result = run(np.array([0.0, 0.1]), 1e-3, duration=2.0)
    assert result.status == Status.DONE
    assert result.state[0] == pytest.approx(0.2, abs=1e-3)


def test_a_pivot_of_zero_shortens_the_step() -> None:
    """x' = x with a step of 1/γ: 1 - γhJ is exactly 0, and the motion goes on with less."""
    from percuss.kernel.rollouts.methods.rosenbrock import GAMMA

    run = rollout(
        lambda t, x, u, p: x, state=0.0, method=Rosenbrock(1e-8, 1e-8, first_step=1.0 / GAMMA)
    )
    result = run(1.0, duration=10.0)
    assert result.status == Status.DONE
    assert result.state == pytest.approx(np.exp(10.0), rel=1e-6)
