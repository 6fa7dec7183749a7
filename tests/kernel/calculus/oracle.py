"""JAX as the oracle: programs run in JAX, and what its derivatives of them are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.program import Program
from tests.tracers import jax, jnp


@cache
def in_jax() -> dict[str, Callable[..., Any]]:
    """What each operation is in JAX; others have the name they have in jax.numpy."""
    return {
        "neg": jnp.negative,
        "round": jnp.round,
        "asin": jnp.arcsin,
        "acos": jnp.arccos,
        "atan": jnp.arctan,
        "asinh": jnp.arcsinh,
        "acosh": jnp.arccosh,
        "atanh": jnp.arctanh,
        "erf": jax.scipy.special.erf,
        "erfc": jax.scipy.special.erfc,
        "is_finite": jnp.isfinite,
        "sub": jnp.subtract,
        "mul": jnp.multiply,
        "div": jnp.divide,
        "rem": jax.lax.rem,
        "pow": jax.lax.pow,
        "atan2": jnp.arctan2,
        "min": jnp.minimum,
        "max": jnp.maximum,
        # jnp.copysign looks at bits, which no program can.
        "copysign": lambda x, s: jnp.where(s < 0, -jnp.abs(x), jnp.abs(x)),
        "lt": jnp.less,
        "le": jnp.less_equal,
        "gt": jnp.greater,
        "ge": jnp.greater_equal,
        "eq": jnp.equal,
        "ne": jnp.not_equal,
        "and": jnp.logical_and,
        "or": jnp.logical_or,
        "xor": jnp.logical_xor,
        "not": jnp.logical_not,
        "select": jnp.where,
        "to_real": lambda x: x.astype(jnp.float64),
        "to_truth": lambda x: x != 0,
        "hold": jax.lax.stop_gradient,
    }


def run_in_jax(program: Program, inputs: Sequence[Any]) -> list[Any]:
    """The outputs, every operation one of JAX; reals only, a truth value becomes 0 or 1."""
    like = inputs[0]
    registers: list[Any] = list(inputs)
    registers += [jnp.full_like(like, c, dtype=type(c)) for c in program.constants]
    for instruction in program.instructions:
        arguments = [registers[a] for a in instruction.arguments]
        name = instruction.operation
        if name == "lookup":
            table = jnp.asarray(instruction.table)
            index = jnp.clip(arguments[0], 0, len(instruction.table) - 1).astype(int)
            registers.append(table[index])
        else:
            registers.append((in_jax().get(name) or getattr(jnp, name))(*arguments))
    return [
        jax.lax.stop_gradient(registers[r]).astype(jnp.float64)
        if registers[r].dtype == bool
        else registers[r]
        for r in program.outputs
    ]


def function_of(program: Program) -> Callable[[Any], Any]:
    """The program as a JAX function of an array (inputs, …) that returns an array."""
    return lambda x: jnp.stack(run_in_jax(program, list(x)))


def evaluated(program: Program, x: np.ndarray) -> np.ndarray:
    """Outputs (outputs, batch) for inputs (inputs, batch), by the interpreter."""
    return np.array(
        [np.broadcast_to(np.asarray(y, float), x.shape[1:]) for y in interpret(program, list(x))]
    )


def jax_tangent(program: Program, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """(y, dy) stacked, as `tangent` arranges its outputs."""
    with jax.enable_x64(True):
        y, dy = jax.jvp(function_of(program), (jnp.asarray(x),), (jnp.asarray(dx),))
        return np.concatenate([np.asarray(y), np.asarray(dy)])


def jax_adjoint(program: Program, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(y, derivatives by x) stacked, as `adjoint` arranges its outputs."""
    with jax.enable_x64(True):
        y, pull = jax.vjp(function_of(program), jnp.asarray(x))
        (slopes,) = pull(jnp.asarray(weights))
        return np.concatenate([np.asarray(y), np.asarray(slopes)])


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float, scale: Any) -> None:
    """Equal up to tolerance · scale; where the oracle is not finite, the same infinity or NaN."""
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    with np.errstate(all="ignore"):
        error = np.where(finite, np.abs(found - expected), 0.0) / scale
    assert error.max(initial=0.0) <= tolerance, f"differs by {error.max():.2e} of its scale"
    same = found[~finite], expected[~finite]
    np.testing.assert_array_equal(*same)
