"""Rules for arithmetic, comparisons, choices and conversions: element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.jaxprs.reader import RULES, JaxprReader, rule
from percuss.kernel.program import TRUTH
from percuss.kernel.tracing.writer import Registers


def _elementwise(primitive: str, operation: str) -> None:
    RULES[primitive] = lambda reader, inputs, _: reader.each(operation, *inputs)


for _name in (
    "neg abs sign floor ceil sqrt cbrt exp exp2 expm1 log log1p sin cos tan asin acos atan "
    "sinh cosh tanh asinh acosh atanh erf erfc is_finite add sub mul rem pow atan2"
).split():
    _elementwise(_name, _name)
_elementwise("add_any", "add")


@rule("stop_gradient")
def _stop_gradient(reader: JaxprReader, inputs: list[Registers], _: Any) -> Registers:
    return reader.each("hold", inputs[0])


@rule("copy", "copy_p", "optimization_barrier", "pvary")
def _unchanged(_: JaxprReader, inputs: list[Registers], equation: Any) -> list[Registers]:
    del equation
    return inputs


def _is_integer(equation: Any) -> bool:
    return equation.outvars[0].aval.dtype.kind in "iu"


@rule("div")
def _div(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    quotient = reader.each("div", *inputs)
    if not _is_integer(equation):
        return quotient
    # Whole numbers know no infinity: a division by zero gives -1, as in XLA.
    undefined = reader.each("eq", inputs[1], reader.constants(0.0))
    whole = reader.each("trunc", quotient)
    return reader.each("select", undefined, reader.constants(-1.0), whole)


@rule("max", "min")
def _extreme(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    operation = equation.primitive.name
    if equation.outvars[0].aval.dtype.kind == "b":
        operation = {"max": "or", "min": "and"}[operation]
    return reader.each(operation, *inputs)


@rule("square")
def _square(reader: JaxprReader, inputs: list[Registers], _: Any) -> Registers:
    return reader.each("mul", inputs[0], inputs[0])


@rule("rsqrt")
def _rsqrt(reader: JaxprReader, inputs: list[Registers], _: Any) -> Registers:
    return reader.each("div", reader.constants(1.0), reader.each("sqrt", inputs[0]))


@rule("logistic")
def _logistic(reader: JaxprReader, inputs: list[Registers], _: Any) -> Registers:
    one = reader.constants(1.0)
    decay = reader.each("exp", reader.each("neg", inputs[0]))
    return reader.each("div", one, reader.each("add", one, decay))


@rule("integer_pow")
def _integer_pow(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    return reader.integer_power(inputs[0], equation.params["y"])


@rule("round")
def _round(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    if int(equation.params["rounding_method"]) == 1:
        return reader.each("round", inputs[0])
    # Halves away from zero: sign(x) floor(|x| + 0.5), but 0.49999999999999994 must give 0.
    size = reader.each("abs", inputs[0])
    low = reader.each("floor", size)
    up = reader.each("ge", reader.each("sub", size, low), reader.constants(0.5))
    one_more = reader.each("add", low, reader.constants(1.0))
    return reader.each("copysign", reader.each("select", up, one_more, low), inputs[0])


@rule("and", "or", "xor", "not")
def _logical(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    if equation.outvars[0].aval.dtype.kind != "b":
        raise KernelError(
            f"bitwise {equation.primitive.name!r} on integers cannot be compiled"
            f"{reader.where(equation)}"
        )
    return reader.each(equation.primitive.name, *inputs)


@rule("lt", "le", "gt", "ge", "eq", "ne", "lt_to", "le_to")
def _compare(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    operation = equation.primitive.name.removesuffix("_to")
    if equation.invars[0].aval.dtype.kind == "b":
        if operation in ("eq", "ne"):
            differs = reader.each("xor", *inputs)
            return differs if operation == "ne" else reader.each("not", differs)
        inputs = [reader.each("to_real", array) for array in inputs]
    return reader.each(operation, *inputs)


@rule("select_n")
def _select_n(reader: JaxprReader, inputs: list[Registers], _: Any) -> Registers:
    which, *cases = inputs
    kinds = {reader.builder.kind(int(r)) for r in np.ravel(which)}
    if kinds == {TRUTH}:
        return reader.each("select", which, cases[1], cases[0])
    return reader.pick(cases, which)


@rule("clamp")
def _clamp(reader: JaxprReader, inputs: list[Registers], _: Any) -> Registers:
    low, x, high = inputs
    return reader.each("min", reader.each("max", x, low), high)


@rule("convert_element_type")
def _convert(reader: JaxprReader, inputs: list[Registers], equation: Any) -> Registers:
    old = equation.invars[0].aval.dtype
    new = np.dtype(equation.params["new_dtype"])
    if new.kind == "b":
        return reader.each("to_truth", inputs[0])
    if old.kind == "b":
        return reader.each("to_real", inputs[0])
    if old.kind == "f" and new.kind in "iu":
        return reader.whole(inputs[0], new)
    if old.kind in "iu" and new.kind == "f":
        # A whole number has no negative zero.
        return reader.each("add", inputs[0], reader.constants(0.0))
    if old.kind == "f" and new.itemsize < old.itemsize:
        raise KernelError(
            f"rounding to {new.name} inside a function cannot be compiled"
            f"{reader.where(equation)}; compile the whole function with dtype=float32, or round "
            "to a step with jnp.round(x / step) * step"
        )
    return inputs[0]
