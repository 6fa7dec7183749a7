"""Operators in formulas fold constants as `add`, `sub`, `mul` and `div` do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

from percuss.algebra.scalars import (
    Scalar,
    add,
    div,
    formula,
    mul,
    pack,
    plain,
    sin,
    sub,
    terms,
    where,
)
from percuss.kernel import trace

x, y = sympy.symbols("x y", real=True)


@formula
def approach(e: Scalar, m: Scalar, v: Scalar) -> Scalar:
    return -((1.0 + e) * m * v)


@formula
def quotient(a: Scalar, b: Scalar) -> Scalar:
    return (a - b) / (a * b)


def test_constants_fold_next_to_symbols() -> None:
    assert approach(0.0, 1.0, x) == -x
    assert approach(x, 1.0, 0.0) == 0.0
    assert approach(x, y, 1.0) == -((1 + x) * y)
    assert sympy.srepr(quotient(x, 3.0)) == sympy.srepr((x - 3) / (3 * x))  # not 0.333…


def test_constants_fold_next_to_batches() -> None:
    batch = np.array([1.0, 2.0])
    assert approach(0.5, batch, 0.0) == 0.0  # one number, not one for each case
    assert plain(terms(batch) * 1.0) is batch
    assert plain(0.0 + terms(batch)) is batch
    np.testing.assert_array_equal(approach(0.5, batch, 2.0), [-3.0, -6.0])
    np.testing.assert_array_equal(plain(batch * terms(2.0)), [2.0, 4.0])


def test_numbers_follow_ieee() -> None:
    assert quotient(1.0, 0.0) == math.inf
    assert math.isnan(plain(terms(0.0) * math.inf))


@pytest.mark.parametrize("fixed", [0.0, 1.0, -1.0, 0.3])
def test_the_programs_are_those_of_calls(fixed: float) -> None:
    def by_operators(z: Any) -> Any:
        a, b = terms(*z)
        bent = where(a < fixed, a * fixed - b / 3.0, sin(b) + fixed)
        return pack([bent, fixed * a, a / (1.0 + b * b), -(fixed - a)])

    def by_calls(z: Any) -> Any:
        a, b = z
        bent = where(a < fixed, sub(mul(a, fixed), div(b, 3.0)), add(sin(b), fixed))
        rest = (mul(fixed, a), div(a, add(1.0, mul(b, b))), -sub(fixed, a))
        return pack([bent, *rest])

    like = np.zeros(2)
    assert trace(by_operators, like).program.digest == trace(by_calls, like).program.digest


def test_terms_do_not_leave_a_formula() -> None:
    @formula
    def both(pair: tuple[Scalar, Scalar], count: int) -> dict[str, Any]:
        a, b = pair
        return {"sum": a + b, "rest": [a * count, (b,)], "what": "as it is"}

    found = both((x, 2.0), 3)
    assert found == {"sum": x + 2, "rest": [3 * x, (2.0,)], "what": "as it is"}
    assert isinstance(found["sum"], sympy.Expr)
    assert type(found["rest"][1][0]) is float


def test_symbols_and_batches_do_not_mix() -> None:
    with pytest.raises(TypeError, match="SymPy expressions cannot be combined"):
        approach(0.5, x, np.ones(2))
