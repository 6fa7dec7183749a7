"""NumPy's universal functions on traced values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.lines import users_line
from percuss.kernel.tracing.operands import (
    all_truths,
    as_reals,
    as_truths,
    reals,
    registers_of,
    truths,
)
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
    np.maximum: "max",
    np.minimum: "min",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.equal: "eq",
    np.not_equal: "ne",
}
"""Functions that are one instruction on real numbers."""

_LOGICAL: dict[np.ufunc, str] = {
    np.logical_and: "and",
    np.logical_or: "or",
    np.logical_xor: "xor",
    np.logical_not: "not",
}

_BITWISE: dict[np.ufunc, str] = {
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
    np.invert: "not",
}
"""What Python's &, |, ^ and ~ mean; of truth values only."""

_OF_TRUTHS = {"add": "or", "mul": "and", "max": "or", "min": "and", "ne": "xor"}
"""What NumPy makes of arithmetic between truth values: True + True is True."""

Rule = Callable[..., Any]
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
) -> Any:
    """What NumPy asks for when a universal function meets a traced value."""
    if method == "reduce" and ufunc in _REDUCED:
        axis = options.pop("axis", 0)
        return reduced(writer, ufunc, inputs[0], axis, **options)
    if method != "__call__":
        raise KernelError(f"np.{ufunc.__name__}.{method} cannot be compiled{users_line()}")
    refuse_options(ufunc.__name__, options)
    operation = _DIRECT.get(ufunc) or _BITWISE.get(ufunc)
    if operation is not None:
        return elementwise(writer, operation, *inputs)
    if ufunc in _LOGICAL:
        registers = [truths(writer, value) for value in inputs]
        return writer.each(_LOGICAL[ufunc], *registers)
    if ufunc not in _RULES:
        raise KernelError(f"np.{ufunc.__name__} cannot be compiled{users_line()}")
    return _RULES[ufunc](writer, *inputs)


def elementwise(writer: Writer, operation: str, *operands: Any) -> Registers:
    """One instruction for each element, with NumPy's rules for truth values among the operands."""
    arrays = [registers_of(writer, operand) for operand in operands]
    truth = all(all_truths(writer, array) for array in arrays)
    if operation in ("and", "or", "xor", "not"):
        if not truth:
            raise KernelError(
                f"&, |, ^ and ~ join truth values, not numbers{users_line()}. Compare first, in "
                "parentheses: (x > 0) & (y > 0)"
            )
    elif truth and operation in ("sub", "neg"):
        raise KernelError(
            f"truth values have no difference{users_line()}. Write ^ or ~, or make them numbers "
            "with .astype(float)"
        )
    elif truth and operation == "abs":
        return arrays[0]
    elif truth and operation == "eq":
        return writer.each("not", writer.each("xor", *arrays))
    elif truth and operation in _OF_TRUTHS:
        operation = _OF_TRUTHS[operation]
    else:
        arrays = [as_reals(writer, array) for array in arrays]
    return writer.each(operation, *arrays)


def refuse_options(name: str, options: dict[str, Any]) -> None:
    """Options of NumPy that mean nothing here, such as `out` and `where`."""
    ignored = {"dtype": (float, np.float64, np.dtype(float))}
    for key, value in options.items():
        if value is not None and value not in ignored.get(key, ()):
            raise KernelError(f"np.{name} with {key}= cannot be compiled{users_line()}")


def reduced(
    writer: Writer,
    ufunc: np.ufunc,
    value: Any,
    axis: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    **options: Any,
) -> Registers:
    """A reduction over an axis, several, or all (None)."""
    refuse_options(ufunc.__name__, options)
    operation, start = _REDUCED[ufunc]
    array = registers_of(writer, value)
    if isinstance(start, bool):
        array = as_truths(writer, array)
    elif operation in ("max", "min") and all_truths(writer, array):
        operation = _OF_TRUTHS[operation]
    else:
        array = as_reals(writer, array)
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis)
    axes = tuple(range(array.ndim)[a] for a in axes) if array.ndim else ()
    if (
        initial is None
        and start in (-np.inf, np.inf)
        and not math.prod(array.shape[a] for a in axes)
    ):
        raise KernelError(
            f"np.{ufunc.__name__} of no entries has no value{users_line()}; say what it is "
            "with initial="
        )
    result = writer.fold(operation, array, axes, start)
    if initial is not None:
        result = writer.each(operation, reals(writer, initial), result)
    return np.expand_dims(result, axes) if keepdims else result


def ufunc_rule(*ufuncs: np.ufunc) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(ufuncs, rule))
        return rule

    return register


@ufunc_rule(np.positive)
def _positive(writer: Writer, a: Any) -> Registers:
    return reals(writer, a)


@ufunc_rule(np.square)
def _square(writer: Writer, a: Any) -> Registers:
    x = reals(writer, a)
    return writer.each("mul", x, x)


@ufunc_rule(np.reciprocal)
def _reciprocal(writer: Writer, a: Any) -> Registers:
    return writer.each("div", writer.constants(1.0), reals(writer, a))


@ufunc_rule(np.log10)
def _log10(writer: Writer, a: Any) -> Registers:
    return writer.each("div", writer.each("log", reals(writer, a)), writer.constants(math.log(10)))


@ufunc_rule(np.deg2rad, np.radians)
def _deg2rad(writer: Writer, a: Any) -> Registers:
    return writer.each("mul", reals(writer, a), writer.constants(math.pi / 180))


@ufunc_rule(np.rad2deg, np.degrees)
def _rad2deg(writer: Writer, a: Any) -> Registers:
    return writer.each("mul", reals(writer, a), writer.constants(180 / math.pi))


@ufunc_rule(np.isnan)
def _isnan(writer: Writer, a: Any) -> Registers:
    x = reals(writer, a)
    return writer.each("ne", x, x)


@ufunc_rule(np.isinf)
def _isinf(writer: Writer, a: Any) -> Registers:
    size = writer.each("abs", reals(writer, a))
    return writer.each("eq", size, writer.constants(np.inf))


@ufunc_rule(np.signbit)
def _signbit(writer: Writer, a: Any) -> Registers:
    sign = writer.each("copysign", writer.constants(1.0), reals(writer, a))
    return writer.each("lt", sign, writer.constants(0.0))


@ufunc_rule(np.power, np.float_power)
def _power(writer: Writer, a: Any, b: Any) -> Registers:
    if isinstance(b, (int, np.integer)) and not isinstance(b, bool):
        return writer.integer_power(reals(writer, a), int(b))
    return writer.each("pow", reals(writer, a), reals(writer, b))


@ufunc_rule(np.remainder)
def _remainder(writer: Writer, a: Any, b: Any) -> Registers:
    """Of the sign of the divisor, as Python's %."""
    return _modulo(writer, reals(writer, a), reals(writer, b))


def _modulo(writer: Writer, x: Registers, y: Registers) -> Registers:
    rest = writer.each("rem", x, y)
    crosses = _crosses(writer, rest, y)
    return writer.each("select", crosses, writer.each("add", rest, y), rest)


def _crosses(writer: Writer, rest: Registers, y: Registers) -> Registers:
    """Whether a remainder has the other sign than the divisor."""
    zero = writer.constants(0.0)
    something = writer.each("ne", rest, zero)
    signs = writer.each("xor", writer.each("lt", rest, zero), writer.each("lt", y, zero))
    return writer.each("and", signs, something)


@ufunc_rule(np.floor_divide)
def _floor_divide(writer: Writer, a: Any, b: Any) -> Registers:
    """Of the remainder, as NumPy does it: x // y may differ from floor(x / y), which is rounded."""
    x, y = reals(writer, a), reals(writer, b)
    zero = writer.constants(0.0)
    rest = writer.each("rem", x, y)
    whole = writer.each("div", writer.each("sub", x, rest), y)
    less = writer.each("sub", whole, writer.constants(1.0))
    floor = writer.each("round", writer.each("select", _crosses(writer, rest, y), less, whole))
    return writer.each("select", writer.each("eq", y, zero), writer.each("div", x, y), floor)


@ufunc_rule(np.divmod)
def _divmod(writer: Writer, a: Any, b: Any) -> tuple[Registers, Registers]:
    return _floor_divide(writer, a, b), _remainder(writer, a, b)


@ufunc_rule(np.modf)
def _modf(writer: Writer, a: Any) -> tuple[Registers, Registers]:
    x = reals(writer, a)
    whole = writer.each("trunc", x)
    infinite = writer.each("eq", writer.each("abs", x), writer.constants(np.inf))
    part = writer.each("select", infinite, writer.constants(0.0), writer.each("sub", x, whole))
    return writer.each("copysign", part, x), whole


@ufunc_rule(np.fmax)
def _fmax(writer: Writer, a: Any, b: Any) -> Registers:
    return _other_than_nan(writer, "gt", a, b)


@ufunc_rule(np.fmin)
def _fmin(writer: Writer, a: Any, b: Any) -> Registers:
    return _other_than_nan(writer, "lt", a, b)


def _other_than_nan(writer: Writer, compare: str, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    first = writer.each("or", writer.each(compare, x, y), writer.each("ne", y, y))
    return writer.each("select", first, x, y)


@ufunc_rule(np.hypot)
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


@ufunc_rule(np.heaviside)
def _heaviside(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    zero, one = writer.constants(0.0), writer.constants(1.0)
    below, above = writer.each("lt", x, zero), writer.each("gt", x, zero)
    at_zero = writer.each("select", writer.each("ne", x, x), x, y)
    return writer.each("select", below, zero, writer.each("select", above, one, at_zero))


@ufunc_rule(np.logaddexp)
def _logaddexp(writer: Writer, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    apart = writer.each("neg", writer.each("abs", writer.each("sub", x, y)))
    more = writer.each("log1p", writer.each("exp", apart))
    # Equal ones apart: the difference of infinities is not a number.
    twice = writer.each("add", x, writer.constants(math.log(2)))
    apart = writer.each("add", writer.each("max", x, y), more)
    return writer.each("select", writer.each("eq", x, y), twice, apart)


@ufunc_rule(np._core.umath.clip)  # type: ignore[attr-defined]  what ndarray.clip calls
def _clip(writer: Writer, a: Any, low: Any, high: Any) -> Registers:
    bounded = writer.each("max", reals(writer, low), reals(writer, a))
    return writer.each("min", reals(writer, high), bounded)
