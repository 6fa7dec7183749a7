"""Sums, means, extremes and running totals of small arrays."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.functions import rule
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import reals, registers_of, truths
from percuss.kernel.tracing.ufuncs import reduced, refuse_options
from percuss.kernel.tracing.writer import ProgramWriter, Registers


def _reduction(ufunc: np.ufunc, *functions: Any) -> None:
    @rule(*functions)
    def apply(
        writer: ProgramWriter, array: Any, axis: Any = None, *more: Any, **options: Any
    ) -> Any:
        if more:  # dtype and out, by place
            refuse_options(ufunc.__name__, dict(zip(("dtype", "out"), more, strict=False)))
        return reduced(writer, ufunc, array, axis, **options)


_reduction(np.add, np.sum)
_reduction(np.multiply, np.prod)
_reduction(np.maximum, np.max, np.amax)
_reduction(np.minimum, np.min, np.amin)
_reduction(np.logical_and, np.all)
_reduction(np.logical_or, np.any)


@rule(np.ptp)
def _ptp(writer: ProgramWriter, array: Any, axis: Any = None, keepdims: bool = False) -> Registers:
    largest, smallest = (
        reduced(writer, ufunc, array, axis, keepdims=keepdims) for ufunc in (np.maximum, np.minimum)
    )
    return writer.each("sub", largest, smallest)


@rule(np.count_nonzero)
def _count_nonzero(
    writer: ProgramWriter, array: Any, axis: Any = None, *, keepdims: bool = False
) -> Registers:
    counted = writer.each("to_real", truths(writer, array))
    axes = range(counted.ndim) if axis is None else np.atleast_1d(axis)
    axes = tuple(range(counted.ndim)[a] for a in axes)
    total = writer.fold("add", counted, axes, 0.0)
    return np.expand_dims(total, axes) if keepdims else total


@rule(np.mean)
def _mean(
    writer: ProgramWriter, array: Any, axis: Any = None, *, keepdims: bool = False, **options: Any
) -> Registers:
    refuse_options("mean", options)
    total = reduced(writer, np.add, array, axis, keepdims=keepdims)
    count = registers_of(writer, array).size / max(total.size, 1)
    return writer.each("div", total, writer.constants(count))


@rule(np.average)
def _average(writer: ProgramWriter, array: Any, axis: Any = None, weights: Any = None) -> Registers:
    if weights is None:
        return _mean(writer, array, axis)
    x, share = reals(writer, array), reals(writer, weights)
    if x.shape != share.shape:
        raise KernelError(
            f"np.average is compiled for weights of the shape of what they weigh, got "
            f"{share.shape} for {x.shape}{users_line()}"
        )
    axes = tuple(range(x.ndim)) if axis is None else (range(x.ndim)[axis],)
    total = writer.fold("add", writer.each("mul", x, share), axes, 0.0)
    return writer.each("div", total, writer.fold("add", share, axes, 0.0))


@rule(np.var)
def _var(
    writer: ProgramWriter,
    array: Any,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    **options: Any,
) -> Registers:
    refuse_options("var", options)
    x = reals(writer, array)
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    axes = tuple(range(x.ndim)[a] for a in axes)
    total = writer.fold("add", x, axes, 0.0)
    count = x.size / max(total.size, 1)
    mean = np.expand_dims(writer.each("div", total, writer.constants(count)), axes)
    apart = writer.each("sub", x, mean)
    squares = writer.fold("add", writer.each("mul", apart, apart), axes, 0.0)
    result = writer.each("div", squares, writer.constants(count - ddof))
    return np.expand_dims(result, axes) if keepdims else result


@rule(np.std)
def _std(writer: ProgramWriter, array: Any, axis: Any = None, **options: Any) -> Registers:
    return writer.each("sqrt", _var(writer, array, axis, **options))


@rule(np.cumsum)
def _cumsum(
    writer: ProgramWriter, array: Any, axis: int | None = None, **options: Any
) -> Registers:
    refuse_options("cumsum", options)
    return _running(writer, "add", array, axis)


@rule(np.cumprod)
def _cumprod(
    writer: ProgramWriter, array: Any, axis: int | None = None, **options: Any
) -> Registers:
    refuse_options("cumprod", options)
    return _running(writer, "mul", array, axis)


def _running(writer: ProgramWriter, operation: str, array: Any, axis: int | None) -> Registers:
    registers, axis = _along(reals(writer, array), axis)
    rows = list(np.moveaxis(registers, axis, 0))
    running = list(itertools.accumulate(rows, lambda a, b: writer.each(operation, a, b)))
    return np.moveaxis(np.stack(running), 0, axis) if running else registers


@rule(np.trapezoid)
def _trapezoid(
    writer: ProgramWriter, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1
) -> Registers:
    values = np.moveaxis(reals(writer, y), axis, 0)
    widths = reals(writer, dx)
    if x is not None:
        places = reals(writer, x)
        places = np.moveaxis(places, axis, 0) if places.ndim > 1 else places
        widths = writer.each("sub", places[1:], places[:-1])
        widths = widths.reshape(widths.shape + (1,) * (values.ndim - widths.ndim))
    between = writer.each("mul", widths, writer.each("add", values[1:], values[:-1]))
    halves = writer.each("div", between, writer.constants(2.0))
    return writer.fold("add", halves, (0,), 0.0)


@rule(np.diff)
def _diff(writer: ProgramWriter, array: Any, n: int = 1, axis: int = -1) -> Registers:
    registers = reals(writer, array)
    for _ in range(n):
        moved = np.moveaxis(registers, axis, 0)
        registers = np.moveaxis(writer.each("sub", moved[1:], moved[:-1]), 0, axis)
    return registers


@rule(np.argmax)
def _argmax(writer: ProgramWriter, array: Any, axis: int | None = None) -> Registers:
    return writer.place_of_extreme("gt", *_along(reals(writer, array), axis))


@rule(np.argmin)
def _argmin(writer: ProgramWriter, array: Any, axis: int | None = None) -> Registers:
    return writer.place_of_extreme("lt", *_along(reals(writer, array), axis))


def _along(array: Registers, axis: int | None) -> tuple[Registers, int]:
    return (array.ravel(), 0) if axis is None else (array, axis)
