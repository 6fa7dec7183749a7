"""Jacobians inside traced functions: values, zeros and constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.derivatives import value_and_jacobian
from percuss.kernel.tracing.sparse_jacobian import SparseJacobian


def rates(t: Any, x: Any, p: Any) -> Any:
    """Two springs in a row, the second one forced; the last entry counts the time."""
    return np.stack(
        [
            x[2],
            2.0 * x[3],
            -np.sin(x[0]) - p * x[2] * abs(x[2]),
            x[0] * x[1] + np.cos(3.0 * t) - x[3],
            np.ones(()),
        ]
    )


def dense(found: SparseJacobian, *arguments: Any) -> np.ndarray:
    matrix = np.zeros(found.shape)
    for place, value in found.constant.items():
        matrix[place] = value
    values = kernel.compile(found, *arguments, backend="numpy")(*arguments)
    for place, value in zip(found.moving, values, strict=True):
        matrix[place] = value
    return matrix


def test_zeros_and_constants_are_known() -> None:
    x = np.array([0.3, -0.2, 1.5, 0.7, 0.0])
    found = SparseJacobian(rates, (0.0, x, 0.0), range(6))
    assert found.shape == (5, 6)
    assert found.constant == {(0, 3): 1.0, (1, 4): 2.0, (3, 4): -1.0}
    assert found.moving == ((2, 1), (2, 3), (3, 0), (3, 1), (3, 2))
    _, wanted = value_and_jacobian(rates, np.array(0.4), x, np.array(0.8))
    np.testing.assert_allclose(dense(found, 0.4, x, 0.8), wanted[:, :6], rtol=1e-15)


def test_only_what_is_wanted() -> None:
    x = np.array([0.3, -0.2, 1.5, 0.7, 0.0])
    found = SparseJacobian(rates, (0.0, x, 0.0), [6, 1])
    _, wanted = value_and_jacobian(rates, np.array(0.4), x, np.array(0.8))
    np.testing.assert_allclose(dense(found, 0.4, x, 0.8), wanted[:, [6, 1]], rtol=1e-15)


def test_can_itself_be_differentiated() -> None:
    """The second derivatives that sensitivities of an implicit method need."""
    x = np.array([0.3, -0.2, 1.5, 0.7, 0.0])
    found = SparseJacobian(rates, (0.0, x, 0.0), range(6))
    _, slopes = kernel.compile(
        lambda x, d: kernel.jvp(lambda x: found(0.4, x, 0.8))((x,), (d,)), x, x
    )(x, np.array([1.0, 0.5, 0.25, 0.0, 0.0]))
    # ∂(-sin q)/∂q, ∂(-p v|v|)/∂v, ∂cos 3t/∂t, ∂(q₀q₁)/∂q₀ and ∂q₁, along the direction.
    wanted = [np.sin(0.3), -2.0 * 0.8 * 0.25, 0.0, 0.5, 1.0]
    np.testing.assert_allclose(slopes, wanted, atol=1e-15)


def test_refuses_numbers() -> None:
    found = SparseJacobian(rates, (0.0, np.zeros(5), 0.0), range(6))
    with pytest.raises(KernelError, match="while a function is traced"):
        found(0.4, np.zeros(5), 0.8)
