"""Sensitivities of rollouts against complex steps in the same loop, closed forms, differences."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method, Rosenbrock
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import Final, FirstCrossing, Integral, Maximum

from .test_rollout import BODY, INERTIA, SPIN, body

GRAVITY = 9.81


def pendulum(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.array([x[1], -p["k"] * np.sin(x[0]) - p["d"][0] * x[1] + p["d"][1] * np.sin(t)])


PARAMETERS = {"k": 2.0, "d": np.array([0.1, 0.5])}
START = np.array([1.0, 0.2])


def rk4(x: Any, p: Any, step: float, count: int) -> Any:
    """The pendulum after some steps, in plain NumPy: also of complex numbers."""
    for n in range(count):
        t = n * step
        k1 = pendulum(t, x, None, p)
        k2 = pendulum(t + step / 2, x + step / 2 * k1, None, p)
        k3 = pendulum(t + step / 2, x + step / 2 * k2, None, p)
        k4 = pendulum(t + step, x + step * k3, None, p)
        x = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


def complex_steps(function: Any, at: Any) -> np.ndarray:
    """The Jacobian (result, *argument), exact to rounding: the step cancels nothing."""
    flat = np.ravel(np.asarray(at, complex))
    h = 1e-100
    columns = [
        function((flat + 1j * h * unit).reshape(np.shape(at))).imag / h
        for unit in np.eye(flat.size)
    ]
    return np.stack(columns, -1).reshape(-1, *np.shape(at))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_exact_derivative_of_rk4(backend: str) -> None:
    run = rollout(
        pendulum, state=np.zeros(2), parameters=PARAMETERS, method=RK4(0.05), backend=backend
    )
    starts = np.array([[1.0, 0.2], [-0.5, 1.0], [2.0, 0.0]]).T
    found = run.sensitivity(starts, PARAMETERS, duration=3.0)
    assert found.by_state is not None
    assert found.by_parameters is not None
    assert found.by_state.state.shape == (2, 2, 3)
    assert found.by_parameters.state["d"].shape == (2, 2, 3)
    plain = run(starts, PARAMETERS, duration=3.0)
    np.testing.assert_allclose(found.result.state, plain.state, rtol=1e-14)
    for case in range(3):
        x = starts[:, case]
        by_x = complex_steps(lambda x: rk4(x, PARAMETERS, 0.05, 60), x)
        np.testing.assert_allclose(found.by_state.state[..., case], by_x, atol=1e-12)
        for name, value in PARAMETERS.items():
            by_p = complex_steps(
                lambda p, name=name, x=x: rk4(x, PARAMETERS | {name: p}, 0.05, 60), value
            )
            np.testing.assert_allclose(found.by_parameters.state[name][..., case], by_p, atol=1e-12)


def differences(run: Rollout, x: np.ndarray, p: float, output: Any, **options: Any) -> np.ndarray:
    """Central differences of output(result) by the entries of x and by p, last axis."""
    h = 1e-5
    columns = []
    for k in range(len(x) + 1):
        dx, dp = h * np.eye(len(x) + 1)[k, :-1], h * (k == len(x))
        plus, minus = (output(run(x + s * dx, p + s * dp, **options)) for s in (1, -1))
        columns.append((plus - minus) / (2 * h))
    return np.stack(columns, axis=-1)


METHODS = [RK4(0.01), Adaptive(1e-12, 1e-13), Rosenbrock(1e-12, 1e-13)]


@pytest.mark.parametrize("method", METHODS, ids=["RK4", "Adaptive", "Rosenbrock"])
def test_statistics_and_controller(method: Method) -> None:
    run = rollout(
        lambda t, x, u, p: np.array([x[1], u - x[0]]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        controller=Controller(
            lambda t, x, m, p: (-p * (x[0] - m), 0.8 * m + 0.2 * x[1]), memory=0.3, period=0.1
        ),
        statistics={
            "work": Integral(lambda t, x, u, p: u**2),
            "peak": Maximum(lambda t, x, u, p: x[0] * p),
            "end": Final(lambda t, x, u, p: x[0] * x[1] + u),
            "when": FirstCrossing(lambda t, x, u, p: x[0]),
        },
    )
    found = run.sensitivity(START, 1.5, duration=2.5, times=[1.0, 2.04])
    assert found.by_state is not None
    assert found.by_parameters is not None
    assert found.by_state.trajectory.shape == (2, 2, 2)
    for name in ("work", "end", "when", "peak"):
        wanted = differences(run, START, 1.5, lambda r, n=name: r.statistics[n], duration=2.5)
        np.testing.assert_allclose(found.by_state.statistics[name], wanted[:-1], atol=1e-6)
        assert found.by_parameters.statistics[name] == pytest.approx(wanted[-1], abs=1e-6)
    wanted = differences(run, START, 1.5, lambda r: r.trajectory, times=[1.0, 2.04])
    np.testing.assert_allclose(found.by_state.trajectory, wanted[..., :-1], atol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=["RK4", "Adaptive", "Rosenbrock"])
def test_through_bounces(method: Method) -> None:
    """Event times move with the start: the derivative must carry the jump of the rates."""
    run = rollout(
        lambda t, x, u, p: np.array([x[1], -GRAVITY - 0.1 * x[1]]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[
            Event(
                lambda t, x, u, p: x[0],
                direction=-1,
                action=lambda t, x, u, p: np.array([x[0], -p * x[1]]),
            )
        ],
    )
    x = np.array([1.0, 0.3])
    found = run.sensitivity(x, 0.8, duration=1.7)
    assert found.by_state is not None
    assert found.by_parameters is not None
    assert found.result.event_count[0] >= 2
    wanted = differences(run, x, 0.8, lambda r: r.state, duration=1.7)
    np.testing.assert_allclose(found.by_state.state, wanted[:, :-1], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.by_parameters.state, wanted[:, -1], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("method", METHODS, ids=["RK4", "Adaptive", "Rosenbrock"])
def test_time_and_state_of_a_terminal_event(method: Method) -> None:
    """Free fall onto the ground at p: t = (v + √(v² + 2 g (h - p))) / g."""
    run = rollout(
        lambda t, x, u, p: np.array([x[1], -GRAVITY]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        events=[Event(lambda t, x, u, p: x[0] - p, terminal=True)],
    )
    found = run.sensitivity(np.array([2.0, 1.0]), 0.5, duration=3.0)
    assert found.by_state is not None
    assert found.by_parameters is not None
    root = np.sqrt(1.0 + 2 * GRAVITY * 1.5)
    np.testing.assert_allclose(
        found.by_state.time, [1 / root, (1 + 1 / root) / GRAVITY], rtol=1e-10
    )
    assert found.by_parameters.time == pytest.approx(-1 / root, rel=1e-10)
    np.testing.assert_allclose(found.by_state.state[0], 0.0, atol=1e-10)
    np.testing.assert_allclose(found.by_state.state[1], [-GRAVITY / root, -1 / root], rtol=1e-9)
    assert found.by_parameters.state[0] == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("method", [RK4(0.01), Adaptive(1e-11, 1e-11)], ids=["RK4", "Adaptive"])
def test_quaternions(method: Method) -> None:
    """Rows of the quaternion's derivative are tangent to the sphere."""
    run = rollout(body, state=BODY, parameters=INERTIA, method=method, quaternions=[0])
    found = run.sensitivity(SPIN, INERTIA, duration=1.0, by_parameters=False)
    assert found.by_state is not None
    assert found.by_parameters is None
    q, slope = found.result.state["q"], found.by_state.state["q"]["w"]
    assert slope.shape == (4, 3, 3)
    np.testing.assert_allclose(np.einsum("ib,ijb->jb", q, slope), 0.0, atol=1e-13)
    h = 1e-5
    for k in range(3):
        ends = [
            run(SPIN | {"w": SPIN["w"] + s * h * np.eye(3)[k][:, None]}, INERTIA, duration=1.0)
            for s in (1, -1)
        ]
        wanted = (ends[0].state["q"] - ends[1].state["q"]) / (2 * h)
        np.testing.assert_allclose(slope[:, k], wanted, atol=1e-6)


def test_a_case_without_batch_and_refusal() -> None:
    run = rollout(lambda t, x, u, p: -x, state=0.0, method=RK4(0.1))
    found = run.sensitivity(2.0, duration=1.0)
    assert found.by_state is not None
    assert found.by_parameters is None
    assert found.by_state.state.shape == ()
    assert found.by_state.state == pytest.approx(np.exp(-1.0), rel=1e-5)
    with pytest.raises(KernelError, match="nothing to differentiate"):
        run.sensitivity(2.0, duration=1.0, by_state=False)
