"""What tracers make of a function: ours always, and JAX as a second opinion where it is installed.

A test that goes through these states the same of every tracer there is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.calculus.reverse import adjoint
from percuss.kernel.tracing.derivatives import value_and_jacobian
from percuss.kernel.tracing.function import record
from tests.kernel.tracing.running import run_traced

jax: Any
jnp: Any
try:
    jax = importlib.import_module("jax")
    jnp = importlib.import_module("jax.numpy")
except ModuleNotFoundError:
    jax = jnp = None

needs_jax = pytest.mark.skipif(jax is None, reason="JAX is not installed")
"""For tests about JAX as a guest, and for those in which it is the oracle."""


def library_of(x: Any) -> Any:
    """`jax.numpy` for values of JAX, else `numpy`."""
    return jnp if jax is not None and isinstance(x, jax.Array) else np


def traced(function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """The result of the traced function for these arguments, by the name of the tracer."""
    found = {"our tracer": run_traced(function, *arguments)}
    if jax is not None:
        with jax.enable_x64(True):
            found["JAX"] = jax.jit(function)(*arguments)
    return found


def slopes(function: Callable[[Any], Any], at: Any) -> dict[str, np.ndarray]:
    """The Jacobian (*result, *argument) of a function of one array, by the name of the way."""
    _, forward = value_and_jacobian(function, at)
    shape = (*forward.shape[:-1], *np.shape(at))
    found = {"forward": forward.reshape(shape), "backward": _backward(function, at).reshape(shape)}
    if jax is not None:
        with jax.enable_x64(True):
            at = jnp.asarray(at, float)
            found["JAX forward"] = np.asarray(jax.jacfwd(function)(at))
            found["JAX backward"] = np.asarray(jax.jacrev(function)(at))
    return found


def _backward(function: Callable[[Any], Any], at: Any) -> np.ndarray:
    """The Jacobian (results, arguments), the weights of all results side by side."""
    program = record(function, at).program
    numbers = np.ravel(np.asarray(at, float))
    count = len(program.outputs)
    inputs = [*(np.full(count, x) for x in numbers), *np.eye(count)]
    found = interpret(adjoint(program), inputs)[count:]
    return np.array([np.broadcast_to(np.asarray(row, float), count) for row in found]).T
