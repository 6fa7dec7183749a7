"""Rollouts: order of convergence, conservation, controllers, statistics, and independent cases."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import percuss
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import Final, FirstCrossing, Integral, Maximum, Minimum

METHODS: list[Method] = [RK4(step=0.01), Adaptive()]
NEVER = Event(lambda t, x, u, p: x[0] + 1e9)
"""Never happens, but makes RK4 take the general loop."""


def names(methods: list[Method]) -> list[str]:
    return [type(method).__name__ for method in methods]


def van_der_pol(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], p * (1.0 - x[0] ** 2) * x[1] - x[0] + 0.3 * np.sin(2.0 * t)])


START = np.array([1.2, -0.4])


def exact(end: float, p: float, times: Any = None) -> np.ndarray:
    def f(t: float, x: np.ndarray) -> list[float]:
        return [x[1], p * (1 - x[0] ** 2) * x[1] - x[0] + 0.3 * np.sin(2 * t)]

    found = solve_ivp(f, (0, end), START, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14)
    return found.y if times is not None else found.y[:, -1]


# --- accuracy -----------------------------------------------------------------------------------


@pytest.mark.parametrize("events", [[], [NEVER]], ids=["lean", "general"])
def test_rk4_has_order_four(events: list[Event]) -> None:
    errors = []
    for step in (0.04, 0.02, 0.01):
        run = rollout(
            van_der_pol, state=np.zeros(2), parameters=0.0, method=RK4(step), events=events
        )
        errors.append(np.abs(run(START, 1.5, duration=4.0).state - exact(4.0, 1.5)).max())
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert ((slopes > 3.8) & (slopes < 4.3)).all(), (errors, slopes)


def test_the_pair_has_order_five() -> None:
    """With a step held by its largest value, halving it divides the error by 32."""
    errors = []
    for step in (0.08, 0.04, 0.02):
        method = Adaptive(relative=1.0, absolute=1.0, first_step=step, largest_step=step)
        run = rollout(van_der_pol, state=np.zeros(2), parameters=0.0, method=method)
        errors.append(np.abs(run(START, 0.5, duration=3.0).state - exact(3.0, 0.5)).max())
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert ((slopes > 4.6) & (slopes < 5.6)).all(), (errors, slopes)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_the_tolerance_is_kept(tolerance: float) -> None:
    method = Adaptive(relative=tolerance, absolute=tolerance)
    run = rollout(van_der_pol, state=np.zeros(2), parameters=0.0, method=method)
    p = np.array([0.5, 1.5, 3.0])
    result = run(START, p, duration=6.0)
    for case, value in enumerate(p):
        error = np.abs(result.state[:, case] - exact(6.0, value)).max()
        assert error < 100 * tolerance
    assert len(set(result.steps)) > 1, "each case chooses its own steps"


@pytest.mark.parametrize("method", [RK4(1e-3), Adaptive(1e-12, 1e-13)])
@pytest.mark.parametrize("events", [[], [NEVER]], ids=["free", "events"])
def test_chosen_times_are_hit(method: Method, events: list[Event]) -> None:
    times = np.array([0.0, 0.25, 0.2504, 0.25047, 1.0, 1.9999])
    run = rollout(van_der_pol, state=np.zeros(2), parameters=0.0, method=method, events=events)
    result = run(START, np.array([1.5, 0.5]), duration=2.0, times=times)
    assert result.trajectory.shape == (2, 6, 2)
    np.testing.assert_allclose(result.trajectory[..., 0], exact(2.0, 1.5, times), atol=1e-11)
    np.testing.assert_allclose(result.state[:, 0], exact(2.0, 1.5), atol=1e-11)
    np.testing.assert_array_equal(result.time, 2.0)
    only = run(START, np.array([1.5, 0.5]), times=times)
    np.testing.assert_array_equal(only.trajectory, result.trajectory)
    np.testing.assert_array_equal(only.state, result.trajectory[:, -1])


def test_steps_of_the_fixed_grid() -> None:
    run = rollout(van_der_pol, state=np.zeros(2), parameters=0.0, method=RK4(0.1))
    for duration, steps in ((1.0, 10), (0.95, 10), (1.0000000000001, 10), (1.02, 11), (0.03, 1)):
        assert run(START, 1.0, duration=duration).steps == steps
    assert run(START, 1.0, times=[0.25, 0.5]).steps == 6
    assert run(START, 1.0, times=[0.31, 0.32, 0.33, 0.4]).steps == 7
    result = run(START, 1.0, duration=0.0)
    np.testing.assert_array_equal(result.state, START)


def test_start_shifts_time() -> None:
    for method in METHODS:
        run = rollout(lambda t, x, u, p: 2.0 * t, state=0.0, method=method)
        result = run(9.0, start=3.0, duration=1.5)
        assert result.state == pytest.approx(4.5**2, abs=1e-10)


# --- conservation -------------------------------------------------------------------------------


def test_oscillator_keeps_its_energy() -> None:
    run = rollout(lambda t, x, u, p: (x[1], -x[0]), state=(0.0, 0.0), method=RK4(1e-3))
    q, v = run((np.array([1.0, 0.5]), np.array([0.0, 2.0])), duration=100.0).state
    np.testing.assert_allclose(q**2 + v**2, [1.0, 4.25], rtol=1e-11)


def body(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A free rigid body: quaternion (w, x, y, z) and body rates; inertias p."""
    q, w = x["q"], x["w"]
    rate = 0.5 * np.array(
        [
            -q[1] * w[0] - q[2] * w[1] - q[3] * w[2],
            q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
            q[0] * w[1] + q[3] * w[0] - q[1] * w[2],
            q[0] * w[2] + q[1] * w[1] - q[2] * w[0],
        ]
    )
    return {"q": rate, "w": -np.cross(w, p * w) / p}


BODY = {"q": np.zeros(4), "w": np.zeros(3)}
SPIN = {
    "q": np.array([1.0, 0.0, 0.0, 0.0]),
    "w": np.array([[0.2, 3.0, 0.1], [1.0, -2.0, 0.5], [4.0, 0.01, 0.0]]).T,
}
INERTIA = np.array([1.0, 2.0, 3.0])


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    s, r = q[0], q[1:]
    return v + 2 * s * np.cross(r, v, axis=0) + 2 * np.cross(r, np.cross(r, v, axis=0), axis=0)


@pytest.mark.parametrize("method", [RK4(2e-3), Adaptive(1e-12, 1e-12)])
def test_a_free_body_keeps_energy_and_momentum(method: Method) -> None:
    run = rollout(body, state=BODY, parameters=INERTIA, method=method, quaternions=[slice(0, 4)])
    end = run(SPIN, INERTIA, duration=200.0 if isinstance(method, RK4) else 20.0).state
    spin, inertia = SPIN["w"], INERTIA[:, None]
    energy = (inertia * end["w"] ** 2).sum(axis=0)
    np.testing.assert_allclose(energy, (inertia * spin**2).sum(axis=0), rtol=2e-9)
    momentum = rotated(end["q"], inertia * end["w"])
    np.testing.assert_allclose(momentum, inertia * spin, atol=1e-7)


def test_quaternions_stay_unit_for_a_million_steps() -> None:
    run = rollout(body, state=BODY, parameters=INERTIA, method=RK4(1e-3), quaternions=[0])
    q = run(SPIN, INERTIA, duration=1000.0).state["q"].astype(np.longdouble)
    norm = np.sqrt((q**2).sum(axis=0))
    assert np.abs(norm - 1).max() <= 4 * np.finfo(float).eps


def test_quaternions_stay_unit_with_adaptive_steps() -> None:
    run = rollout(
        body, state=BODY, parameters=INERTIA, method=Adaptive(1e-4, 1e-4), quaternions=[0]
    )
    q = run(SPIN, INERTIA, duration=50.0).state["q"]
    assert np.abs(np.sqrt((q**2).sum(axis=0)) - 1).max() <= 4 * np.finfo(float).eps


def test_thesis_system_keeps_energy_and_momentum() -> None:
    system = percuss.robot("thesis")
    count = system.rate_count

    def f(t: Any, x: Any, u: Any, p: Any) -> Any:
        rates = percuss.coordinate_rates(system, x[:count], x[count:])
        return np.concatenate(
            [
                np.asarray(rates),
                np.asarray(percuss.forward_dynamics(system, x[:count], x[count:])),
            ]
        )

    def energy(t: Any, x: Any, u: Any, p: Any) -> Any:
        return percuss.kinetic_energy(system, x[:count], x[count:])

    run = rollout(
        f,
        state=np.zeros(2 * count),
        method=RK4(1e-3),
        statistics={"most": Maximum(energy), "least": Minimum(energy)},
    )
    rng = np.random.default_rng(1)
    start = np.concatenate([rng.normal(size=(count, 9)), 0.3 * rng.normal(size=(count, 9))])
    result = run(start, duration=100.0)
    assert (result.steps == 100_000).all()
    np.testing.assert_allclose(result.statistics["most"], result.statistics["least"], rtol=1e-8)
    for case in range(9):
        before, after = (
            percuss.momentum(system, x[:count], x[count:])
            for x in (start[:, case], result.state[:, case])
        )
        for a, b in zip(_numbers(before), _numbers(after), strict=True):
            assert a == pytest.approx(b, rel=1e-9, abs=1e-8)


def _numbers(force: Any) -> list[float]:
    return [float(v) for v in np.ravel(force.array() if hasattr(force, "array") else force)]


# --- controllers --------------------------------------------------------------------------------


def plant(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], u - 0.1 * x[1] - np.sin(x[0])])


def delayed(t: Any, x: Any, memory: Any, p: Any) -> tuple[Any, Any]:
    """PD with two samples of delay and a limit of 0.5 a sample on the command's change."""
    wanted = -p["k"] * (x[0] - 1.0) - 2.0 * x[1]
    now = memory["late"][0]
    command = memory["last"] + np.clip(now - memory["last"], -0.5, 0.5)
    late = np.array([memory["late"][1], wanted])
    return command, {"late": late, "last": command}


MEMORY = {"late": np.zeros(2), "last": 0.0}


def by_hand(step: float, per_sample: int, samples: int, k: float) -> tuple[np.ndarray, float]:
    """The same loop in plain Python; returns the state and the integral of the command squared."""
    x, late, last, work = np.array([0.0, 0.0]), [0.0, 0.0], 0.0, 0.0

    def f(x: np.ndarray, u: float) -> np.ndarray:
        return np.array([x[1], u - 0.1 * x[1] - np.sin(x[0])])

    for _ in range(samples):
        wanted = -k * (x[0] - 1.0) - 2.0 * x[1]
        last = last + float(np.clip(late[0] - last, -0.5, 0.5))
        late = [late[1], wanted]
        for _ in range(per_sample):
            k1 = f(x, last)
            k2 = f(x + step / 2 * k1, last)
            k3 = f(x + step / 2 * k2, last)
            k4 = f(x + step * k3, last)
            x = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            work += step * last**2
    return x, work


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("events", [[], [NEVER]], ids=["lean", "general"])
@pytest.mark.parametrize("per_sample", [1, 7])
def test_sampling_and_delay(backend: str, events: list[Event], per_sample: int) -> None:
    period = 0.07
    run = rollout(
        plant,
        state=np.zeros(2),
        parameters={"k": 0.0},
        method=RK4(period / per_sample),
        controller=Controller(delayed, memory=MEMORY, period=period),
        statistics={"work": Integral(lambda t, x, u, p: u**2)},
        events=events,
        backend=backend,
    )
    gains = np.array([2.0, 5.0, 9.0])
    result = run(np.zeros(2), {"k": gains}, duration=40 * period)
    for case, k in enumerate(gains):
        state, work = by_hand(period / per_sample, per_sample, 40, k)
        np.testing.assert_allclose(result.state[:, case], state, atol=1e-12)
        assert abs(result.statistics["work"][case] - work) < 1e-11


@pytest.mark.parametrize("method", [RK4(0.01), Adaptive(1e-10, 1e-12)], ids=["RK4", "Adaptive"])
def test_sampling_between_chosen_times(method: Method) -> None:
    """Times off the grid shorten steps but neither move nor repeat samples."""
    run = rollout(
        plant,
        state=np.zeros(2),
        parameters={"k": 0.0},
        method=method,
        controller=Controller(delayed, memory=MEMORY, period=0.07),
    )
    plain = run(np.zeros(2), {"k": 5.0}, duration=2.8)
    times = np.array([0.0, 0.001, 0.0349, 0.07, 0.1399, 0.14, 0.1405, 1.2345, 2.8])
    chosen = run(np.zeros(2), {"k": 5.0}, times=times)
    np.testing.assert_allclose(chosen.state, plain.state, atol=1e-8)
    state, _ = by_hand(0.07 / 64, 64, 40, 5.0)
    np.testing.assert_allclose(plain.state, state, atol=1e-7)


@pytest.mark.parametrize("method", [RK4(1e-3), Adaptive(1e-11, 1e-12)], ids=["RK4", "Adaptive"])
def test_continuous_control_follows_the_stages(method: Method) -> None:
    run = rollout(
        plant,
        state=np.zeros(2),
        method=method,
        controller=Controller(lambda t, x, m, p: (-3.0 * x[0] + np.cos(t), m + 1.0), memory=0.0),
        statistics={"u": Final(lambda t, x, u, p: u)},
    )
    result = run(np.array([1.0, 0.0]), duration=2.0)
    found = solve_ivp(
        lambda t, x: [x[1], -3 * x[0] + np.cos(t) - 0.1 * x[1] - np.sin(x[0])],
        (0, 2),
        [1.0, 0.0],
        "DOP853",
        rtol=1e-13,
        atol=1e-14,
    ).y[:, -1]
    np.testing.assert_allclose(result.state, found, atol=1e-10)
    assert result.statistics["u"] == pytest.approx(-3 * found[0] + np.cos(2.0), abs=1e-9)


# --- statistics ---------------------------------------------------------------------------------

STATISTICS = {
    "peak": Maximum(lambda t, x, u, p: x[0]),
    "low": Minimum(lambda t, x, u, p: x),
    "square": Integral(lambda t, x, u, p: x[0] ** 2),
    "both": Integral(lambda t, x, u, p: x * t),
    "end": Final(lambda t, x, u, p: x[0] * x[1]),
    "down": FirstCrossing(lambda t, x, u, p: x[0] + 0.5, direction=-1),
    "up": FirstCrossing(lambda t, x, u, p: x[0] - 0.1 * t, direction=+1),
    "never": FirstCrossing(lambda t, x, u, p: x[0] - 50.0),
}


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize(
    ("method", "events"),
    [
        (RK4(0.005), []),
        (RK4(0.005), [NEVER]),
        (Adaptive(1e-11, 1e-12, largest_step=0.01), []),
        (Adaptive(1e-11, 1e-12, largest_step=0.01), [NEVER]),
    ],
    ids=["lean", "general", "adaptive", "adaptive-events"],
)
def test_statistics(backend: str, method: Method, events: list[Event]) -> None:
    run = rollout(
        van_der_pol,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        statistics=STATISTICS,
        events=events,
        backend=backend,
    )
    end = 8.0 if backend == "llvm" else 4.0
    result = run(START, np.array([0.5, 1.5]), duration=end).statistics
    times = np.linspace(0, end, 400_001)
    coarse = 1e-4 if isinstance(method, RK4) else 1e-7
    for case, p in enumerate((0.5, 1.5)):
        x = exact(end, p, times)
        assert result["peak"][case] == pytest.approx(x[0].max(), abs=coarse)
        np.testing.assert_allclose(result["low"][:, case], x.min(axis=1), atol=2 * coarse)
        square = np.trapezoid(x[0] ** 2, times)
        assert result["square"][case] == pytest.approx(square, abs=1e-7)
        np.testing.assert_allclose(
            result["both"][:, case], np.trapezoid(x * times, times), atol=1e-7
        )
        assert result["end"][case] == pytest.approx(x[0, -1] * x[1, -1], abs=1e-7)
        assert result["down"][case] == pytest.approx(_first(times, x[0] + 0.5, -1), abs=1e-8)
        assert result["up"][case] == pytest.approx(
            _first(times, x[0] - 0.1 * times, 1), abs=1e-8, nan_ok=True
        )
    assert np.isnan(result["never"]).all()


def _first(times: np.ndarray, g: np.ndarray, direction: int) -> float:
    s = g * direction
    found = np.flatnonzero((s[:-1] < 0) & (s[1:] >= 0))
    if not found.size:
        return np.nan
    k = int(found[0])
    return float(times[k] - g[k] * (times[k + 1] - times[k]) / (g[k + 1] - g[k]))


@pytest.mark.parametrize("events", [[], [NEVER]], ids=["lean", "general"])
def test_a_jump_of_the_command_crosses_when_it_happens(events: list[Event]) -> None:
    run = rollout(
        lambda t, x, u, p: np.stack([u + 0 * x[0]]),
        state=np.zeros(1),
        method=RK4(0.01),
        controller=Controller(lambda t, x, m, p: (m - 1.0, m + 0.4), memory=0.0, period=0.1),
        statistics={"when": FirstCrossing(lambda t, x, u, p: u)},
        events=events,
    )
    assert run(np.zeros(1), duration=1.0).statistics["when"] == pytest.approx(0.3, abs=1e-12)


# --- cases do not touch each other --------------------------------------------------------------


def everything(method: Method, **options: Any) -> Rollout:
    events = (
        []
        if isinstance(method, RK4) and method.step > 0.015
        else [Event(lambda t, x, u, p: x[0], action=lambda t, x, u, p: x * np.array([1.0, 0.98]))]
    )
    return rollout(
        lambda t, x, u, p: van_der_pol(t, x, u, p) + np.array([0.0, 1.0]) * u,
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        controller=Controller(
            lambda t, x, m, p: (0.1 * (m - x[0]), 0.9 * m + 0.1 * x[1]), memory=0.2, period=0.1
        ),
        statistics=STATISTICS,
        events=events,
        **options,
    )


KINDS: list[Method] = [RK4(0.02), RK4(0.01), Adaptive(1e-8, 1e-10)]


def bits(result: Any, cases: Any = slice(None)) -> bytes:
    arrays = [result.state, result.time, result.steps, result.event_time, result.event_count]
    arrays += [result.statistics[name] for name in sorted(result.statistics)]
    return b"".join(np.ascontiguousarray(a[..., cases]).tobytes() for a in arrays)


@pytest.mark.parametrize("method", KINDS, ids=["lean", "general", "adaptive"])
def test_same_bits_wherever_a_case_stands(method: Method) -> None:
    run = everything(method, threads=1)
    rng = np.random.default_rng(0)
    x, p = rng.normal(size=(2, 600)), rng.uniform(0.2, 3.0, 600)
    many = run(x, p, duration=2.0)
    assert (many.status == Status.DONE).all()
    assert bits(everything(method, threads=3)(x, p, duration=2.0)) == bits(many)
    order = rng.permutation(600)
    assert bits(run(x[:, order], p[order], duration=2.0)) == bits(many, order)
    for count in (1, 7, 8, 9):
        assert bits(run(x[:, :count], p[:count], duration=2.0)) == bits(many, slice(count))
    empty = run(x[:, :0], p[:0], duration=2.0)
    assert empty.state.shape == (2, 0)
    assert empty.statistics["low"].shape == (2, 0)


@pytest.mark.parametrize("method", KINDS, ids=["lean", "general", "adaptive"])
@pytest.mark.parametrize("poison", [np.nan, np.inf, 1e300])
def test_a_lost_case_leaves_its_neighbours_alone(method: Method, poison: float) -> None:
    run = everything(method)
    rng = np.random.default_rng(3)
    x, p = rng.normal(size=(2, 11)), rng.uniform(0.2, 3.0, 11)
    clean = run(x, p, duration=1.0)
    lost = x.copy()
    lost[1, 4] = poison
    others = np.delete(np.arange(11), 4)
    result = run(lost, p, duration=1.0)
    assert bits(result, others) == bits(clean, others)
    assert result.status[4] in (Status.NOT_FINITE, Status.STEP_UNDERFLOW)
    assert (result.status[others] == Status.DONE).all()


@pytest.mark.parametrize("method", KINDS, ids=["lean", "general", "adaptive"])
def test_back_ends_agree(method: Method) -> None:
    rng = np.random.default_rng(5)
    x, p = rng.normal(size=(2, 5)), rng.uniform(0.2, 3.0, 5)
    a, b = (everything(method, backend=name)(x, p, duration=2.0) for name in ("llvm", "numpy"))
    np.testing.assert_allclose(a.state, b.state, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(a.event_count, b.event_count)
    for name in STATISTICS:
        np.testing.assert_allclose(a.statistics[name], b.statistics[name], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("method", [RK4(0.02), RK4(0.01), Adaptive(1e-4, 1e-5)])
def test_single_precision(method: Method) -> None:
    rng = np.random.default_rng(5)
    x, p = rng.normal(size=(2, 19)), rng.uniform(0.2, 2.0, 19)
    single = everything(method, dtype=np.float32)(x, p, duration=2.0)
    double = everything(method)(x, p, duration=2.0)
    assert single.state.dtype == np.float32
    assert (single.status == Status.DONE).all()
    loose = 2e-4 if isinstance(method, RK4) else 2e-2
    np.testing.assert_allclose(single.state, double.state, atol=loose)
    if isinstance(method, RK4):
        np.testing.assert_allclose(single.steps, double.steps, atol=2)


def test_shapes_follow_the_arguments() -> None:
    run = rollout(
        lambda t, x, u, p: {"a": p["m"] @ x["a"], "b": (x["b"][0] * 0.0 + 1.0,)},
        state={"a": np.zeros(2), "b": (0.0,)},
        parameters={"m": np.zeros((2, 2))},
        method=RK4(0.1),
    )
    single = run({"a": np.ones(2), "b": (0.0,)}, {"m": np.eye(2)}, times=[0.5, 1.0])
    assert single.state["a"].shape == (2,)
    assert single.trajectory["b"][0].shape == (2,)
    assert single.status == Status.DONE
    many = run({"a": np.ones((2, 4)), "b": (0.0,)}, {"m": np.eye(2)}, times=[0.5, 1.0])
    assert many.state["a"].shape == (2, 4)
    assert many.trajectory["a"].shape == (2, 2, 4)
    np.testing.assert_array_equal(many.state["a"][:, 0], single.state["a"])
    np.testing.assert_allclose(many.state["b"][0], 1.0)


def test_a_lean_step_costs_four_evaluations() -> None:
    system = percuss.robot("thesis")
    count = system.rate_count

    def f(t: Any, x: Any, u: Any, p: Any) -> Any:
        rates = percuss.forward_dynamics(system, x[:count], x[count:])
        return np.concatenate([x[count:], np.asarray(rates)])

    from percuss.kernel.tracing.function import trace

    one = trace(lambda x: f(0.0, x, None, None), np.zeros(2 * count)).program.operation_count
    run = rollout(f, state=np.zeros(2 * count), method=RK4(1e-3))
    assert run.operations <= 4 * one + 16 * 2 * count + 16
    assert not run.iteration.votes


# --- refusals -----------------------------------------------------------------------------------


def good(**changes: Any) -> Callable[[], Any]:
    options: dict[str, Any] = {"state": np.zeros(2), "parameters": 0.0, "method": RK4(0.01)}
    return lambda: rollout(van_der_pol, **(options | changes))


LAW = Controller(lambda t, x, m, p: (0.0, m), period=0.025)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: RK4(0.0), "step > 0"),
        (lambda: Adaptive(relative=-1.0), "tolerances"),
        (lambda: Adaptive(first_step=0.0), "first_step"),
        (lambda: Adaptive(smallest_step=2.0, largest_step=1.0), "smallest_step < largest_step"),
        (lambda: Adaptive(most_steps=0), "most_steps"),
        (lambda: Controller(lambda t, x, m, p: (0.0, m), period=-1.0), "period must be > 0"),
        (lambda: FirstCrossing(lambda t, x, u, p: x[0], direction=3), "direction of FirstCrossing"),
        (good(controller=LAW), r"0\.025 s must be a multiple of the RK4 step 0\.01 s"),
        (good(controller=Controller(lambda t, x, m, p: (0.0, x), memory=0.0)), "another shape"),
        (good(quaternions=[0]), "4 consecutive entries"),
        (good(state=np.zeros(9), quaternions=[0, 3]), "rates shaped like|overlap"),
        (good(state=np.zeros(3)), "rates shaped like the state"),
        (good(method=Adaptive(absolute=(1.0, 1.0, 1.0))), "one number, or one per entry"),
        (good(dtype=np.int32), "float64 or float32"),
        (good(backend="abacus"), "backend must be one of"),
        (lambda: good()()(START, 1.0), "give a duration"),
        (lambda: good()()(START, 1.0, duration=-1.0), "must rise"),
        (lambda: good()()(START, 1.0, times=[0.2, 0.1]), "must rise"),
        (lambda: good()()(START, 1.0, duration=np.inf), "finite"),
        (lambda: good()()(START, None, duration=1.0), "structure"),
        (lambda: good()()(np.zeros((3, 4)), 1.0, duration=1.0), "allowed are"),
    ],
)
def test_errors_teach(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        act()


def test_a_quaternion_that_is_not_unit_is_refused() -> None:
    run = rollout(body, state=BODY, parameters=INERTIA, method=RK4(1e-3), quaternions=[0])
    with pytest.raises(KernelError, match="norm 2"):
        run({"q": np.array([2.0, 0, 0, 0]), "w": np.zeros(3)}, INERTIA, duration=1.0)
