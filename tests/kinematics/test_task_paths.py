"""Lines and circles of the tool, and the joint motion that follows them."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose, Rotation
from percuss.algebra.scalars import pack
from percuss.control.goals import Goal
from percuss.dynamics import inverse_dynamics
from percuss.kinematics import (
    NoSolutionError,
    circle,
    cubic,
    follow,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    held_trajectory,
    line,
    resolved_motion,
    two_link_angles,
)
from percuss.model import ModelError, PlanarLink
from tests.kinematics.arms import six_joints
from tests.tracers import traced
from tests.truth.compare import assert_same, derivative

SEEDS = st.integers(0, 2**32 - 1)
SIX = six_joints()


def paths(seed: int) -> list[Any]:
    """A line that turns, a circle that turns and one that does not, 2 s each."""
    rng = np.random.default_rng(seed)
    first, last = (Pose.at(rng.normal(size=3), rpy=rng.uniform(-0.7, 0.7, 3)) for _ in range(2))
    turn = Rotation.from_rpy(*rng.normal(size=3).tolist())
    ring = {"normal": rng.normal(size=3), "angle": 0.4, "sweep": 5.0, "orientation": turn}
    return [
        line(first, last, 2.0),
        circle(rng.normal(size=3), 0.7, 2.0, turning=True, **ring),
        circle(rng.normal(size=3), 0.7, 2.0, **ring),
    ]


@given(SEEDS)
@settings(max_examples=20)
def test_velocity_and_acceleration_belong_to_the_pose(seed: int) -> None:
    for path in paths(seed):
        state = path(0.8)
        p = derivative(lambda h, f=path: f(0.8 + h).pose.position.array())
        R = derivative(lambda h, f=path: f(0.8 + h).pose.rotation.array())
        spin = R @ np.asarray(state.pose.rotation.array(), float).T
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        assert_same(state.velocity.linear.array(), p, "ṗ", 1e-10, scale=1.0)
        assert_same(state.velocity.angular.array(), omega, "ω", 1e-10, scale=1.0)
        change = derivative(lambda h, f=path: f(0.8 + h).velocity.array())
        assert_same(state.acceleration.array(), change, "p̈ and ω̇", 1e-10, scale=1.0)


@given(SEEDS)
@settings(max_examples=20)
def test_ends_of_a_line_and_distance_on_a_circle(seed: int) -> None:
    straight, ring, _ = paths(seed)
    for t, pose in ((0.0, straight.first), (2.0, straight.last)):
        assert_same(straight(t).pose.matrix(), pose.matrix(), "the ends of the line", 1e-12)
    for t in np.linspace(0, 2, 7):
        out = (ring(t).pose.position - ring.center).array()
        assert_same(np.linalg.norm(out), 0.7, "distance from the centre", 1e-13)
        assert abs(out @ ring.normal.array()) < 1e-13


def test_paths_are_traced() -> None:
    for path in paths(3):
        for tracer, found in traced(lambda t, f=path: pack(f(t).velocity), 0.7).items():
            assert_same(found, path(0.7).velocity.array(), tracer, 1e-13)


@given(SEEDS)
@settings(max_examples=20)
def test_resolved_rates_and_accelerations(seed: int) -> None:
    """J v = ẋ and J a + J̇ v = ẍ, also for an arm with a joint to spare."""
    rng = np.random.default_rng(seed)
    path = paths(seed)[0]
    state = path(0.9)
    for system in (SIX, percuss.robot("demo-7").with_mode("fixed")):
        q = rng.uniform(0.4, 1.2, system.coordinate_count)
        v, a = resolved_motion(system, q, "tool", state)
        velocity = frame_velocity(system, q, v, "tool").array()
        acceleration = frame_acceleration(system, q, v, a, frame="tool").array()
        size = float(np.abs(v).max() ** 2 + np.abs(a).max())
        assert_same(velocity, state.velocity.array(), "the tool's velocity", 1e-11, size)
        assert_same(acceleration, state.acceleration.array(), "its acceleration", 1e-10, size)
        slow, _ = resolved_motion(system, q, "tool", state, damping=0.5)
        assert np.linalg.norm(slow) <= np.linalg.norm(v) + 1e-12


def test_circle_of_the_case_study() -> None:
    """PHYSICS section 6: torques of the 2R arm on its circle, elbow case 2."""
    arm = percuss.robot("2r-fixed")
    path = circle((1.2, 1.2), 0.2, cubic([0.0], [1.0], 10.0))
    near = two_link_angles(1.0, 1.0, 1.4, 1.2).negative
    followed = follow(arm, "tool", path, np.linspace(0, 10, 41), near=near, task="planar position")
    weight = arm.with_gravity((0.0, -9.81, 0.0))
    expected = {
        0.0: ((0.13721664, 0.33379309), (165.00783, 68.156654)),
        2.5: ((2.6521466, 0.14912135), (157.61649, 63.390895)),
        5.0: ((-4.5438725, -0.28537053), (69.638824, 69.511062)),
        7.5: ((2.0081454, 0.38288297), (141.16958, 71.366752)),
        10.0: ((-0.13721664, -0.33379309), (164.7334, 67.489068)),
    }
    for t, q, v, a in zip(followed.times, followed.q, followed.v, followed.a, strict=True):
        if float(t) in expected:
            without, with_gravity = expected[float(t)]
            assert_same(inverse_dynamics(arm, q, v, a), without, "torques in space", 2e-8)
            assert_same(inverse_dynamics(weight, q, v, a), with_gravity, "on the ground", 5e-8)
    assert followed.distance < 2e-7, "between the times the tool strays by the sixth order"
    finer = follow(arm, "tool", path, np.linspace(0, 10, 81), near=near, task="planar position")
    assert finer.distance < followed.distance / 40


def test_a_followed_path_is_a_goal_in_joint_space() -> None:
    system = percuss.robot("demo-7")
    at = np.array(percuss.neutral(system))
    at[7:] = [0.3, 0.6, -0.2, 1.1, 0.4, -0.8, 0.2]
    first = frame_pose(system, at, "tool")
    last = Pose(first.rotation, first.position + Pose.at((0.1, -0.15, -0.1)).position)
    path = line(first, last, 4.0)
    followed = follow(system, "tool", path, np.linspace(0.0, 4.0, 9), near=at)
    assert (followed.q[:, :7] == at[:7]).all(), "the base stays"
    goal = Goal(held_trajectory(system, at, followed.trajectory, followed.joints))
    for t in (0.0, 1.5, 4.0):
        q, v, a = goal(t)
        state = path(t)
        assert_same(frame_pose(system, q, "tool").matrix(), state.pose.matrix(), "pose", 1e-6)
        velocity = frame_velocity(system, q, v, "tool").array()
        assert_same(velocity, state.velocity.array(), "velocity", 1e-7, scale=0.1)
        acceleration = frame_acceleration(system, q, v, a, frame="tool").array()
        assert_same(acceleration, state.acceleration.array(), "acceleration", 1e-6, scale=0.1)
    assert followed.distance < 1e-4
    assert followed.angle < 1e-4


def test_leaving_the_workspace_says_when() -> None:
    arm = percuss.robot("2r-fixed")
    path = line(Pose.at((1.0, 0.5)), Pose.at((3.0, 0.5)), 4.0)
    with pytest.raises(NoSolutionError, match=r"at t = 2 s: .*out of reach by"):
        follow(arm, "tool", path, np.linspace(0, 4, 21), task="planar position")


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("count", [11, 41])
def test_a_path_into_a_singularity_is_refused_with_the_time(backwards: bool, count: int) -> None:
    """The arm is outstretched at (2, 0): whatever the rates, the tool cannot go along it."""
    arm = percuss.robot("2r-fixed")
    near, far = Pose.at((1.0, 0.0)), Pose.at((2.0, 0.0))
    first, last = (far, near) if backwards else (near, far)
    path = line(first, last, cubic([0.0], [1.0], 5.0))
    when = np.linspace(0, 5, count)
    complaint = rf"at t = {0 if backwards else 5} s .*singular.*give damping="
    with pytest.raises(ModelError, match=complaint):
        follow(arm, "tool", path, when, task="planar position")
    damped = follow(arm, "tool", path, when, task="planar position", damping=0.05)
    assert np.abs(damped.a).max() < 3, "damped accelerations are finite"
    assert damped.distance < 0.004, "and the tool stays near the path"
    for t, q in zip(when, damped.q, strict=True):
        reached = frame_pose(arm, q, "tool").position.array()
        assert_same(reached, path(t).pose.position.array(), "on the path at the times", 2e-12)
    assert np.abs(np.diff(damped.q, axis=0)).max() < 4.0 / count, "one elbow all the way"


@given(st.floats(0.05, 20.0), st.floats(0.1, 0.9), st.floats(-3.0, 3.0))
@settings(max_examples=15)
def test_arms_of_any_size_are_singular_when_stretched(
    reach: float, share: float, angle: float
) -> None:
    arm = percuss.planar_arm([PlanarLink(reach * x, 1.0) for x in (share, 1 - share)])
    along = np.array([math.cos(angle), math.sin(angle)])
    path = line(Pose.at(0.97 * reach * along), Pose.at(reach * along), 1.0)
    with pytest.raises(ModelError, match=r"at t = 1 s .*singular.*give damping="):
        follow(arm, "tool", path, np.linspace(0, 1, 9), task="planar position")
    short = line(Pose.at(0.97 * reach * along), Pose.at(0.98 * reach * along), 1.0)
    followed = follow(arm, "tool", short, np.linspace(0, 1, 9), task="planar position")
    assert followed.distance < 1e-5 * reach


def test_straying_from_the_path_is_refused_with_the_distance() -> None:
    arm = percuss.robot("2r-fixed")
    path = circle((1.2, 1.2), 0.2, cubic([0.0], [1.0], 10.0))
    with pytest.raises(ModelError, match=r"strays by \d\.\d+ m .*way of 1\.\d+ m: .*more times"):
        follow(arm, "tool", path, [0.0, 10.0], task="planar position")
    far = follow(arm, "tool", path, [0.0, 10.0], task="planar position", straying=2.0)
    assert far.distance > 0.3, "the caller may accept it"
    barely = line(Pose.at((1.0, 0.0)), Pose.at((2.0 - 1e-9, 0.0)), cubic([0.0], [1.0], 5.0))
    with pytest.raises(ModelError, match="strays by"):
        follow(arm, "tool", barely, np.linspace(0, 5, 11), task="planar position")
    with pytest.raises(ModelError, match="straying must be a share"):
        follow(arm, "tool", path, [0.0, 10.0], task="planar position", straying=math.nan)


def test_paths_without_length_may_be_followed() -> None:
    """A tool that turns on the spot, or does nothing, strays by little in m and rad."""
    arm = percuss.robot("air-bearing-3r").with_mode("fixed")
    q = [0.3, 0.9, -0.4]
    first = frame_pose(arm, q, "tool")
    turned = Pose(Rotation.from_rpy(0.0, 0.0, 0.3) @ first.rotation, first.position)
    for last in (first, turned):
        path = line(first, last, 2.0)
        followed = follow(arm, "tool", path, np.linspace(0, 2, 9), near=q)
        assert followed.distance < 1e-6
        assert followed.angle < 1e-6


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: line(Pose.identity(), cast(Any, (0, 0, 1)), 1.0), "last must be a Pose"),
        (lambda: line(Pose.identity(), Pose.identity(), -1.0), "duration must be finite and > 0"),
        (lambda: line(Pose.identity(), Pose.identity(), cubic([0, 0], [1, 1], 1.0)), "one coord"),
        (lambda: circle((0, 0), 0.0, 1.0), "radius must be finite and > 0 m, got 0"),
        (lambda: circle((0, 0), 1.0, 1.0, normal=(0, 0, 0)), "normal of a circle"),
        (lambda: circle((0, 0), 1.0, 1.0, towards=(0, 0, 2)), "right angles to the normal"),
        (
            lambda: resolved_motion(
                percuss.robot("2r-fixed"), [0.1, 0.5], "tool", paths(0)[0](0.0)
            ),
            "2 joints cannot follow a path with task 'planar pose', which has 3 rows",
        ),
        (
            lambda: resolved_motion(
                percuss.robot("2r-fixed"),
                [0.1, 0.0],
                "tool",
                paths(0)[0](0.0),
                task="planar position",
            ),
            "give damping=.*full row rank",
        ),
        (
            lambda: follow(SIX, "tool", paths(0)[0], [1.0]),
            "two or more",
        ),
    ],
)
def test_refused(call: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        call()


def test_circles_about_x_have_a_beginning_too() -> None:
    ring = circle((0, 0, 1), 2.0, 1.0, normal=(1, 0, 0))
    assert_same(ring(0.0).pose.position.array(), (0.0, 2.0, 1.0), "starts towards y")
    assert_same(ring(1.0).pose.position.array(), (0.0, 2.0, 1.0), "ends there", 1e-12)
    assert math.isclose(float(ring.sweep), math.tau)  # type: ignore[arg-type]
