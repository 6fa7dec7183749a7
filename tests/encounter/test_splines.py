"""The spline through evenly spaced values, beside another implementation of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from percuss.encounter.splines import spline_lowest, spline_slopes

VALUES = st.lists(st.floats(-10.0, 10.0), min_size=4, max_size=30).map(np.array)


@given(VALUES)
def test_its_slopes_are_those_of_the_spline_that_is_not_a_knot_at_the_ends(values) -> None:
    curve = CubicSpline(np.arange(len(values)), values)
    np.testing.assert_allclose(
        spline_slopes(values), curve.derivative()(np.arange(len(values))), atol=1e-11
    )


@given(VALUES)
def test_nothing_on_it_is_lower_than_its_lowest_place(values) -> None:
    curve = CubicSpline(np.arange(len(values)), values)
    lowest, where = spline_lowest(values)
    assert 0.0 <= where <= len(values) - 1
    assert float(curve(where)) == pytest.approx(lowest, abs=1e-10)
    fine = np.linspace(0.0, len(values) - 1.0, 2000)
    assert lowest <= float(np.min(curve(fine))) + 1e-10


def test_a_parabola_and_a_cubic_have_theirs_exactly() -> None:
    x = np.arange(12.0)
    assert spline_lowest((x - 4.3) ** 2 - 2.0) == pytest.approx((-2.0, 4.3), abs=1e-13)
    cubic = (x - 1.0) * (x - 6.0) ** 2 / 50.0 + 3.0
    lowest, where = spline_lowest(cubic[2:])
    assert (lowest, where) == pytest.approx((3.0, 4.0), abs=1e-13)


def test_of_equal_values_the_first_is_lowest() -> None:
    assert spline_lowest(np.full(7, 2.5)) == (2.5, 0.0)
