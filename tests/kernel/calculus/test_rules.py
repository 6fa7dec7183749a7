"""The derivative of every operation, against JAX, closed forms and differences."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from percuss.kernel.builder import Builder
from percuss.kernel.calculus import jacobian, sparsity, tangent
from percuss.kernel.calculus.forward import push_forward
from percuss.kernel.calculus.reverse import adjoint
from percuss.kernel.calculus.rules import PIECEWISE_CONSTANT, RULES
from percuss.kernel.program import ARITY, Program
from tests.kernel.calculus.oracle import assert_close, evaluated, jax_adjoint, jax_tangent
from tests.kernel.test_llvm import single
from tests.tracers import jax, jnp, needs_jax

DOMAINS = {
    "sqrt": (0.1, 9.0),
    "cbrt": (0.1, 9.0),
    "log": (0.1, 9.0),
    "log2": (0.1, 9.0),
    "log1p": (-0.9, 9.0),
    "asin": (-0.97, 0.97),
    "acos": (-0.97, 0.97),
    "atanh": (-0.97, 0.97),
    "acosh": (1.1, 9.0),
    "tan": (-1.4, 1.4),
    "pow": (0.1, 4.0),
}
TOLERANCE = 5e-15
"""Of the sum of the sizes of the terms: JAX's own functions differ by that from NumPy's."""


def test_every_operation_has_a_rule_or_none_by_intention() -> None:
    assert set(RULES) | PIECEWISE_CONSTANT == set(ARITY)
    assert not set(RULES) & PIECEWISE_CONSTANT
    assert all(len(rules) == ARITY[operation] for operation, rules in RULES.items())


@needs_jax
@pytest.mark.parametrize("operation", [o for o in ARITY if o != "lookup"])
def test_every_operation_agrees_with_jax(operation: str) -> None:
    program, count = single(operation), ARITY[operation]
    rng = np.random.default_rng(1)
    x = rng.uniform(*DOMAINS.get(operation, (-3.0, 3.0)), (count, 3000))
    dx, weights = rng.normal(size=x.shape), rng.normal(size=(1, 3000))
    forward = evaluated(tangent(program), np.concatenate([x, dx]))
    backward = evaluated(adjoint(program), np.concatenate([x, weights]))
    expected = jax_adjoint(program, x, weights)
    slopes = np.abs(expected[1:] / weights)
    assert_close(backward[1:], expected[1:], TOLERANCE, np.abs(weights) * (1 + slopes))
    terms = 1 + np.abs(slopes * dx).sum(0)
    assert_close(forward[1:], jax_tangent(program, x, dx)[1:], TOLERANCE, terms)


def binary(operation: str, constant: float, position: int = 1) -> Program:
    """The operation of one input and a constant."""
    builder = Builder(1)
    arguments = [0, builder.constant(constant)]
    return builder.finish(
        [builder.emit(operation, *(arguments if position == 1 else arguments[::-1]))]
    )


def slopes_at(program: Program, *point: float) -> list[float]:
    """∂ output / ∂ inputs, forward and backward alike."""
    x = np.array([point]).T
    columns, rows = (
        pattern.dense(evaluated(whole, x)[1:])[0, :, 0]
        for whole, pattern in (jacobian(program, by=by) for by in ("columns", "rows"))
    )
    np.testing.assert_array_equal(columns, rows)
    return [float(value) for value in rows]


KINKS = [
    ("abs", (0.0,), [1.0]),
    ("abs", (-0.0,), [1.0]),
    ("sign", (0.0,), [0.0]),
    ("floor", (2.0,), [0.0]),
    ("sqrt", (0.0,), [math.inf]),
    ("cbrt", (0.0,), [math.inf]),
    ("min", (1.5, 1.5), [0.5, 0.5]),
    ("max", (1.5, 1.5), [0.5, 0.5]),
    ("max", (0.0, -0.0), [0.5, 0.5]),
    ("max", (1.0, 2.0), [0.0, 1.0]),
    ("rem", (7.5, 2.0), [1.0, -3.0]),
    ("rem", (-7.5, 2.0), [1.0, 3.0]),
    ("pow", (0.0, 2.0), [0.0, 0.0]),
    ("pow", (0.0, 1.0), [1.0, 0.0]),
    ("pow", (0.0, 0.5), [math.inf, 0.0]),
    ("pow", (-2.0, 3.0), [12.0, math.nan]),
    ("atan2", (0.0, 0.0), [math.nan, math.nan]),
    ("asin", (1.0,), [math.inf]),
    ("acos", (-1.0,), [-math.inf]),
    ("log", (0.0,), [math.inf]),
    ("copysign", (0.0, -2.0), [-1.0, 0.0]),
    ("copysign", (-3.0, 2.0), [-1.0, 0.0]),
]


@pytest.mark.parametrize(("operation", "point", "expected"), KINKS)
def test_conventions_at_kinks_are_those_of_jax(
    operation: str, point: tuple[float, ...], expected: list[float]
) -> None:
    np.testing.assert_array_equal(slopes_at(single(operation), *point), expected)
    if jax is None:
        return
    theirs = jax_adjoint(single(operation), np.array([point]).T, np.ones((1, 1)))[1:, 0]
    if operation == "copysign":  # the oracle's own form of it cannot tell the signs of zeros
        with jax.enable_x64(True):
            theirs = jax.grad(jnp.copysign, argnums=(0, 1))(*map(jnp.float64, point))
    np.testing.assert_allclose(theirs, expected, rtol=1e-15)


@pytest.mark.parametrize("exponent", [-2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0])
def test_constant_exponents(exponent: float) -> None:
    program = binary("pow", exponent)
    for x in (0.3, 1.0, 2.5):
        expected = exponent * x ** (exponent - 1)
        assert slopes_at(program, x) == pytest.approx([expected], rel=4e-16 * 4)
    assert tangent(program).counts["pow"] <= 2


def test_x_to_the_zero_is_constant_and_zero_to_the_x_is_flat() -> None:
    """JAX gives NaN for the first at zero: 0 · 0⁻¹."""
    program = binary("pow", 0.0)
    assert sparsity(program).entries == ()
    assert slopes_at(program, 0.0) == [0.0]
    assert slopes_at(binary("pow", 0.0, position=0), 1.5) == [0.0]
    assert slopes_at(binary("pow", 2.0, position=0), 3.0) == pytest.approx([8 * math.log(2)])


def test_remainders_count_whole_divisors_exactly() -> None:
    """The double nearest 0.1 fits nine times into 1, though 1 / 0.1 is 10 when rounded."""
    assert (1.0 / 0.1, math.fmod(1.0, 0.1) > 0.09) == (10.0, True)
    assert slopes_at(single("rem"), 1.0, 0.1) == [1.0, -9.0]


def test_the_case_not_taken_stays_out() -> None:
    """Infinite slopes are chosen away, never multiplied by zero."""
    builder = Builder(1)
    zero, one = builder.constant(0.0), builder.constant(1.0)
    root = builder.emit("sqrt", 0)
    within = builder.finish(
        [
            builder.emit("select", builder.emit("gt", 0, zero), root, zero),
            builder.emit("min", builder.emit("add", root, one), zero),
        ]
    )
    forward = evaluated(tangent(within), np.array([[0.0, 1.0]]).T)
    np.testing.assert_array_equal(forward[2:, 0], [0.0, 0.0])

    builder = Builder(1)
    zero, one = builder.constant(0.0), builder.constant(1.0)
    chosen = builder.emit("select", builder.emit("gt", 0, one), 0, zero)
    around = builder.finish(
        [
            builder.emit("sqrt", chosen),
            builder.emit("sqrt", builder.emit("max", 0, zero)),
        ]
    )
    backward = evaluated(adjoint(around), np.array([[-1.0, 1.0, 1.0]]).T)
    np.testing.assert_array_equal(backward[2, 0], 0.0)


def test_tables_comparisons_and_holds_have_no_derivative() -> None:
    builder = Builder(2)
    program = builder.finish(
        [
            builder.emit("lookup", 0, table=(1.0, 2.0)),
            builder.emit("to_real", builder.emit("lt", 0, 1)),
            builder.emit("mul", builder.emit("hold", 0), 1),
            builder.emit("lt", 0, 1),
        ]
    )
    assert sparsity(program).entries == ((2, 1),)
    y, dy = push_forward(Builder(4), program, [0, 1], [2, 3])
    assert len(y) == 4
    assert [slope is None for slope in dy] == [True, True, False, True]
    np.testing.assert_array_equal(
        evaluated(tangent(program), np.array([[0.5, 3.0, 1.0, 10.0]]).T)[4:, 0], [0, 0, 5.0, 0]
    )


COMPLEX = {"sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "exp": cmath.exp,
           "log": cmath.log, "sqrt": cmath.sqrt, "asin": cmath.asin, "acos": cmath.acos,
           "atan": cmath.atan, "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh,
           "asinh": cmath.asinh, "atanh": cmath.atanh}  # fmt: skip


@pytest.mark.parametrize("operation", COMPLEX)
def test_complex_steps(operation: str) -> None:
    """f(x + ih) = f(x) + ih f'(x) to rounding, without a difference."""
    for x in (0.11, 0.5, 0.83):
        expected = COMPLEX[operation](complex(x, 1e-30)).imag / 1e-30
        assert slopes_at(single(operation), x) == pytest.approx([expected], rel=2e-15)


@pytest.mark.parametrize("operation", ["cbrt", "exp2", "expm1", "log2", "log1p", "erf", "erfc"])
def test_differences(operation: str) -> None:
    program, h = single(operation), 1e-5
    for x in (0.4, 1.3):
        high, low = (evaluated(program, np.array([[x + s * h]]))[0, 0] for s in (1, -1))
        assert slopes_at(program, x) == pytest.approx([(high - low) / (2 * h)], rel=1e-9)
