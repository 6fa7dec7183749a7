"""Small matrices over any scalar: rows of scalars, products, inverses, determinants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.algebra.linear import solve_symmetric
from percuss.algebra.scalars import (
    Scalar,
    add,
    dot,
    is_symbolic_matrix,
    is_traced,
    mul,
    namespace,
    pack,
    to_scalar,
    total,
)
from percuss.model.errors import ModelError

Rows = list[list[Scalar]]


def rows_of(matrix: Any, what: str = "a matrix") -> Rows:
    """A matrix of any kind as rows of scalars: NumPy (a batch last), JAX, SymPy or nested lists."""
    if is_symbolic_matrix(matrix):
        return [[to_scalar(x) for x in row] for row in matrix.tolist()]
    if is_traced(matrix):
        return [list(namespace(matrix).unstack(row)) for row in namespace(matrix).unstack(matrix)]
    rows = [[to_scalar(x) for x in row] for row in matrix]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        lengths = ", ".join(str(len(row)) for row in rows) or "none"
        raise ModelError(f"{what} must have one or more rows of one length, got lengths {lengths}")
    return rows


def is_numeric(matrix: Any) -> bool:
    """Whether every entry is a number or a NumPy batch of numbers."""
    if is_traced(matrix) or is_symbolic_matrix(matrix):
        return False
    if isinstance(matrix, np.ndarray):
        return matrix.dtype.kind in "fiu"
    return all(isinstance(x, (float, int, np.ndarray, np.generic)) for row in matrix for x in row)


def leading_batch(matrix: Any) -> np.ndarray:
    """A numeric matrix, shape (m, n, batch…), with the batch first as NumPy's algebra has it."""
    array = np.asarray(matrix if isinstance(matrix, np.ndarray) else pack(rows_of(matrix)), float)
    if array.ndim < 2:
        raise ModelError(f"a matrix must have rows and columns, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ModelError("a matrix must have finite entries; this one has infinite ones or NaN")
    return np.moveaxis(array, (0, 1), (-2, -1))


def trailing_batch(matrix: np.ndarray) -> np.ndarray:
    """The inverse of `leading_batch`."""
    return np.moveaxis(matrix, (-2, -1), (0, 1))


def transposed(rows: Sequence[Sequence[Scalar]]) -> Rows:
    """The columns as rows."""
    return [list(column) for column in zip(*rows, strict=True)]


def product(left: Sequence[Sequence[Scalar]], right: Sequence[Sequence[Scalar]]) -> Rows:
    """A B."""
    columns = transposed(right)
    return [[dot(row, column) for column in columns] for row in left]


def times(matrix: Sequence[Sequence[Scalar]], vector: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """A x."""
    return tuple(dot(row, vector) for row in matrix)


def identity(size: int) -> Rows:
    """The unit matrix."""
    return [[1.0 if i == j else 0.0 for j in range(size)] for i in range(size)]


def solve_columns(matrix: Sequence[Sequence[Scalar]], right: Sequence[Sequence[Scalar]]) -> Rows:
    """X with A X = B for a symmetric positive definite A."""
    return transposed([list(solve_symmetric(matrix, column)) for column in transposed(right)])


def gram(rows: Sequence[Sequence[Scalar]], on_diagonal: Scalar = 0.0) -> Rows:
    """A Aᵀ + d 1."""
    size = len(rows)
    matrix = [[0.0 for _ in range(size)] for _ in range(size)]  # type: Any
    for i in range(size):
        for j in range(i + 1):
            matrix[i][j] = matrix[j][i] = dot(rows[i], rows[j])
        matrix[i][i] = add(matrix[i][i], on_diagonal)
    return matrix


def determinant(matrix: Any) -> Scalar:
    """det A of a square matrix; a batch gives a batch.

    Numbers by elimination; other scalars by expansion along the rows, minors shared, without a
    division, so that closed forms stay polynomial.
    """
    if is_numeric(matrix):
        array = leading_batch(matrix)
        _refuse_oblong(array.shape[-2], array.shape[-1])
        found = np.linalg.det(array)
        return found if found.ndim else float(found)
    rows = rows_of(matrix)
    _refuse_oblong(len(rows), len(rows[0]))
    # minors[columns] of the last k rows, for every set of k columns.
    minors: dict[tuple[int, ...], Scalar] = {(): 1.0}
    for row in reversed(rows):
        wider: dict[tuple[int, ...], list[Scalar]] = {}
        for columns, minor in minors.items():
            for j in set(range(len(rows))) - set(columns):
                place = sum(c < j for c in columns)
                term = mul(row[j], minor)
                whole = tuple(sorted((*columns, j)))
                wider.setdefault(whole, []).append(-term if place % 2 else term)
        minors = {columns: total(terms) for columns, terms in wider.items()}
    return minors[tuple(range(len(rows)))]


def _refuse_oblong(rows: int, columns: int) -> None:
    if rows != columns:
        raise ModelError(
            f"only a square matrix has a determinant, got {rows}×{columns}; "
            "manipulability and singular values take any shape"
        )
