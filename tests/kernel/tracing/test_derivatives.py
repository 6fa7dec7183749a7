"""Derivatives inside of traced functions, functions in parts, and values that are held.

JAX is the oracle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.kernel import trees
from percuss.kernel.tracing.derivatives import hold, jvp, value_and_jacobian, vjp
from percuss.kernel.tracing.function import record
from percuss.kernel.tracing.parts import Part
from tests.kernel.tracing.running import own_program, run_traced
from tests.tracers import jax, jnp, library_of, needs_jax

RNG = np.random.default_rng(8)
X, DX, W = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=2)


def in_jax(function: Any, *arguments: Any) -> Any:
    with jax.enable_x64(True):
        given = jax.tree.map(jnp.asarray, arguments)
        return jax.tree.map(np.asarray, function(*given))


def assert_equal(found: Any, expected: Any) -> None:
    ours, theirs = trees.leaves_of(found), trees.leaves_of(expected)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def curved(x: Any) -> Any:
    """Two numbers of three, with a kink and a product, in either library."""
    np = library_of(x)
    return np.stack([np.sin(x[0]) * x[1] ** 2, np.where(x[2] > 0, x[0] * x[2], np.exp(x[2]))])


def test_forward_and_backward_against_the_closed_form() -> None:
    for x in (X, X * [1.0, 1.0, -1.0]):
        a, b, c = x
        value = np.array([np.sin(a) * b**2, a * c if c > 0 else np.exp(c)])
        last = [c, 0.0, a] if c > 0 else [0.0, 0.0, np.exp(c)]
        slopes = np.array([[np.cos(a) * b**2, 2 * np.sin(a) * b, 0.0], last])
        found = run_traced(lambda x, dx: jvp(curved, (x,), (dx,)), x, DX)
        assert_equal(found, (value, slopes @ DX))
        found = run_traced(lambda x, w: vjp(curved, (x,), w), x, W)
        assert_equal(found, (value, (W @ slopes,)))


@needs_jax
def test_forward_and_backward_against_jax() -> None:
    found = run_traced(lambda x, dx: jvp(curved, (x,), (dx,)), X, DX)
    assert_equal(found, in_jax(lambda x, dx: jax.jvp(curved, (x,), (dx,)), X, DX))

    def back(x: Any, w: Any) -> Any:
        value, pull = jax.vjp(curved, x)
        return value, pull(w)

    found = run_traced(lambda x, w: vjp(curved, (x,), w), X, W)
    assert_equal(found, in_jax(back, X, W))
    # And the same call inside of JAX.
    assert_equal(in_jax(lambda x, w: vjp(curved, (x,), w), X, W), in_jax(back, X, W))
    assert_equal(
        in_jax(lambda x, dx: jvp(curved, (x,), (dx,)), X, DX),
        run_traced(lambda x, dx: jvp(curved, (x,), (dx,)), X, DX),
    )


@needs_jax
def test_on_numbers() -> None:
    expected = in_jax(lambda x, dx: jax.jvp(curved, (x,), (dx,)), X, DX)
    assert_equal(jvp(curved, (X,), (DX,)), expected)
    _, slopes = value_and_jacobian(curved, X)
    assert_equal(slopes @ DX, expected[1])
    value, (pulled,) = vjp(curved, (X,), W)
    assert_equal((value, pulled), (expected[0], W @ slopes))


@needs_jax
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_closures_over_outer_values_and_truth_values(side: float) -> None:
    """What the inner function uses besides its arguments does not move."""

    def outer(jvp: Any, np: Any) -> Any:
        def function(x: Any, p: Any) -> Any:
            scale, positive, counted = np.exp(p), p > 0, (p > 0) & (x[0] < 9.0)

            def inner(y: Any) -> Any:
                chosen = np.where(positive, y * scale, y**2)
                return np.where(counted, chosen, -chosen) * p + x * y[0]

            value, slope = jvp(inner, (x,), (np.ones(3),))
            return value, slope, np.where(positive, slope, p)

        return function

    p = np.float64(0.7 * side)
    found = run_traced(outer(jvp, np), X, p)
    assert_equal(found, in_jax(outer(jax.jvp, jnp), X, p))


@needs_jax
def test_beside_the_result() -> None:
    def function(jvp: Any, np: Any) -> Any:
        def inner(x: Any, p: Any) -> Any:
            return {"y": np.sin(x) * p}, {"more": x + p, "flag": x > p, "none": None}

        return lambda x, p: jvp(inner, (x, p), (np.ones(3), 2.0), has_aux=True)

    found = run_traced(function(jvp, np), X, np.float64(0.3))
    expected = in_jax(function(jax.jvp, jnp), X, 0.3)
    assert trees.structure_of(found) == trees.structure_of(expected)
    assert_equal(found, expected)
    assert found[2]["flag"].dtype == bool


@needs_jax
def test_second_derivatives() -> None:
    def twice(jvp: Any) -> Any:
        return lambda x, dx: jvp(lambda y: jvp(curved, (y,), (dx,))[1], (x,), (dx,))[1]

    assert_equal(run_traced(twice(jvp), X, DX), in_jax(twice(jax.jvp), X, DX))

    def total(x: Any) -> Any:
        return curved(x)[0] * curved(x)[1]

    def gradient(x: Any) -> Any:
        return vjp(total, (x,), 1.0)[1][0]

    found = run_traced(lambda x, dx: jvp(gradient, (x,), (dx,))[1], X, DX)
    assert_equal(found, in_jax(jax.hessian(total), X) @ DX)
    back_and_back = run_traced(lambda x, dx: vjp(gradient, (x,), dx)[1][0], X, DX)
    assert_equal(back_and_back, found)


def test_nested_functions_do_not_confuse_their_derivatives() -> None:
    """d/dx [x · d/dy (x + y)] = 1: the inner derivative does not see the outer's change."""

    def outer(x: Any) -> Any:
        return x * jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert float(run_traced(lambda x: jvp(outer, (x,), (1.0,))[1], 2.0)) == 1.0


def test_numbers_inside_of_a_trace() -> None:
    """Arguments that are known, of a function that uses what is not."""

    def outer(x: Any) -> Any:
        value, slope = jvp(lambda y: y**2 * x[0], (3.0,), (1.0,))
        _, (pulled,) = vjp(lambda y: y**2 * x[1], (3.0,), 1.0)
        known = jvp(lambda y: y**3, (2.0,), (1.0,))[1]
        return value, slope, pulled, known

    assert_equal(run_traced(outer, X), (9 * X[0], 6 * X[0], 6 * X[1], 12.0))


def test_tangents_of_zero_cost_nothing() -> None:
    program = own_program(lambda x, p: jvp(lambda y, q: y * q, (x, p), (np.ones(3), 0.0)), X, 0.5)
    assert program.counts == {"mul": 3}  # the tangent is q itself


def test_held_values_do_not_move() -> None:
    def function(np: Any, hold: Any) -> Any:
        return lambda x: x * hold(np.sin(x)) + hold({"a": x})["a"]

    def ours(x: Any) -> Any:
        library = library_of(x)
        return jvp(function(library, hold), (x,), (library.ones(3),))

    def theirs(x: Any) -> Any:
        return jax.jvp(function(jnp, jax.lax.stop_gradient), (x,), (jnp.ones(3),))

    assert_equal(run_traced(ours, X), (X * np.sin(X) + X, np.sin(X)))
    if jax is not None:
        assert_equal(run_traced(ours, X), in_jax(theirs, X))
        assert_equal(in_jax(ours, X), in_jax(theirs, X))
    assert "hold" not in kernel.trace(lambda x: hold(x) * 2.0, X).program.counts
    assert "hold" in record(lambda x: hold(x) * 2.0, X).program.counts
    assert hold(2.5) == 2.5


def test_value_and_jacobian_of_several_vectors() -> None:
    def function(x: Any, y: Any) -> Any:
        np = library_of(x)
        return np.outer(np.cos(x), y) * x[0]

    y = RNG.normal(size=2)
    value, slopes = value_and_jacobian(function, X, y)
    assert value.shape == (3, 2)
    assert slopes.shape == (3, 2, 5)
    assert_equal(value, function(X, y))
    by_x = -np.einsum("i,j,ik->ijk", np.sin(X) * X[0], y, np.eye(3))
    by_x[..., 0] += np.outer(np.cos(X), y)
    by_y = np.einsum("i,jk->ijk", np.cos(X) * X[0], np.eye(2))
    assert_equal(slopes, np.concatenate([by_x, by_y], axis=-1))
    if jax is not None:
        by_jax = in_jax(jax.jacfwd(function, argnums=(0, 1)), X, y)
        assert_equal(slopes, np.concatenate(by_jax, axis=-1))
    one, slope = value_and_jacobian(lambda x: np.sum(x**3), X)
    assert_equal((one, slope), (np.sum(X**3), 3 * X**2))
    with pytest.raises(TypeError, match="one array"):
        value_and_jacobian(lambda x: (x, x), X)


# --- parts --------------------------------------------------------------------------------------


def test_a_part_is_traced_once_and_inlined() -> None:
    calls: list[int] = []

    def function(x: Any, p: Any) -> Any:
        calls.append(1)
        return {"a": np.sin(x["q"]) * p, "b": (x["q"] > p, np.sum(x["q"]))}

    part = Part(function)
    like = {"q": X}, 0.5

    def both(f: Any) -> Any:
        def twice(x: Any, p: Any) -> Any:
            first = f(x, p)
            again = f({"q": first["a"]}, first["b"][1])
            return first, again, f(x, p)

        return twice

    inlined = own_program(both(part), *like)
    assert len(calls) == 1
    assert inlined.digest == own_program(both(function), *like).digest
    assert_equal(run_traced(both(part), *like), run_traced(both(function), *like))
    # On numbers it is the function itself; another shape is traced anew.
    assert_equal(part({"q": X}, 0.5), function({"q": X}, 0.5))
    before = len(calls)
    own_program(part, {"q": np.zeros(2)}, 0.5)
    assert len(calls) == before + 1


def test_parts_fold_constants_and_pass_derivatives_and_holds() -> None:
    part = Part(lambda x, p: np.where(p > 0, x * p, hold(x) * x))
    program = own_program(lambda x: part(x, 1.0), X)
    assert program.operation_count == 0  # 1 · x
    found = run_traced(lambda x, p: jvp(part, (x, p), (np.ones(3), 0.0))[1], X, np.float64(-1.0))
    assert_equal(found, X)  # half of the derivative of x²


@needs_jax
def test_a_part_in_jax_is_the_function() -> None:
    part = Part(lambda x: jnp.sin(x) * 2.0)
    assert_equal(in_jax(jax.grad(part), 0.3), 2 * np.cos(0.3))
    # Ours, given a function that only JAX can trace.
    assert_equal(run_traced(lambda x: part(x) + 1.0, np.float64(0.3)), 2 * np.sin(0.3) + 1)


@needs_jax
def test_derivatives_in_ours_of_functions_in_jax() -> None:
    def function(x: Any) -> Any:
        return jnp.sin(x) * x[0]

    found = run_traced(lambda x, dx: jvp(function, (x,), (dx,)), X, DX)
    assert_equal(found, in_jax(lambda x, dx: jax.jvp(function, (x,), (dx,)), X, DX))
    assert_equal(jvp(function, (X,), (DX,)), found)
