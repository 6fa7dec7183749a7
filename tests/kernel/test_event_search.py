"""The search for an event: values that jump, dip, stay on zero or stop being numbers."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import (
    RK4,
    Adaptive,
    Dop853,
    ErrorControlled,
    Method,
    Rosenbrock,
)
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout

METHODS: list[Method] = [RK4(0.1), Adaptive(1e-9, 1e-11), Rosenbrock(1e-9, 1e-11)]
NAMES = ["RK4", "Adaptive", "Rosenbrock"]


def swing(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], -x[0]])


def stopped(method: Method, value: Any, **options: Any) -> Rollout:
    event = Event(value, terminal=True, **options)
    return rollout(swing, state=np.zeros(2), parameters=0.0, method=method, events=[event])


START = np.array([1.0, 0.0])
"""Swings as cos t."""

JUMPS = {
    "step": lambda t, x, u, p: np.where(t < p, 1.0, -1.0),
    "uneven step": lambda t, x, u, p: np.where(t < p, 1e-3, -1e6),
    "from nothing": lambda t, x, u, p: np.where(t < p, 1.0, 0.0),
    "to nothing": lambda t, x, u, p: np.maximum(p - t, 0.0),
    "ramp that breaks": lambda t, x, u, p: np.where(t < p, 9.0 - t, -1e-5),
    "jump on a slope": lambda t, x, u, p: p + 1e-6 - t - np.where(t < p, 0.0, 1e-5),
}


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("kind", JUMPS)
def test_jumps_are_located_to_rounding(method: Method, kind: str) -> None:
    run = stopped(method, JUMPS[kind])
    when = np.array([0.3, 0.77123456789, 1.0, 2.5 - 1e-9, 2.9])
    result = run(START, when, duration=3.0)
    np.testing.assert_array_equal(result.status, Status.EVENT)
    np.testing.assert_allclose(result.time, when, rtol=0, atol=1e-14)
    assert (result.attempts - result.steps).max() <= 12


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_a_jump_by_the_state(method: Method, backend: str) -> None:
    """A latch that snaps where cos t falls below p: as accurate as the motion itself."""
    event = Event(lambda t, x, u, p: np.where(x[0] > p, 1.0, -0.3), -1, terminal=True)
    run = rollout(
        swing,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[event],
        backend=backend,
    )
    smooth = stopped(method, lambda t, x, u, p: x[0] - p)
    p = np.array([0.9, 0.5, -0.2, -0.9])
    result, wanted = run(START, p, duration=3.0), smooth(START, p, duration=3.0)
    np.testing.assert_array_equal(result.status, Status.EVENT)
    # RK4 itself is good to 1e-6 here; the last step is another one by what Newton corrects.
    accurate = 1e-12 if isinstance(method, RK4) else 1e-14
    np.testing.assert_allclose(result.time, wanted.time, rtol=0, atol=accurate)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_the_first_of_a_jump_and_a_crossing(method: Method) -> None:
    """However close together, and in whatever order of the list."""
    gaps = np.array([-1e-2, -1e-6, -1e-11, 1e-11, 1e-6, 1e-2])
    values = [
        lambda t, x, u, p: np.where(t < 1.05, 1.0, -1.0),
        lambda t, x, u, p: 1.05 + p - t,
    ]
    for order in ([0, 1], [1, 0]):
        events = [Event(values[k], terminal=True) for k in order]
        run = rollout(swing, state=np.zeros(2), parameters=0.0, method=method, events=events)
        result = run(START, gaps, duration=3.0)
        np.testing.assert_array_equal(np.array(order)[result.event], gaps < 0)
        np.testing.assert_allclose(result.time, 1.05 + np.minimum(gaps, 0.0), rtol=0, atol=2e-14)


@pytest.mark.parametrize("method", [RK4(0.01), Adaptive(1e-9, 1e-11)], ids=NAMES[:2])
def test_a_command_that_jumps_at_a_sample(method: Method) -> None:
    """The value changes its sign with the command: the event is at the sample, to the bit."""
    run = rollout(
        lambda t, x, u, p: np.array([x[1], -x[0] + 0.0 * u]),
        state=np.zeros(2),
        method=method,
        controller=Controller(lambda t, x, m, p: (m - 1.0, m + 0.4), memory=0.0, period=0.1),
        events=[Event(lambda t, x, u, p: u, terminal=True)],
    )
    result = run(START, duration=1.0)
    assert result.status == Status.EVENT
    assert result.time == pytest.approx(0.3, abs=1e-16)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_jumps_there_and_back_count_once_each(method: Method) -> None:
    run = rollout(
        swing,
        state=np.zeros(2),
        method=method,
        events=[Event(lambda t, x, u, p: np.sign(x[0])), Event(lambda t, x, u, p: x[0], 1)],
    )
    result = run(START, duration=6 * np.pi)
    np.testing.assert_array_equal(result.event_count, [6, 3])
    # Where a run ends decides on the roundings of its steps; RK4 is late by up to 2e-5 s.
    closest = 1e-4 if isinstance(method, RK4) else 1e-9
    for k, after in itertools.product(range(6), (closest, 1e-3, 1e-2, 0.1, 1.0)):
        result = run(START, duration=(k + 0.5) * np.pi + after)
        np.testing.assert_array_equal(result.event_count, [k + 1, (k + 1) // 2])


# --- values that dip across zero ----------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.floats(0.1, 2.9), st.floats(1e-4, 0.9), st.sampled_from([-1, 0]))
def test_a_dip_within_one_step_is_found(centre: float, share: float, direction: int) -> None:
    """A free body passes a point at a distance: inside the radius only for a while."""
    radius = share * centre
    for run in DIPS[direction]:
        result = run(np.array([-centre, 1.0]), radius**2, duration=3.0)
        assert result.status == Status.EVENT
        assert result.time == pytest.approx(centre - radius, abs=1e-12 / radius)


def _passing(method: Method, direction: int) -> Rollout:
    """Squared distance to the origin, less p."""
    event = Event(lambda t, x, u, p: x[0] ** 2 - p, direction, terminal=True)
    return rollout(
        lambda t, x, u, p: np.array([x[1], 0.0]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[event],
    )


DIPS = {
    d: [_passing(RK4(3.0), d), _passing(Adaptive(1e-6, 1e-6, first_step=3.0), d)] for d in (-1, 0)
}


def test_a_miss_is_no_event() -> None:
    for run in DIPS[-1]:
        assert run(np.array([-1.5, 1.0]), -1e-9, duration=3.0).status == Status.DONE


# --- values that are no numbers -----------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_value_that_turns_nan_ends_the_case(method: Method, backend: str) -> None:
    """√(x - p) has no value once cos t < p; neighbours go on."""
    run = rollout(
        swing,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[Event(lambda t, x, u, p: 0.1 + np.sqrt(x[0] - p))],
        backend=backend,
    )
    p = np.array([-2.0, 0.5, 2.0, -1.5])
    result = run(START, p, duration=3.0)
    lost = Status.NOT_FINITE
    np.testing.assert_array_equal(result.status, [Status.DONE, lost, lost, Status.DONE])
    assert result.time[2] == 0.0
    assert 0 < result.time[1] <= np.arccos(0.5)
    np.testing.assert_allclose(result.state[0], np.cos(result.time), atol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_an_infinite_value_is_an_event_far_away(method: Method) -> None:
    run = stopped(method, lambda t, x, u, p: x[0] - p)
    result = run(START, np.array([np.inf, -np.inf, 0.5, np.nan]), duration=2.0)
    wanted = [Status.DONE, Status.DONE, Status.EVENT, Status.NOT_FINITE]
    np.testing.assert_array_equal(result.status, wanted)


def test_a_smooth_event_costs_two_attempts() -> None:
    """One that finds it, one that lands on it."""
    for method in METHODS:
        event = Event(lambda t, x, u, p: x[0])
        run = rollout(swing, state=np.zeros(2), method=method, events=[event])
        result = run(START, duration=6 * np.pi)
        assert result.event_count[0] == 6
        rejected = result.attempts - result.steps - 6
        assert rejected <= (12 if isinstance(method, ErrorControlled) else 0), "error control alone"


# --- values within the band that counts as zero --------------------------------------------------


@pytest.mark.parametrize("resolved", [False, True])
@pytest.mark.parametrize(("zero", "speed"), [(1e-9, 1e-5), (1e-11, 3e-6), (1e-9, 1e-3)])
def test_a_low_arc_ends_where_it_ends(zero: float, speed: float, resolved: bool) -> None:
    """A body thrown up against weight and drag, x'' = -1 - 3 x', lower than the band: it is back
    where x = 0, not where it has its height of the start of a step."""
    event = Event(lambda t, x, u, p: x[0], -1, terminal=True, zero=zero, resolved=resolved)
    run = rollout(
        lambda t, x, u, p: np.stack([x[1], -1.0 - 3.0 * x[1]]),
        state=np.zeros(2),
        method=Dop853(1e-12, 1e-16),
        events=[event],
    )
    found = run(np.array([1e-15, speed]), duration=1.0)
    assert int(found.status) == Status.EVENT
    # x = (v + 1/3)(1 - e^-3t)/3 - t/3 = v t - (1 + 3v) t²/2 + (1 + 3v) t³/2 - …
    back = brentq(
        lambda t: -(speed + 1 / 3) * np.expm1(-3 * t) / 3 - t / 3 + 1e-15, 0.5 * speed, 4 * speed
    )
    assert float(found.time) == pytest.approx(back, rel=1e-3)
    assert np.asarray(found.state)[1] == pytest.approx(-speed, rel=1e-2)


def test_a_value_that_stays_within_the_band_is_no_event() -> None:
    event = Event(lambda t, x, u, p: x + 1e-12, -1, terminal=True, zero=1e-11)
    run = rollout(
        lambda t, x, u, p: -x, state=np.zeros(()), method=Dop853(1e-10, 1e-14), events=[event]
    )
    assert int(run(1.0, duration=60.0).status) == Status.DONE, "it never comes to zero"


def test_an_infinite_value_is_far_away() -> None:
    for resolved in (False, True):
        event = Event(lambda t, x, u, p: np.where(x > 0.5, np.inf, 1.0), -1, resolved=resolved)
        run = rollout(
            lambda t, x, u, p: 1.0 + 0.0 * x,
            state=np.zeros(()),
            method=Dop853(1e-10, 1e-12),
            events=[event],
        )
        assert int(run(0.0, duration=1.0).status) == Status.DONE
