"""DOP853 against SciPy's, bit by bit, and against motions known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import DOP853

from percuss.dynamics.dop853 import HostDop853, Point, StepUnderflowError


def pendulums(couplings: np.ndarray):
    """dx/dt of coupled pendulums, x = (angles, rates)."""

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        angles, speeds = np.split(x, 2)
        return np.concatenate([speeds, -np.sin(angles) + couplings @ angles + 0.1 * math.cos(t)])

    return rates


@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 9),
    relative=st.sampled_from([2.3e-14, 1e-12, 1e-8, 1e-3]),
    begin=st.floats(-5.0, 5.0),
    span=st.floats(1e-3, 6.0),
)
def test_the_same_bits_as_scipy(
    seed: int, count: int, relative: float, begin: float, span: float
) -> None:
    random = np.random.default_rng(seed)
    rates = pendulums(random.normal(size=(count, count)) - 2.0 * np.eye(count))
    x, end = random.normal(size=2 * count), begin + span
    oracle = DOP853(rates, begin, x, end, rtol=relative, atol=1e-14)
    method = HostDop853(rates, end, relative, 1e-14)
    point = method.start(begin, x)
    assert point.step == oracle.h_abs
    while oracle.status == "running":
        oracle.step()
        assert oracle.status != "failed"
        point = method.step(point)
        assert (point.t, point.step) == (oracle.t, oracle.h_abs)
        assert np.array_equal(point.x, oracle.y)
        assert np.array_equal(point.rate, oracle.f)
    assert point.t == end


def test_an_oscillator_returns_after_a_period() -> None:
    method = HostDop853(lambda _, x: np.array([x[1], -x[0]]), 2.0 * math.pi, 1e-13, 1e-15)
    point = method.start(0.0, np.array([1.0, 0.0]))
    while point.t < method.end:
        point = method.step(point)
    assert point.x == pytest.approx([1.0, 0.0], abs=2e-13)


def test_nothing_to_integrate() -> None:
    method = HostDop853(lambda _, x: x, 1.0, 1e-10, 1e-12)
    point = method.start(1.0, np.array([3.0]))
    assert (point.t, point.x.tolist(), point.step) == (1.0, [3.0], 0.0)


def test_without_an_end() -> None:
    method = HostDop853(lambda _, x: -x, math.inf, 1e-10, 1e-12)
    point = method.start(0.0, np.array([1.0]))
    for _ in range(10):
        point = method.step(point)
    assert point.x == pytest.approx([math.exp(-point.t)], rel=1e-9)


@pytest.mark.parametrize("blow_up", [math.nan, math.inf])
def test_rates_that_are_no_numbers_end_it(blow_up: float) -> None:
    method = HostDop853(lambda t, x: x if t <= 1.0 else x * blow_up, 2.0, 1e-10, 1e-12)
    point = method.start(0.0, np.array([1.0]))
    with pytest.raises(StepUnderflowError, match=r"the step at t = 1 became shorter"):
        _followed(method, point)


def test_a_start_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ArithmeticError, match=r"finite numbers, got \[1\.0, nan\]"):
        HostDop853(lambda _, x: x, 1.0, 1e-10, 1e-12).start(0.0, np.array([1.0, math.nan]))


def _followed(method: HostDop853, point: Point) -> Point:
    while point.t < method.end:
        point = method.step(point)
    return point
