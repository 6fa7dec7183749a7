"""Traced functions run on numbers, to be compared with the functions themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.program import Program
from percuss.kernel.traced import Traced
from percuss.kernel.tracing import function as tracing
from percuss.kernel.tracing.writing import is_traced

Function = Callable[..., Any]


def run_traced(function: Function, *arguments: Any) -> Any:
    """The function's result by way of its program, in the structure of the result."""
    return run_program(tracing.trace(function, *arguments), *arguments)


def run_program(traced: Traced, *arguments: Any) -> Any:
    leaves = trees.leaves_of(arguments)
    outputs = interpret(traced.program, [np.float64(x) for leaf in leaves for x in np.ravel(leaf)])
    results: list[np.ndarray] = []
    for shape in traced.output_shapes:
        size = int(np.prod(shape))
        results.append(np.array(outputs[:size]).reshape(shape))
        outputs = outputs[size:]
    return trees.unflatten(traced.output_tree, results)


def own_program(function: Function, *like: Any) -> Program:
    """The program by our own tracer, which must not hand the function to JAX."""
    traced = tracing.record(_not_for_jax(function), *like)
    return tracing.without_holds(traced.program)


def _not_for_jax(function: Function) -> Function:
    def guarded(*arguments: Any) -> Any:
        leaves = trees.leaves_of(arguments)
        assert all(is_traced(leaf) for leaf in leaves), "JAX was asked to trace"
        return function(*arguments)

    return guarded


def assert_as_numpy(function: Function, *arguments: Any, ulps: float = 0) -> None:
    """A function means the same on traced values as on numbers: values, shapes, truth values.

    `ulps` units in the last place are allowed, of the largest number in a result.
    """
    with np.errstate(all="ignore"):
        expected = trees.leaves_of(function(*arguments))
    found = trees.leaves_of(run_traced(function, *arguments))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, map(np.asarray, expected), strict=True):
        if theirs.dtype == object:
            theirs = theirs.astype(float)
        assert ours.shape == theirs.shape
        assert (ours.dtype == bool) == (theirs.dtype == bool)
        finite = np.abs(theirs[np.isfinite(theirs)], dtype=float)
        largest = finite.max(initial=0.0)
        np.testing.assert_allclose(
            ours, theirs, rtol=0, atol=ulps * np.finfo(float).eps * largest, equal_nan=True
        )
