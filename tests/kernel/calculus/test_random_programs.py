"""Random programs with every operation: derivatives of first and second order against JAX."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.builder import Builder
from percuss.kernel.calculus import jacobian, orthogonal_groups, sparsity, tangent
from percuss.kernel.calculus.forward import push_forward
from percuss.kernel.calculus.inlining import inline, without_holds
from percuss.kernel.calculus.reverse import adjoint
from percuss.kernel.calculus.sparsity import decompressed, seeds
from percuss.kernel.tracing.function import trace
from tests.kernel.calculus.oracle import (
    assert_close,
    evaluated,
    function_of,
    jax_adjoint,
    jax_tangent,
)
from tests.kernel.calculus.programs import random_program
from tests.studies import cases
from tests.tracers import jax, jnp, needs_jax

SEEDS = st.integers(0, 2**32 - 1)
INPUTS = st.integers(1, 4)
SIZES = st.integers(1, 50)
TOLERANCE = 2e-13
"""Of the largest result of a case, or one: dozens of roundings, slopes up to about ten each."""


@needs_jax
@pytest.mark.sampled
@settings(max_examples=cases(25, 50))
@given(SEEDS, INPUTS, SIZES)
def test_values_agree_with_jax(seed: int, inputs: int, size: int) -> None:
    program = random_program(seed, inputs, size)
    rng = np.random.default_rng(seed)
    x, dx = rng.normal(size=(2, inputs, 6))
    weights = rng.normal(size=(len(program.outputs), 6))
    for found, expected in (
        (evaluated(tangent(program), np.concatenate([x, dx])), jax_tangent(program, x, dx)),
        (
            evaluated(adjoint(program), np.concatenate([x, weights])),
            jax_adjoint(program, x, weights),
        ),
    ):
        assert_close(found, expected, TOLERANCE, 1 + np.abs(expected).max(0))


@needs_jax
@settings(max_examples=40)
@given(SEEDS, INPUTS, SIZES)
def test_no_more_operations_than_jax(seed: int, inputs: int, size: int) -> None:
    program = random_program(seed, inputs, size)
    function, x, w = function_of(program), np.zeros(inputs), np.zeros(len(program.outputs))

    def backward(x: np.ndarray, w: np.ndarray) -> object:
        value, pull = jax.vjp(function, x)
        return value, pull(jnp.asarray(w))

    forward = trace(lambda x, dx: jax.jvp(function, (x,), (dx,)), x, x).program
    ours = without_holds(tangent(program)), without_holds(adjoint(program))
    assert ours[0].operation_count <= forward.operation_count
    assert ours[1].operation_count <= trace(backward, x, w).program.operation_count


@needs_jax
@pytest.mark.sampled
@settings(max_examples=cases(6, 12))
@given(SEEDS, INPUTS, st.integers(1, 20))
def test_second_derivatives_agree_with_jax(seed: int, inputs: int, size: int) -> None:
    """Tangent of tangent and tangent of adjoint, contracted with the Hessians."""
    program = random_program(seed, inputs, size)
    rng = np.random.default_rng(seed)
    (x, dx, ddx), w = rng.normal(size=(3, inputs)), rng.normal(size=len(program.outputs))
    with jax.enable_x64(True):
        hessian = np.asarray(jax.hessian(function_of(program))(jnp.asarray(x)))
    zero = np.zeros(inputs)
    scale = 1 + np.abs(hessian).max(initial=0.0)
    twice = evaluated(tangent(tangent(program)), np.concatenate([x, dx, ddx, zero])[:, None])
    count = len(program.outputs)
    along = np.einsum("kij,i,j->k", hessian, dx, ddx)
    assert_close(twice[3 * count :, 0], along, TOLERANCE, scale)
    mixed = tangent(adjoint(program))
    arguments = np.concatenate([x, w, dx, np.zeros(count)])
    moved = evaluated(mixed, arguments[:, None])[2 * count + inputs :, 0]
    assert_close(moved, np.einsum("kij,k,j->i", hessian, w, dx), TOLERANCE, scale)


@settings(max_examples=30)
@given(SEEDS, INPUTS, SIZES)
def test_patterns_are_what_tangents_leave_and_jacobians_fill(
    seed: int, inputs: int, size: int
) -> None:
    program = random_program(seed, inputs, size)
    pattern = sparsity(program)
    found: set[tuple[int, int]] = set()
    for column in range(inputs):
        builder = Builder(inputs + 1)
        tangents = [inputs if k == column else None for k in range(inputs)]
        _, slopes = push_forward(builder, program, range(inputs), tangents)
        found |= {(row, column) for row, slope in enumerate(slopes) if slope is not None}
    assert found == set(pattern.entries)

    x = np.random.default_rng(seed).normal(size=(inputs, 5))
    unit = np.eye(inputs)
    columns = [
        evaluated(tangent(program), np.concatenate([x, np.repeat(u[:, None], 5, 1)])) for u in unit
    ]
    expected = np.stack([column[len(program.outputs) :] for column in columns], 1)
    scale = 1 + np.abs(expected).max((0, 1))
    for method in ("columns", "groups", "rows", "fewest"):
        whole, same = jacobian(program, by=method)
        assert same == pattern
        entries = evaluated(whole, x)[len(program.outputs) :]
        assert_close(pattern.dense(entries), expected, TOLERANCE, scale)
    groups = orthogonal_groups(pattern)
    products = np.einsum("ijb,jg->igb", expected, seeds(pattern, groups))
    np.testing.assert_array_equal(decompressed(pattern, groups, products), expected)


@settings(max_examples=30)
@given(SEEDS, INPUTS, SIZES)
def test_holds_change_no_value_and_leave_nothing_behind(seed: int, inputs: int, size: int) -> None:
    held = random_program(seed, inputs, size)
    x = np.random.default_rng(seed).normal(size=(inputs, 5))
    free = without_holds(held)
    assert "hold" not in free.counts
    assert free.operation_count <= held.operation_count - held.counts["hold"]
    np.testing.assert_array_equal(evaluated(free, x), evaluated(held, x))
    builder = Builder(inputs)
    again = builder.finish(inline(builder, free, range(inputs)))
    assert again.operation_count == free.operation_count
    assert without_holds(free) is free
