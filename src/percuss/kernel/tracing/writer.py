"""Writes operations on whole arrays of registers: one instruction per element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel.builder import Builder
from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.writing import Writing

Registers = np.ndarray
"""Integer array of register numbers, shaped like the array it stands for."""


class ProgramWriter(Writing):
    """A builder of programs seen from arrays.

    Each array is an integer array of register numbers of the same shape, so that reshaping,
    slicing and indexing are done on register numbers and cost nothing.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.refused: tuple[str, KernelError] | None = None
        """The last refusal and the user's line that it is about."""

    def constants(self, value: Any) -> Registers:
        """Registers of known numbers or truth values."""
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise KernelError(f"constants of type {array.dtype} cannot be compiled")
        truth = array.dtype.kind == "b"
        flat = [self.builder.constant(bool(x) if truth else float(x)) for x in np.ravel(array)]
        return np.array(flat, dtype=np.int64).reshape(array.shape)

    def each(self, operation: str, *arrays: Registers) -> Registers:
        """The operation element by element; scalars are stretched."""
        arrays = tuple(np.broadcast_arrays(*arrays))
        emit = self.builder.emit
        flat = [
            emit(operation, *registers)
            for registers in zip(*(a.ravel().tolist() for a in arrays), strict=True)
        ]
        return np.array(flat, dtype=np.int64).reshape(arrays[0].shape)

    def known(self, array: Registers) -> np.ndarray | None:
        """The numbers in registers that are all constants, else None."""
        values = [self.builder.value(r) for r in np.ravel(array).tolist()]
        if any(value is None for value in values):
            return None
        return np.array(values).reshape(array.shape)

    def fold(self, operation: str, array: Registers, axes: Sequence[int], start: Any) -> Registers:
        """Reduce over axes, pairwise neighbours first, so that long sums stay accurate."""
        moved = np.moveaxis(array, tuple(axes), tuple(range(len(axes))))
        kept = moved.shape[len(axes) :]
        rows = list(moved.reshape((-1, *kept)))
        if not rows:
            return np.broadcast_to(self.constants(start), kept)
        while len(rows) > 1:
            paired = [
                self.each(operation, a, b) for a, b in zip(rows[::2], rows[1::2], strict=False)
            ]
            rows = paired + rows[len(rows) - len(rows) % 2 :]
        return np.asarray(rows[0])

    def pick(self, choices: Sequence[Registers], index: Registers) -> Registers:
        """choices[index] for an index register, clamped, by selects."""
        chosen = choices[0]
        for k, other in enumerate(choices[1:], start=1):
            reached = self.each("ge", index, self.constants(float(k)))
            chosen = self.each("select", reached, other, chosen)
        return chosen

    def look_up(self, rows: Sequence[Registers], index: int) -> Registers:
        """rows[index] for an index in a register, clamped: a table where all entries are known."""
        table = self.known(np.stack(rows))
        if table is None or table.dtype.kind == "b":
            return self.pick(rows, np.asarray(index))
        columns = table.reshape(len(rows), -1).T.astype(float)
        found = [
            self.builder.emit("lookup", index, table=tuple(column)) for column in columns.tolist()
        ]
        return np.array(found, dtype=np.int64).reshape(rows[0].shape)

    def whole(self, x: Registers, kind: Any) -> Registers:
        """x as a whole number of a type: cut off, held within its range, zero for NaN."""
        limits = np.iinfo(kind)
        cut = self.each("max", self.each("trunc", x), self.constants(float(limits.min)))
        cut = self.each("min", cut, self.constants(float(limits.max)))
        return self.each("select", self.each("ne", x, x), self.constants(0.0), cut)

    def integer_power(self, x: Registers, exponent: int) -> Registers:
        """x to a whole power, by repeated squaring."""
        result, base, left = None, x, abs(exponent)
        while left:
            if left & 1:
                result = base if result is None else self.each("mul", result, base)
            left >>= 1
            if left:
                base = self.each("mul", base, base)
        if result is None:
            return np.broadcast_to(self.constants(1.0), x.shape)
        return self.each("div", self.constants(1.0), result) if exponent < 0 else result

    def place_of_extreme(self, compare: str, array: Registers, axis: int) -> Registers:
        """Index of the largest ("gt") or smallest ("lt") entry; the first NaN wins over numbers."""
        rows = list(np.moveaxis(array, axis, 0))
        best, index = rows[0], np.broadcast_to(self.constants(0.0), rows[0].shape)
        for k, row in enumerate(rows[1:], start=1):
            first_nan = self.each("and", self.each("ne", row, row), self.each("eq", best, best))
            better = self.each("or", self.each(compare, row, best), first_nan)
            best = self.each("select", better, row, best)
            index = self.each("select", better, self.constants(float(k)), index)
        return index
