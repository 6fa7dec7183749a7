"""Inverse questions: limits, angles and points that keep the reaction small."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from percuss import ModelError
from percuss.percussion import (
    AxisBody,
    admissible_points,
    coefficient_interval,
    published_coefficient_interval,
    ratio_of,
    reaction_ratio,
)
from percuss.percussion.admissible import (
    Interval,
    admissible_angles,
    angles_of,
    coefficient_limits,
    least_angle,
)
from percuss.percussion.fixed_axis import impact_coefficient
from tests.percussion.test_fixed_axis import LINK_2, axis_bodies

limits = st.floats(0.0, 2.0)


def ratio(coefficient: float, angle: float) -> float:
    return float(ratio_of(coefficient, angle))  # type: ignore[arg-type]


def test_the_papers_example_corrected() -> None:
    """φ = 70°, Ω = 0.4: the paper reads 0.68 and 1.32 from its figure."""
    found = coefficient_interval(0.4, math.radians(70))
    assert found is not None
    assert found.lower == pytest.approx(0.77927039, abs=5e-9)
    assert found.upper == pytest.approx(1.2207296, abs=5e-8)
    assert ratio(0.68, math.radians(70)) == pytest.approx(0.45541, abs=5e-6)
    steep = angles_of(0.4, 0.68)[0].lower
    assert math.degrees(steep) == pytest.approx(75.33, abs=5e-3)
    assert math.degrees(least_angle(0.4)) == pytest.approx(66.421822, abs=5e-7)
    assert coefficient_limits(0.4) == Interval(0.6, 1.4)


def test_equation_39_as_printed_is_wrong() -> None:
    published = published_coefficient_interval(0.4, math.radians(70))
    assert published.upper == pytest.approx(2.3969, abs=5e-5)
    assert ratio(published.upper, math.radians(70)) == pytest.approx(1.356, abs=5e-4)


@given(limits, st.floats(0.01, math.pi - 0.01))
def test_at_the_ends_of_the_interval_the_reaction_is_the_limit(limit: float, angle: float) -> None:
    found = coefficient_interval(limit, angle)
    if found is None:
        assert limit < abs(math.cos(angle)), "no point keeps it, though the CoP would"
        return
    for end in (found.lower, found.upper):
        assert ratio(end, angle) == pytest.approx(limit, abs=1e-7 if limit < 1e-3 else 1e-11)
    middle = 0.5 * (found.lower + found.upper)
    assert ratio(middle, angle) <= limit + 1e-12


@given(axis_bodies, limits, st.floats(-2.0, 2.0))
def test_angles_that_keep_a_limit(body: AxisBody, limit: float, at: float) -> None:
    intervals = admissible_angles(body, limit, at)
    for angle in np.linspace(0.0, math.pi, 181):
        felt = float(reaction_ratio(body, at, angle))  # type: ignore[arg-type]
        if abs(felt - limit) < 1e-9:
            continue
        inside = any(angle in interval for interval in intervals)
        assert inside == (felt < limit), f"at {angle} rad the reaction is {felt}, limit {limit}"


@given(axis_bodies, st.floats(0.05, 2.0), st.floats(0.1, math.pi - 0.1))
def test_points_that_keep_a_limit(body: AxisBody, limit: float, angle: float) -> None:
    interval = admissible_points(body, limit, angle)
    cop = float(body.percussion_distance)  # type: ignore[arg-type]
    for at in np.linspace(-2 * cop, 4 * cop, 121):
        felt = float(reaction_ratio(body, at, angle))  # type: ignore[arg-type]
        if abs(felt - limit) < 1e-9:
            continue
        assert (interval is not None and at in interval) == (felt < limit)


def test_along_the_body_nothing_helps() -> None:
    assert coefficient_interval(0.9, 0.0) is None
    assert coefficient_interval(1.0, 0.0) == Interval(-math.inf, math.inf)
    assert angles_of(0.5, 2.5) == ()
    first, last = angles_of(1.2, 3.0)
    assert first.lower == 0.0
    assert last.upper == math.pi
    assert ratio(3.0, first.upper) == pytest.approx(1.2, rel=1e-14)


def test_a_balanced_body_feels_the_same_everywhere() -> None:
    balanced = AxisBody(1.0, 0.0, 1.0)
    assert admissible_points(balanced, 0.99, math.pi / 2) is None
    assert admissible_points(balanced, 1.0, math.pi / 2) == Interval(-math.inf, math.inf)


def test_points_of_the_example_in_metres() -> None:
    found = admissible_points(LINK_2, 0.4, math.radians(70))
    assert found is not None
    assert [impact_coefficient(LINK_2, x) for x in (found.lower, found.upper)] == pytest.approx(
        [0.77927039, 1.2207296], abs=5e-8
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: coefficient_interval(-0.1, 1.0), "limit must be a finite number ≥ 0"),
        (lambda: coefficient_interval(0.4, math.inf), "angle must be a finite angle in rad"),
        (lambda: published_coefficient_interval(0.4, 0.0), "divides by sin²φ"),
        (lambda: published_coefficient_interval(1.5, 0.5), "no real value"),
        (lambda: angles_of(0.4, math.nan), "C_ID must be finite"),
        (lambda: Interval(2.0, 1.0), "lower ≤ upper"),
    ],
)
def test_bad_questions_are_refused(call: object, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        call()  # type: ignore[operator]
