"""Operators and universal functions on traced values, against NumPy on numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel.tracing.running import assert_as_numpy

SHAPES = [(), (3,), (2, 3), (2, 2, 2)]
TOGETHER = [((), (3,)), ((3,), ()), ((3,), (2, 3)), ((2, 1), (3,)), ((2, 2, 2), (2,)), ((), ())]
"""Shapes that stretch to one another."""

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-300, 1e300, np.inf, -np.inf, np.nan]
NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(-8.0, 8.0, width=32))


def arrays(shape: tuple[int, ...], numbers: st.SearchStrategy[float] = NUMBERS) -> Any:
    count = math.prod(shape)
    return st.lists(numbers, min_size=count, max_size=count).map(
        lambda values: np.array(values).reshape(shape)
    )


EXACT = [
    *(np.negative, np.absolute, np.fabs, np.sign, np.floor, np.ceil, np.rint, np.trunc, np.sqrt),
    *(np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log1p, np.sin, np.cos, np.tan),
    *(np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh),
    *(np.arctanh, np.isfinite, np.isnan, np.isinf, np.signbit, np.square, np.reciprocal),
    *(np.positive, np.logical_not, np.modf),
]
"""Functions of one number that are done by the same operations here and in NumPy."""

ROUNDED = [np.log10, np.deg2rad, np.rad2deg, np.radians, np.degrees, np.sinc]
"""And those that are done by others, within a few roundings."""


@pytest.mark.parametrize("function", EXACT, ids=lambda f: f.__name__)
@settings(max_examples=15)
@given(st.data())
def test_functions_of_one_number(function: Any, data: Any) -> None:
    x = data.draw(arrays(data.draw(st.sampled_from(SHAPES))))
    assert_as_numpy(function, x)


@pytest.mark.parametrize("function", ROUNDED, ids=lambda f: f.__name__)
@settings(max_examples=15)
@given(arrays((2, 3), st.floats(-8.0, 8.0)))
def test_functions_of_one_number_to_rounding(function: Any, x: Any) -> None:
    assert_as_numpy(function, x, ulps=4)


PAIRS = [
    *(np.add, np.subtract, np.multiply, np.true_divide, np.fmod, np.arctan2, np.copysign),
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.maximum, np.minimum, np.fmax, np.fmin, np.logical_and, np.logical_or, np.logical_xor),
    *(np.remainder, np.floor_divide, np.divmod, np.heaviside),
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.mod),
    *(operator.floordiv, operator.lt, operator.le, operator.gt, operator.ge, operator.eq),
    *(operator.ne, divmod),
]


@pytest.mark.parametrize("function", PAIRS, ids=lambda f: f.__name__)
@settings(max_examples=25)
@given(st.data())
def test_functions_of_two_numbers_that_stretch(function: Any, data: Any) -> None:
    left, right = data.draw(st.sampled_from(TOGETHER))
    assert_as_numpy(function, data.draw(arrays(left)), data.draw(arrays(right)))


@pytest.mark.parametrize("function", [np.hypot, np.logaddexp], ids=lambda f: f.__name__)
@settings(max_examples=40)
@given(st.data())
def test_functions_of_two_numbers_to_rounding(function: Any, data: Any) -> None:
    left, right = data.draw(st.sampled_from(TOGETHER))
    assert_as_numpy(function, data.draw(arrays(left)), data.draw(arrays(right)), ulps=2)


CONSTANTS: list[Any] = [
    *(2, 2.5, -3, True, np.float64(0.3), np.float32(0.5), np.int64(3), np.bool_(True)),
    *(np.array([1.0, -2.0, 0.5]), np.array([1, 2, 3]), np.array([True, False, True])),
    *([1.0, 2, -3], (0.5, 1, 2), np.array(1.5), np.array([[1.0], [2.0]])),
]


@pytest.mark.parametrize("constant", CONSTANTS, ids=repr)
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_constants_stand_on_either_side(constant: Any, shape: Any) -> None:
    operators: list[Callable[[Any, Any], Any]] = [
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.mod),
        *(operator.floordiv, operator.lt, operator.ge, operator.eq, operator.ne, np.maximum),
    ]
    x = np.random.default_rng(1).normal(size=shape)
    if shape == ():
        x = np.float64(x)
    # NumPy's own scalars know no arithmetic with lists; np.add and its kin do.
    given = np.asarray(constant) if isinstance(constant, (list, tuple)) and not shape else constant
    for combine in operators:
        assert_as_numpy(lambda x, combine=combine: combine(x, given), x)
        assert_as_numpy(lambda x, combine=combine: combine(given, x), x)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, -2, 2.0, 0.5, -0.5, np.int64(3), 2.5])
def test_powers_with_known_exponents(exponent: Any) -> None:
    x = np.array([0.3, 1.0, 2.5])
    assert_as_numpy(lambda x: x**exponent, x, ulps=4)
    assert_as_numpy(lambda x: np.power(x, exponent), np.float64(1.7), ulps=4)
    assert_as_numpy(lambda x: pow(x, exponent), x, ulps=4)


@given(st.sampled_from(TOGETHER), st.data())
def test_powers_with_traced_exponents(shapes: Any, data: Any) -> None:
    base = data.draw(arrays(shapes[0], st.floats(0.0, 5.0)))
    exponent = data.draw(arrays(shapes[1], st.floats(-3.0, 3.0)))
    assert_as_numpy(lambda x, y: x**y, base, exponent)
    assert_as_numpy(lambda y: 2.0**y, exponent)
    assert_as_numpy(lambda x: x ** np.array([1.0, 2.0, 0.5]), np.array([1.0, 2.0, 3.0]))


def test_a_negative_base_has_whole_powers_only() -> None:
    assert_as_numpy(lambda x: (x**2, x**3, x**-1, x**0.5, x**2.0), np.array([-1.5, -0.0, -2.0]))


def test_builtins_of_python_that_numbers_answer() -> None:
    x = np.float64(-2.6)
    assert_as_numpy(lambda x: (abs(x), +x, -x, divmod(x, 0.7), pow(x, 2)), x)
    assert_as_numpy(lambda x: (round(x), round(x, 1), math.floor(x), math.ceil(x)), x, ulps=1)
    assert_as_numpy(lambda x: (math.trunc(x), sum([x, x, 1.0])), x)
    assert_as_numpy(lambda x: sum(x * x), np.array([1.0, 2.0, -3.0]))


@given(arrays((3,)), arrays((3,)))
def test_truth_values_join_and_count(x: Any, y: Any) -> None:
    assert_as_numpy(lambda x, y: ((x > 0) & (y < 1), (x > 0) | (y < 1), (x > 0) ^ (y < 1)), x, y)
    assert_as_numpy(lambda x, y: (~(x > y), (x > 0) & True, False | (y > 0)), x, y)
    assert_as_numpy(lambda x, y: ((x > 0) == (y > 0), (x > 0) != (y > 0)), x, y)
    # NumPy's rules: between truth values + is "or" and * is "and", with numbers they count.
    assert_as_numpy(lambda x, y: ((x > 0) + (y > 0), (x > 0) * (y > 0)), x, y)
    assert_as_numpy(lambda x, y: (np.maximum(x > 0, y > 0), np.minimum(x > 0, y > 0)), x, y)
    assert_as_numpy(lambda x, y: ((x > 0) + 1, 2.0 * (y > 0), (x > 0) / 2, 1 - (x > 0)), x, y)
    assert_as_numpy(lambda x, y: ((x > 0) * y, y - (x > 0), (x > 0) ** 2, abs(x > 0)), x, y)
    assert_as_numpy(lambda x, y: (np.sum(x > 0), np.mean(y > 0), np.prod(x > 0)), x, y)
    assert_as_numpy(lambda x, y: (np.max(x > 0), np.min(x > 0), np.any(x), np.all(y)), x, y)
    assert_as_numpy(lambda x, y: ((x > 0) @ (y > 0), (x > 0) @ np.ones(3), np.sqrt(x > 0)), x, y)
    assert_as_numpy(lambda x, y: ((x > 0)[0] + (y > 0)[1], (x > 0)[0] * 2.0), x, y)
    assert_as_numpy(lambda x: (np.argmax(x > 0), np.cumsum(x > 0), (x > 0).astype(float)), x)


@given(arrays((2, 3)))
def test_conversions(x: Any) -> None:
    assert_as_numpy(lambda x: (x.astype(bool), x.astype(float), (x > 0).astype(float)), x)


@given(arrays((2, 3), st.floats(-9e15, 9e15)))
def test_whole_numbers_are_cut_off(x: Any) -> None:
    assert_as_numpy(lambda x: x.astype(int), x)
    assert_as_numpy(lambda x: (np.round(x), np.round(x, 2), np.round(x, -2)), x)


def test_arrays_of_objects_do_arithmetic() -> None:
    """np.array of traced values is an array of objects: NumPy asks each for the operation."""
    x, s = np.array([0.4, -1.3, 2.2]), np.float64(0.6)
    assert_as_numpy(lambda x, s: np.array([x[0], s, 1.0]) * 2 + x, x, s)
    assert_as_numpy(lambda x, s: np.sin(np.array([x[0], s])), x, s)
    assert_as_numpy(lambda x, s: np.array([[x[0], s], [1.0, x[1]]]) @ np.array([s, 2.0]), x, s)
    assert_as_numpy(lambda x, s: np.eye(3) @ np.array([x[0], s, x[2]]), x, s)
    assert_as_numpy(lambda x, s: np.array([x, x * s]) @ x, x, s, ulps=2)
    assert_as_numpy(lambda x, s: np.linalg.norm(np.array([x[0], s])), x, s, ulps=1)
    assert_as_numpy(lambda x, s: np.cross([x[0], s, 1.0], [s, x[1], 2.0]), x, s)
    assert_as_numpy(lambda x, s: np.r_[x, s], x, s)
    assert_as_numpy(lambda x, s: np.asarray(x) * s, x, s)
    assert_as_numpy(lambda s: np.full(2, s) + 1.0, s)
    assert_as_numpy(lambda x, s: [x[0], s, 1.0], x, s)
    assert_as_numpy(lambda x, s: np.where(x > 0, np.array([s, x[0], 1.0]), 0.0), x, s)
    assert_as_numpy(lambda x, s: np.stack([np.array([s, 1.0]), x[:2]]), x, s)
