"""Functions of NumPy that move entries about, put arrays together or fill them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel.tracing.functions import rule
from percuss.kernel.tracing.operands import (
    all_truths,
    as_reals,
    as_truths,
    of_one_kind,
    registers_of,
)
from percuss.kernel.tracing.ufuncs import refuse_options
from percuss.kernel.tracing.writer import ProgramWriter, Registers


def _moved(function: Any) -> None:
    """A function that only moves entries about: done on the register numbers."""

    @rule(function)
    def apply(writer: ProgramWriter, array: Any, *args: Any, **kwargs: Any) -> Any:
        return function(registers_of(writer, array), *args, **kwargs)


for _function in (
    np.reshape,
    np.ravel,
    np.squeeze,
    np.expand_dims,
    np.transpose,
    np.moveaxis,
    np.swapaxes,
    np.broadcast_to,
    np.flip,
    np.fliplr,
    np.flipud,
    np.roll,
    np.rot90,
    np.repeat,
    np.tile,
    np.diagonal,
    np.linalg.diagonal,
    np.copy,
    np.split,
    np.array_split,
    np.hsplit,
    np.vsplit,
    np.delete,
    np.unstack,
    np.permute_dims,
    np.matrix_transpose,
    np.linalg.matrix_transpose,
):
    _moved(_function)


def _each_moved(function: Any) -> None:
    """Register a rule that moves the entries of several arrays, each an argument."""

    @rule(function)
    def apply(writer: ProgramWriter, *arrays: Any, **kwargs: Any) -> Any:
        return function(*(registers_of(writer, array) for array in arrays), **kwargs)


for _function in (
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.broadcast_arrays,
    np.meshgrid,
):
    _each_moved(_function)


def _joined(function: Any) -> None:
    """A function that puts several arrays together."""

    @rule(function)
    def apply(writer: ProgramWriter, arrays: Sequence[Any], *args: Any, **kwargs: Any) -> Registers:
        parts = [registers_of(writer, array) for array in arrays]
        return function(of_one_kind(writer, *parts), *args, **kwargs)


for _function in (
    np.stack,
    np.concatenate,
    np.hstack,
    np.vstack,
    np.dstack,
    np.column_stack,
    np.concat,
):
    _joined(_function)


@rule(np.block)
def _block(writer: ProgramWriter, arrays: Any) -> Registers:
    parts: list[Registers] = []

    def gather(nested: Any) -> Any:
        if isinstance(nested, list):
            return [gather(part) for part in nested]
        parts.append(registers_of(writer, nested))
        return len(parts) - 1

    places = gather(arrays)
    found = of_one_kind(writer, *parts)

    def arranged(nested: Any) -> Any:
        return [arranged(part) for part in nested] if isinstance(nested, list) else found[nested]

    return np.block(arranged(places))


@rule(np.append)
def _append(writer: ProgramWriter, array: Any, values: Any, axis: int | None = None) -> Registers:
    first, more = of_one_kind(writer, registers_of(writer, array), registers_of(writer, values))
    return np.append(first, more, axis)


@rule(np.insert)
def _insert(
    writer: ProgramWriter, array: Any, at: Any, values: Any, axis: int | None = None
) -> Registers:
    first, more = of_one_kind(writer, registers_of(writer, array), registers_of(writer, values))
    return np.insert(first, at, more, axis)


@rule(np.pad)
def _pad(
    writer: ProgramWriter,
    array: Any,
    width: Any,
    mode: str = "constant",
    constant_values: Any = 0.0,
) -> Registers:
    registers = registers_of(writer, array)
    if mode in ("edge", "reflect", "symmetric", "wrap"):
        return np.pad(registers, width, mode)  # type: ignore[call-overload]
    refuse_options("pad", {"mode": None if mode == "constant" else mode})
    filled = registers_of(writer, constant_values)
    registers, filled = of_one_kind(writer, registers, filled)
    return np.pad(registers, width, constant_values=filled)


@rule(np.zeros_like, np.empty_like)
def _zeros_like(writer: ProgramWriter, array: Any, dtype: Any = None, **options: Any) -> Registers:
    refuse_options("zeros_like", options)
    return _filled(writer, array, writer.constants(0.0), dtype)


@rule(np.ones_like)
def _ones_like(writer: ProgramWriter, array: Any, dtype: Any = None, **options: Any) -> Registers:
    refuse_options("ones_like", options)
    return _filled(writer, array, writer.constants(1.0), dtype)


@rule(np.full_like)
def _full_like(
    writer: ProgramWriter, array: Any, value: Any, dtype: Any = None, **options: Any
) -> Registers:
    refuse_options("full_like", options)
    return _filled(writer, array, registers_of(writer, value), dtype)


def _filled(writer: ProgramWriter, array: Any, value: Registers, dtype: Any) -> Registers:
    """The value in the shape of an array, and of its kind where `dtype` names no other."""
    registers = registers_of(writer, array)
    if dtype is not None and np.dtype(dtype).kind != "b":
        refuse_options("full_like", {"dtype": dtype})
    truth = all_truths(writer, registers) if dtype is None else np.dtype(dtype).kind == "b"
    value = as_truths(writer, value) if truth else as_reals(writer, value)
    return np.broadcast_to(value, registers.shape)


@rule(np.diag)
def _diag(writer: ProgramWriter, array: Any, k: int = 0) -> Registers:
    registers = registers_of(writer, array)
    if registers.ndim == 2:
        return np.diagonal(registers, k)
    (registers, zero) = of_one_kind(writer, registers, writer.constants(0.0))
    count = len(registers) + abs(k)
    result = np.broadcast_to(zero, (count, count)).copy()
    rows = np.arange(len(registers))
    result[rows + max(-k, 0), rows + max(k, 0)] = registers
    return result


@rule(np.triu)
def _triu(writer: ProgramWriter, array: Any, k: int = 0) -> Registers:
    return _kept_where(writer, array, lambda rows, columns: columns - rows >= k)


@rule(np.tril)
def _tril(writer: ProgramWriter, array: Any, k: int = 0) -> Registers:
    return _kept_where(writer, array, lambda rows, columns: columns - rows <= k)


def _kept_where(writer: ProgramWriter, array: Any, kept: Any) -> Registers:
    """Entries of matrices where that holds of their row and column, zeros elsewhere."""
    registers, zero = of_one_kind(writer, registers_of(writer, array), writer.constants(0.0))
    rows, columns = np.indices(registers.shape[-2:])
    return np.where(kept(rows, columns), registers, zero)
