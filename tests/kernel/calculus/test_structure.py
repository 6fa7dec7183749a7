"""Programs put together, taken apart and printed: inlining, holds, zeros, groups, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel import jacobian as jacobian_kernel
from percuss.kernel.builder import Builder
from percuss.kernel.calculus import jacobian, orthogonal_groups, sparsity, tangent
from percuss.kernel.calculus.forward import push_forward
from percuss.kernel.calculus.inlining import inline, without_holds
from percuss.kernel.calculus.reverse import adjoint, pull_back
from percuss.kernel.calculus.sparsity import Pattern, decompressed, seeds
from percuss.kernel.program import TRUTH, Program
from tests.kernel.calculus.oracle import evaluated
from tests.kernel.calculus.programs import random_program


def product() -> Program:
    """(x₀ x₁, sin x₀)."""
    builder = Builder(2)
    return builder.finish([builder.emit("mul", 0, 1), builder.emit("sin", 0)])


# --- inlining and holds -------------------------------------------------------------------------


def test_inlining_shares_and_folds() -> None:
    builder = Builder(1)
    made = builder.emit("sin", 0)
    outputs = inline(builder, product(), [0, builder.constant(1.0)])
    assert outputs == [0, made]


def test_wrong_registers_are_named() -> None:
    builder = Builder(2)
    with pytest.raises(ValueError, match="takes 2 inputs, got 1"):
        inline(builder, product(), [0])
    with pytest.raises(ValueError, match="input 1 is a truth value"):
        inline(builder, product(), [0, builder.emit("lt", 0, 1)])
    with pytest.raises(ValueError, match="takes 2 inputs, got 3 tangents"):
        push_forward(builder, product(), [0, 1], [0, 1, None])
    with pytest.raises(ValueError, match="has 2 outputs, got 1 cotangents"):
        pull_back(builder, product(), [0, 1], [0])
    with pytest.raises(ValueError, match=r"wanted input 2 is not one of 0 … 1"):
        sparsity(product(), [2])
    with pytest.raises(ValueError, match=r"must differ from each other, got \[1, 1\]"):
        jacobian(product(), [1, 1])
    with pytest.raises(ValueError, match="by must be one of columns, groups, rows, fewest"):
        jacobian(product(), by="magic")
    with pytest.raises(ValueError, match=r"has 3 entries, got values of shape \(2,\)"):
        sparsity(product()).dense([1.0, 2.0])


def test_a_hold_keeps_value_and_kind() -> None:
    builder = Builder(1)
    held = builder.emit("hold", 0)
    assert held != 0
    assert builder.emit("hold", held) == held
    truth = builder.emit("lt", 0, builder.constant(2.0))
    assert builder.kind(builder.emit("hold", truth)) == TRUTH
    assert builder.value(builder.emit("hold", builder.constant(2.5))) == 2.5
    program = builder.finish([builder.emit("mul", held, 0)])
    x = np.array([[3.0, 1.0]]).T
    np.testing.assert_array_equal(evaluated(program, x[:1]), [[9.0]])
    np.testing.assert_array_equal(evaluated(tangent(program), x), [[9.0], [3.0]])
    np.testing.assert_array_equal(evaluated(adjoint(program), x), [[9.0], [3.0]])
    assert str(without_holds(program)) == "inputs x0…x0\nr0 = mul(x0, x0)\noutputs r0"


@settings(max_examples=80)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 60))
def test_without_holds_is_as_if_never_written(seed: int, inputs: int, size: int) -> None:
    expected = random_program(seed, inputs, size, holds=False)
    assert without_holds(random_program(seed, inputs, size)).counts == expected.counts


# --- zeros and signs ----------------------------------------------------------------------------


def test_zeros_are_never_computed_with() -> None:
    builder = Builder(3)
    values, slopes = push_forward(builder, product(), [0, 1], [None, 2])
    assert slopes[1] is None
    assert slopes[0] is not None
    program = builder.finish([*values, slopes[0]])
    assert program.counts == {"mul": 2, "sin": 1}
    _, none = push_forward(builder, product(), [0, 1], [None, None])
    assert none == [None, None]
    _, back = pull_back(builder, product(), [0, 1], [None, 2])
    assert back[1] is None
    _, back = pull_back(builder, product(), [0, 1], [2, None], wanted=[1])
    assert back[0] is None
    assert back[1] is not None


def test_signs_cost_nothing_on_the_way() -> None:
    """d(-(cos x)) / dx = sin x, and the sign of a difference is its order."""
    builder = Builder(2)
    cosine = builder.emit("cos", 0)
    program = builder.finish(
        [builder.emit("neg", cosine), builder.emit("neg", builder.emit("sub", 0, 1))]
    )
    assert tangent(program).counts == {"cos": 1, "sin": 1, "neg": 2, "mul": 1, "sub": 2}


@pytest.mark.parametrize(("exponent", "most"), [(2, 2), (3, 2), (4, 3), (5, 2), (8, 4)])
def test_powers_in_multiplications_are_differentiated_as_powers(exponent: int, most: int) -> None:
    builder = Builder(1)
    result, base, left = None, 0, exponent
    while left:
        if left & 1:
            result = base if result is None else builder.emit("mul", result, base)
        left >>= 1
        base = builder.emit("mul", base, base) if left else base
    assert result is not None
    program = builder.finish([result])
    both = tangent(program)
    assert both.operation_count - program.operation_count <= most
    x = np.array([[0.7, 1.0]]).T
    assert evaluated(both, x)[1, 0] == pytest.approx(exponent * 0.7 ** (exponent - 1), rel=1e-15)


def test_reciprocals_and_inverse_roots_need_no_division_of_their_own() -> None:
    builder = Builder(1)
    one = builder.constant(1.0)
    program = builder.finish([builder.emit("div", one, 0)])
    assert tangent(program).counts == {"div": 1, "mul": 2, "neg": 1}
    root = builder.finish([builder.emit("div", one, builder.emit("sqrt", 0))])
    x = np.array([[0.49, 1.0]]).T
    assert evaluated(tangent(root), x)[1, 0] == pytest.approx(-0.5 * 0.49**-1.5, rel=1e-15)


# --- sparse matrices ----------------------------------------------------------------------------


def chain(size: int) -> Program:
    """yₖ = sin xₖ xₖ₊₁: two entries a row."""
    builder = Builder(size + 1)
    pairs = [builder.emit("mul", builder.emit("sin", k), k + 1) for k in range(size)]
    return builder.finish(pairs)


def test_a_band_needs_as_many_groups_as_it_is_wide() -> None:
    program = chain(12)
    pattern = sparsity(program)
    assert len(pattern.entries) == 24
    groups = orthogonal_groups(pattern)
    assert len(groups) == 2
    assert sorted(column for group in groups for column in group) == list(range(13))
    x = np.random.default_rng(0).normal(size=(13, 4))
    directions = seeds(pattern, groups)
    both = tangent(program)
    products = np.stack(
        [
            evaluated(both, np.concatenate([x, np.repeat(d[:, None], 4, axis=1)]))[12:]
            for d in directions.T
        ],
        axis=1,
    )
    whole, _ = jacobian(program)
    np.testing.assert_allclose(
        decompressed(pattern, groups, products), pattern.dense(evaluated(whole, x)[12:]), rtol=1e-15
    )


def test_one_full_row_separates_all_columns() -> None:
    pattern = Pattern((2, 3), ((0, 0), (0, 1), (0, 2), (1, 1)))
    assert len(orthogonal_groups(pattern)) == 3
    assert orthogonal_groups(Pattern((2, 3), ())) == ()


def test_wanted_inputs_are_the_columns_in_their_order() -> None:
    whole, pattern = jacobian(product(), [1, 0])
    assert pattern == Pattern((2, 2), ((0, 0), (0, 1), (1, 1)))
    values = evaluated(whole, np.array([[2.0], [5.0]]))
    np.testing.assert_allclose(values[:, 0], [10.0, np.sin(2.0), 2.0, 5.0, np.cos(2.0)])


def test_constant_outputs_and_no_inputs() -> None:
    builder = Builder(0)
    program = builder.finish([builder.constant(2.0), builder.constant(True)])
    assert tangent(program).outputs == (0, 1, 2, 2)
    assert adjoint(program).operation_count == 0
    whole, pattern = jacobian(program)
    assert pattern == Pattern((2, 0), ())
    assert whole.operation_count == 0


def test_a_compiled_jacobian_takes_no_more_directions_than_it_needs() -> None:
    """Inputs far apart in a band share a direction; one that nothing depends on has none."""
    n = 20

    def band(x: Any, idle: Any) -> Any:
        del idle
        return np.concatenate([x[:1], x[1:-1] * x[:-2] - np.sin(x[2:])])

    taken = jacobian_kernel(band, np.zeros(n), np.zeros(3))
    assert taken.directions == 3
    x = np.random.default_rng(0).normal(size=(n, 5))
    by_x, by_idle = taken(x, np.ones(3))
    assert not by_idle.any()
    exact = np.zeros((n - 1, n, 5))
    exact[0, 0] = 1.0
    for k in range(1, n - 1):
        exact[k, k - 1 : k + 2] = x[k], x[k - 1], -np.cos(x[k + 1])
    np.testing.assert_allclose(by_x, exact, atol=1e-15)


def test_a_jacobian_of_a_constant_is_zero() -> None:
    taken = jacobian_kernel(lambda x: 0.0 * np.floor(x), np.zeros(2))
    np.testing.assert_array_equal(taken(np.ones(2))[0], np.zeros((2, 2)))
