"""Every case with a clock of its own: start and duration as arrays."""

# ruff: noqa: ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.attempt import Status
from percuss.kernel.rollouts.methods import RK4, Adaptive, Method
from percuss.kernel.rollouts.problem import Controller, Event
from percuss.kernel.rollouts.rollout import Rollout, rollout
from percuss.kernel.rollouts.statistics import Integral, Maximum

METHODS: list[Method] = [RK4(0.01), Adaptive(1e-9, 1e-11)]
NAMES = ["RK4", "Adaptive"]
FLOOR = Event(lambda t, x, u, p: x[0], -1, action=lambda t, x, u, p: np.array([x[0], -0.5 * x[1]]))


def driven(method: Method, events: list[Event], **options: Any) -> Rollout:
    return rollout(
        lambda t, x, u, p: np.array([x[1], u - p * x[0] + np.sin(t)]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
        controller=Controller(lambda t, x, m, p: (-x[1], m), period=0.05),
        statistics={
            "peak": Maximum(lambda t, x, u, p: x[0]),
            "area": Integral(lambda t, x, u, p: x[0] * t),
        },
        events=events,
        **options,
    )


START = np.array([0.0, 0.7, 3.0, 100.0, 0.7])
DURATION = np.array([1.0, 2.0, 0.0, 0.333, 2.5])


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("events", [[], [FLOOR]], ids=["free", "events"])
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_case_with_its_clock_is_that_case_alone(
    method: Method, events: list[Event], backend: str
) -> None:
    run = driven(method, events, backend=backend)
    lasts = DURATION if backend == "llvm" else 0.2 * DURATION
    x = np.array([0.4, 0.1])[:, None] * np.linspace(1, 2, 5)
    p = np.linspace(1.0, 9.0, 5)
    many = run(x, p, start=START, duration=lasts)
    np.testing.assert_array_equal(many.time, START + lasts)
    np.testing.assert_array_equal(many.status, Status.DONE)
    for k in range(5):
        # To the bit with clocks as arrays; to rounding against the loop with a common clock.
        one = run(x[:, k : k + 1], p[k], start=START[k : k + 1], duration=lasts[k : k + 1])
        for name in ("state", "time", "steps", "attempts"):
            alone, company = getattr(one, name), getattr(many, name)
            assert np.ascontiguousarray(company[..., k : k + 1]).tobytes() == alone.tobytes()
        plain = run(x[:, k], p[k], start=START[k], duration=lasts[k])
        np.testing.assert_allclose(many.state[:, k], plain.state, rtol=1e-12, atol=1e-14)
        for name, value in plain.statistics.items():
            assert many.statistics[name][k] == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_chosen_times_are_common(method: Method) -> None:
    """Before its start and after its end a case stays where it is."""
    run = rollout(lambda t, x, u, p: np.stack([2.0 * t]), state=np.zeros(1), method=method)
    start, times = np.array([0.0, 1.0]), np.array([0.5, 1.5, 2.0, 3.5])
    result = run(np.zeros(1), start=start, duration=np.array([2.0, 3.0]), times=times)
    expected = np.stack([np.clip(times, 0, 2) ** 2, np.clip(times, 1, 4) ** 2 - 1], axis=-1)
    np.testing.assert_allclose(result.trajectory[0], expected, atol=1e-11)
    np.testing.assert_allclose(result.state[0], [4.0, 15.0], atol=1e-10)
    later = run(np.zeros(1), start=np.array([0.0, 1.0]), times=[1.5, 2.0])
    np.testing.assert_allclose(later.state[0], [4.0, 3.0], atol=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_clocks_make_the_batch(method: Method) -> None:
    """One body, stopped after different times; and derivatives by its start."""
    run = rollout(
        lambda t, x, u, p: np.array([x[1], -p]),
        state=np.zeros(2),
        parameters=0.0,
        method=method,
    )
    duration = np.array([0.5, 1.0, 2.0])
    found = run.sensitivity(np.array([0.0, 3.0]), 2.0, duration=duration)
    np.testing.assert_allclose(found.result.state[0], 3 * duration - duration**2, atol=1e-11)
    assert found.by_state is not None
    assert found.by_parameters is not None
    np.testing.assert_allclose(found.by_state.state[0, 1], duration, rtol=1e-10)
    np.testing.assert_allclose(found.by_parameters.state[0], -(duration**2) / 2, rtol=1e-9)
    assert run(np.zeros((2, 0)), 2.0, duration=np.zeros(0)).state.shape == (2, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duration": np.ones(3)}, "have 3 cases, state and parameters have 2"),
        ({"duration": np.ones((2, 2))}, "one number of seconds each, or one per case"),
        ({"duration": np.ones(2), "start": np.zeros(3)}, "or one per case"),
        ({"duration": np.array([1.0, -1.0])}, "must rise"),
        ({"duration": np.array([1.0, np.nan])}, "finite"),
        ({"start": np.zeros((2, 2)), "times": [1.0]}, "one per case"),
        ({"start": np.zeros(2)}, "give a duration"),
    ],
)
def test_clocks_that_do_not_fit_are_refused(options: dict[str, Any], message: str) -> None:
    run = rollout(lambda t, x, u, p: -x, state=0.0, method=RK4(0.1))
    with pytest.raises(KernelError, match=message):
        run(np.zeros(2), **options)
