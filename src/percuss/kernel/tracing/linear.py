"""Small systems of linear equations, by elimination with row exchanges.

Which row has the largest entry is not known while a function is compiled: rows are exchanged by
selects, one comparison for each row below the diagonal. A singular matrix gives infinities or
NaN, where NumPy raises LinAlgError. An n × n system with m right sides takes about 2n³/3 + 2n²m
multiplications and additions, and as many selects.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.functions import rule
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import reals
from percuss.kernel.tracing.writer import ProgramWriter, Registers


@rule(np.linalg.solve)
def _solve(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    matrix, right = _square(writer, a, "solve"), reals(writer, b)
    vector = right.ndim == 1
    sides = right[:, None] if vector else right
    if sides.ndim < 2 or sides.shape[-2] != matrix.shape[-1]:
        raise KernelError(
            f"np.linalg.solve: a matrix of shape {matrix.shape} and a right side of shape "
            f"{right.shape} do not fit{users_line()}"
        )
    found = _solved(writer, matrix, sides)
    return found[..., 0] if vector else found


@rule(np.linalg.inv)
def _inv(writer: ProgramWriter, a: Any) -> Registers:
    matrix = _square(writer, a, "inv")
    return _solved(writer, matrix, writer.constants(np.eye(matrix.shape[-1])))


@rule(np.linalg.det)
def _det(writer: ProgramWriter, a: Any) -> Registers:
    matrix = _square(writer, a, "det")
    rows = [matrix[..., i, :] for i in range(matrix.shape[-1])]
    sign = np.broadcast_to(writer.constants(1.0), matrix.shape[:-2])
    sign = _eliminated(writer, rows, sign)
    product = sign
    for k, row in enumerate(rows):
        product = writer.each("mul", product, row[..., k])
    return product


def _square(writer: ProgramWriter, value: Any, name: str) -> Registers:
    matrix = reals(writer, value)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise KernelError(
            f"np.linalg.{name} needs a square matrix, got the shape {matrix.shape}{users_line()}"
        )
    return matrix


def _solved(writer: ProgramWriter, matrix: Registers, sides: Registers) -> Registers:
    """Solutions of shape (…, n, m) for matrices (…, n, n) and right sides (…, n, m)."""
    count = matrix.shape[-1]
    front = np.broadcast_shapes(matrix.shape[:-2], sides.shape[:-2])
    matrix = np.broadcast_to(matrix, front + matrix.shape[-2:])
    sides = np.broadcast_to(sides, front + sides.shape[-2:])
    rows = [np.concatenate([matrix[..., i, :], sides[..., i, :]], -1) for i in range(count)]
    _eliminated(writer, rows, None)
    found: list[Registers] = []  # from the last unknown to the first
    for k in reversed(range(count)):
        value = rows[k][..., count:]
        for j, known in zip(reversed(range(k + 1, count)), found, strict=True):
            product = writer.each("mul", rows[k][..., j, None], known)
            value = writer.each("sub", value, product)
        found.append(writer.each("div", value, rows[k][..., k, None]))
    return np.stack(found[::-1], axis=-2) if found else sides


def _eliminated(writer: ProgramWriter, rows: list[Registers], sign: Registers | None) -> Any:
    """Makes the rows upper triangular, in place, the largest pivot first; returns the sign.

    Entries below the diagonal are left as they are: nobody reads them.
    """
    count = len(rows)
    for k in range(count):
        for i in range(k + 1, count):
            larger = writer.each(
                "gt",
                writer.each("abs", rows[i][..., k]),
                writer.each("abs", rows[k][..., k]),
            )
            swap = larger[..., None]
            upper = writer.each("select", swap, rows[i][..., k:], rows[k][..., k:])
            lower = writer.each("select", swap, rows[k][..., k:], rows[i][..., k:])
            rows[k] = np.concatenate([rows[k][..., :k], upper], -1)
            rows[i] = np.concatenate([rows[i][..., :k], lower], -1)
            if sign is not None:
                sign = writer.each("select", larger, writer.each("neg", sign), sign)
        pivot = rows[k][..., k]
        nothing = writer.each("eq", pivot, writer.constants(0.0))
        # A pivot of zero is one above zeros: there is nothing to eliminate.
        divisor = writer.each("select", nothing, writer.constants(1.0), pivot)
        for i in range(k + 1, count):
            share = writer.each("div", rows[i][..., k], divisor)
            change = writer.each("mul", share[..., None], rows[k][..., k + 1 :])
            rest = writer.each("sub", rows[i][..., k + 1 :], change)
            rows[i] = np.concatenate([rows[i][..., : k + 1], rest], -1)
    return sign
