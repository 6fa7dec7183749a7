"""Rules for sums, extremes, running totals and products of small arrays."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel.jaxprs.reader import JaxprReader, rule
from percuss.kernel.tracing.writer import Registers

_REDUCTIONS: dict[str, tuple[str, Any]] = {
    "reduce_sum": ("add", 0.0),
    "reduce_prod": ("mul", 1.0),
    "reduce_max": ("max", -np.inf),
    "reduce_min": ("min", np.inf),
    "reduce_and": ("and", True),
    "reduce_or": ("or", False),
}


@rule(*_REDUCTIONS)
def _reduce(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    name = equation.primitive.name
    if equation.outvars[0].aval.dtype.kind == "b":
        name = {"reduce_max": "reduce_or", "reduce_min": "reduce_and"}.get(str(name), str(name))
    operation, start = _REDUCTIONS[name]
    return reader.fold(operation, inputs[0], equation.params["axes"], start)


@rule("argmax", "argmin")
def _arg_extreme(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    compare = "gt" if equation.primitive.name == "argmax" else "lt"
    (axis,) = equation.params["axes"]
    return reader.place_of_extreme(compare, reader.each("to_real", inputs[0]), axis)


@rule("cumsum", "cumprod", "cummax", "cummin")
def _cumulative(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    operation = {"cumsum": "add", "cumprod": "mul", "cummax": "max", "cummin": "min"}[
        equation.primitive.name
    ]
    if equation.outvars[0].aval.dtype.kind == "b":
        operation = {"max": "or", "min": "and"}.get(operation, operation)
    axis, backwards = equation.params["axis"], equation.params["reverse"]
    rows = list(np.moveaxis(inputs[0], axis, 0))
    rows = rows[::-1] if backwards else rows
    running = list(itertools.accumulate(rows, lambda a, b: reader.each(operation, a, b)))
    return np.moveaxis(np.stack(running[::-1] if backwards else running), 0, axis)


@rule("dot_general")
def _dot_general(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    (left_sum, right_sum), (left_batch, right_batch) = equation.params["dimension_numbers"]
    left, right = inputs

    def arranged(array: Registers, batch: Sequence[int], summed: Sequence[int]) -> Registers:
        free = [k for k in range(array.ndim) if k not in (*batch, *summed)]
        order = np.transpose(array, [*batch, *free, *summed])
        sizes = [[array.shape[k] for k in part] for part in (batch, free, summed)]
        return order.reshape([int(np.prod(part)) for part in sizes])

    a = arranged(left, left_batch, left_sum)[:, :, None, :]
    b = arranged(right, right_batch, right_sum)[:, None, :, :]
    result = reader.fold("add", reader.each("mul", a, b), (3,), 0.0)
    return result.reshape(equation.outvars[0].aval.shape)
