"""A quantity over one step from its values at eight places, against polynomials known exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from percuss.kernel.rollouts.course import BOUNDS, PLACES, SLOPE_WEIGHTS, StepPolynomial

coefficients = st.lists(st.floats(-1.0, 1.0), min_size=8, max_size=8)


def course_of(polynomial: Polynomial) -> StepPolynomial:
    return StepPolynomial.through(tuple(polynomial(place) for place in PLACES))


@given(coefficients, st.floats(0.0, 1.0))
def test_polynomials_up_to_degree_seven_are_met(numbers: list[float], share: float) -> None:
    polynomial = Polynomial(numbers)
    found = course_of(polynomial).at(np.asarray(share))
    exact = [polynomial.deriv(order)(share) for order in range(3)]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-10)


@given(coefficients)
def test_slopes_between_stretches(numbers: list[float]) -> None:
    polynomial = Polynomial(numbers)
    slopes = SLOPE_WEIGHTS @ [polynomial(place) for place in PLACES]
    exact = [polynomial.deriv()(PLACES[bound]) for bound in BOUNDS]
    np.testing.assert_allclose(slopes, exact, rtol=0, atol=1e-11)


@pytest.mark.parametrize("top", [0.02, 0.2, 0.45, 0.5, 0.7, 0.95])
def test_tops_within_a_step(top: float) -> None:
    """Of a bow that is steeper on one side."""
    bow = Polynomial([0.0, 0.0, -1.0, 0.2])(Polynomial([-top, 1.0]))
    assert max(map(float, course_of(bow).tops())) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(("direction", "place"), [(0, 0.45), (1, 0.45), (-1, 0.7)])
def test_the_first_crossing(direction: int, place: float) -> None:
    """Up and down again within a third of the step: the first of those that count."""
    wave = Polynomial.fromroots([0.45, 0.7, 3.0])
    crosses, share = course_of(wave).first_crossing(direction)
    assert crosses
    assert share == pytest.approx(place, abs=1e-13)
    assert not course_of(Polynomial([1.0, 1.0])).first_crossing(direction)[0]


@pytest.mark.parametrize("jump", range(1, len(PLACES)))
@pytest.mark.parametrize("size", [-1.0, 1.0])
def test_a_jump_makes_no_tops(jump: int, size: float) -> None:
    """Values on both sides of a switch are all there are: what swings beyond them is none."""
    line = Polynomial([2.0, 1e-3])
    values = [line(place) + size * (k >= jump) for k, place in enumerate(PLACES)]
    highest = max(map(float, StepPolynomial.through(tuple(values)).tops()))
    assert highest <= max(values), f"{highest} is seen where no value exceeds {max(values)}"
