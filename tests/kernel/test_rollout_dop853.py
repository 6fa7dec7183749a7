"""DOP853 in rollouts: order, dense output, events, statistics, derivatives, against truth."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import DOP853
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import Adaptive, Dop853
from percuss.kernel.rollouts.methods.linearisation import Linearisation
from percuss.kernel.rollouts.methods.trial import StepEquation
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import FirstCrossing, Integral, Maximum, Minimum

from .test_rollout import BODY, body

BACKENDS = ["llvm", "numpy"]


def kepler(t: Any, x: Any, u: Any, p: Any) -> Any:
    cube = (x[0] ** 2 + x[1] ** 2) ** 1.5
    return np.stack([x[2], x[3], -x[0] / cube, -x[1] / cube])


ECCENTRICITY = 0.6
PERIHELION = np.array([0.4, 0.0, 0.0, 2.0])
"""State (position, velocity) of an orbit with semi-major axis and gravity parameter 1."""


def on_orbit(times: np.ndarray) -> np.ndarray:
    """States (4, len(times)) by Kepler's equation E - e sin E = t."""
    e = ECCENTRICITY
    E = np.array([brentq(lambda a, t=t: a - e * np.sin(a) - t, t - 1, t + 1) for t in times])
    E -= (E - e * np.sin(E) - times) / (1 - e * np.cos(E))
    b, rate = np.sqrt(1 - e**2), 1 / (1 - e * np.cos(E))
    return np.array([np.cos(E) - e, b * np.sin(E), -np.sin(E) * rate, b * np.cos(E) * rate])


def spring(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.stack([x[1], -(p**2) * x[0]])


def swinging(**options: Any) -> Rollout:
    return rollout(spring, state=np.zeros(2), parameters=0.0, **options)


def slopes(errors: list[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / errors[1:])


# --- order --------------------------------------------------------------------------------------


def driven(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.stack([x[0] * np.cos(t), -2.0 * t * x[1] ** 2])


def driven_exactly(t: Any) -> np.ndarray:
    """exp(sin t) and 1 / (1 + t²)."""
    return np.array([np.exp(np.sin(t)), 1 / (1 + t**2)])


def test_the_method_has_order_eight() -> None:
    """With a step held by its largest value, halving it divides the error by 256."""
    errors = []
    for step in (0.5, 0.25, 0.125):
        method = Dop853(relative=1.0, absolute=1.0, first_step=step, largest_step=step)
        result = rollout(driven, state=np.zeros(2), method=method)(
            driven_exactly(0.0), duration=4.0
        )
        assert result.steps == 4.0 / step
        errors.append(abs(result.state[0] - driven_exactly(4.0)[0]))
    assert ((slopes(errors) > 7.8) & (slopes(errors) < 8.5)).all(), (errors, slopes(errors))


def test_dense_output_has_order_seven() -> None:
    """Within one step from an exact state the error comes to fall with h⁸, at its end with h⁹."""
    inside, at_end, start = [], [], 0.7
    for step in (0.4, 0.2, 0.1):
        times = start + step * np.array([0.3, 0.5, 0.7, 1.0])
        method = Dop853(relative=1.0, absolute=1.0, first_step=step)
        result = rollout(driven, state=np.zeros(2), method=method)(
            driven_exactly(start), times=times, start=start
        )
        assert result.steps == 1
        error = np.abs(result.trajectory - driven_exactly(times)).max(axis=0)
        inside.append(error[:3].max())
        at_end.append(error[3])
    first, second = slopes(inside)
    assert 7.2 < first < second < 8.3, (inside, first, second)
    assert second > 7.6
    assert slopes(at_end)[1] > 8.4, (at_end, slopes(at_end))


@given(seed=st.integers(0, 2**32 - 1), h=st.floats(1e-3, 1.0), share=st.floats(0.0, 1.0))
def test_one_step_is_that_of_scipy(seed: int, h: float, share: float) -> None:
    random = np.random.default_rng(seed)
    A, x = random.normal(size=(5, 5)), random.normal(size=5)

    def f(t: Any, x: Any) -> Any:
        return np.sin(A @ x + t)

    oracle = DOP853(f, 0.5, x, 0.5 + 2 * h, first_step=h, rtol=1e10, atol=1e10)
    oracle.step()
    h = oracle.t - 0.5
    trial = Dop853().trial(StepEquation(f, Linearisation(f, len(x)).at), 0.5, x, h, k1=f(0.5, x))
    # A rounding of one stage reaches the next ones by way of ∂f/∂x, whose size is at most |A|.
    steepest = np.abs(A).sum(axis=1).max()
    rounding = 4e-14 * (1.0 + h * steepest)
    np.testing.assert_allclose(trial.z, oracle.y, rtol=0, atol=rounding)
    np.testing.assert_allclose(trial.rates, oracle.f, rtol=0, atol=rounding * (1.0 + steepest))
    between = oracle.dense_output()(0.5 + share * h)
    np.testing.assert_allclose(trial.dense(share), between, rtol=0, atol=2.0 * rounding)
    error = trial.error(lambda *both: [np.sqrt(np.mean(e * e)) for e in both])
    expected = oracle._estimate_error_norm(oracle.K, h, np.ones(5))
    np.testing.assert_allclose(error, expected, rtol=1e-9, atol=1e-15)


# --- accuracy -----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_states_at_chosen_times(tolerance: float, backend: str) -> None:
    """An orbit and a half: errors grow 300-fold past perihelion, with and without dense output."""
    times = np.linspace(0.0, 9.0, 181)
    method = Dop853(tolerance, tolerance)
    result = rollout(kepler, state=np.zeros(4), method=method, backend=backend)(
        PERIHELION, times=times
    )
    assert result.steps < 110
    np.testing.assert_allclose(result.trajectory, on_orbit(times), rtol=0, atol=300 * tolerance)
    np.testing.assert_array_equal(result.trajectory[:, 0], PERIHELION)
    np.testing.assert_array_equal(result.trajectory[:, -1], result.state)


def test_fewer_steps_than_the_fifth_order() -> None:
    steps = [
        rollout(kepler, state=np.zeros(4), method=method)(PERIHELION, duration=9.0).steps
        for method in (Adaptive(1e-10, 1e-12), Dop853(1e-10, 1e-12))
    ]
    assert steps[0] > 4 * steps[1]


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    times=st.lists(st.floats(0.0, 2.0), min_size=1, max_size=7, unique=True),
)
def test_linear_motion(seed: int, times: list[float]) -> None:
    """x(t) = exp(A t) x(0), and what is asked for on the way changes nothing."""
    random = np.random.default_rng(seed)
    A, x = random.normal(size=(3, 3)), random.normal(size=3)
    result = LINEAR(x, A, duration=2.0, times=np.sort(times))
    plain = LINEAR(x, A, duration=2.0)
    np.testing.assert_array_equal(result.state, plain.state)
    assert (result.steps, result.attempts) == (plain.steps, plain.attempts)
    np.testing.assert_array_equal(result.statistics["peak"], plain.statistics["peak"])
    size = np.abs(expm(2.0 * np.abs(A))).max()
    for k, time in enumerate(np.sort(times)):
        exact = expm(A * time) @ x
        np.testing.assert_allclose(result.trajectory[:, k], exact, rtol=0, atol=1e-10 * size)
    one = LINEAR(x, A, duration=2.0, times=np.sort(times)[:1])
    np.testing.assert_array_equal(one.trajectory[:, 0], result.trajectory[:, 0])


LINEAR = rollout(
    lambda t, x, u, p: p @ x,
    state=np.zeros(3),
    parameters=np.zeros((3, 3)),
    method=Dop853(1e-11, 1e-13),
    statistics={"peak": Maximum(lambda t, x, u, p: x[0])},
)


@pytest.mark.parametrize("backend", BACKENDS)
def test_attitude_of_a_symmetric_top(backend: str) -> None:
    """Moments 2, 2, 1: precession about the momentum and spin about the axis, both constant."""
    inertia, rates = np.array([2.0, 2.0, 1.0]), np.array([0.8, 0.0, 3.0])
    run = rollout(
        body,
        state=BODY,
        parameters=inertia,
        method=Dop853(1e-11, 1e-13),
        quaternions=[0],
        backend=backend,
    )
    times = np.linspace(0.0, 5.0, 41)
    start = {"q": np.array([1.0, 0.0, 0.0, 0.0]), "w": rates}
    q = run(start, inertia, times=times).trajectory["q"]
    np.testing.assert_allclose(np.sum(q * q, axis=0), 1.0, rtol=0, atol=1e-15)
    precession = Rotation.from_rotvec(np.outer(times, inertia * rates / 2.0))
    spin = Rotation.from_rotvec(np.outer(times, [0.0, 0.0, 1.5]))
    exact = (precession * spin).as_quat(scalar_first=True).T
    exact = exact * np.sign(np.sum(exact * q, axis=0))
    np.testing.assert_allclose(q, exact, rtol=0, atol=2e-10)


# --- events, clocks and samples -----------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@given(level=st.floats(-0.95, 0.95), frequency=st.floats(0.3, 3.0))
@settings(max_examples=20)
def test_events_to_a_trillionth(backend: str, level: float, frequency: float) -> None:
    """cos(ω t) falls to a level: the flatter the crossing, the less certain its time."""
    result = FALLING[backend](np.array([1.0, 0.0]), (frequency, level), duration=20.0)
    assert result.status == Status.EVENT
    assert abs(result.time - np.arccos(level) / frequency) * frequency < 1e-12 / np.sqrt(
        1 - level**2
    )


FALLING = {
    backend: rollout(
        lambda t, x, u, p: spring(t, x, u, p[0]),
        state=np.zeros(2),
        parameters=(0.0, 0.0),
        method=Dop853(1e-13, 1e-15),
        events=[Event(lambda t, x, u, p: x[0] - p[1], -1, terminal=True)],
        backend=backend,
    )
    for backend in BACKENDS
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_bouncing_ball_between_its_bounces(backend: str) -> None:
    """Times before a bounce see the fall, at it and after it the rise."""
    g, e = 2.0, 0.5
    floor = Event(
        lambda t, x, u, p: x[0], -1, action=lambda t, x, u, p: np.stack([0.0 * x[0], -e * x[1]])
    )
    run = rollout(
        lambda t, x, u, p: np.stack([x[1], -g + 0.0 * x[0]]),
        state=np.zeros(2),
        method=Dop853(1e-11, 1e-13),
        events=[floor],
        backend=backend,
    )
    near = 1e-9
    times = np.array([0.0, 0.3, 1 - near, 1.0, 1 + near, 1.2, 1.9, 2 - near, 2.0, 2 + near, 2.3])
    result = run(np.array([1.0, 0.0]), times=times, duration=2.4)
    assert result.event_count == 2
    fall, rise = times < 1.0, (times >= 1.0) & (times < 2.0)
    since = times - np.where(fall, 0.0, np.where(rise, 1.0, 2.0))
    speed = np.where(fall, 0.0, np.where(rise, 1.0, 0.5))
    height = np.where(fall, 1.0, 0.0) + since * (speed - g / 2 * since)
    np.testing.assert_allclose(result.trajectory[0], height, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.trajectory[1], speed - g * since, rtol=0, atol=1e-12)
    plain = run(np.array([1.0, 0.0]), duration=2.4)
    np.testing.assert_array_equal(result.state, plain.state)


def test_a_stopped_case_stays_where_it_is() -> None:
    run = swinging(
        method=Dop853(1e-12, 1e-14), events=[Event(lambda t, x, u, p: x[0], terminal=True)]
    )
    times = np.array([0.5, 1.0, 1.5, 2.0, 3.0])
    result = run(np.array([1.0, 0.0]), np.array([1.0, 2.0]), times=times)
    np.testing.assert_allclose(result.time, [np.pi / 2, np.pi / 4], rtol=1e-12)
    for case, frequency in enumerate((1.0, 2.0)):
        phase = frequency * np.minimum(times, result.time[case])
        exact = np.array([np.cos(phase), -frequency * np.sin(phase)])
        np.testing.assert_allclose(result.trajectory[..., case], exact, rtol=0, atol=1e-11)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cases_with_clocks_of_their_own(backend: str) -> None:
    """Before its start and after its end a case stays where it is."""
    run = swinging(method=Dop853(1e-12, 1e-14), backend=backend)
    start, duration = np.array([0.0, 1.3, -2.0]), np.array([2.0, 0.4, 3.5])
    times = np.array([-1.9, -0.5, 0.0, 0.1, 1.29, 1.3, 1.4, 1.6, 1.9, 2.0])
    result = run(np.array([1.0, 0.0]), 3.0, start=start, duration=duration, times=times)
    for case in range(3):
        phase = 3.0 * (np.clip(times, start[case], start[case] + duration[case]) - start[case])
        exact = np.array([np.cos(phase), -3.0 * np.sin(phase)])
        np.testing.assert_allclose(result.trajectory[..., case], exact, rtol=0, atol=3e-11)
    np.testing.assert_array_equal(result.time, start + duration)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sampled_law(backend: str) -> None:
    """x' = u with u = -x held for 0.3 s: between samples x is linear."""
    run = rollout(
        lambda t, x, u, p: u,
        state=0.0,
        method=Dop853(),
        controller=Controller(lambda t, x, m, p: (-x, m), period=0.3),
        backend=backend,
    )
    times = np.array([0.1, 0.3, 0.45, 0.6, 0.89, 0.9, 1.0])
    result = run(1.0, times=times)
    whole = np.floor(times / 0.3 + 1e-9)
    exact = 0.7**whole * (1 - (times - 0.3 * whole))
    np.testing.assert_allclose(result.trajectory, exact, rtol=0, atol=1e-14)


# --- statistics and derivatives -----------------------------------------------------------------

STATISTICS = {
    "highest": Maximum(lambda t, x, u, p: np.stack([x[1] / p, x[0] * x[1] / p])),
    "lowest": Minimum(lambda t, x, u, p: x[0]),
    "zero": FirstCrossing(lambda t, x, u, p: np.stack([x[0], x[0] + 0.5])),
    "energy": Integral(lambda t, x, u, p: x[0] ** 2),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("tolerance", [1e-8, 1e-12])
def test_statistics_look_between_the_steps(tolerance: float, backend: str) -> None:
    run = swinging(method=Dop853(tolerance, tolerance), statistics=STATISTICS, backend=backend)
    result = run(np.array([1.0, 0.0]), 2.0, duration=3.0)
    found, near = result.statistics, 20 * tolerance
    assert result.steps < 60
    np.testing.assert_allclose(found["highest"], [1.0, 0.5], rtol=0, atol=near)
    np.testing.assert_allclose(found["lowest"], -1.0, rtol=0, atol=near)
    np.testing.assert_allclose(found["zero"], [np.pi / 4, np.pi / 3], rtol=0, atol=near)
    np.testing.assert_allclose(found["energy"], 1.5 + np.sin(12.0) / 8, rtol=0, atol=near)


def test_derivatives_of_statistics() -> None:
    run = swinging(method=Dop853(1e-12, 1e-14), statistics=STATISTICS)
    found = run.sensitivity(np.array([1.0, 0.0]), 2.0, duration=3.0)
    assert found.by_parameters is not None
    assert found.by_state is not None
    zero = found.by_parameters.statistics["zero"]
    np.testing.assert_allclose(zero, [-np.pi / 8, -np.pi / 6], rtol=0, atol=1e-10)
    lowest = found.by_state.statistics["lowest"]
    np.testing.assert_allclose(lowest, [-1.0, 0.0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives_at_chosen_times(backend: str) -> None:
    """Of cos(p t) by p and by the initial state, in closed form."""
    run = swinging(method=Dop853(1e-12, 1e-14), backend=backend)
    times, p = np.linspace(0.0, 4.0, 23), 1.7
    found = run.sensitivity(np.array([1.0, 0.0]), p, times=times)
    assert found.by_parameters is not None
    assert found.by_state is not None
    c, s = np.cos(p * times), np.sin(p * times)
    by_p = np.array([-times * s, -s - p * times * c])
    np.testing.assert_allclose(found.by_parameters.trajectory, by_p, rtol=0, atol=2e-10)
    by_x = np.moveaxis(np.array([[c, s / p], [-p * s, c]]), 2, 1)
    np.testing.assert_allclose(found.by_state.trajectory, by_x, rtol=0, atol=2e-10)
    plain = run(np.array([1.0, 0.0]), p, times=times)
    np.testing.assert_allclose(found.result.trajectory, plain.trajectory, rtol=0, atol=1e-15)


def test_derivatives_through_an_event() -> None:
    """A ball that bounces: before, at times around and after the bounce, against differences."""
    floor = Event(
        lambda t, x, u, p: x[0], -1, action=lambda t, x, u, p: np.stack([0.0 * x[0], -p * x[1]])
    )
    run = rollout(
        lambda t, x, u, p: np.stack([x[1], -2.0 - 0.3 * x[1] * np.sin(t)]),
        state=np.zeros(2),
        parameters=0.0,
        method=Dop853(1e-13, 1e-15),
        events=[floor],
    )
    x, p, times = np.array([1.0, 0.1]), 0.6, np.array([0.2, 0.9, 1.3, 1.8, 2.4])
    found = run.sensitivity(x, p, times=times)
    assert found.by_state is not None
    assert found.by_parameters is not None
    assert found.result.event_count == 2

    def slope(state: np.ndarray, restitution: float) -> np.ndarray:
        """By four points: the error of two would be that of the differences."""
        h = 2e-3
        f = {
            k: run(x + k * h * state, p + k * h * restitution, times=times) for k in (-2, -1, 1, 2)
        }
        near, far = (f[k].trajectory - f[-k].trajectory for k in (1, 2))
        return (8 * near - far) / (12 * h)

    for k, unit in enumerate(np.eye(2)):
        by_x = found.by_state.trajectory[:, :, k]
        np.testing.assert_allclose(by_x, slope(unit, 0.0), rtol=0, atol=1e-9)
    by_p = found.by_parameters.trajectory
    np.testing.assert_allclose(by_p, slope(np.zeros(2), 1.0), rtol=0, atol=1e-9)


# --- cost and input -----------------------------------------------------------------------------


def test_dense_output_costs_three_evaluations_once_it_is_needed() -> None:
    times: list[float] = []

    def f(t: Any, x: Any) -> Any:
        times.append(t)
        return np.sin(x)

    x = np.array([1.0])
    trial = Dop853().trial(StepEquation(f, Linearisation(f, 1).at), 0.0, x, 0.5, k1=np.sin(x))
    assert len(times) == 12
    for share in (0.1, 0.7):
        trial.dense(share)
    trial.bend()
    assert len(times) == 15
    assert max(times) == 0.5


def test_single_precision() -> None:
    run = swinging(method=Dop853(1e-5, 1e-6), dtype=np.float32)
    times = np.array([0.5, 1.0, 2.0])
    found = run(np.array([1.0, 0.0]), 1.0, times=times).trajectory
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[0], np.cos(times), rtol=0, atol=3e-5)


def test_a_pole_ends_the_case() -> None:
    run = rollout(lambda t, x, u, p: x * x, state=0.0, method=Dop853())
    result = run(np.array([1.0, 0.1]), times=np.array([0.5, 0.99, 1.5, 2.0]))
    assert result.status[0] in (Status.STEP_UNDERFLOW, Status.NOT_FINITE)
    assert result.status[1] == Status.DONE
    assert result.time[0] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(result.trajectory[:2, 0], [2.0, 100.0], rtol=1e-6)
    exact = 1 / (10.0 - np.array([0.5, 0.99, 1.5, 2.0]))
    np.testing.assert_allclose(result.trajectory[:, 1], exact, rtol=1e-8)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"relative": -1.0}, "tolerances must be at least 0"),
        ({"relative": 0.0, "absolute": 0.0}, "not both 0"),
        ({"relative": float("nan")}, "tolerances must be at least 0"),
        ({"first_step": 0.0}, "first_step must be > 0 s"),
        ({"smallest_step": 1.0, "largest_step": 0.5}, "0 <= smallest_step < largest_step"),
        ({"most_steps": 0}, "most_steps must be at least 1"),
    ],
)
def test_fields_that_make_no_sense(fields: dict[str, float], words: str) -> None:
    with pytest.raises(KernelError, match=words):
        Dop853(**fields)  # type: ignore[arg-type]


def test_tolerances_of_another_state() -> None:
    with pytest.raises(KernelError, match="`absolute` has 3 tolerances but the flat state has 2"):
        swinging(method=Dop853(absolute=(1e-9, 1e-9, 1e-9)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_many_times_within_a_step_cost_no_step(backend: str) -> None:
    """Cases of different pace, one that has ended and one that is over before it begins."""
    run = rollout(
        lambda t, x, u, p: np.stack([x[1], -p * x[0]]),
        state=np.zeros(2),
        parameters=0.0,
        method=Dop853(1e-9, 1e-12),
        events=[Event(lambda t, x, u, p: x[0] + 0.5, direction=-1, terminal=True)],
        backend=backend,
    )
    pace, start = np.array([0.0, 1.0, 9.0]), np.array([1.0, 0.0])
    few = run(start, pace, duration=3.0)
    many = run(start, pace, times=np.linspace(0.0, 3.0, 500))
    for name in ("state", "time", "status", "steps", "attempts"):
        np.testing.assert_array_equal(getattr(many, name), getattr(few, name), err_msg=name)
    assert few.status.tolist() == [Status.DONE, Status.EVENT, Status.EVENT]
    times = np.linspace(0.0, 3.0, 500)
    for k, ends in enumerate(few.time):
        until = times < ends
        wanted = np.cos(np.sqrt(pace[k]) * times[until])
        np.testing.assert_allclose(many.trajectory[0, until, k], wanted, atol=1e-7)
