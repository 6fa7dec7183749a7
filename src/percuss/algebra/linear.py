"""Sums and multiples of sequences, and small dense linear systems, over any scalar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from percuss.algebra.scalars import Scalar, add, div, mul, sub


def solve_symmetric(
    matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]
) -> tuple[Scalar, ...]:
    """x with A x = b for a positive definite A, by A = L D Lᵀ without square roots or pivots.

    Only the lower triangle is read. Constants fold, so zeros in A cost nothing.
    """
    size = len(right)
    if len(matrix) != size or any(len(row) != size for row in matrix):
        shape = f"{len(matrix)}×{len(matrix[0]) if matrix else 0}"
        raise ValueError(f"the matrix must be {size}×{size} as the right side is, got {shape}")
    lower: list[list[Scalar]] = [[0.0] * size for _ in range(size)]
    diagonal: list[Scalar] = []
    for i in range(size):
        scaled: list[Scalar] = []  # L D, row i
        for j in range(i):
            entry = matrix[i][j]
            for k in range(j):
                entry = sub(entry, mul(scaled[k], lower[j][k]))
            scaled.append(entry)
            lower[i][j] = div(entry, diagonal[j])
        pivot = matrix[i][i]
        for k in range(i):
            pivot = sub(pivot, mul(scaled[k], lower[i][k]))
        diagonal.append(pivot)

    values = list(right)
    for i in range(size):
        for k in range(i):
            values[i] = sub(values[i], mul(lower[i][k], values[k]))
    values = [div(value, pivot) for value, pivot in zip(values, diagonal, strict=True)]
    for i in reversed(range(size)):
        for k in range(i + 1, size):
            values[i] = sub(values[i], mul(lower[k][i], values[k]))
    return tuple(values)


def plus(a: Iterable[Scalar], b: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """a + b, entry by entry, for two sequences of the same length."""
    return tuple([add(x, y) for x, y in zip(a, b, strict=True)])


def minus(a: Iterable[Scalar], b: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """a - b, entry by entry, for two sequences of the same length."""
    return tuple([sub(x, y) for x, y in zip(a, b, strict=True)])


def multiple(factor: Scalar, a: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """The entries of a, each times the factor."""
    return tuple([mul(factor, x) for x in a])
