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
from percuss.kernel.tracing.writer import ProgramWriter, Registers

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
    writer: ProgramWriter,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    *,
    options: dict[str, Any],
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


def elementwise(writer: ProgramWriter, operation: str, *operands: Any) -> Registers:
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
    writer: ProgramWriter,
    ufunc: np.ufunc,
    value: Any,
    axis: Any = None,
    *,
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
