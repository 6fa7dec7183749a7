"""Functions of NumPy that choose between values, and rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.functions import rule
from percuss.kernel.tracing.indexing import taken
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import of_one_kind, reals, registers_of, truths
from percuss.kernel.tracing.ufuncs import elementwise, refuse_options
from percuss.kernel.tracing.writer import ProgramWriter, Registers
from percuss.kernel.tracing.writing import is_traced


@rule(np.where)
def _where(writer: ProgramWriter, condition: Any, yes: Any = None, no: Any = None) -> Registers:
    if yes is None or no is None:
        raise KernelError(
            f"np.where with a condition alone cannot be compiled{users_line()}: how many entries "
            "it finds is not known"
        )
    branches = of_one_kind(writer, registers_of(writer, yes), registers_of(writer, no))
    return writer.each("select", truths(writer, condition), *branches)


@rule(np.select)
def _select(writer: ProgramWriter, conditions: Any, choices: Any, default: Any = 0.0) -> Registers:
    result = reals(writer, default)
    for condition, choice in list(zip(conditions, choices, strict=True))[::-1]:
        result = writer.each("select", truths(writer, condition), reals(writer, choice), result)
    return result


@rule(np.clip)
def _clip(
    writer: ProgramWriter,
    array: Any,
    a_min: Any = None,
    a_max: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    **options: Any,
) -> Registers:
    refuse_options("clip", options)
    low, high = a_min if min is None else min, a_max if max is None else max
    result = reals(writer, array)
    if low is not None:
        result = writer.each("max", reals(writer, low), result)
    return result if high is None else writer.each("min", reals(writer, high), result)


@rule(np.take)
def _take(
    writer: ProgramWriter, array: Any, index: Any, axis: int | None = None, **options: Any
) -> Any:
    options.pop("mode", None)  # whatever it says, a computed index is clamped
    refuse_options("take", options)
    registers = registers_of(writer, array)
    if axis is None:
        registers, axis = registers.ravel(), 0
    if not is_traced(index):
        return np.take(registers, index, axis)
    return taken(writer, registers, index.registers, axis % registers.ndim)


@rule(np.choose)
def _choose(writer: ProgramWriter, index: Any, choices: Any, **options: Any) -> Registers:
    """choices[index], entry by entry; whatever `mode` says, the index is clamped."""
    options.pop("mode", None)
    refuse_options("choose", options)
    rows = of_one_kind(writer, *(registers_of(writer, choice) for choice in choices))
    at, *rows = np.broadcast_arrays(reals(writer, index), *rows)
    table = np.stack([row.ravel() for row in rows])
    found = [
        int(writer.look_up([np.asarray(entry) for entry in column], register))
        for register, column in zip(at.ravel().tolist(), table.T, strict=True)
    ]
    return np.array(found, np.int64).reshape(at.shape)


@rule(np.isclose)
def _isclose(
    writer: ProgramWriter,
    a: Any,
    b: Any,
    rtol: Any = 1e-5,
    atol: Any = 1e-8,
    equal_nan: bool = False,
) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    finite = writer.each("is_finite", y)  # an infinite allowance is none
    apart = writer.each("abs", writer.each("sub", x, y))
    allowed = writer.each("mul", reals(writer, rtol), writer.each("abs", y))
    near = writer.each("le", apart, writer.each("add", reals(writer, atol), allowed))
    same = writer.each("eq", x, y)
    near = writer.each("or", same, writer.each("and", finite, near))
    if not equal_nan:
        return near
    both = writer.each("and", writer.each("ne", x, x), writer.each("ne", y, y))
    return writer.each("or", near, both)


@rule(np.allclose)
def _allclose(writer: ProgramWriter, a: Any, b: Any, **options: Any) -> Registers:
    near = _isclose(writer, a, b, **options)
    return writer.fold("and", near, range(near.ndim), True)


@rule(np.array_equal)
def _array_equal(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    if registers_of(writer, a).shape != registers_of(writer, b).shape:
        return writer.constants(False)
    same = elementwise(writer, "eq", a, b)
    return writer.fold("and", same, range(same.ndim), True)


@rule(np.nan_to_num)
def _nan_to_num(
    writer: ProgramWriter,
    array: Any,
    copy: bool = True,
    nan: Any = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Registers:
    if not copy:
        refuse_options("nan_to_num", {"copy": False})
    x = reals(writer, array)
    largest = np.finfo(float).max
    result = writer.each("select", writer.each("ne", x, x), reals(writer, nan), x)
    for infinite, given, default in ((np.inf, posinf, largest), (-np.inf, neginf, -largest)):
        found = writer.each("eq", x, writer.constants(infinite))
        put = reals(writer, default if given is None else given)
        result = writer.each("select", found, put, result)
    return result


@rule(np.round, np.around)
def _round(writer: ProgramWriter, array: Any, decimals: int = 0, **options: Any) -> Registers:
    """Halves to the even neighbour; `decimals` below zero rounds to tens, hundreds …"""
    refuse_options("round", options)
    x = reals(writer, array)
    if not decimals:
        return writer.each("round", x)
    scale = writer.constants(10.0 ** abs(decimals))
    before, after = ("mul", "div") if decimals > 0 else ("div", "mul")
    return writer.each(after, writer.each("round", writer.each(before, x, scale)), scale)


@rule(np.sinc)
def _sinc(writer: ProgramWriter, array: Any) -> Registers:
    zero, one = writer.constants(0.0), writer.constants(1.0)
    x = writer.each("mul", reals(writer, array), writer.constants(np.pi))
    at_zero = writer.each("eq", x, zero)
    safe = writer.each("select", at_zero, one, x)
    return writer.each("select", at_zero, one, writer.each("div", writer.each("sin", safe), safe))


@rule(np.real)
def _real(writer: ProgramWriter, array: Any) -> Registers:
    return reals(writer, array)


@rule(np.polyval)
def _polyval(writer: ProgramWriter, coefficients: Any, x: Any) -> Registers:
    at = reals(writer, x)
    result = np.broadcast_to(writer.constants(0.0), at.shape)
    for coefficient in reals(writer, coefficients):
        result = writer.each("add", writer.each("mul", result, at), coefficient)
    return result
