"""Universal functions that are several instructions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from percuss.kernel.tracing.operands import reals
from percuss.kernel.tracing.ufuncs import ufunc_rule
from percuss.kernel.tracing.writer import ProgramWriter, Registers


@ufunc_rule(np.positive)
def _positive(writer: ProgramWriter, a: Any) -> Registers:
    return reals(writer, a)


@ufunc_rule(np.square)
def _square(writer: ProgramWriter, a: Any) -> Registers:
    x = reals(writer, a)
    return writer.each("mul", x, x)


@ufunc_rule(np.reciprocal)
def _reciprocal(writer: ProgramWriter, a: Any) -> Registers:
    return writer.each("div", writer.constants(1.0), reals(writer, a))


@ufunc_rule(np.log10)
def _log10(writer: ProgramWriter, a: Any) -> Registers:
    return writer.each("div", writer.each("log", reals(writer, a)), writer.constants(math.log(10)))


@ufunc_rule(np.deg2rad, np.radians)
def _deg2rad(writer: ProgramWriter, a: Any) -> Registers:
    return writer.each("mul", reals(writer, a), writer.constants(math.pi / 180))


@ufunc_rule(np.rad2deg, np.degrees)
def _rad2deg(writer: ProgramWriter, a: Any) -> Registers:
    return writer.each("mul", reals(writer, a), writer.constants(180 / math.pi))


@ufunc_rule(np.isnan)
def _isnan(writer: ProgramWriter, a: Any) -> Registers:
    x = reals(writer, a)
    return writer.each("ne", x, x)


@ufunc_rule(np.isinf)
def _isinf(writer: ProgramWriter, a: Any) -> Registers:
    size = writer.each("abs", reals(writer, a))
    return writer.each("eq", size, writer.constants(np.inf))


@ufunc_rule(np.signbit)
def _signbit(writer: ProgramWriter, a: Any) -> Registers:
    sign = writer.each("copysign", writer.constants(1.0), reals(writer, a))
    return writer.each("lt", sign, writer.constants(0.0))


@ufunc_rule(np.power, np.float_power)
def _power(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    if isinstance(b, (int, np.integer)) and not isinstance(b, bool):
        return writer.integer_power(reals(writer, a), int(b))
    return writer.each("pow", reals(writer, a), reals(writer, b))


@ufunc_rule(np.remainder)
def _remainder(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    """The remainder with the sign of the divisor, as Python's % has it."""
    return _modulo(writer, reals(writer, a), reals(writer, b))


def _modulo(writer: ProgramWriter, x: Registers, y: Registers) -> Registers:
    rest = writer.each("rem", x, y)
    crosses = _crosses(writer, rest, y)
    return writer.each("select", crosses, writer.each("add", rest, y), rest)


def _crosses(writer: ProgramWriter, rest: Registers, y: Registers) -> Registers:
    """Whether a remainder has the other sign than the divisor."""
    zero = writer.constants(0.0)
    something = writer.each("ne", rest, zero)
    signs = writer.each("xor", writer.each("lt", rest, zero), writer.each("lt", y, zero))
    return writer.each("and", signs, something)


@ufunc_rule(np.floor_divide)
def _floor_divide(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    """x // y by the remainder, as NumPy does it: floor(x / y) is of a rounded quotient."""
    x, y = reals(writer, a), reals(writer, b)
    zero = writer.constants(0.0)
    rest = writer.each("rem", x, y)
    whole = writer.each("div", writer.each("sub", x, rest), y)
    less = writer.each("sub", whole, writer.constants(1.0))
    floor = writer.each("round", writer.each("select", _crosses(writer, rest, y), less, whole))
    return writer.each("select", writer.each("eq", y, zero), writer.each("div", x, y), floor)


@ufunc_rule(np.divmod)
def _divmod(writer: ProgramWriter, a: Any, b: Any) -> tuple[Registers, Registers]:
    return _floor_divide(writer, a, b), _remainder(writer, a, b)


@ufunc_rule(np.modf)
def _modf(writer: ProgramWriter, a: Any) -> tuple[Registers, Registers]:
    x = reals(writer, a)
    whole = writer.each("trunc", x)
    infinite = writer.each("eq", writer.each("abs", x), writer.constants(np.inf))
    part = writer.each("select", infinite, writer.constants(0.0), writer.each("sub", x, whole))
    return writer.each("copysign", part, x), whole


@ufunc_rule(np.fmax)
def _fmax(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    return _other_than_nan(writer, "gt", a, b)


@ufunc_rule(np.fmin)
def _fmin(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    return _other_than_nan(writer, "lt", a, b)


def _other_than_nan(writer: ProgramWriter, compare: str, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    first = writer.each("or", writer.each(compare, x, y), writer.each("ne", y, y))
    return writer.each("select", first, x, y)


@ufunc_rule(np.hypot)
def _hypot(writer: ProgramWriter, a: Any, b: Any) -> Registers:
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
def _heaviside(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    zero, one = writer.constants(0.0), writer.constants(1.0)
    below, above = writer.each("lt", x, zero), writer.each("gt", x, zero)
    at_zero = writer.each("select", writer.each("ne", x, x), x, y)
    return writer.each("select", below, zero, writer.each("select", above, one, at_zero))


@ufunc_rule(np.logaddexp)
def _logaddexp(writer: ProgramWriter, a: Any, b: Any) -> Registers:
    x, y = reals(writer, a), reals(writer, b)
    apart = writer.each("neg", writer.each("abs", writer.each("sub", x, y)))
    more = writer.each("log1p", writer.each("exp", apart))
    # Equal ones apart: the difference of infinities is not a number.
    twice = writer.each("add", x, writer.constants(math.log(2)))
    apart = writer.each("add", writer.each("max", x, y), more)
    return writer.each("select", writer.each("eq", x, y), twice, apart)


@ufunc_rule(np._core.umath.clip)  # type: ignore[attr-defined]  what ndarray.clip calls
def _clip(writer: ProgramWriter, a: Any, low: Any, high: Any) -> Registers:
    bounded = writer.each("max", reals(writer, low), reals(writer, a))
    return writer.each("min", reals(writer, high), bounded)
