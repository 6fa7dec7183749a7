"""Entries of traced arrays, also at a computed index."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import is_truth
from percuss.kernel.tracing.writer import ProgramWriter, Registers
from percuss.kernel.tracing.writing import is_traced


def entries(writer: ProgramWriter, array: Registers, index: Any) -> Registers:
    """array[index]; a computed index, alone or the first of several, is clamped to the array."""
    first, *others = index if isinstance(index, tuple) else (index,)
    if any(is_traced(other) for other in others):
        raise KernelError(f"only the first index may be a computed one{users_line()}; use np.take")
    if not is_traced(first):
        return np.asarray(array[index])
    if is_truth(writer, first):
        raise KernelError(
            f"which entries of an array are chosen by computed truth values is not known while a "
            f"function is compiled{users_line()}; use np.where"
        )
    found = taken(writer, array, first.registers, 0)
    return found[(slice(None),) * first.ndim + tuple(others)] if others else found


def taken(writer: ProgramWriter, array: Registers, index: Registers, axis: int) -> Registers:
    """Entries along an axis at computed indices, negative ones from the end, clamped."""
    rows = list(np.moveaxis(array, axis, 0))
    if not rows:
        raise KernelError(f"an empty array has no entries{users_line()}")
    below = writer.each("lt", index, writer.constants(0.0))
    from_end = writer.each("add", index, writer.constants(float(len(rows))))
    place = writer.each("select", below, from_end, index)
    picked = [writer.look_up(rows, register) for register in np.ravel(place).tolist()]
    stacked = np.stack(picked).reshape((*index.shape, *rows[0].shape))
    return np.moveaxis(stacked, range(index.ndim), range(axis, axis + index.ndim))
