"""Four-by-four matrices over any scalar: the arithmetic behind the homogeneous formulation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from percuss.algebra.linear import multiple
from percuss.algebra.scalars import Scalar, add, dot, is_symbolic_matrix, pack, sub, total, unpack

Rows = tuple[tuple[Scalar, ...], ...]
"""A matrix as a tuple of its rows."""

SIZE = 4


def rows_of(matrix: Any, what: str = "a homogeneous matrix") -> Rows:
    """The rows of a 4×4 array of any kind; batches have the batch as last axes."""
    if is_symbolic_matrix(matrix):
        matrix = matrix.tolist()
    return tuple(
        unpack(row, SIZE, f"row {k} of {what}")
        for k, row in enumerate(_split(matrix, what), start=1)
    )


def _split(matrix: Any, what: str) -> list[Any]:
    try:
        rows = list(matrix)
    except TypeError:
        raise TypeError(f"{what} must be a 4×4 matrix, got {matrix!r}") from None
    if len(rows) != SIZE:
        raise ValueError(f"{what} must be a 4×4 matrix, got {len(rows)} rows")
    return rows


def packed(rows: Rows) -> Any:
    """One (4, 4) array of the scalars' kind."""
    return pack([list(row) for row in rows])


def product(*factors: Rows) -> Rows:
    """A B C …"""
    result = factors[0]
    for factor in factors[1:]:
        columns = tuple(zip(*factor, strict=True))
        result = tuple(tuple(dot(row, column) for column in columns) for row in result)
    return result


def transposed(a: Rows) -> Rows:
    """Aᵀ."""
    return tuple(zip(*a, strict=True))


def plus(a: Rows, b: Rows) -> Rows:
    """A + B."""
    return _entrywise(add, a, b)


def minus(a: Rows, b: Rows) -> Rows:
    """A - B."""
    return _entrywise(sub, a, b)


def times(a: Rows, factor: Scalar) -> Rows:
    """A scaled."""
    return tuple(multiple(factor, row) for row in a)


def summed(matrices: Iterable[Rows]) -> Rows:
    """Σ A; zero when there are none."""
    result: Rows = ((0.0,) * SIZE,) * SIZE
    for matrix in matrices:
        result = plus(result, matrix)
    return result


def commutator(a: Rows, b: Rows) -> Rows:
    """A B - B A."""
    return minus(product(a, b), product(b, a))


def trace_of_product(a: Rows, b: Rows) -> Scalar:
    """Tr(A Bᵀ): the sum of the products of corresponding entries."""
    return total(dot(x, y) for x, y in zip(a, b, strict=True))


def _entrywise(operation: Any, a: Rows, b: Rows) -> Rows:
    return tuple(
        tuple(operation(x, y) for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True)
    )
