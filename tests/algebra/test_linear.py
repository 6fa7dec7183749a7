"""Small linear systems over any scalar."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from percuss.algebra.linear import solve_symmetric


@given(st.integers(0, 7), st.integers(0, 2**32 - 1))
def test_positive_definite_systems(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(size, size))
    A, b = B @ B.T + 0.1 * np.eye(size), rng.normal(size=size)
    lower = np.tril(A).tolist()  # the upper triangle is not read
    found = np.array(solve_symmetric(lower, b.tolist()))
    assert np.allclose(A @ found, b, atol=1e-11 * (1 + np.linalg.norm(found) * np.linalg.norm(A)))


def test_symbols() -> None:
    a, b = sympy.symbols("a b", positive=True)
    x, y = solve_symmetric([[a, 0.0], [b, a + b**2]], [1.0, 0.0])
    assert sympy.simplify(a * x + b * y - 1) == 0
    assert sympy.simplify(b * x + (a + b**2) * y) == 0


def test_batches() -> None:
    rng = np.random.default_rng(1)
    k = rng.uniform(1, 2, 4)
    x, y = solve_symmetric([[2.0 * k, 0.0], [k, k]], [k, 0.0])
    assert np.allclose(np.array(x), 1.0)
    assert np.allclose(np.array(y), -1.0)


def test_shapes() -> None:
    with pytest.raises(ValueError, match="2×2 as the right side is, got 1×2"):
        solve_symmetric([[1.0, 0.0]], [1.0, 2.0])
