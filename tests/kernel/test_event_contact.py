"""Events of a body that starts in contact: it leaves, is pressed on, or rests."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method, Rosenbrock
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.rollout import Rollout, rollout

METHODS: list[Method] = [RK4(0.05), Adaptive(1e-10, 1e-12), Rosenbrock(1e-10, 1e-12)]
NAMES = ["RK4", "Adaptive", "Rosenbrock"]
ROUNDING = [0.0, 1e-17, -1e-17, 1e-14, -1e-14]


def pushed(t: Any, x: Any, u: Any, p: Any) -> Any:
    """Height and speed of a body with the acceleration p."""
    return np.array([x[1], p])


def height(t: Any, x: Any, u: Any, p: Any) -> Any:
    return x[0]


def stopping(method: Method, direction: int = -1, **options: Any) -> Rollout:
    event = Event(height, direction, terminal=True, **options)
    return rollout(pushed, state=np.zeros(2), parameters=0.0, method=method, events=[event])


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("at", ROUNDING)
def test_slope_and_curvature_decide(method: Method, at: float) -> None:
    """Toward the ground: at once. Away: when it comes back, if it does. At rest: never."""
    run = stopping(method)
    speed = np.array([-1.0, 1.0, 1.0, 0.0, 0.0, 0.0, -1.0])
    acceleration = np.array([0.0, 0.0, -10.0, -10.0, 10.0, 0.0, 10.0])
    result = run(np.stack([np.full(7, at), speed]), acceleration, start=2.0, duration=3.0)
    hits = np.array([True, False, True, True, False, False, True])
    np.testing.assert_array_equal(result.status == Status.EVENT, hits)
    late = np.abs(result.time[hits] - [2.0, 2.2, 2.0, 2.0])
    # From rest at a height of 1e-14 the ground is 5e-8 s away; the band of 2e-13 is 2e-7 s wide.
    assert (late <= [2e-14, 2e-14, 3e-7 if at else 0.0, 2e-14]).all(), late
    np.testing.assert_array_equal(result.event_count[0], hits)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("direction", [-1, 1])
def test_both_directions_are_mirror_images(method: Method, direction: int) -> None:
    sign = -direction
    run = stopping(method, direction)
    x = sign * np.array([[0.0, 0.0, 0.0], [-1.0, 1.0, 0.0]])
    result = run(x, sign * np.array([-10.0, -10.0, -10.0]), duration=1.0)
    np.testing.assert_allclose(result.time, [0.0, 0.2, 0.0], atol=1e-14)


@settings(deadline=None, max_examples=40)
@given(
    st.floats(1e-9, 3.0),
    st.floats(0.1, 20.0),
    st.sampled_from(ROUNDING),
    st.floats(0.0, 100.0),
)
def test_an_excursion_within_one_step_is_found(
    speed: float, pull: float, at: float, start: float
) -> None:
    """After an impact computed elsewhere: out and back, however long a step is."""
    for run in EXCURSIONS:
        result = run(np.array([at, speed]), -pull, start=start, duration=100.0)
        expected = start + 2 * speed / pull
        assert result.status == Status.EVENT
        # The value itself is off by `at`, which moves the time by at / speed.
        allowed = 4e-16 * (start + 100.0) + 2e-13 * speed / pull + 2 * abs(at) / speed
        assert abs(result.time - expected) <= allowed


EXCURSIONS = [stopping(RK4(60.0)), stopping(Adaptive(1e-6, 1e-6, first_step=50.0))]


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_rounding_of_a_slope_does_not_stop_what_is_pulled_away(method: Method) -> None:
    run = stopping(method)
    result = run(np.array([[0.0, 1e-16], [-1e-17, -1e-12]]), 1.0, duration=1.0)
    np.testing.assert_array_equal(result.status, Status.DONE)
    np.testing.assert_allclose(result.state[0], 0.5, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_the_band_is_what_the_caller_says(method: Method) -> None:
    """2 mm below the ground and sinking: in contact within 5 mm, long past it within 1 mm."""
    start = np.array([-2e-3, -0.1])
    assert stopping(method, zero=5e-3)(start, 0.0, duration=1.0).time == 0.0
    assert stopping(method, zero=1e-3)(start, 0.0, duration=1.0).status == Status.DONE


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_an_event_of_either_direction_does_not_happen_at_once(method: Method) -> None:
    run = stopping(method, 0)
    result = run(np.array([[0.0, 0.0, 0.0], [2.0, -2.0, 0.0]]), -10.0, duration=3.0)
    np.testing.assert_array_equal(result.status, [Status.EVENT, Status.DONE, Status.DONE])
    assert result.time[0] == pytest.approx(0.4, abs=1e-13)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_at_rest_until_something_pushes(method: Method) -> None:
    """On the ground without load for 1 s, then pressed down: the contact is found then."""
    run = rollout(
        lambda t, x, u, p: np.array([x[1], np.where(t >= 1.0, p * (t - 1.0), 0.0)]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[Event(height, -1, terminal=True)],
    )
    result = run(np.zeros(2), np.array([-6.0, 6.0]), duration=3.0)
    np.testing.assert_array_equal(result.status, [Status.EVENT, Status.DONE])
    # (t - 1)³ reaches the band of 2e-13 after 6e-5 s.
    assert 1.0 <= result.time[0] + 1e-9 <= 1.0 + 0.06
    assert abs(result.state[0, 0]) < 3e-4


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_ball_released_on_the_floor_stays_there(method: Method, backend: str) -> None:
    bounce = Event(height, -1, action=lambda t, x, u, p: np.array([x[0], -0.5 * x[1]]))
    run = rollout(
        pushed,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[bounce],
        backend=backend,
    )
    result = run(np.zeros(2), np.array([-9.81, 9.81]), duration=1.0)
    np.testing.assert_array_equal(result.status, [Status.ACCUMULATED, Status.DONE])
    np.testing.assert_array_equal(result.event, [0, -1])
    np.testing.assert_array_equal(result.time, [0.0, 1.0])
    np.testing.assert_array_equal(result.state[:, 0], 0.0)
    np.testing.assert_array_equal(result.event_count, [[1, 0]])


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("left", [0.0, 1e-17, -1e-17])
def test_an_impact_without_rebound_rests(method: Method, left: float) -> None:
    """Restitution 0, to rounding of either sign: pressed on it stays, otherwise it floats."""
    stop = Event(height, -1, action=lambda t, x, u, p: np.array([x[0], left]))
    run = rollout(pushed, state=np.zeros(2), parameters=0.0, method=method, events=[stop])
    result = run(np.array([1.0, -1.0]), np.array([-10.0, 0.0]), duration=2.0)
    np.testing.assert_array_equal(result.status, [Status.ACCUMULATED, Status.DONE])
    assert result.time[0] == pytest.approx((np.sqrt(21) - 1) / 10, abs=1e-9)
    assert np.abs(result.state[0]).max() < 1e-12
    assert result.event_count[0, 1] == 1


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_derivative_of_a_contact_at_the_start(method: Method) -> None:
    """Started a little higher, the body would touch later: dt = dh / |v|."""
    run = stopping(method)
    for at in (0.0, 1e-15, -1e-15):
        found = run.sensitivity(np.array([at, -2.0]), -10.0, duration=1.0)
        assert found.by_state is not None
        assert found.result.time == 0.0
        np.testing.assert_allclose(found.by_state.time, [0.5, 0.0], atol=1e-12)
        np.testing.assert_allclose(found.by_state.state[1], [-5.0, 1.0], atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zero": -1.0}, "`zero` of an Event"),
        ({"zero": np.nan}, "`zero` of an Event"),
        ({"most": 0}, "`most` of an Event"),
        ({"most": 1.5}, "`most` of an Event"),
        ({"terminal": "yes"}, "`terminal` of an Event"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        Event(height, **options)


def test_a_condition_of_many_truths_is_refused() -> None:
    event = Event(height, terminal=lambda t, x, u, p: x > 0.0)
    with pytest.raises(KernelError, match="one truth value"):
        rollout(pushed, state=np.zeros(2), parameters=0.0, events=[event])
