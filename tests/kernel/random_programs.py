"""Random straight-line programs with a running bound on the rounding error of any back end."""

from __future__ import annotations

import numpy as np

from percuss.kernel.backends.interpreter import FUNCTIONS, look_up
from percuss.kernel.builder import Builder
from percuss.kernel.program import Program

# Operations that are smooth and tame everywhere, so that an error bound means something.
SMOOTH_UNARY = ("neg", "abs", "sin", "cos", "tanh", "atan", "asinh", "erf")
SMOOTH_BINARY = ("add", "sub", "mul", "min", "max", "atan2")


def random_program(rng: np.random.Generator, inputs: int, size: int) -> Program:
    """A program of `size` random instructions on reals and truth values."""
    builder = Builder(inputs)
    reals = list(range(inputs)) + [builder.constant(float(c)) for c in (0.5, -1.25, 3.0)]
    truths = [builder.emit("lt", reals[0], reals[-1])]
    for _ in range(size):
        kind = rng.random()
        pick = lambda pool: int(pool[rng.integers(len(pool))])  # noqa: E731
        if kind < 0.3:
            reals.append(builder.emit(str(rng.choice(SMOOTH_UNARY)), pick(reals)))
        elif kind < 0.8:
            operation = str(rng.choice(SMOOTH_BINARY))
            reals.append(builder.emit(operation, pick(reals), pick(reals)))
        elif kind < 0.85:
            truths.append(builder.emit(str(rng.choice(["lt", "ge"])), pick(reals), pick(reals)))
        elif kind < 0.9:
            truths.append(
                builder.emit(str(rng.choice(["and", "or", "xor"])), pick(truths), pick(truths))
            )
        elif kind < 0.93:
            truths.append(builder.emit("not", pick(truths)))
        elif kind < 0.97:
            reals.append(builder.emit("select", pick(truths), pick(reals), pick(reals)))
        elif kind < 0.985:
            reals.append(builder.emit("to_real", pick(truths)))
        else:
            # Halves keep the index away from where rounding would choose another entry.
            index = builder.emit(
                "add", builder.emit("to_real", pick(truths)), builder.constant(0.5)
            )
            reals.append(builder.emit("lookup", index, table=(1.5, -0.5, 0.25)))
        # Keep values of moderate size, or errors explode and nothing can be said.
        reals[-1] = builder.emit("sin", reals[-1]) if rng.random() < 0.2 else reals[-1]
    return builder.finish([*reals[-4:], truths[-1]])


def error_bound(program: Program, inputs: list[np.ndarray], unit: float) -> list[np.ndarray]:
    """First-order bound on the error of each output when every operation is good to `unit`.

    Where a comparison is so close that rounding may decide it, the bound is infinite.
    """
    values: list[np.ndarray] = [*inputs]
    errors: list[np.ndarray] = [np.zeros_like(x) for x in inputs]
    for c in program.constants:
        values.append(np.full_like(inputs[0], c, dtype=bool if isinstance(c, bool) else float))
        errors.append(np.zeros_like(inputs[0]))
    with np.errstate(all="ignore"):
        for instruction in program.instructions:
            a = [values[r] for r in instruction.arguments]
            e = [errors[r] for r in instruction.arguments]
            operation = instruction.operation
            if operation == "lookup":
                values.append(look_up(a[0], instruction.table))
                errors.append(np.where(e[0] > 0.4, np.inf, 0.0))
                continue
            value = FUNCTIONS[operation](*a)
            values.append(value)
            errors.append(_propagated(operation, a, e, value, unit))
    return [errors[r] for r in program.outputs]


def _propagated(
    operation: str, a: list[np.ndarray], e: list[np.ndarray], value: np.ndarray, unit: float
) -> np.ndarray:
    fresh = unit * np.abs(value) if value.dtype != bool else np.zeros(value.shape)
    if operation in ("lt", "ge"):
        return np.where(np.abs(a[0] - a[1]) <= e[0] + e[1], np.inf, 0.0)
    if operation == "select":
        return np.where(a[0], e[1], e[2]) + e[0]
    if operation in ("min", "max"):
        return np.maximum(e[0], e[1])
    if operation == "mul":
        return np.abs(a[0]) * e[1] + np.abs(a[1]) * e[0] + e[0] * e[1] + fresh
    if operation == "atan2":
        radius = np.hypot(*a)
        near_cut = (np.abs(a[0]) <= e[0]) & (a[1] <= e[1])
        return np.where(
            near_cut | (radius <= 2 * (e[0] + e[1])), np.inf, (e[0] + e[1]) / radius + fresh
        )
    if operation in ("add", "sub"):
        # A fused multiply-add keeps digits of a product that two roundings lose.
        return e[0] + e[1] + fresh + unit * (np.abs(a[0]) + np.abs(a[1]))
    return sum(e, np.zeros(value.shape)) * 1.2 + fresh
