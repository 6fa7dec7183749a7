"""Folding keeps constants out of programs, and plain numbers obey IEEE rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from percuss import kernel
from percuss.algebra.scalars import (
    add,
    atan2,
    cos_sqrt,
    div,
    mul,
    pack,
    sinc_sqrt,
    sqrt,
    sub,
    unpack,
    where,
)
from tests.tracers import jax, jnp, slopes

numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(numbers, numbers)
def test_numbers_follow_ieee_rules_nan_and_infinity_included(a: float, b: float) -> None:
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        for ours, numpys in (
            (add(a, b), x + y),
            (sub(a, b), x - y),
            (mul(a, b), x * y),
            (div(a, b), x / y),
        ):
            np.testing.assert_equal(float(ours), float(numpys))  # type: ignore[arg-type]


def test_constants_disappear_next_to_a_symbol() -> None:
    x = sympy.Symbol("x")
    assert mul(0.0, x) == 0.0
    assert mul(1.0, x) is x
    assert mul(x, -1.0) == -x
    assert add(x, 0.0) is x
    assert sub(x, 0.0) is x
    assert sub(0.0, x) == -x
    assert div(0.0, x) == 0.0
    assert div(x, 1.0) is x


def test_short_fractions_stay_exact_next_to_a_symbol() -> None:
    x = sympy.Symbol("x")
    assert mul(0.5, x) == x / 2
    assert add(2.0, x) == 2 + x
    assert div(x, 4.0) == x / 4
    assert div(x, 3.0) == x / 3
    assert not mul(0.25, x).has(sympy.Float)  # type: ignore[attr-defined]


def test_no_operation_on_zero_or_one_reaches_a_trace() -> None:
    def program(x: Any) -> tuple[object, ...]:
        return add(0.0, x), mul(1.0, x), mul(x, 1.0), sub(x, 0.0), div(x, 1.0)

    assert not kernel.trace(program, 1.0).program.instructions
    if jax is not None:
        assert not jax.make_jaxpr(program)(1.0).jaxpr.eqns


@pytest.mark.parametrize("s", [0.0, 1e-12, 9.9e-4, 1.1e-3, 0.5, 9.0, 40.0])
def test_functions_of_a_squared_angle_are_accurate_across_their_switch(s: float) -> None:
    exact = sympy.Float(s, 40)
    root = sympy.sqrt(exact)
    assert float(cos_sqrt(s)) == pytest.approx(float(sympy.cos(root)), abs=3e-16)  # type: ignore[arg-type]
    sinc = float(sympy.sin(root) / root) if s else 1.0
    assert float(sinc_sqrt(s)) == pytest.approx(sinc, abs=3e-16)  # type: ignore[arg-type]


def test_derivatives_at_zero_angle_are_finite() -> None:
    for way, slope in slopes(cos_sqrt, 0.0).items():
        assert float(slope) == pytest.approx(-0.5), way
    for way, slope in slopes(sinc_sqrt, 0.0).items():
        assert float(slope) == pytest.approx(-1 / 6), way


def test_functions_outside_their_domain_give_nan_not_an_exception() -> None:
    from percuss.algebra.scalars import cos, sin

    for value in (sin(math.inf), cos(-math.inf), sqrt(-1.0), sqrt(math.nan)):
        assert math.isnan(value)  # type: ignore[arg-type]


def test_every_kind_of_condition_selects() -> None:
    assert where(True, 1.0, 2.0) == 1.0
    x = sympy.Symbol("x")
    chosen = where(x < 0, -x, x)
    assert chosen.subs(x, -3) == 3  # type: ignore[attr-defined]
    batch = np.array([-1.0, 2.0])
    np.testing.assert_equal(where(batch < 0, 0.0, batch), [0.0, 2.0])
    assert float(atan2(np.array(1.0), np.array(1.0))) == pytest.approx(math.pi / 4)  # type: ignore[arg-type]


def test_arrays_come_back_in_the_kind_of_their_scalars() -> None:
    x = sympy.Symbol("x")
    assert isinstance(pack([1.0, 2.0]), np.ndarray)
    assert pack([[x, 0.0], [1.0, 0.5]]) == sympy.Matrix([[x, 0], [1, sympy.Rational(1, 2)]])
    assert pack([np.zeros(5), 1.0]).shape == (2, 5)
    if jax is not None:
        assert isinstance(pack([jnp.asarray(1.0), 2.0]), jax.Array)
    assert pack([]).shape == (0,)


@pytest.mark.parametrize("bad", ["text", None, 1j, object()])
def test_what_is_no_scalar_is_refused_by_name(bad: object) -> None:
    with pytest.raises(TypeError, match="not a"):
        unpack([bad], 1, "q")


def test_wrong_length_names_the_entries() -> None:
    with pytest.raises(ValueError, match=r"q must have 2 entries \(a, b\), got 3"):
        unpack([1, 2, 3], 2, "q", ("a", "b"))
