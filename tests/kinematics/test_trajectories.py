"""Joint trajectories: ends, derivatives, limits, every scalar, and use as a control goal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import kernel
from percuss.control import TreePlant, computed_torque, gains
from percuss.control.goals import Goal
from percuss.kinematics import cubic, held_trajectory, quintic
from percuss.kinematics.polynomials import spline, through_states
from percuss.kinematics.trajectories import Trajectory
from percuss.kinematics.trapezoids import trapezoidal
from percuss.model import ModelError
from tests.control.closed_loop import motion
from tests.tracers import slopes, traced
from tests.truth.compare import assert_same, derivative

SEEDS = st.integers(0, 2**32 - 1)


def some(seed: int) -> list[Trajectory]:
    """One of each kind, of three coordinates, from t = 1 s on."""
    rng = np.random.default_rng(seed)
    q0, q1, v0, v1, a0, a1 = rng.normal(size=(6, 3))
    length = float(rng.uniform(0.5, 4.0))
    times = 1.0 + np.cumsum(rng.uniform(0.3, 1.0, 6))
    return [
        cubic(q0, q1, length, v0=v0, v1=v1, start=1.0),
        quintic(q0, q1, length, v0=v0, v1=v1, a0=a0, a1=a1, start=1.0),
        trapezoidal(q0, q1, speed=rng.uniform(0.3, 2, 3), acceleration=0.7, start=1.0),
        spline(times, rng.normal(size=(6, 3)), v0=v0, v1=v1),
        through_states(times, *rng.normal(size=(3, 6, 3))),
    ]


@given(SEEDS)
@settings(max_examples=20)
def test_rates_and_accelerations_are_derivatives(seed: int) -> None:
    for trajectory in some(seed):
        edges = np.array(trajectory.breaks, float)
        for t in 0.5 * (edges[1:] + edges[:-1]):
            step = 0.05 * float(np.diff(edges).min())
            q = derivative(lambda h, f=trajectory, t=t: f(t + h)[0], step)
            v = derivative(lambda h, f=trajectory, t=t: f(t + h)[1], step)
            scale = float(np.abs(trajectory(t)).max())
            assert_same(trajectory(t)[1], q, "dq/dt = v", 1e-10, scale / step)
            assert_same(trajectory(t)[2], v, "dv/dt = a", 1e-10, scale / step)


@given(SEEDS)
@settings(max_examples=20)
def test_pieces_join_without_a_jump(seed: int) -> None:
    """Coordinates and rates are continuous; splines and states have continuous accelerations."""
    for k, trajectory in enumerate(some(seed)):
        for t in list(trajectory.breaks)[1:-1]:
            before, after = trajectory(t - 1e-12), trajectory(t)  # type: ignore[operator]
            for one, other in list(zip(before, after, strict=True))[: 2 if k == 2 else 3]:
                assert_same(one, other, "continuity", 1e-8, scale=10.0)
        end = float(trajectory.end)  # type: ignore[arg-type]
        place, speed, change = trajectory(end + 1.0)
        assert_same(place, trajectory(end)[0], "it stays where it ends", 1e-12)
        assert not speed.any()
        assert not change.any()


@given(SEEDS)
def test_ends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given_ends = rng.normal(size=(3, 2, 2))
    (q0, q1), (v0, v1), (a0, a1) = given_ends
    three = cubic(q0, q1, 2.5, v0=v0, v1=v1)
    five = quintic(q0, q1, 2.5, v0=v0, v1=v1, a0=a0, a1=a1)
    for trajectory, parts in ((three, 2), (five, 3)):
        for t, end in ((0.0, 0), (2.5, 1)):
            for part, value in list(zip(trajectory(t), given_ends, strict=True))[:parts]:
                assert_same(part, value[end], "what was asked for at the ends", 1e-12, scale=1.0)


def test_the_cubic_of_the_case_study() -> None:
    """PHYSICS section 6: φ from 0 to 2π in 10 s."""
    (polynomial,) = cubic([0.0], [math.tau], 10.0).pieces[0]
    assert_same(polynomial, (0.0, 0.0, 0.18849556, -0.012566371), "a0 … a3", 1e-8)


@given(SEEDS)
def test_trapezoids_keep_their_limits_and_use_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q0, q1 = rng.normal(size=(2, 4))
    speed, acceleration = rng.uniform(0.1, 3.0, (2, 4))
    fastest = trapezoidal(q0, q1, speed=speed, acceleration=acceleration)
    times = np.linspace(0.0, float(fastest.end), 400)  # type: ignore[arg-type]
    q, v, a = fastest.sample(times)
    assert (np.abs(v) <= speed[:, None] * (1 + 1e-12)).all(), "no joint is too fast"
    assert (np.abs(a) <= acceleration[:, None] * (1 + 1e-12)).all(), "none accelerates too much"
    assert np.isclose(np.abs(a).max(axis=1), acceleration).any(), "one is at its limit"
    assert_same(q[:, 0], q0, "start")
    assert_same(q[:, -1], q1, "end", 1e-12)
    straight = (q - q0[:, None]) / (q1 - q0)[:, None]
    assert np.ptp(straight, axis=0).max() < 1e-9, "all joints move together"
    slower = trapezoidal(
        q0, q1, speed=speed, acceleration=acceleration, duration=1.7 * float(times[-1])
    )
    assert float(slower.end) == pytest.approx(1.7 * times[-1])  # type: ignore[arg-type]
    assert_same(slower(slower.end)[0], q1, "end", 1e-12)


def test_the_shortest_time_is_bang_bang_for_a_short_way() -> None:
    short = trapezoidal([0.0], [0.01], speed=10.0, acceleration=4.0)
    assert len(short.pieces) == 2
    assert float(short.end) == pytest.approx(2 * math.sqrt(0.01 / 4.0))  # type: ignore[arg-type]
    long = trapezoidal([0.0], [10.0], speed=1.0, acceleration=4.0)
    assert float(long.end) == pytest.approx(10.25)  # type: ignore[arg-type]


@given(SEEDS)
@settings(max_examples=5)
def test_states_of_a_quintic_give_it_back(seed: int) -> None:
    whole = some(seed)[1]
    times = np.linspace(float(whole.start), float(whole.end), 5)  # type: ignore[arg-type]
    q, v, a = whole.sample(times)
    pieces = through_states(times, q.T, v.T, a.T)
    for t in np.linspace(times[0], times[-1], 13):
        for part, other in zip(pieces(t), whole(t), strict=True):
            assert_same(part, other, "the same polynomial", 1e-9, scale=10.0)


# --- scalars and goals --------------------------------------------------------------------------


def test_every_scalar() -> None:
    for trajectory in some(4):
        t = 1.0 + 0.4 * float(trajectory.duration)  # type: ignore[arg-type]
        numbers = trajectory(t)
        compiled = kernel.compile(trajectory, 0.0)(np.array([t, 0.0]))
        for number, quick in zip(numbers, compiled, strict=True):
            assert_same(quick[:, 0], number, "compiled", 1e-12)
        for tracer, found in traced(trajectory, t).items():
            for number, other in zip(numbers, found, strict=True):
                assert_same(other, number, tracer, 1e-12)
        for way, slope in slopes(lambda x, f=trajectory: f(x)[0], t).items():
            assert_same(slope, numbers[1], f"the derivative {way}", 1e-12)
        assert kernel.fingerprint(trajectory) in [kernel.fingerprint(x) for x in some(4)]
    T, t = sympy.symbols("T t", positive=True)
    polynomial = cubic([0], [sympy.Symbol("D")], T).pieces[0][0]
    value: Any = sum(c * t**k for k, c in enumerate(polynomial))  # type: ignore[operator]
    assert sympy.simplify(value.subs(t, T) - sympy.Symbol("D")) == 0
    assert sympy.simplify(sympy.diff(value, t).subs(t, T)) == 0
    assert kernel.fingerprint(cubic([0], [sympy.Symbol("D")], T)) is None


def test_a_trajectory_is_a_control_goal() -> None:
    """Computed torque with an exact model follows it to the integration's accuracy."""
    robot = percuss.robot("thesis")
    plant = TreePlant(robot)
    start = np.array([1.0, 2.0, math.pi / 2, 0.0, 0.0])
    whole = quintic(start, start + np.array([0.5, -0.3, 0.2, 0.8, -0.6]), 3.0)
    arm = trapezoidal(start[3:], [0.7, -0.4], speed=0.6, acceleration=0.8)
    only_joints = held_trajectory(robot, start, arm)
    for trajectory in (whole, only_joints):
        goal = Goal(trajectory)
        assert kernel.fingerprint(goal) is not None
        law = computed_torque(plant, goal, *gains(2.0, 1.0, 5))
        times = np.linspace(0.0, 3.5, 8)
        q, v, _ = motion(plant, law, start, np.zeros(5), times)
        for t, place, speed in zip(times, q, v, strict=True):
            wanted, rates, _ = goal(t)
            tolerance = 1e-9 if trajectory is whole else 1e-4  # its acceleration jumps
            assert_same(place, wanted, "the robot is where the goal is", tolerance, 1.0)
            assert_same(speed, rates, "it moves as the goal does", tolerance, 1.0)


def test_held_trajectories_rest_elsewhere() -> None:
    system = percuss.robot("demo-7")
    q = np.array(percuss.neutral(system))
    arm = quintic(np.zeros(2), [0.5, -0.5], 2.0)
    held = held_trajectory(system, q, arm, ["elbow_pitch", "shoulder_yaw"])
    place, rates, _ = held(1.0)
    assert place[7 + 3] == pytest.approx(0.25)
    assert place[7] == pytest.approx(-0.25)
    assert np.flatnonzero(rates).tolist() == [6, 9]
    again = held_trajectory(system, q, arm, ["elbow_pitch", "shoulder_yaw"])
    assert kernel.fingerprint(held) == kernel.fingerprint(again) is not None
    with pytest.raises(ModelError, match="'base' has 7 coordinates"):
        held_trajectory(system, q, arm, ["base"])
    assert kernel.fingerprint(held_trajectory(system, q, lambda t: (t, t, t))) is None


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: cubic([0.0], [1.0], 0.0), "duration must be finite and > 0 s, got 0"),
        (lambda: cubic([0.0], [1.0, 2.0], 1.0), "q1 must have 1 entries, got 2"),
        (lambda: cubic(0.0, [1.0], 1.0), "q0 must be a sequence"),
        (lambda: cubic([math.nan], [1.0], 1.0), "q0: entry 0 must be finite"),
        (lambda: quintic([0.0], [1.0], 1.0, a1=[1, 2]), "a1 must have 1 entries"),
        (lambda: quintic([0.0], [1.0], 1.0, start=math.inf), "start must be finite"),
        (lambda: spline([0.0, 0.0], [[1.0], [2.0]]), "increasing"),
        (lambda: spline([0.0, 1.0], [[1.0]]), "one row for each of the 2 times"),
        (lambda: through_states([0.0, 1.0], [[1]], [[1]], [[1]]), "q must be finite with one row"),
        (lambda: trapezoidal([0.0], [1.0], speed=0.0, acceleration=1.0), "speed must be > 0"),
        (lambda: trapezoidal([0.0], [1.0], speed=[1, 2], acceleration=1.0), "or 1 of them"),
        (lambda: trapezoidal([0.0], [0.0], speed=1.0, acceleration=1.0), "no way to go"),
        (
            lambda: trapezoidal([0.0], [1.0], speed=1.0, acceleration=1.0, duration=1.0),
            "duration must be at least 2 s",
        ),
        (
            lambda: trapezoidal([sympy.Symbol("x")], [1.0], speed=1.0, acceleration=1.0),
            "needs numbers",
        ),
    ],
)
def test_refused(call: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        call()
