"""The NumPy back end: runs a program operation by operation. The oracle of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel.maps import layout_of
from percuss.kernel.program import TRUTH, Instruction, Program

Array = Any


def _erf(function: str) -> Callable[[Array], Array]:
    def apply(x: Array) -> Array:
        from scipy import special

        return getattr(special, function)(x)

    return apply


def _sign(x: Array) -> Array:
    """The sign as NumPy has it: zero for zero, NaN for NaN."""
    return np.sign(x)


FUNCTIONS: dict[str, Callable[..., Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": _sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "trunc": np.trunc,
    "sqrt": np.sqrt,
    "cbrt": np.cbrt,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": _erf("erf"),
    "erfc": _erf("erfc"),
    "is_finite": np.isfinite,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.fmod,
    "pow": np.power,
    "atan2": np.arctan2,
    "min": np.minimum,
    "max": np.maximum,
    "copysign": np.copysign,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "not": np.logical_not,
    "select": np.where,
    "to_real": lambda x: np.asarray(x, float),
    "to_truth": lambda x: np.not_equal(x, 0),
    "hold": lambda x: x,
}


def look_up(index: Array, table: tuple[float, ...]) -> Array:
    """table[index], the index truncated and clamped to the table; NaN reads the first entry."""
    last = len(table) - 1
    clamped = np.nan_to_num(np.clip(np.trunc(index), 0, last), nan=0.0).astype(np.int64)
    return np.asarray(table, dtype=np.asarray(index).dtype)[clamped]


def interpret(program: Program, inputs: Sequence[Array]) -> list[Array]:
    """Outputs for inputs given one array (or number) per input register."""
    registers: list[Array] = list(inputs)
    real = np.result_type(*registers) if registers else np.dtype(float)
    if real.kind != "f":
        real = np.dtype(float)
    registers += [c if isinstance(c, bool) else real.type(c) for c in program.constants]
    with np.errstate(all="ignore"):
        for instruction in program.instructions:
            if instruction.operation == "lookup":
                registers.append(look_up(registers[instruction.arguments[0]], instruction.table))
                continue
            arguments = [registers[a] for a in instruction.arguments]
            if instruction.operation == "map":
                registers.append(_mapped(instruction, arguments))
                continue
            if instruction.part is not None:
                registers.append(interpret(instruction.part, arguments))
                continue
            if instruction.operation == "result":
                registers.append(arguments[0][int(instruction.table[0])])
                continue
            result = FUNCTIONS[instruction.operation](*arguments)
            registers.append(result.astype(real) if instruction.operation == "to_real" else result)
    return [
        np.asarray(registers[r], bool if program.kinds[r] == TRUTH else real)
        for r in program.outputs
    ]


def _mapped(instruction: Instruction, arguments: list[Array]) -> list[Array]:
    """All results of a map: the body's outputs, each for all entries before the next."""
    assert instruction.part is not None
    layout = layout_of(instruction)
    found = [
        interpret(instruction.part, layout.inputs_of(entry, arguments))
        for entry in range(layout.entries)
    ]
    return [result for results in zip(*found, strict=True) for result in results]
