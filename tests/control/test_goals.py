"""Goals: where to be, how fast and with which acceleration, all of one motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import percuss
from percuss.control import TreePlant, hold, rest_to_rest
from percuss.control.goals import Goal, through
from percuss.kernel import fingerprint
from percuss.model import ModelError
from tests.control.closed_loop import small_robot
from tests.strategies import random_coordinates, random_system
from tests.tracers import slopes, traced
from tests.truth.compare import assert_same, derivative

THESIS = percuss.robot("thesis")
seeds = st.integers(0, 2**32 - 1)


def system_and_places(seed: int, count: int) -> tuple[percuss.System, np.random.Generator, Any]:
    rng = np.random.default_rng(seed)
    system = random_system(rng, int(rng.integers(1, 5)))
    start = random_coordinates(rng, system)
    steps = 0.6 * rng.normal(size=(count - 1, system.rate_count))
    return system, rng, [start, *(percuss.integrate(system, start, step) for step in steps)]


def assert_is_one_motion(system: percuss.System, goal: Goal, t: float) -> None:
    """v_d and a_d are the rates and accelerations of the moving q_d."""
    q, v, a = goal(t)
    moved = derivative(lambda h: percuss.difference(system, q, goal(t + h)[0]), 1e-3)
    assert_same(v, moved, f"v_d at {t} s", 1e-9, scale=1.0)
    changed = derivative(lambda h: goal(t + h)[1], 1e-3)
    assert_same(a, changed, f"a_d at {t} s", 1e-9, scale=1.0)


@given(seeds, st.floats(0.01, 0.99))
def test_rest_to_rest_is_one_motion(seed: int, part: float) -> None:
    system, _, (start, end) = system_and_places(seed, 2)
    goal = rest_to_rest(system, start, end, 2.0)
    assert_is_one_motion(system, goal, 2.0 * part)


@given(seeds)
def test_rest_to_rest_begins_and_ends_at_rest(seed: int) -> None:
    system, _, (start, end) = system_and_places(seed, 2)
    goal = rest_to_rest(system, start, end, 2.0)
    for t, place in ((-1.0, start), (0.0, start), (2.0, end), (5.0, end)):
        q, v, a = goal(t)
        np.testing.assert_allclose(percuss.difference(system, place, q), 0.0, atol=1e-12)
        assert not v.any(), f"v_d at {t} s"
        assert not a.any(), f"a_d at {t} s"


@settings(max_examples=30)
@given(seeds, st.floats(0.02, 0.98))
def test_a_spline_is_one_motion(seed: int, part: float) -> None:
    system, _, places = system_and_places(seed, 4)
    times = [0.5, 1.2, 2.4, 3.0]
    goal = through(system, times, places)
    t = 0.5 + 2.5 * part
    # Differences across a knot see the jump of the third derivative.
    if min(abs(t - knot) for knot in times) > 4e-3:
        assert_is_one_motion(system, goal, t)
    for knot, place in zip(times, places, strict=True):
        off = percuss.difference(system, place, goal(knot)[0])
        np.testing.assert_allclose(off, 0.0, atol=1e-10, err_msg=f"knot at {knot} s")
    before, after = goal(1.2 - 1e-9), goal(1.2 + 1e-9)
    np.testing.assert_allclose(before[2], after[2], atol=1e-6, err_msg="acceleration jumps")
    for t, place in ((0.0, places[0]), (9.0, places[-1])):
        q, v, a = goal(t)
        np.testing.assert_allclose(percuss.difference(system, place, q), 0.0, atol=1e-10)
        assert not v.any(), "at rest before and after"
        assert not a.any(), "at rest before and after"


def test_a_spline_of_joints_is_the_clamped_cubic() -> None:
    times = [0.0, 1.0, 1.5, 4.0]
    knots = np.random.default_rng(0).normal(size=(4, 5))
    spline = CubicSpline(times, knots, bc_type="clamped")
    goal = through(THESIS, times, knots)
    for t in (0.0, 0.3, 1.0, 1.4, 2.7, 4.0):
        for order, found in enumerate(goal(t)):
            np.testing.assert_allclose(found, spline(t, order), atol=1e-12)


def test_an_orientation_may_turn_by_more_than_half() -> None:
    """Knots on the way tell which way round."""
    cube = percuss.robot("cube")
    start = percuss.neutral(cube)
    places = [percuss.integrate(cube, start, [0, 0, 0, 0, 0, a]) for a in (0.0, 1.5, 3.0, 4.5)]
    goal = through(cube, [0, 1, 2, 3], places)
    spins = [goal(t)[1][5] for t in np.linspace(0.1, 2.9, 15)]
    assert min(spins) > 0.0, "it turns on in the same sense"


def test_hold_is_exact() -> None:
    cube = percuss.robot("cube")
    place = np.array([0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5])
    q, v, a = hold(cube, place)(3.0)
    np.testing.assert_array_equal(q, place)
    assert not v.any()
    assert not a.any()
    assert v.shape == a.shape == (6,)


def test_goals_are_traceable() -> None:
    robot = small_robot("free-flying")
    start = percuss.neutral(robot)
    end = percuss.integrate(robot, start, 0.3 * np.arange(8.0))
    for goal in (
        hold(robot, start),
        rest_to_rest(robot, start, end, 2.0),
        through(robot, [0.0, 1.0, 2.0], [start, end, start]),
    ):
        for t in (-0.5, 0.0, 0.7, 1.0, 1.9, 2.5):
            for found in traced(goal.at, t).values():
                for one, other in zip(found, goal(t), strict=True):
                    np.testing.assert_allclose(one, other, atol=1e-12)
        for way, slope in slopes(lambda t, goal=goal: goal(t)[0], 0.0).items():
            assert np.isfinite(slope).all(), way


def test_a_goal_of_a_plant_is_one_of_the_chaser() -> None:
    target = percuss.robot("thesis-target").prefixed("target_")
    joined = percuss.attach(THESIS, target, "tool", percuss.Pose.at((1.0, 0.0)), joint="pin").joined
    plant = TreePlant(joined, 5)
    assert hold(plant, np.ones(5))(0.0)[0].shape == (5,)
    with pytest.raises(ValueError, match="q must have 5 entries"):
        hold(plant, np.ones(6))


def test_fingerprints_tell_goals_apart() -> None:
    place = np.zeros(5)
    goals = [
        hold(THESIS, place),
        hold(THESIS, place + 1e-16),
        hold(percuss.robot("two-arms"), np.zeros(percuss.robot("two-arms").coordinate_count)),
        rest_to_rest(THESIS, place, place + 1, 1.0),
        rest_to_rest(THESIS, place, place + 1, 2.0),
        through(THESIS, [0.0, 1.0], [place, place + 1]),
    ]
    keys = [fingerprint(goal) for goal in goals]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert fingerprint(hold(THESIS, place)) == fingerprint(hold(THESIS, np.zeros(5)))
    assert fingerprint(Goal(lambda t: (t, t, t))) is None, "it may look at anything"

    def unknown(place: Any) -> Any:
        assert fingerprint(hold(THESIS, place)) is None
        return place

    traced(unknown, place)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: hold(THESIS, [0, 0, math.nan, 0, 0]), "q: coordinate 2 must be finite, got nan"),
        (lambda: hold(percuss.robot("cube"), np.zeros(7)), "quaternion .* is zero"),
        (lambda: rest_to_rest(THESIS, np.zeros(5), np.ones(5), 0.0), "duration must be .* > 0 s"),
        (lambda: rest_to_rest(THESIS, np.zeros(5), np.ones(5), math.nan), "duration must be"),
        (lambda: through(THESIS, [0.0], [np.zeros(5)]), "times must be two or more"),
        (lambda: through(THESIS, [0.0, 0.0], np.zeros((2, 5))), "increasing"),
        (lambda: through(THESIS, [0.0, 1.0], np.zeros((3, 5))), "2 times need as many knots"),
    ],
)
def test_goals_that_are_refused(make: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        make()
