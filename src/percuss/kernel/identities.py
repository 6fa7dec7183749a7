"""What need not be computed: identities that hold bit by bit, and operations on constants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from percuss.kernel.program import REAL, TRUTH, TRUTHS

if TYPE_CHECKING:
    from percuss.kernel.builder import Builder


def known_register(builder: Builder, operation: str, arguments: tuple[int, ...]) -> int | None:
    """A register that holds the result of an operation, or that of a simpler one, None if none."""
    values = [builder.value(register) for register in arguments]
    match operation:
        case "mul":
            for k in (0, 1):
                if values[k] == 1.0 and not isinstance(values[k], bool):
                    return arguments[1 - k]
        case "div" | "pow":
            if values[1] == 1.0:
                return arguments[0]
        case "add":
            for k in (0, 1):
                opposite = _opposite(builder, arguments[k])
                if opposite is not None:
                    return builder.emit("sub", arguments[1 - k], opposite)
        case "sub":
            zero = values[1]
            if zero is not None and zero == 0.0 and math.copysign(1, zero) > 0:
                return arguments[0]
            opposite = _opposite(builder, arguments[1])
            if opposite is not None:
                return builder.emit("add", arguments[0], opposite)
        case "select":
            if values[0] is not None:
                return arguments[1] if values[0] else arguments[2]
            if arguments[1] == arguments[2]:
                return arguments[1]
        case "neg":
            return _opposite(builder, arguments[0])
        case "not":
            inner = builder.node(arguments[0])
            if inner is not None and inner.operation == "not":
                return inner.arguments[0]
        case "hold":
            inner = builder.node(arguments[0])
            held = inner is not None and inner.operation == "hold"
            # Numbers that do not move, and truth values, which never do.
            if held or values[0] is not None or builder.kind(arguments[0]) == TRUTH:
                return arguments[0]
        case "to_truth" if builder.kind(arguments[0]) == TRUTH:
            return arguments[0]
        case "to_real" if builder.kind(arguments[0]) == REAL:
            return arguments[0]
    return None


def _opposite(builder: Builder, register: int) -> int | None:
    """The register of which this one holds the negative, None where it holds no such thing."""
    node = builder.node(register)
    return node.arguments[0] if node is not None and node.operation == "neg" else None


def evaluate_constant(
    operation: str, values: Sequence[float | bool], table: tuple[float, ...]
) -> float | bool:
    """The result of an operation on constants, by the same rules as at run time."""
    from percuss.kernel.backends.interpreter import FUNCTIONS, look_up

    with np.errstate(all="ignore"):
        if operation == "lookup":
            return float(look_up(np.float64(values[0]), table))
        arguments = [v if isinstance(v, bool) else np.float64(v) for v in values]
        result = FUNCTIONS[operation](*arguments)
    return (
        bool(result)
        if operation in TRUTHS or isinstance(result, (bool, np.bool_))
        else float(result)
    )
