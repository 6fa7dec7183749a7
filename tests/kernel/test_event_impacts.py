"""Repeated impacts: bouncing balls, walls and corners against closed forms and SciPy."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method, Rosenbrock
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import Minimum
from tests.kernel.entries import replaced

METHODS: list[Method] = [RK4(0.01), Adaptive(1e-11, 1e-13), Rosenbrock(1e-11, 1e-13)]
NAMES = ["RK4", "Adaptive", "Rosenbrock"]
GRAVITY = 9.81


def fall(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], -GRAVITY])


def height(t: Any, x: Any, u: Any, p: Any) -> Any:
    return x[0]


def bounce(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([0.0, -p * x[1]])


def ball(method: Method, **options: Any) -> Rollout:
    event = Event(height, -1, action=bounce, **options)
    return rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[event],
        statistics={"lowest": Minimum(height)},
    )


# --- one ball, many bounces ---------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("most", [1, 7, 30, 60])
def test_as_many_bounces_as_asked_for(method: Method, most: int) -> None:
    """With e = ½ bounce n is at t₁ (3 - 4/2ⁿ), with the speed v₁/2ⁿ after it."""
    restitution = np.array([0.5, 0.9])
    result = ball(method, most=most)(np.array([1.0, 0.0]), restitution, duration=20.0)
    first, speed = np.sqrt(2 / GRAVITY), np.sqrt(2 * GRAVITY)
    np.testing.assert_array_equal(result.status, Status.EVENT_LIMIT)
    np.testing.assert_array_equal(result.event_count[0], most)
    np.testing.assert_array_equal(result.event, 0)
    expected = first * (1 + 2 * restitution * (1 - restitution ** (most - 1)) / (1 - restitution))
    np.testing.assert_allclose(result.time, expected, rtol=0, atol=5e-13)
    np.testing.assert_allclose(result.state[1], speed * restitution**most, rtol=2e-12)
    np.testing.assert_array_equal(result.state[0], 0.0)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_bounces_that_pile_up_end_on_the_ground(method: Method, backend: str) -> None:
    """Infinitely many bounces until t₁ (1 + e)/(1 - e); none of them goes through the floor."""
    run = rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[Event(height, -1, action=bounce)],
        statistics={"lowest": Minimum(height)},
        backend=backend,
    )
    restitution = np.array([0.0, 0.1, 0.3, 0.5, 0.7])
    result = run(np.array([1.0, 0.0]), restitution, duration=10.0)
    np.testing.assert_array_equal(result.status, Status.ACCUMULATED)
    expected = np.sqrt(2 / GRAVITY) * (1 + restitution) / (1 - restitution)
    np.testing.assert_allclose(result.time, expected, rtol=0, atol=1e-12)
    assert result.event_count[0, 0] == 1
    assert result.attempts.max() < 2000
    assert result.statistics["lowest"].min() > -1e-13
    np.testing.assert_allclose(result.state, 0.0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_bounces_far_from_the_origin_end_too(method: Method) -> None:
    """Heights near 1 km and times near 1000 s: rounding cuts the arcs short, nothing falls."""
    run = rollout(
        fall,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[
            Event(
                lambda t, x, u, p: x[0] - 1000.0,
                -1,
                action=lambda t, x, u, p: np.array([x[0], -p * x[1]]),
            )
        ],
        statistics={"lowest": Minimum(height)},
    )
    e = np.array([0.0, 0.2, 0.5, 0.8])
    result = run(np.array([1001.0, 0.0]), e, start=1000.0, duration=50.0)
    np.testing.assert_array_equal(result.status, Status.ACCUMULATED)
    rest = 1000 + np.sqrt(2 / GRAVITY) * (1 + e) / (1 - e)
    np.testing.assert_allclose(result.time, rest, rtol=0, atol=1e-9)
    assert result.statistics["lowest"].min() > 1000 - 1e-10


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_bounce_unless_slow(method: Method) -> None:
    """The condition is asked before the action: the case stops with the speed of arrival."""
    run = ball(method, terminal=lambda t, x, u, p: -x[1] < 0.5)
    e = np.array([0.3, 0.5, 0.8])
    result = run(np.array([1.0, 0.0]), e, duration=20.0)
    np.testing.assert_array_equal(result.status, Status.EVENT)
    for case, restitution in enumerate(e):
        speeds = np.sqrt(2 * GRAVITY) * restitution ** np.arange(100)
        last = int((speeds >= 0.5).sum())
        assert result.event_count[0, case] == last + 1
        assert result.state[1, case] == pytest.approx(-speeds[last], rel=1e-11)
    always = ball(method, terminal=True)(np.array([1.0, 0.0]), 0.5, duration=20.0)
    assert always.state[1] == pytest.approx(0.5 * np.sqrt(2 * GRAVITY), rel=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_derivatives_of_the_last_bounce(method: Method) -> None:
    """Time t₁ (1 + 2 Σ eᵏ) and speed v₁ eⁿ of bounce n, by the height and by e."""
    n, e, h0 = 5, 0.6, 1.3
    found = ball(method, most=n).sensitivity(np.array([h0, 0.0]), e, duration=20.0)
    assert found.by_state is not None
    assert found.by_parameters is not None
    k = np.arange(1, n)
    first, speed = np.sqrt(2 * h0 / GRAVITY), np.sqrt(2 * GRAVITY * h0)
    when = first * (1 + 2 * (e**k).sum())
    assert found.result.time == pytest.approx(when, abs=1e-12)
    assert found.by_state.time[0] == pytest.approx(when / (2 * h0), rel=1e-10)
    slope = first * 2 * (k * e ** (k - 1.0)).sum()
    assert found.by_parameters.time == pytest.approx(slope, rel=1e-10)
    assert found.by_state.state[1, 0] == pytest.approx(speed * e**n / (2 * h0), rel=1e-10)
    assert found.by_parameters.state[1] == pytest.approx(speed * n * e ** (n - 1), rel=1e-10)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_derivatives_of_impacts_at_the_same_instant(method: Method) -> None:
    """In a corner each component bounces by itself: so do its derivatives."""
    run = corner(method)
    speed, push = np.array([1.0, 2.0, 3.0]), np.array([-1.0, -2.0, -GRAVITY])
    v = -speed - push * 0.35
    after, e = 0.1, 0.5
    found = run.sensitivity({"r": 0.7 * speed, "v": v}, e, duration=0.7 + after)
    np.testing.assert_array_equal(found.result.event_count, 1)
    assert found.by_state is not None
    # r = 0.7 s + ..., touch at τ with dτ/dr = -1/w, w the velocity there; then -e w (t - τ) + ...
    w = v + push * 0.7
    slope = -e + push * after / w * (1 + e)
    np.testing.assert_allclose(found.by_state.state["r"]["r"], np.diag(slope), atol=1e-7)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.floats(0.01, 3.0), st.floats(0.0, 0.95)), min_size=2, max_size=9))
def test_neighbours_do_not_matter(cases: list[tuple[float, float]]) -> None:
    h0, e = np.array(cases).T
    x = np.stack([h0, np.zeros_like(h0)])
    for run in BALLS:
        many = run(x, e, duration=2.0)
        for k in range(len(e)):
            alone = run(x[:, k : k + 1], e[k : k + 1], duration=2.0)
            for name in ("state", "time", "status", "event_count", "event_time", "attempts"):
                one, all_ = getattr(alone, name), getattr(many, name)
                assert np.ascontiguousarray(all_[..., k : k + 1]).tobytes() == one.tobytes()


BALLS = [ball(method) for method in METHODS]


# --- events at the same instant -----------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_two_balls_touch_the_floor_together(method: Method, backend: str) -> None:
    """Each has its own event; the same height, or another with the same time of fall."""

    def hit(k: int) -> Any:
        return lambda t, x, u, p: {"h": x["h"], "v": replaced(x["v"], k, -p[k] * x["v"][k])}

    run = rollout(
        lambda t, x, u, p: {"h": x["v"], "v": np.full(2, -GRAVITY)},
        state={"h": np.zeros(2), "v": np.zeros(2)},
        parameters=np.zeros(2),
        method=method,
        events=[Event(lambda t, x, u, p, k=k: x["h"][k], -1, action=hit(k)) for k in range(2)],
        backend=backend,
    )
    e = np.array([0.8, 0.5])
    # The second falls from twice the height, thrown down so that it takes the same time.
    first = np.sqrt(2 / GRAVITY)
    state = {
        "h": np.array([[1.0, 1.0], [1.0, 2.0]]),
        "v": np.array([[0.0, 0.0], [0.0, -1.0 / first]]),
    }
    result = run(state, e, duration=1.05 * first)
    np.testing.assert_array_equal(result.event_count, 1)
    np.testing.assert_allclose(result.event_time, first, rtol=1e-12)
    after = e[:, None] * np.array([[1, 1], [1, 1.5]]) * GRAVITY * first
    np.testing.assert_allclose(result.state["v"], after - 0.05 * first * GRAVITY, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_all_events_of_an_instant_act_in_order(method: Method) -> None:
    """Three events on one surface: each sees what the one before has left."""
    run = rollout(
        lambda t, x, u, p: {"x": x["v"], "v": 0.0, "log": np.zeros(3)},
        state={"x": 0.0, "v": 0.0, "log": np.zeros(3)},
        method=method,
        events=[
            Event(
                lambda t, x, u, p: x["x"],
                -1,
                action=lambda t, x, u, p: x | {"v": -x["v"], "log": replaced(x["log"], 0, x["v"])},
            ),
            Event(
                lambda t, x, u, p: 3.0 * x["x"],
                -1,
                action=lambda t, x, u, p: (
                    x | {"v": 2 * x["v"], "log": replaced(x["log"], 1, x["v"])}
                ),
            ),
            Event(
                lambda t, x, u, p: np.sin(x["x"]),
                -1,
                action=lambda t, x, u, p: x | {"log": replaced(x["log"], 2, x["v"])},
            ),
        ],
    )
    result = run({"x": 1.0, "v": -3.0, "log": np.zeros(3)}, duration=0.5)
    np.testing.assert_array_equal(result.event_count, 1)
    np.testing.assert_array_equal(result.state["log"], [-3.0, 3.0, 6.0])
    assert result.state["x"] == pytest.approx(6.0 * (0.5 - 1 / 3), abs=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_one_that_ends_the_case_ends_the_list(method: Method) -> None:
    gone = {"count": 0.0}
    run = rollout(
        lambda t, x, u, p: {"x": -1.0, "count": 0.0},
        state={"x": 0.0} | gone,
        method=method,
        events=[
            Event(lambda t, x, u, p: x["x"], -1, lambda t, x, u, p: x | {"count": x["count"] + 1}),
            Event(lambda t, x, u, p: x["x"], -1, terminal=lambda t, x, u, p: x["count"] > 0.5),
            Event(lambda t, x, u, p: x["x"], -1, lambda t, x, u, p: x | {"count": 9.0}),
        ],
    )
    result = run({"x": 0.25} | gone, duration=1.0)
    assert (int(result.status), int(result.event)) == (Status.EVENT, 1)
    np.testing.assert_array_equal(result.event_count, [1, 1, 0])
    assert result.state["count"] == 1.0
    assert result.time == pytest.approx(0.25, abs=1e-14)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_an_action_that_throws_the_body_elsewhere(method: Method) -> None:
    """From the floor back to the top: every fall is a new one."""
    again = Event(height, -1, action=lambda t, x, u, p: np.array([1.0, 0.0]))
    run = rollout(fall, state=np.zeros(2), method=method, events=[again])
    first = np.sqrt(2 / GRAVITY)
    result = run(np.array([1.0, 0.0]), duration=3.5 * first)
    assert result.event_count[0] == 3
    assert result.event_time[0] == pytest.approx(3 * first, abs=1e-12)


# --- walls and corners against SciPy ------------------------------------------------------------


def reference(f: Any, x: np.ndarray, walls: list[Any], hit: Any, end: float) -> tuple[Any, list]:
    """The same by DOP853, restarted at every impact; returns the end and (time, wall) of each."""
    t, log = 0.0, []
    while True:
        for wall in walls:
            wall.terminal, wall.direction = True, -1
        # Right after an impact the wall just left must not be found again: step away first.
        found = solve_ivp(f, (t, end), x, "DOP853", events=walls, rtol=2.3e-14, atol=1e-15)
        if found.status == 0:
            return found.y[:, -1], log
        k = next(k for k, times in enumerate(found.t_events) if len(times))
        t, x = float(found.t_events[k][0]), hit(k, found.y_events[k][0])
        log.append((t, k))


@pytest.mark.parametrize("method", [RK4(2e-3), Adaptive(1e-12, 1e-13)], ids=NAMES[:2])
def test_a_ball_between_two_walls(method: Method) -> None:
    """On a spring, between walls at -0.3 and 0.4, with losses and a drive."""

    def hit(t: Any, x: Any, u: Any, p: Any) -> Any:
        return np.array([x[0], -p * x[1]])

    run = rollout(
        lambda t, x, u, p: np.array([x[1], -4.0 * x[0] + np.cos(3.0 * t)]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[
            Event(lambda t, x, u, p: x[0] + 0.3, -1, hit),
            Event(lambda t, x, u, p: 0.4 - x[0], -1, hit),
        ],
    )
    start, e = np.array([0.1, 5.0]), np.array([0.95, 0.8])
    result = run(start, e, duration=3.0)
    for case, restitution in enumerate(e):
        end, log = reference(
            lambda t, x: [x[1], -4.0 * x[0] + np.cos(3 * t)],
            start,
            [lambda t, x: x[0] + 0.3, lambda t, x: 0.4 - x[0]],
            lambda k, x, r=restitution: np.array([(-0.3, 0.4)[k], -r * x[1]]),
            3.0,
        )
        assert len(log) > 4
        for wall in range(2):
            times = [t for t, k in log if k == wall]
            assert result.event_count[wall, case] == len(times)
            assert abs(result.event_time[wall, case] - times[-1]) < 1e-10
        np.testing.assert_allclose(result.state[:, case], end, atol=1e-9)


WALLS = np.eye(3)


def corner(method: Method, normals: np.ndarray = WALLS) -> Rollout:
    """A point under gravity before walls n·r = 0, with the restitution p."""

    def strike(n: np.ndarray) -> Any:
        def action(t: Any, x: Any, u: Any, p: Any) -> Any:
            return {"r": x["r"], "v": x["v"] - (1 + p) * np.dot(n, x["v"]) * n}

        return Event(lambda t, x, u, p: np.dot(n, x["r"]), -1, action)

    return rollout(
        lambda t, x, u, p: {"r": x["v"], "v": np.array([-1.0, -2.0, -GRAVITY])},
        state={"r": np.zeros(3), "v": np.zeros(3)},
        parameters=0.0,
        method=method,
        events=[strike(n) for n in normals],
    )


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_a_point_in_a_corner_against_scipy(method: Method) -> None:
    rng = np.random.default_rng(7)
    run = corner(method)
    r, v = rng.uniform(0.1, 1.0, (3, 6)), rng.normal(size=(3, 6))
    result = run({"r": r, "v": v}, 0.9, duration=1.2)
    for case in range(6):

        def hit(k: int, x: np.ndarray) -> np.ndarray:
            x = x.copy()
            x[k], x[3 + k] = 0.0, -0.9 * x[3 + k]
            return x

        end, log = reference(
            lambda t, x: [*x[3:], -1.0, -2.0, -GRAVITY],
            np.concatenate([r[:, case], v[:, case]]),
            [lambda t, x, k=k: x[k] for k in range(3)],
            hit,
            1.2,
        )
        assert log
        for wall in range(3):
            times = [t for t, k in log if k == wall]
            assert result.event_count[wall, case] == len(times)
            if times:
                assert abs(result.event_time[wall, case] - times[-1]) < 1e-12
        np.testing.assert_allclose(result.state["r"][:, case], end[:3], atol=1e-11)
        np.testing.assert_allclose(result.state["v"][:, case], end[3:], atol=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("scale", [1.0, 0.3, 1e-3])
def test_straight_into_the_corner(method: Method, scale: float) -> None:
    """All three walls at the same instant: the velocity turns round."""
    run = corner(method)
    when, speed = 0.7, scale * np.array([1.0, 2.0, 3.0])
    push = np.array([-1.0, -2.0, -GRAVITY])
    r = speed * when
    v = -speed - push * when / 2
    result = run({"r": r, "v": v}, np.array([1.0, 0.5]), duration=0.7 + 1e-3)
    np.testing.assert_array_equal(result.event_count, 1)
    np.testing.assert_allclose(result.event_time, when, rtol=1e-11)
    arrival = v + push * when
    for case, e in enumerate((1.0, 0.5)):
        expected = -e * arrival + 1e-3 * push
        np.testing.assert_allclose(result.state["v"][:, case], expected, atol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_a_narrow_corner_takes_several_impacts_at_once(method: Method) -> None:
    """Walls at 50°: after the second the point heads into the first again; none lets it through."""
    angle = np.deg2rad(50)
    normals = np.array([[0.0, 0.0, 1.0], [np.sin(angle), 0.0, -np.cos(angle)]])
    run = rollout(
        lambda t, x, u, p: {"r": x["v"], "v": np.zeros(3)},
        state={"r": np.zeros(3), "v": np.zeros(3)},
        method=method,
        events=corner(method, normals).problem.events,
        parameters=0.0,
    )
    velocity = np.array([-1.0, 0.0, -0.3])
    result = run({"r": -0.5 * velocity, "v": velocity}, 1.0, duration=2.0)
    assert result.status == Status.DONE
    v = result.state["v"]
    assert (normals @ result.state["r"] > 0.1).all()
    assert (normals @ v > 0).all()
    assert np.linalg.norm(v) == pytest.approx(np.linalg.norm(velocity), rel=1e-12)
    assert result.event_count.sum() >= 3
    np.testing.assert_allclose(result.event_time, 0.5, atol=1e-12)


# --- with a controller --------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_bounces_under_a_sampled_controller(method: Method) -> None:
    """A held force between samples: arcs are parabolas, whatever the steps."""
    run = rollout(
        lambda t, x, u, p: np.array([x[1], u]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        controller=Controller(lambda t, x, m, p: (-5.0 - x[0], m), period=0.1),
        events=[Event(height, -1, action=bounce)],
    )
    result = run(np.array([0.5, 0.0]), 0.7, duration=2.0)
    t, x, log = 0.0, np.array([0.5, 0.0]), []
    for sample in range(20):
        u, end = -5.0 - x[0], 0.1 * (sample + 1)
        while True:
            root = (-x[1] - np.sqrt(x[1] ** 2 - 2 * u * x[0])) / u
            if t + root > end:
                break
            log.append(t + root)
            t, x = t + root, np.array([0.0, 0.7 * -(x[1] + u * root)])
        h = end - t
        t, x = end, np.array([x[0] + x[1] * h + u * h * h / 2, x[1] + u * h])
    assert result.event_count[0] == len(log) > 3
    assert abs(result.event_time[0] - log[-1]) < 1e-11
    np.testing.assert_allclose(result.state, x, atol=1e-11)
