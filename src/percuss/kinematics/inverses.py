"""Inverses of Jacobians that are not square, or not safely invertible.

Numbers (one matrix, or a batch in the last axis) go through singular values; other scalars through
the normal equations, which are closed forms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.linear import minus
from percuss.algebra.scalars import Scalar, mul, pack, to_scalar
from percuss.kinematics.matrices import (
    Rows,
    gram,
    identity,
    is_numeric,
    leading_batch,
    product,
    rows_of,
    solve_columns,
    trailing_batch,
    transposed,
)
from percuss.model.checks import is_not_negative, shown, violates
from percuss.model.errors import ModelError

_RANK = 1e-12
"""Singular values below this part of the largest count as zero."""


def right_inverse(matrix: Any) -> Any:
    """A⁺ = Aᵀ (A Aᵀ)⁻¹ with A A⁺ = 1: the shortest x with A x = y, shape (n, m) for (m, n), m ≤ n.

    For a redundant arm: the smallest joint rates that give a tool velocity. Numbers without full
    row rank are refused; JAX values and symbols are trusted.
    """
    if is_numeric(matrix):
        return _full_rank_inverse(matrix, "row")
    rows = rows_of(matrix)
    _refuse_shape(len(rows), len(rows[0]), "row")
    return pack(_right_rows(rows, transposed(rows)))


def left_inverse(matrix: Any) -> Any:
    """A⁺ = (Aᵀ A)⁻¹ Aᵀ with A⁺ A = 1: the x with the least |A x - y|, shape (n, m), m ≥ n.

    For an arm with fewer joints than the task has rows. Numbers without full column rank are
    refused; JAX values and symbols are trusted.
    """
    if is_numeric(matrix):
        return _full_rank_inverse(matrix, "column")
    rows = rows_of(matrix)
    _refuse_shape(len(rows), len(rows[0]), "column")
    columns = transposed(rows)
    return pack(solve_columns(gram(columns), columns))


def pseudo_inverse(matrix: Any, tolerance: float = _RANK) -> Any:
    """The Moore-Penrose inverse of numbers of any rank, shape (n, m), a batch in the last axis.

    Of all x with the least |A x - y| the shortest. Singular values below `tolerance` times the
    largest are taken as zero: across that line the inverse jumps, `damped_inverse` does not.
    """
    if not is_numeric(matrix):
        raise ModelError(
            "pseudo_inverse decides the rank by singular values and needs numbers; "
            "right_inverse, left_inverse and damped_inverse take any scalar"
        )
    return trailing_batch(np.linalg.pinv(leading_batch(matrix), rcond=tolerance))


def damped_inverse(matrix: Any, damping: Scalar) -> Any:
    """Aᵀ (A Aᵀ + λ² 1)⁻¹: x with the least |A x - y|² + λ² |x|², shape (n, m).

    No entry exceeds 1 / (2 λ), at a singularity too. `damping` λ is in the unit of the singular
    values of A; rows in m/s and in rad/s share it, so scale them before.
    """
    factor = to_scalar(damping)
    if violates(factor, is_not_negative):
        raise ModelError(f"damping must be finite and ≥ 0, got {shown(factor)}")
    if is_numeric(matrix) and isinstance(factor, float):
        array = leading_batch(matrix)
        if factor == 0 and _smallest_share(array) < _RANK:
            raise ModelError("damping must be > 0 for a matrix without full rank, got 0")
        u, s, vt = np.linalg.svd(array, full_matrices=False)
        inverse = np.swapaxes(vt, -1, -2) * (s / (s * s + factor**2))[..., None, :]
        return trailing_batch(inverse @ np.swapaxes(u, -1, -2))
    rows = rows_of(matrix)
    return pack(transposed(solve_columns(gram(rows, mul(factor, factor)), rows)))


def weighted_inverse(matrix: Any, weight: Any) -> Any:
    """W⁻¹ Aᵀ (A W⁻¹ Aᵀ)⁻¹: the x with A x = y and the least xᵀ W x, shape (n, m).

    With W = M, the mass matrix, it is the dynamically consistent inverse: of all rates that give
    a tool velocity those with the least kinetic energy, and generalized forces (1 - A⁺ A)ᵀ τ do
    not accelerate the tool. W is symmetric positive definite, shape (n, n).
    """
    rows, weights = rows_of(matrix), rows_of(weight, "the weight")
    count = len(rows[0])
    if len(weights) != count or len(weights[0]) != count:
        raise ModelError(
            f"the weight must be {count}×{count}, as the matrix has {count} columns, "
            f"got {len(weights)}×{len(weights[0])}"
        )
    if is_numeric(matrix) and is_numeric(weight):
        return _numeric_weighted(matrix, weight)
    return pack(_right_rows(rows, solve_columns(weights, transposed(rows))))


def null_space_projector(matrix: Any, inverse: Any) -> Any:
    """N = 1 - A⁺ A, with A N = 0: what it leaves of x does not move the task, shape (n, n).

    With the weighted inverse Nᵀ projects generalized forces.
    """
    rows, inverted = rows_of(matrix), rows_of(inverse, "the inverse")
    pairs = zip(identity(len(rows[0])), product(inverted, rows), strict=True)
    return pack([list(minus(unit, carried)) for unit, carried in pairs])


def _right_rows(rows: Rows, spread: Rows) -> Rows:
    """S (A S)⁻¹ for S = W⁻¹ Aᵀ: symmetric, so X (A S) = S is solved by columns of the transpose."""
    return transposed(solve_columns(product(rows, spread), transposed(spread)))


def _numeric_weighted(matrix: Any, weight: Any) -> np.ndarray:
    weights = leading_batch(weight)
    if not np.allclose(weights, np.swapaxes(weights, -1, -2), rtol=1e-9, atol=0.0):
        raise ModelError("the weight must be symmetric, as a mass matrix is")
    try:
        factor = np.linalg.cholesky(weights)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(weights).min()
        raise ModelError(
            f"the weight must be positive definite, its smallest eigenvalue is {least:.3g}"
        ) from None
    # With x = L⁻ᵀ y the weighted length of x is the plain length of y.
    back = np.swapaxes(np.linalg.inv(factor), -1, -2)
    scaled = leading_batch(matrix) @ back
    _refuse_rank(scaled, "row")
    return trailing_batch(back @ np.linalg.pinv(scaled, rcond=_RANK))


def _full_rank_inverse(matrix: Any, full: str) -> np.ndarray:
    array = leading_batch(matrix)
    _refuse_shape(array.shape[-2], array.shape[-1], full)
    _refuse_rank(array, full)
    return trailing_batch(np.linalg.pinv(array, rcond=_RANK))


def _refuse_shape(rows: int, columns: int, full: str) -> None:
    if (rows > columns) if full == "row" else (columns > rows):
        other = "left_inverse" if full == "row" else "right_inverse"
        raise ModelError(
            f"a {rows}×{columns} matrix cannot have full {full} rank; {other} is for that shape"
        )


def _refuse_rank(array: np.ndarray, full: str) -> None:
    share = _smallest_share(array)
    if share < _RANK:
        raise ModelError(
            f"the matrix does not have full {full} rank: its smallest singular value is "
            f"{share:.2g} of the largest. damped_inverse or pseudo_inverse go on there"
        )


def _smallest_share(array: np.ndarray) -> float:
    values = np.linalg.svd(array, compute_uv=False)
    largest = values.max(axis=-1)
    smallest = values.min(axis=-1)
    return float(np.min(np.where(largest > 0, smallest / np.where(largest > 0, largest, 1), 0)))
