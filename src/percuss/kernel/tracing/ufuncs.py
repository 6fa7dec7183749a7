"""NumPy's universal functions on traced values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import is_truth, reals, registers_of, truths
from percuss.kernel.tracing.writer import Registers, Writer

_DIRECT: dict[np.ufunc, str] = {
    np.negative: "neg",
    np.absolute: "abs",
    np.fabs: "abs",
    np.sign: "sign",
    np.floor: "floor",
    np.ceil: "ceil",
    np.rint: "round",
    np.trunc: "trunc",
    np.sqrt: "sqrt",
    np.cbrt: "cbrt",
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.log: "log",
    np.log2: "log2",
    np.log1p: "log1p",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.isfinite: "is_finite",
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.fmod: "rem",
    np.arctan2: "atan2",
    np.copysign: "copysign",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
}
"""Functions that are one instruction on real numbers."""

_LOGICAL: dict[np.ufunc, str] = {
    np.logical_and: "and",
    np.logical_or: "or",
    np.logical_xor: "xor",
    np.logical_not: "not",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
    np.invert: "not",
}

Rule = Callable[..., Registers]
_RULES: dict[np.ufunc, Rule] = {}

_REDUCED: dict[np.ufunc, tuple[str, Any]] = {
    np.add: ("add", 0.0),
    np.multiply: ("mul", 1.0),
    np.maximum: ("max", -np.inf),
    np.minimum: ("min", np.inf),
    np.logical_and: ("and", True),
    np.logical_or: ("or", False),
}
"""Functions that reduce an axis, and what an empty one gives."""


def call_ufunc(
    writer: Writer, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Registers:
    """What NumPy asks for when a universal function meets a traced value."""
    options = {key: value for key, value in options.items() if value is not None}
    if method == "reduce" and ufunc in _REDUCED:
        axis, keepdims = options.pop("axis", 0), options.pop("keepdims", False)
        refuse_options(ufunc.__name__, options)
        return reduced(writer, ufunc, inputs[0], axis, keepdims)
    if method != "__call__":
        raise KernelError(f"np.{ufunc.__name__}.{method} cannot be compiled{users_line()}")
    refuse_options(ufunc.__name__, options)
    if ufunc in _DIRECT:
        registers = [reals(writer, value) for value in inputs]
        return writer.each(_DIRECT[ufunc], *registers)
    if ufunc in _LOGICAL:
        registers = [truths(writer, value) for value in inputs]
        return writer.each(_LOGICAL[ufunc], *registers)
    if ufunc not in _RULES:
        raise KernelError(f"np.{ufunc.__name__} cannot be compiled{users_line()}")
    return _RULES[ufunc](writer, *inputs)


def refuse_options(name: str, options: dict[str, Any]) -> None:
    """Options of NumPy that mean nothing here, such as `out` and `where`."""
    ignored = {"dtype": (float, np.float64, np.dtype(float))}
    for key, value in options.items():
        if value not in ignored.get(key, ()):
            raise KernelError(f"np.{name} with {key}= cannot be compiled{users_line()}")


def reduced(
    writer: Writer, ufunc: np.ufunc, value: Any, axis: Any, keepdims: bool = False
) -> Registers:
    """A reduction over an axis, several, or all (None)."""
    operation, start = _REDUCED[ufunc]
    logical = isinstance(start, bool)
    array = (truths if logical else reals)(writer, value)
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis)
    axes = tuple(int(a) % array.ndim for a in axes) if array.ndim else ()
    result = writer.fold(operation, array, axes, start)
    return np.expand_dims(result, axes) if keepdims else result


def rule(*ufuncs: np.ufunc) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(ufuncs, rule))
        return rule

    return register


@rule(np.equal)
def _equal(writer: Writer, a: Any, b: Any) -> Registers:
    if is_truth(writer, a) and is_truth(writer, b):
        return writer.each("not", _not_equal(writer, a, b))
    return writer.each("eq", reals(writer, a), reals(writer, b))


@rule(np.not_equal)
def _not_equal(writer: Writer, a: Any, b: Any) -> Registers:
    if is_truth(writer, a) and is_truth(writer, b):
        return writer.each("xor", registers_of(writer, a), registers_of(writer, b))
    return writer.each("ne", reals(writer, a), reals(writer, b))


@rule(np.maximum)
def _maximum(writer: Writer, a: Any, b: Any) -> Registers:
    return writer.each("max", reals(writer, a), reals(writer, b))


@rule(np.minimum)
def _minimum(writer: Writer, a: Any, b: Any) -> Registers:
    return writer.each("min", reals(writer, a), reals(writer, b))


@rule(np.positive)
def _positive(writer: Writer, a: Any) -> Registers:
    return reals(writer, a)


@rule(np.square)
def _square(writer: Writer, a: Any) -> Registers:
    x = reals(writer, a)
    return writer.each("mul", x, x)


@rule(np.reciprocal)
def _reciprocal(writer: Writer, a: Any) -> Registers:
    return writer.each("div", writer.constants(1.0), reals(writer, a))


@rule(np.log10)
def _log10(writer: Writer, a: Any) -> Registers:
    return writer.each("div", writer.each("log", reals(writer, a)), writer.constants(math.log(10)))


@rule(np.deg2rad, np.radians)
def _deg2rad(writer: Writer, a: Any) -> Registers:
    return writer.each("mul", reals(writer, a), writer.constants(math.pi / 180))


@rule(np.rad2deg, np.degrees)
def _rad2deg(writer: Writer, a: Any) -> Registers:
    return writer.each("mul", reals(writer, a), writer.constants(180 / math.pi))


@rule(np.isnan)
def _isnan(writer: Writer, a: Any) -> Registers:
    x = reals(writer, a)
    return writer.each("ne", x, x)


@rule(np.isinf)
def _isinf(writer: Writer, a: Any) -> Registers:
    size = writer.each("abs", reals(writer, a))
    return writer.each("eq", size, writer.constants(np.inf))


@rule(np.signbit)
def _signbit(writer: Writer, a: Any) -> Registers:
    sign = writer.each("copysign", writer.constants(1.0), reals(writer, a))
    return writer.each("lt", sign, writer.constants(0.0))


@rule(np.power, np.float_power)
def _power(writer: Writer, a: Any, b: Any) -> Registers:
    if isinstance(b, (int, np.integer)) and not isinstance(b, bool):
        return writer.integer_power(reals(writer, a), int(b))
    return writer.each("pow", reals(writer, a), reals(writer, b))


@rule(np.remainder)
def _remainder(writer: Writer, a: Any, b: Any) -> Registers:
    """Of the sign of the divisor, as Python's %."""
    return _modulo(writer, reals(writer, a), reals(writer, b))


def _modulo(writer: Writer, x: Registers, y: Registers) -> Registers:
    zero = writer.constants(0.0)
    rest = writer.each("rem", x, y)
    something = writer.each("ne", rest, zero)
    signs = writer.each("xor", writer.each("lt", rest, zero), writer.each("lt", y, zero))
    other = writer.each("and", signs, something)
    return writer.each("select", other, writer.each("add", rest, y), rest)


@rule(np.floor_divide)
def _floor_divide(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    rest = _modulo(writer, x, y)
    return writer.each("round", writer.each("div", writer.each("sub", x, rest), y))


@rule(np.hypot)
def _hypot(writer: Writer, a: Any, b: Any) -> Registers:
    """√(a² + b²) without overflow on the way, smooth except at zero."""
    x, y = (writer.each("abs", reals(writer, v)) for v in (a, b))
    infinite, zero, one = (writer.constants(c) for c in (np.inf, 0.0, 1.0))
    unbounded = writer.each("or", writer.each("eq", x, infinite), writer.each("eq", y, infinite))
    large, small = writer.each("max", x, y), writer.each("min", x, y)
    nothing = writer.each("eq", large, zero)
    ratio = writer.each("div", small, writer.each("select", nothing, one, large))
    root = writer.each("sqrt", writer.each("add", one, writer.each("mul", ratio, ratio)))
    length = writer.each("select", nothing, large, writer.each("mul", large, root))
    return writer.each("select", unbounded, infinite, length)


@rule(np.heaviside)
def _heaviside(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    zero, one = writer.constants(0.0), writer.constants(1.0)
    below, above = writer.each("lt", x, zero), writer.each("gt", x, zero)
    at_zero = writer.each("select", writer.each("ne", x, x), x, y)
    return writer.each("select", below, zero, writer.each("select", above, one, at_zero))


@rule(np.logaddexp)
def _logaddexp(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    apart = writer.each("neg", writer.each("abs", writer.each("sub", x, y)))
    more = writer.each("log1p", writer.each("exp", apart))
    return writer.each("add", writer.each("max", x, y), more)


@rule(np._core.umath.clip)
def _clip(writer: Writer, a: Any, low: Any, high: Any) -> Registers:
    bounded = writer.each("max", reals(writer, low), reals(writer, a))
    return writer.each("min", reals(writer, high), bounded)


@rule(np.matmul)
def _matmul(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    if x.ndim == 0 or y.ndim == 0:
        raise KernelError(f"@ needs arrays, not numbers{users_line()}; use *")
    rows = x[None] if x.ndim == 1 else x
    columns = y[:, None] if y.ndim == 1 else y
    if rows.shape[-1] != columns.shape[-2]:
        raise KernelError(
            f"shapes {x.shape} and {y.shape} do not fit in a matrix product{users_line()}"
        )
    across = np.swapaxes(columns, -1, -2)[..., None, :, :]
    products = writer.each("mul", rows[..., :, None, :], across)
    result = writer.fold("add", products, (products.ndim - 1,), 0.0)
    result = result[..., 0] if y.ndim == 1 else result
    return np.squeeze(result, axis=-1 if y.ndim == 1 else -2) if x.ndim == 1 else result
