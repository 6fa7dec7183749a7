"""Derivatives of functions, wherever they are called: while tracing, in JAX, or on numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.backends.interpreter import interpret
from percuss.kernel.calculus import tangent
from percuss.kernel.calculus.forward import push_forward
from percuss.kernel.calculus.reverse import pull_back
from percuss.kernel.errors import KernelError
from percuss.kernel.traced import Traced
from percuss.kernel.tracing.closures import ClosureProgram, flat
from percuss.kernel.tracing.function import numbered, record
from percuss.kernel.tracing.operands import ForeignValueError, reals
from percuss.kernel.tracing.values import wrapped
from percuss.kernel.tracing.writer import ProgramWriter, Registers
from percuss.kernel.tracing.writing import is_traced, writer_of


def hold(tree: Any) -> Any:
    """The values of a tree, constant to every derivative."""
    return trees.map_leaves(_held, tree)


def _held(leaf: Any) -> Any:
    if is_traced(leaf):
        return wrapped(leaf.writer, leaf.writer.each("hold", leaf.registers))
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(leaf, jax.Array):
        return jax.lax.stop_gradient(leaf)
    return leaf


def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = False,
) -> Any:
    """(function(*primals), its derivative along the tangents).

    With `has_aux` the function returns (result, more), and so it is (result, derivative, more).
    Works on values that are being traced (which the function may also use without getting them
    as arguments: those count as constants), on JAX's, and on numbers.
    """
    if _any_jax(primals, tangents):
        import jax

        return jax.jvp(function, tuple(primals), tuple(tangents), has_aux=has_aux)

    def derived(writer: ProgramWriter, primals: Any, tangents: Any) -> Any:
        return _pushed(writer, function, primals, tangents, has_aux=has_aux)

    def again(primals: Any, tangents: Any) -> Any:
        return jvp(function, primals, tangents, has_aux=has_aux)

    return _wherever(derived, again, tuple(primals), tuple(tangents))


def _pushed(
    writer: ProgramWriter,
    function: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    has_aux: bool,
) -> Any:
    leaves, tree = trees.flatten(primals)
    at = [reals(writer, leaf) for leaf in leaves]
    along = _like(writer, trees.leaves_of(tangents), at)
    body = ClosureProgram(writer, function, tree, at, has_aux=has_aux)
    values, slopes = push_forward(
        writer.builder,
        body.program,
        [*flat(at), *body.closed],
        [*along, *[None] * len(body.closed)],
    )
    zero = None in slopes[: body.count] and writer.builder.constant(0.0)
    filled = [zero if slope is None else slope for slope in slopes[: body.count]]
    result, more = body.arranged(values)
    derivative, _ = body.arranged([*filled, *values[body.count :]])
    return (result, derivative, more) if has_aux else (result, derivative)


def vjp(
    function: Callable[..., Any], primals: Sequence[Any], cotangent: Any
) -> tuple[Any, tuple[Any, ...]]:
    """(function(*primals), the cotangents of the primals) for a cotangent of the result."""
    if _any_jax(primals, cotangent):
        import jax

        result, back = jax.vjp(function, *primals)
        return result, back(cotangent)

    def derived(writer: ProgramWriter, primals: Any, cotangent: Any) -> Any:
        return _pulled(writer, function, primals, cotangent)

    def again(primals: Any, cotangent: Any) -> Any:
        return vjp(function, primals, cotangent)

    return _wherever(derived, again, tuple(primals), cotangent)


def _pulled(
    writer: ProgramWriter, function: Callable[..., Any], primals: Any, cotangent: Any
) -> tuple[Any, tuple[Any, ...]]:
    leaves, tree = trees.flatten(primals)
    at = [reals(writer, leaf) for leaf in leaves]
    body = ClosureProgram(writer, function, tree, at, has_aux=False)
    pulled = flat([reals(writer, leaf) for leaf in trees.leaves_of(cotangent)])
    values, found = pull_back(writer.builder, body.program, [*flat(at), *body.closed], pulled)
    inputs = found[: sum(array.size for array in at)]
    zero = None in inputs and writer.builder.constant(0.0)
    filled = np.array([zero if slope is None else slope for slope in inputs], np.int64)
    parts = [wrapped(writer, filled[place]) for place in numbered([array.shape for array in at])]
    return body.arranged(values)[0], trees.unflatten(tree, parts)


def _any_jax(*values: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and any(
        isinstance(leaf, jax.Array) for leaf in trees.leaves_of(tuple(values))
    )


def _like(
    writer: ProgramWriter, tangents: Sequence[Any], at: Sequence[Registers]
) -> list[int | None]:
    """Registers of tangents; known zeros are None, so that nothing is computed with them."""
    registers: list[int | None] = []
    for slope, array in zip(tangents, at, strict=True):
        for register in np.broadcast_to(reals(writer, slope), array.shape).ravel().tolist():
            zero = writer.builder.value(register) == 0.0
            registers.append(None if zero else register)
    return registers


def _wherever(derived: Callable[..., Any], again: Callable[..., Any], *given: Any) -> Any:
    """derived(writer, *given) while a function is traced.

    Of numbers, the program of again(*given) is run once. Also then the function may use traced
    values that it was not given.
    """
    writer = writer_of(given)
    if writer is not None:
        return derived(writer, *given)
    if not trees.leaves_of(given):
        raise KernelError("a derivative needs a number to be taken by; none was given")
    own: list[ProgramWriter | None] = []

    def marked(*values: Any) -> Any:
        own.append(writer_of(values))
        return again(*values)

    try:
        traced = record(marked, *given)
    except ForeignValueError as error:
        return derived(next(writer for writer in error.writers if writer not in own), *given)
    return _run_once(traced, given)


def _run_once(traced: Traced, given: Any) -> Any:
    numbers = [
        float(x) for leaf in trees.leaves_of(given) for x in np.ravel(np.asarray(leaf, float))
    ]
    flat = interpret(traced.program, numbers)
    results: list[Any] = []
    start = 0
    for shape in traced.output_shapes:
        size = int(np.prod(shape))
        results.append(np.array(flat[start : start + size]).reshape(shape))
        start += size
    return trees.unflatten(traced.output_tree, results)


def value_and_jacobian(
    function: Callable[..., Any], *point: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The value of a function of vectors at a point, and its derivatives by all their entries.

    Returns arrays of shapes (*result,) and (*result, entries of all vectors). For one point: the
    program is run by NumPy, all directions together.
    """
    traced = record(function, *point)
    if len(traced.output_shapes) != 1:
        raise TypeError(f"one array is needed as the result, got {traced.output_tree}")
    flat = np.concatenate([np.ravel(np.asarray(vector, float)) for vector in point])
    lanes = [np.full(flat.size, x) for x in flat]
    found = interpret(tangent(traced.program), [*lanes, *np.eye(flat.size)])
    rows = np.array([np.broadcast_to(row, flat.size) for row in found])
    values, slopes = np.split(rows, 2)
    (shape,) = traced.output_shapes
    return values[:, 0].reshape(shape), slopes.reshape((*shape, flat.size))
