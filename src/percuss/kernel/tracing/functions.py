"""NumPy's functions on traced arrays: those that a control law or a small model needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.indexing import taken
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import is_traced, reals, registers_of, truths
from percuss.kernel.tracing.ufuncs import call_ufunc, reduced, refuse_options
from percuss.kernel.tracing.writer import Registers, Writer

Rule = Callable[..., Any]
_RULES: dict[Any, Rule] = {}


FACTS = {np.shape, np.ndim, np.size}
"""Functions of the shape alone, which is known."""


def call_function(writer: Writer, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy asks for when one of its functions meets a traced value."""
    if function in FACTS:
        return function(registers_of(writer, args[0]), *args[1:], **kwargs)
    rule = _RULES.get(function)
    if rule is None:
        module = getattr(function, "__module__", "numpy")
        raise KernelError(
            f"{module}.{function.__name__} cannot be compiled{users_line()}. Compiled functions "
            "may use arithmetic, comparisons, where, clip, interp, sums, small dense algebra, "
            "stacking and indexing"
        )
    return rule(writer, *args, **{key: v for key, v in kwargs.items() if v is not np._NoValue})


def rule(*functions: Any) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(functions, rule))
        return rule

    return register


# --- shapes -------------------------------------------------------------------------------------


def _moved(function: Any) -> None:
    """A function that only moves entries about: done on the register numbers."""

    def apply(writer: Writer, array: Any, *args: Any, **kwargs: Any) -> Any:
        return function(registers_of(writer, array), *args, **kwargs)

    _RULES[function] = apply


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
    np.atleast_1d,
    np.atleast_2d,
    np.copy,
    np.split,
    np.array_split,
    np.delete,
    np.unstack,
    np.permute_dims,
    np.matrix_transpose,
):
    _moved(_function)


def _joined(function: Any) -> None:
    """A function that puts several arrays together."""

    def apply(writer: Writer, arrays: Sequence[Any], *args: Any, **kwargs: Any) -> Registers:
        parts = [registers_of(writer, array) for array in arrays]
        kinds = {writer.builder.kind(r) for part in parts for r in part.ravel().tolist()}
        if len(kinds) > 1:
            parts = [writer.each("to_real", part) for part in parts]
        return function(parts, *args, **kwargs)

    _RULES[function] = apply


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


@rule(np.broadcast_arrays)
def _broadcast_arrays(writer: Writer, *arrays: Any) -> tuple[Registers, ...]:
    return tuple(np.broadcast_arrays(*(registers_of(writer, array) for array in arrays)))


@rule(np.zeros_like)
def _zeros_like(writer: Writer, array: Any, **options: Any) -> Registers:
    refuse_options("zeros_like", options)
    return np.broadcast_to(writer.constants(0.0), registers_of(writer, array).shape)


@rule(np.ones_like)
def _ones_like(writer: Writer, array: Any, **options: Any) -> Registers:
    refuse_options("ones_like", options)
    return np.broadcast_to(writer.constants(1.0), registers_of(writer, array).shape)


@rule(np.full_like)
def _full_like(writer: Writer, array: Any, value: Any, **options: Any) -> Registers:
    refuse_options("full_like", options)
    return np.broadcast_to(registers_of(writer, value), registers_of(writer, array).shape)


@rule(np.diag)
def _diag(writer: Writer, array: Any, k: int = 0) -> Registers:
    registers = registers_of(writer, array)
    if registers.ndim == 2:
        return np.diagonal(registers, k)
    count = len(registers) + abs(k)
    result = np.broadcast_to(writer.constants(0.0), (count, count)).copy()
    rows = np.arange(len(registers))
    result[rows + max(-k, 0), rows + max(k, 0)] = registers
    return result


@rule(np.take)
def _take(writer: Writer, array: Any, index: Any, axis: int | None = None, **options: Any) -> Any:
    options.pop("mode", None)  # whatever it says, a computed index is clamped
    refuse_options("take", options)
    registers = registers_of(writer, array)
    if axis is None:
        registers, axis = registers.ravel(), 0
    if not is_traced(index):
        return np.take(registers, index, axis)
    return taken(writer, registers, index.registers, axis % registers.ndim)


# --- choices ------------------------------------------------------------------------------------


@rule(np.where)
def _where(writer: Writer, condition: Any, yes: Any = None, no: Any = None) -> Registers:
    if yes is None or no is None:
        raise KernelError(
            f"np.where with a condition alone cannot be compiled{users_line()}: how many entries "
            "it finds is not known"
        )
    branches = [registers_of(writer, yes), registers_of(writer, no)]
    kinds = {writer.builder.kind(r) for part in branches for r in part.ravel().tolist()}
    if len(kinds) > 1:
        branches = [writer.each("to_real", part) for part in branches]
    return writer.each("select", truths(writer, condition), *branches)


@rule(np.select)
def _select(writer: Writer, conditions: Any, choices: Any, default: Any = 0.0) -> Registers:
    result = reals(writer, default)
    for condition, choice in list(zip(conditions, choices, strict=True))[::-1]:
        result = writer.each("select", truths(writer, condition), reals(writer, choice), result)
    return result


@rule(np.clip)
def _clip(
    writer: Writer, array: Any, low: Any = None, high: Any = None, **options: Any
) -> Registers:
    low, high = options.pop("min", low), options.pop("max", high)
    refuse_options("clip", options)
    result = reals(writer, array)
    if low is not None:
        result = writer.each("max", reals(writer, low), result)
    return result if high is None else writer.each("min", reals(writer, high), result)


@rule(np.interp)
def _interp(
    writer: Writer,
    x: Any,
    xp: Any,
    fp: Any,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Registers:
    """Linear interpolation in a table of rising places; its first and last values outside."""
    if period is not None:
        raise KernelError(f"np.interp with period= cannot be compiled{users_line()}")
    places, values = reals(writer, xp), reals(writer, fp)
    if places.ndim != 1 or places.shape != values.shape or not places.size:
        raise KernelError(
            f"np.interp needs two lists of the same length, got shapes {places.shape} and "
            f"{values.shape}{users_line()}"
        )
    at = reals(writer, x)
    found = [
        _interpolated(writer, register, places, values, left, right)
        for register in at.ravel().tolist()
    ]
    return np.array(found, np.int64).reshape(at.shape)


def _interpolated(
    writer: Writer, x: int, places: Registers, values: Registers, left: Any, right: Any
) -> int:
    emit, constant = writer.builder.emit, writer.builder.constant
    last = len(places) - 1
    first_value, last_value = (
        int(values[k] if given is None else reals(writer, given))
        for k, given in ((0, left), (last, right))
    )
    inside = int(values[0])
    if last:
        # Halving: the segment that x lies in begins at `low`, known to one more bit each round.
        low, width = constant(0.0), (1 << (last - 1).bit_length()) >> 1
        while width:
            tried = emit("add", low, constant(float(width)))
            place = _entry(writer, places, tried)
            within = emit("le", tried, constant(float(last - 1)))
            go = emit("and", within, emit("le", place, x))
            low = emit("select", go, tried, low)
            width >>= 1
        high = emit("add", low, constant(1.0))
        x0, x1 = _entry(writer, places, low), _entry(writer, places, high)
        y0, y1 = _entry(writer, values, low), _entry(writer, values, high)
        span = emit("sub", x1, x0)
        span = emit("select", emit("eq", span, constant(0.0)), constant(1.0), span)
        share = emit("div", emit("sub", x, x0), span)
        inside = emit("add", y0, emit("mul", share, emit("sub", y1, y0)))
    inside = emit("select", emit("lt", x, int(places[0])), first_value, inside)
    # From the last place on; the value there is exact.
    beyond = (
        emit("gt", x, int(places[last])) if right is not None else emit("ge", x, int(places[last]))
    )
    return emit("select", beyond, last_value, inside)


def _entry(writer: Writer, table: Registers, index: int) -> int:
    return int(writer.look_up(list(table), index))


# --- sums and products --------------------------------------------------------------------------


def _reduction(ufunc: np.ufunc, *functions: Any) -> None:
    def apply(
        writer: Writer, array: Any, axis: Any = None, keepdims: bool = False, **options: Any
    ) -> Registers:
        refuse_options(ufunc.__name__, {k: v for k, v in options.items() if v is not None})
        return reduced(writer, ufunc, array, axis, keepdims)

    _RULES.update(dict.fromkeys(functions, apply))


_reduction(np.add, np.sum)
_reduction(np.multiply, np.prod)
_reduction(np.maximum, np.max, np.amax)
_reduction(np.minimum, np.min, np.amin)
_reduction(np.logical_and, np.all)
_reduction(np.logical_or, np.any)


@rule(np.mean)
def _mean(writer: Writer, array: Any, axis: Any = None, **options: Any) -> Registers:
    refuse_options("mean", options)
    total = reduced(writer, np.add, array, axis)
    count = registers_of(writer, array).size / max(total.size, 1)
    return writer.each("div", total, writer.constants(count))


@rule(np.cumsum)
def _cumsum(writer: Writer, array: Any, axis: int | None = None, **options: Any) -> Registers:
    refuse_options("cumsum", options)
    registers = reals(writer, array)
    registers = registers.ravel() if axis is None else registers
    rows = list(np.moveaxis(registers, axis or 0, 0))
    running = list(itertools.accumulate(rows, lambda a, b: writer.each("add", a, b)))
    return np.moveaxis(np.stack(running), 0, axis or 0) if running else registers


@rule(np.diff)
def _diff(writer: Writer, array: Any, n: int = 1, axis: int = -1) -> Registers:
    registers = reals(writer, array)
    for _ in range(n):
        moved = np.moveaxis(registers, axis, 0)
        registers = np.moveaxis(writer.each("sub", moved[1:], moved[:-1]), 0, axis)
    return registers


@rule(np.dot)
def _dot(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = registers_of(writer, a), registers_of(writer, b)
    ufunc = np.multiply if 0 in (x.ndim, y.ndim) else np.matmul
    if y.ndim > 2:
        raise KernelError(f"np.dot of more than two axes cannot be compiled{users_line()}; use @")
    return call_ufunc(writer, ufunc, "__call__", (a, b), {})


@rule(np.inner, np.vdot)
def _inner(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    if x.ndim != 1 or y.ndim != 1:
        raise KernelError(f"np.inner is compiled for vectors only{users_line()}; use @")
    return writer.fold("add", writer.each("mul", x, y), (0,), 0.0)


@rule(np.outer)
def _outer(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a).ravel(), reals(writer, b).ravel()
    return writer.each("mul", x[:, None], y[None, :])


@rule(np.cross, np.linalg.cross)
def _cross(writer: Writer, a: Any, b: Any, **options: Any) -> Registers:
    refuse_options("cross", options)
    x, y = reals(writer, a), reals(writer, b)
    if x.shape != (3,) or y.shape != (3,):
        raise KernelError(f"np.cross is compiled for vectors of three only{users_line()}")

    def entry(i: int, j: int) -> Registers:
        one, other = writer.each("mul", x[i], y[j]), writer.each("mul", x[j], y[i])
        return writer.each("sub", one, other)

    return np.stack([entry(1, 2), entry(2, 0), entry(0, 1)])


@rule(np.trace)
def _trace(writer: Writer, array: Any) -> Registers:
    diagonal = np.diagonal(reals(writer, array))
    return writer.fold("add", diagonal, (diagonal.ndim - 1,), 0.0)


@rule(np.linalg.norm, np.linalg.vector_norm)
def _norm(writer: Writer, array: Any, ord: Any = None, axis: Any = None, **options: Any) -> Any:
    refuse_options("linalg.norm", options)
    if ord not in (None, 2) or (registers_of(writer, array).ndim > 1 and axis is None):
        raise KernelError(
            f"np.linalg.norm is compiled for the length of vectors only{users_line()}"
        )
    x = reals(writer, array)
    x = x if x.ndim else x.ravel()
    axes = (range(x.ndim)[axis if axis is not None else -1],)
    return writer.each("sqrt", writer.fold("add", writer.each("mul", x, x), axes, 0.0))


@rule(np.einsum)
def _einsum(writer: Writer, subscripts: str, *arrays: Any, **options: Any) -> Registers:
    refuse_options("einsum", {k: v for k, v in options.items() if k != "optimize"})
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    names = inputs.split(",")
    if not output and "->" not in subscripts:
        letters = "".join(names)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if "." in subscripts or any(len(set(name)) < len(name) for name in names):
        raise KernelError(f"np.einsum({subscripts!r}) cannot be compiled{users_line()}")
    summed = [c for c in dict.fromkeys("".join(names)) if c not in output]
    order = [*output, *summed]
    product: Registers | None = None
    for name, array in zip(names, arrays, strict=True):
        registers = reals(writer, array)
        moved = np.transpose(registers, [name.index(c) for c in order if c in name])
        spread = moved[tuple(slice(None) if c in name else None for c in order)]
        product = spread if product is None else writer.each("mul", product, spread)
    assert product is not None
    return writer.fold("add", product, tuple(range(len(output), len(order))), 0.0)


# --- elements -----------------------------------------------------------------------------------


@rule(np.round, np.around)
def _round(writer: Writer, array: Any, decimals: int = 0, **options: Any) -> Registers:
    """Halves to the even neighbour."""
    refuse_options("round", options)
    x = reals(writer, array)
    if not decimals:
        return writer.each("round", x)
    scale = writer.constants(10.0**decimals)
    return writer.each("div", writer.each("round", writer.each("mul", x, scale)), scale)


@rule(np.sinc)
def _sinc(writer: Writer, array: Any) -> Registers:
    zero, one = writer.constants(0.0), writer.constants(1.0)
    x = writer.each("mul", reals(writer, array), writer.constants(np.pi))
    at_zero = writer.each("eq", x, zero)
    safe = writer.each("select", at_zero, one, x)
    return writer.each("select", at_zero, one, writer.each("div", writer.each("sin", safe), safe))


@rule(np.real)
def _real(writer: Writer, array: Any) -> Registers:
    return reals(writer, array)


@rule(np.polyval)
def _polyval(writer: Writer, coefficients: Any, x: Any) -> Registers:
    at = reals(writer, x)
    result = np.broadcast_to(writer.constants(0.0), at.shape)
    for coefficient in reals(writer, coefficients):
        result = writer.each("add", writer.each("mul", result, at), coefficient)
    return result


@rule(np.argmax)
def _argmax(writer: Writer, array: Any, axis: int | None = None) -> Registers:
    return writer.place_of_extreme("gt", *_along(reals(writer, array), axis))


@rule(np.argmin)
def _argmin(writer: Writer, array: Any, axis: int | None = None) -> Registers:
    return writer.place_of_extreme("lt", *_along(reals(writer, array), axis))


def _along(array: Registers, axis: int | None) -> tuple[Registers, int]:
    return (array.ravel(), 0) if axis is None else (array, axis)
