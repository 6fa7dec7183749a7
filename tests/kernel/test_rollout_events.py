"""Events: located to the accuracy of the integration, restarted, and told in the status."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Dop853, Method, Rosenbrock
from percuss.kernel.rollouts.problem import Event
from percuss.kernel.rollouts.rollout import rollout
from percuss.kernel.rollouts.statistics import FirstCrossing, Maximum

METHODS = [RK4(step=0.01), Adaptive(1e-10, 1e-12), Rosenbrock(1e-10, 1e-12)]
GRAVITY = 9.81


def names(methods: list[Method]) -> list[str]:
    return [type(method).__name__ for method in methods]


def fall(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], -GRAVITY])


def bounce(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[0], -p * x[1]])


def height(t: Any, x: Any, u: Any, p: Any) -> Any:
    return x[0]


def bounce_times(h0: float, restitution: float, count: int) -> np.ndarray:
    """Closed form: the first fall, then arcs that shrink by the restitution."""
    first = np.sqrt(2 * h0 / GRAVITY)
    arcs = 2 * first * restitution ** np.arange(1, count)
    return np.cumsum([first, *arcs])


@pytest.mark.parametrize("method", METHODS, ids=names(METHODS))
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_bouncing_ball(method: Method, backend: str) -> None:
    run = rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[Event(height, direction=-1, action=bounce)],
        statistics={"fastest": Maximum(lambda t, x, u, p: -x[1])},
        backend=backend,
    )
    restitution = np.array([0.9, 0.8, 0.7])
    result = run(np.array([1.0, 0.0]), restitution, duration=2.0)
    assert (result.status == Status.DONE).all()
    for case, e in enumerate(restitution):
        times = bounce_times(1.0, e, 20)
        count = int((times < 2.0).sum())
        assert result.event_count[0, case] == count > 2
        last = times[count - 1]
        assert abs(result.event_time[0, case] - last) < 1e-12
        speed = np.sqrt(2 * GRAVITY) * e**count
        tau = 2.0 - last
        expected = [speed * tau - GRAVITY * tau**2 / 2, speed - GRAVITY * tau]
        np.testing.assert_allclose(result.state[:, case], expected, atol=1e-10)
    np.testing.assert_allclose(result.statistics["fastest"], np.sqrt(2 * GRAVITY), atol=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=names(METHODS))
def test_arcs_shorter_than_a_step_are_found(method: Method) -> None:
    """Many restarts: the arcs become much shorter than a step before the end."""
    run = rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[Event(height, direction=-1, action=bounce)],
    )
    times = bounce_times(1.0, 0.7, 16)
    end = 0.5 * (times[-2] + times[-1])
    result = run(np.array([1.0, 0.0]), 0.7, duration=end)
    assert result.event_count[0] == 15
    assert result.state[0] > 0
    assert abs(result.event_time[0] - times[-2]) < 1e-9


def pendulum(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], -p * np.sin(x[0])])


@pytest.mark.parametrize(
    ("method", "tolerance"), [(RK4(step=1e-3), 1e-10), (Adaptive(1e-12, 1e-13), 1e-10)]
)
def test_pendulum_passes_the_bottom(method: Method, tolerance: float) -> None:
    run = rollout(
        pendulum,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[
            Event(height, direction=-1),
            Event(lambda t, x, u, p: x[1], direction=+1),
            Event(height, direction=+1, terminal=True),
        ],
        statistics={"first": FirstCrossing(height)},
    )
    start, stiffness = np.array([1.0, 0.0]), np.array([9.0, 4.0, 1.0])
    result = run(start, stiffness, duration=20.0)
    assert (result.status == Status.EVENT).all()
    assert (result.event == 2).all()
    for case, k in enumerate(stiffness):
        events = [lambda t, x: x[0], lambda t, x: x[1], lambda t, x: x[0]]
        for event, direction in zip(events, (-1, 1, 1), strict=True):
            event.direction = direction  # type: ignore[attr-defined]
        exact = solve_ivp(
            lambda t, x, k=k: [x[1], -k * np.sin(x[0])],
            (0, 10),
            start,
            "DOP853",
            rtol=1e-13,
            atol=1e-14,
            events=events,
        )
        for index in range(3):
            found, wanted = result.event_time[index, case], exact.t_events[index][0]
            assert abs(found - wanted) < tolerance
        assert abs(result.statistics["first"][case] - exact.t_events[0][0]) < 1e-7
        assert abs(result.time[case] - exact.t_events[2][0]) < tolerance
        assert abs(result.state[0, case]) < 1e-12
    assert (result.event_count == 1).all()


@pytest.mark.parametrize("method", METHODS, ids=names(METHODS))
def test_an_event_that_does_nothing_counts_once_a_crossing(method: Method) -> None:
    run = rollout(
        lambda t, x, u, p: np.array([x[1], -x[0]]),
        state=np.zeros(2),
        method=method,
        events=[Event(height), Event(lambda t, x, u, p: x[0], direction=1)],
    )
    result = run(np.array([1.0, 0.0]), duration=20 * np.pi)
    np.testing.assert_array_equal(result.event_count, [20, 10])
    plain = rollout(lambda t, x, u, p: np.array([x[1], -x[0]]), state=np.zeros(2), method=method)
    expected = plain(np.array([1.0, 0.0]), duration=20 * np.pi).state
    np.testing.assert_allclose(result.state, expected, atol=1e-7)


def test_a_start_on_the_surface_is_no_event() -> None:
    run = rollout(
        fall,
        state=np.zeros(2),
        method=RK4(0.01),
        events=[Event(height, direction=0, terminal=True)],
    )
    result = run(np.array([[0.0, 0.0], [2.0, -2.0]]), duration=3.0)
    np.testing.assert_array_equal(result.status, [Status.EVENT, Status.DONE])
    np.testing.assert_allclose(result.time, [4.0 / GRAVITY, 3.0], atol=1e-12)


def test_chosen_times_and_restarts() -> None:
    """Events move a case off the grid; chosen times are still hit exactly."""
    run = rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=RK4(0.01),
        events=[Event(height, direction=-1, action=bounce)],
    )
    times = np.array([0.0, 0.1, 0.4321, 0.5, 0.75])
    result = run(np.array([1.0, 0.0]), 0.8, times=times)
    touch = np.sqrt(2 / GRAVITY)
    after = times - touch
    arc = 0.8 * np.sqrt(2 * GRAVITY) * after - GRAVITY * after**2 / 2
    expected = np.where(after < 0, 1.0 - GRAVITY * times**2 / 2, arc)
    assert result.trajectory.shape == (2, 5)
    np.testing.assert_allclose(result.trajectory[0], expected, atol=1e-11)


# --- status -------------------------------------------------------------------------------------


def blow_up(t: Any, x: Any, u: Any, p: Any) -> Any:
    return p * x * x


def test_every_status() -> None:
    """x' = p x² from 1 has a pole at 1/p; the event is x = 3, at t = 2/3 for p = 1."""
    run = rollout(
        lambda t, x, u, p: p["rate"] * x * x + p["noise"] * np.cos(1e5 * t),
        state=0.0,
        parameters={"rate": 0.0, "noise": 0.0, "stop": 0.0},
        method=Adaptive(1e-8, 1e-10, most_steps=3000),
        events=[Event(lambda t, x, u, p: x - p["stop"], terminal=True)],
    )
    wanted = [
        Status.DONE,
        Status.EVENT,
        Status.MAX_STEPS,
        Status.STEP_UNDERFLOW,
        Status.NOT_FINITE,
        Status.NOT_FINITE,
    ]
    x0 = np.array([1.0, 1.0, 1.0, 1.0, np.nan, np.inf])
    p = {
        "rate": np.array([0.1, 1.0, 0.0, 1.0, 0.1, 0.1]),
        "noise": np.array([0.0, 0.0, 1e3, 0.0, 0.0, 0.0]),
        "stop": np.array([9.0, 3.0, 1e9, 1e99, 9.0, 9.0]),
    }
    result = run(x0, p, duration=2.0)
    np.testing.assert_array_equal(result.status, wanted)
    np.testing.assert_allclose(result.state[:2], [1 / 0.8, 3.0], rtol=1e-7)
    np.testing.assert_allclose(result.time[[0, 1, 3]], [2.0, 2 / 3, 1.0], rtol=1e-6)
    assert result.attempts[2] == 3000
    # Alone or in company, each case has the same bits.
    for k in range(6):
        alone = run(x0[k : k + 1], {n: v[k : k + 1] for n, v in p.items()}, duration=2.0)
        np.testing.assert_array_equal(alone.state, result.state[k : k + 1])
        np.testing.assert_array_equal(alone.time, result.time[k : k + 1])


@pytest.mark.parametrize("events", [[], [Event(lambda t, x, u, p: x + 1.0)]])
def test_rk4_at_a_pole_is_not_finite(events: list[Event]) -> None:
    run = rollout(blow_up, state=0.0, parameters=0.0, method=RK4(0.01), events=events)
    result = run(1.0, np.array([0.1, 1.0, 0.2, np.nan]), duration=3.0)
    bad = Status.NOT_FINITE
    np.testing.assert_array_equal(result.status, [Status.DONE, bad, Status.DONE, bad])
    np.testing.assert_allclose(result.state[[0, 2]], [1 / 0.7, 1 / 0.4], rtol=1e-7)


def test_status_without_events() -> None:
    run = rollout(blow_up, state=0.0, parameters=0.0, method=Adaptive(1e-8, 1e-10))
    result = run(1.0, np.array([0.1, 1.0, np.nan]), duration=3.0)
    wanted = [Status.DONE, Status.STEP_UNDERFLOW, Status.NOT_FINITE]
    np.testing.assert_array_equal(result.status, wanted)


def test_endless_restarts_are_cut() -> None:
    """Infinitely many bounces in finite time: they end where they pile up, at the ground."""
    run = rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=RK4(0.01, most_steps=2000),
        events=[Event(height, direction=-1, action=bounce)],
    )
    result = run(np.array([1.0, 0.0]), np.array([0.9, 0.1]), duration=3.0)
    np.testing.assert_array_equal(result.status, [Status.DONE, Status.ACCUMULATED])
    assert result.time[1] < 0.56
    assert abs(result.state[0, 1]) < 1e-9


def test_errors_teach() -> None:
    with pytest.raises(KernelError, match="direction"):
        Event(height, direction=2)
    with pytest.raises(KernelError, match="one number"):
        rollout(fall, state=np.zeros(2), events=[Event(lambda t, x, u, p: x)])
    run = rollout(
        fall,
        state=np.zeros(2),
        events=[Event(height, action=lambda t, x, u, p: x[0])],
    )
    with pytest.raises(KernelError, match="action must return a state"):
        run(np.zeros(2), duration=1.0)


@pytest.mark.parametrize("method", [Adaptive, Dop853, Rosenbrock])
def test_a_first_step_that_leads_nowhere_is_tried_again_shorter(method: Any) -> None:
    """x' = -√x from 1 is (1 - t/2)²; ten seconds lead to where there is no root."""
    run = rollout(
        lambda t, x, u, p: -np.sqrt(x),
        state=0.0,
        method=method(1e-10, 1e-12, first_step=10.0),
        events=[Event(lambda t, x, u, p: x - 0.25, terminal=True)],
    )
    result = run(np.array([1.0, 4.0]), duration=5.0)
    np.testing.assert_array_equal(result.status, Status.EVENT)
    np.testing.assert_allclose(result.time, [1.0, 3.0], rtol=1e-9)
