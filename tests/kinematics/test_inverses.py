"""Right, left, damped and weighted inverses, and what they are the best of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.dynamics import mass_matrix
from percuss.kinematics import determinant, jacobian
from percuss.kinematics.inverses import (
    damped_inverse,
    left_inverse,
    null_space_projector,
    pseudo_inverse,
    right_inverse,
    weighted_inverse,
)
from percuss.model import ModelError
from tests.kernel.tracing.running import run_traced
from tests.tracers import jax, jnp, traced
from tests.truth.compare import assert_same

SEEDS = st.integers(0, 2**32 - 1)


def matrix(seed: int, rows: int, columns: int) -> Any:
    """Singular values between 0.3 and 3."""
    rng = np.random.default_rng(seed)
    u, _, v = np.linalg.svd(rng.normal(size=(rows, columns)), full_matrices=False)
    return u * rng.uniform(0.3, 3.0, min(rows, columns)) @ v


@given(SEEDS, st.integers(1, 6), st.integers(0, 4))
def test_moore_and_penrose(seed: int, rows: int, more: int) -> None:
    A = matrix(seed, rows, rows + more)
    for inverse in (right_inverse(A), left_inverse(A.T).T, pseudo_inverse(A)):
        assert_same(A @ inverse, np.eye(rows), "A A⁺ = 1", 1e-13)
        assert_same(inverse @ A, (inverse @ A).T, "A⁺ A symmetric", 1e-13)
    N = null_space_projector(A, right_inverse(A))
    assert_same(A @ N, np.zeros_like(A), "the null space does not move the task", 1e-13, 1.0)
    assert_same(N @ N, N, "a projection projects once", 1e-13, 1.0)


@given(SEEDS, st.integers(1, 4), st.integers(0, 3), st.floats(0.01, 2.0))
def test_damping_is_least_squares_with_a_price(
    seed: int, rows: int, more: int, damping: float
) -> None:
    A = matrix(seed, rows, rows + more)
    y = np.random.default_rng(seed).normal(size=rows)
    stacked = np.vstack([A, damping * np.eye(rows + more)])
    best = np.linalg.lstsq(stacked, np.append(y, np.zeros(rows + more)), rcond=None)[0]
    assert_same(damped_inverse(A, damping) @ y, best, "the damped solution", 1e-12)


def test_damping_bounds_the_rates_at_a_singularity() -> None:
    A = np.diag([1.0, 1e-9, 0.0])
    assert np.abs(damped_inverse(A, 0.1)).max() <= 1 / (2 * 0.1)
    assert np.abs(pseudo_inverse(A, 1e-12)).max() > 1e8


@given(SEEDS)
def test_dynamically_consistent(seed: int) -> None:
    """Least kinetic energy, and null-space torques that leave the tool at rest."""
    system = percuss.robot("demo-7").with_mode("fixed")
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2, 2, 7)
    J, M = jacobian(system, q, "tool")[:3], mass_matrix(system, q)
    if np.linalg.cond(J) > 50:
        return
    inverse = weighted_inverse(J, M)
    assert_same(J @ inverse, np.eye(3), "J J⁺ = 1", 1e-11)
    velocity = rng.normal(size=3)
    best = inverse @ velocity
    other = best + null_space_projector(J, right_inverse(J)) @ rng.normal(size=7)
    assert best @ M @ best <= other @ M @ other + 1e-9, "the rates with the least kinetic energy"
    torque = null_space_projector(J, inverse).T @ rng.normal(size=7)
    push = J @ np.linalg.solve(M, torque)
    assert_same(push, np.zeros(3), "null-space torques do not accelerate the tool", 1e-9, scale=1.0)


def test_other_scalars_agree_with_numbers() -> None:
    A = matrix(3, 2, 4)
    W = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.1
    s = sympy.Symbol("s")
    exact: Any = s * sympy.Matrix(A)
    for ours, number in (
        (right_inverse(exact), right_inverse(A)),
        (left_inverse(exact.T), left_inverse(A.T)),
        (damped_inverse(exact, sympy.Symbol("d")).subs("d", 0.3), damped_inverse(A, 0.3)),
        (weighted_inverse(exact, sympy.Matrix(W)), weighted_inverse(A, W)),
    ):
        assert_same(np.array(ours.subs(s, 1), float), number, "symbols", 1e-11)
    for function in (
        right_inverse,
        lambda a: damped_inverse(a, 0.3),
        lambda a: weighted_inverse(a, W),
    ):
        for tracer, found in traced(function, A).items():
            assert_same(found, function(A), tracer, 1e-11)
    batch = np.stack([A, 2 * A], axis=-1)
    for function in (right_inverse, pseudo_inverse, lambda a: damped_inverse(a, 0.3)):
        assert_same(function(batch)[..., 1], function(2 * A), "a batch", 1e-13)
    assert_same(weighted_inverse(batch, np.stack([W, W], -1))[..., 0], weighted_inverse(A, W), "W")


@given(SEEDS, st.integers(1, 6))
def test_determinant_by_expansion(seed: int, size: int) -> None:
    A = np.random.default_rng(seed).normal(size=(size, size))
    expected = np.linalg.det(A)
    assert_same(run_traced(determinant, A), expected, "det traced", 1e-11, scale=10.0)
    if jax is not None:
        with jax.enable_x64(True):
            by_jax = determinant(jnp.asarray(A))
        assert_same(by_jax, expected, "det by JAX", 1e-11, scale=10.0)
    if size <= 4:
        found: Any = determinant(sympy.Matrix(A))
        assert_same(float(found), expected, "det in symbols", 1e-11, scale=1.0)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: right_inverse(np.ones((3, 2))), "3×2.*left_inverse"),
        (lambda: left_inverse(np.ones((2, 3))), "2×3.*right_inverse"),
        (lambda: right_inverse(np.ones((2, 3))), "full row rank.*damped_inverse"),
        (lambda: right_inverse(np.full((2, 3), np.nan)), "finite"),
        (lambda: damped_inverse(np.eye(2), -1.0), "damping must be finite and ≥ 0, got -1"),
        (lambda: damped_inverse(np.zeros((2, 2)), 0.0), "damping must be > 0"),
        (lambda: weighted_inverse(np.ones((1, 2)), np.eye(3)), "weight must be 2×2"),
        (lambda: weighted_inverse(np.ones((1, 2)), -np.eye(2)), "positive definite"),
        (lambda: weighted_inverse(np.ones((1, 2)), [[1, 2], [0, 1]]), "symmetric"),
        (lambda: pseudo_inverse(sympy.eye(2)), "needs numbers"),
        (lambda: determinant(np.ones((2, 3))), "square.*2×3"),
        (lambda: determinant(sympy.ones(2, 3)), "square.*2×3"),
        (lambda: right_inverse([[1.0, 2.0], [1.0]]), "lengths 2, 1"),
        (lambda: right_inverse(np.ones(3)), "rows and columns"),
    ],
)
def test_refused(call: Any, complaint: str) -> None:
    with pytest.raises((ModelError, ValueError), match=complaint):
        call()
