"""Inverse kinematics of any chain: verified solutions, limits, objectives, reasons for failure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose
from percuss.kinematics import (
    InverseKinematics,
    NoSolutionError,
    Task,
    avoid_limits,
    difference,
    frame_pose,
    inverse_kinematics,
    jacobian,
    stay_near,
    two_link_angles,
)
from percuss.model import Limits, ModelError, PlanarLink, planar_arm
from tests.kinematics.arms import arms, reachable, six_joints, targets_at, within_limits
from tests.strategies import Case, cases
from tests.truth.compare import assert_same

ARMS = arms()
SEVEN = ARMS["7"][0]


@pytest.mark.parametrize("name", ARMS)
def test_random_reachable_poses(name: str) -> None:
    """Every pose that forward kinematics reaches is found, within the limits."""
    system, task = ARMS[name]
    solver = InverseKinematics(system, "tool", task, compiled=True, threads=1)
    found = solver.solve_many(reachable(system, task, 1000, 7))
    assert found.success_rate == 1.0, f"{name}: {found.success.sum()} of 1000 found"
    assert found.distance.max() <= 1.001e-9
    assert found.angle.max() <= 1.001e-9
    for joint, row in zip([j for j in system.joints if j.motion.rate_count], found.q, strict=True):
        assert row.min() >= joint.limits.lower, f"{joint.name} keeps its lower limit"
        assert row.max() <= joint.limits.upper, f"{joint.name} keeps its upper limit"


def test_compiled_finds_the_same() -> None:
    system, task = ARMS["3r"]
    targets = reachable(system, task, 200, 3)
    plain = InverseKinematics(system, "tool", task).solve_many(targets)
    quick = InverseKinematics(system, "tool", task, compiled=True, threads=1).solve_many(targets)
    assert quick.success.all()
    same = np.abs(plain.q - quick.q).max(axis=0) < 1e-6
    assert same.mean() > 0.95, "the same starts lead to the same solutions but for rounding"


@given(
    cases(max_bodies=6, kinds=("revolute", "prismatic", "spherical"), base=("fixed", "revolute"))
)
@settings(max_examples=12)
def test_any_chain(case: Case) -> None:
    """Trees with prismatic and ball joints: the tool gets where it was."""
    system = case.system
    name = system.frames[0].name
    if not any(j.motion.rate_count for j in _carriers(system, name)):
        return
    for task in ("position", "pose"):
        solver = InverseKinematics(system, name, task, near=case.state.q)
        q = case.state.q.copy()
        rng = np.random.default_rng(case.seed)
        for node in solver.chain.nodes:
            own = rng.normal(size=node.joint.motion.coordinate_count)
            if len(own) == 4:
                own /= np.linalg.norm(own)
            q[node.coordinates] = own
        pose = frame_pose(system, q, name)
        found = solver.solve(pose if task == "pose" else tuple(pose.position))
        reached = frame_pose(system, found.q, name)
        gap = reached.position.array() - pose.position.array()
        assert_same(gap, np.zeros(3), "the tool is where it should be", 2e-9, scale=1.0)
        moved = {k for node in solver.chain.nodes for k in range(*_bounds(node.coordinates))}
        for k in set(range(system.coordinate_count)) - moved:
            assert found.q[k] == case.state.q[k], "joints that do not carry the tool stay"


def test_a_free_base_stays_where_it_is_given() -> None:
    system = percuss.robot("demo-7")
    turn = np.array([0.8, 0.2, -0.4, 0.1])
    near = np.array([1.0, -2.0, 0.5, *(turn / np.linalg.norm(turn)), *np.linspace(-0.5, 0.9, 7)])
    goal = near.copy()
    goal[7:] = np.linspace(1.0, -1.0, 7)
    found = inverse_kinematics(system, "tool", frame_pose(system, goal, "tool"), near=near)
    assert (found.q[:7] == near[:7]).all()
    assert found.distance < 1e-9
    assert found.angle < 1e-9


def test_two_link_agrees_with_the_closed_form() -> None:
    system = ARMS["2r"][0]
    closed = two_link_angles(1.0, 1.0, 1.4, 1.2)
    for angles in closed:
        near = np.array(angles, float) + 0.2
        found = inverse_kinematics(system, "tool", (1.4, 1.2), "planar position", near=near)
        assert_same(found.q, angles, "the elbow near the start", 1e-8)


def test_the_solution_nearest_to_the_start_is_taken() -> None:
    q = np.linspace(-0.7, 0.9, 7)
    target = frame_pose(SEVEN, q, "tool")
    found = inverse_kinematics(SEVEN, "tool", target, near=q + 0.01)
    assert np.abs(found.q - q).max() < 0.05
    assert found.solved > 1


# --- null-space objectives ----------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=5)
def test_stay_near_is_a_constrained_minimum(seed: int) -> None:
    """At the solution the objective's gradient lies in the row space of J (Lagrange)."""
    rng = np.random.default_rng(seed)
    target = frame_pose(SEVEN, rng.uniform(-1.0, 1.0, 7), "tool")
    posture, weights = rng.uniform(-0.5, 0.5, 7), rng.uniform(0.5, 2.0, 7)
    objective = stay_near(SEVEN, posture, weights)
    found = inverse_kinematics(
        SEVEN, "tool", tuple(target.position), "position", objective=objective, starts=6
    )
    J = jacobian(SEVEN, found.q, "tool")[:3]
    gradient = np.array(objective.gradient(found.q), float)
    inside = np.all(np.abs(found.q) < 3.1 - 1e-6)
    left = gradient - np.linalg.pinv(J) @ J @ gradient
    assert not inside or np.abs(left).max() < 2e-5
    assert found.distance < 1e-9
    plain = inverse_kinematics(SEVEN, "tool", tuple(target.position), "position", starts=6)
    assert found.objective is not None
    assert found.objective <= float(objective.value(plain.q)) + 1e-12  # type: ignore[arg-type]


def test_objectives_help_and_many_targets_follow_them() -> None:
    targets = reachable(SEVEN, Task.POSITION, 20, 5)
    objective = avoid_limits(SEVEN)
    plain = InverseKinematics(SEVEN, "tool", "position").solve_many(targets)
    better = InverseKinematics(SEVEN, "tool", "position", objective=objective).solve_many(targets)
    assert better.success.all()
    before, after = (np.asarray(objective.value(found.q)) for found in (plain, better))
    assert (after <= before + 1e-12).all()
    assert after.mean() < 0.5 * before.mean()


def test_objectives_add() -> None:
    posture = np.full(7, 0.3)
    both = 2.0 * stay_near(SEVEN, posture) + avoid_limits(SEVEN)
    q = np.linspace(-1, 1, 7)
    parts = 2 * stay_near(SEVEN, posture).value(q) + avoid_limits(SEVEN).value(q)  # type: ignore[operator]
    assert both.value(q) == pytest.approx(parts)
    assert_same(
        both.gradient(q), 2 * (q - posture) + q / 3.1**2, "gradients add like values", 1e-13
    )


# --- failure says why ---------------------------------------------------------------------------


@given(st.floats(0.001, 5.0), st.floats(-3.0, 3.0))
@settings(max_examples=10)
def test_out_of_reach_by_so_much(gap: float, angle: float) -> None:
    system = ARMS["2r"][0]
    far = 2.0 + gap
    with pytest.raises(NoSolutionError, match="out of reach by") as error:
        inverse_kinematics(
            system, "tool", (far * math.cos(angle), far * math.sin(angle)), "planar position"
        )
    assert error.value.missing == pytest.approx(gap, rel=1e-6)
    assert error.value.distance == pytest.approx(gap, rel=1e-3), "the arm is stretched towards it"


def test_too_near() -> None:
    arm = planar_arm([PlanarLink(2.0, 1.0), PlanarLink(0.5, 1.0)])
    with pytest.raises(NoSolutionError, match=r"gets no nearer than 1\.5 m") as error:
        inverse_kinematics(arm, "tool", (1.0, 0.0), "planar position")
    assert error.value.missing == pytest.approx(0.5)


def test_limits_in_the_way_are_named() -> None:
    links = [PlanarLink(1.0, 1.0, limits=Limits(-0.2, 0.2)), PlanarLink(1.0, 1.0)]
    arm = planar_arm(links)
    with pytest.raises(NoSolutionError, match="without limits there is a solution") as error:
        inverse_kinematics(arm, "tool", (-1.9, 0.0), "planar position")
    assert error.value.limits == ("joint1",)
    assert error.value.missing is None
    free = inverse_kinematics(arm, "tool", (-1.9, 0.0), "planar position", limited=False)
    assert free.distance < 1e-9


def test_a_pose_out_of_reach_though_its_position_is_not() -> None:
    arm = six_joints()
    stretched = frame_pose(arm, np.array([0.0, 0.0, -math.pi / 2, 0.0, 0.0, 0.0]), "tool")
    there = stretched.position.array() * 0.97
    with pytest.raises(NoSolutionError, match=r"48 starts ended in local minima.*m and .*rad"):
        inverse_kinematics(arm, "tool", Pose.at(there, rpy=(0.0, 0.0, 0.0)))


def test_failures_among_many_are_marked() -> None:
    system, task = ARMS["2r"]
    q = within_limits(system, 5, 1)
    targets = targets_at(system, task, q)
    targets[:, 2] = (5.0, 0.0)
    found = InverseKinematics(system, "tool", task, starts=3).solve_many(targets)
    assert found.success.tolist() == [True, True, False, True, True]
    assert found.distance[2] == pytest.approx(3.0, rel=1e-3)
    assert found.starts[2] == 3


def test_no_targets_are_no_problem() -> None:
    system, task = ARMS["2r"]
    found = InverseKinematics(system, "tool", task).solve_many(np.zeros((2, 0)))
    assert found.q.shape == (2, 0)


# --- hostile input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "options", "complaint"),
    [
        ((1.0, 2.0, 3.0), {}, "must be a Pose"),
        (Pose.at((math.nan, 0.0, 0.0)), {}, "finite"),
        ((1.0, 2.0), {"task": "position"}, r"3 entries \(x \(m\), y \(m\), z \(m\)\), got 2"),
        ("here", {"task": "position"}, "target"),
        (Pose.identity(), {"task": "planar pose"}, "needs a planar system"),
        (Pose.identity(), {"task": "pointing"}, "task must be one of"),
        (Pose.identity(), {"starts": 0}, "starts must be a whole number ≥ 1, got 0"),
        (Pose.identity(), {"tolerance": (0.0, 1.0)}, "tolerance"),
        (Pose.identity(), {"near": [0.0]}, "near must be 7 finite numbers"),
        (Pose.identity(), {"near": [math.inf] * 7}, "near must be 7 finite numbers"),
        (Pose.identity(), {"joints": ["elbow"]}, "no joint 'elbow'"),
        (Pose.identity(), {"joints": []}, "no joint of 'demo-7' moves"),
    ],
)
def test_refused(target: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        inverse_kinematics(SEVEN, "tool", target, **options)


def test_refused_objectives_and_batches() -> None:
    with pytest.raises(ModelError, match="that of wrist_roll must be > 0, got -1"):
        stay_near(SEVEN, np.zeros(7), [1.0] * 6 + [-1.0])
    with pytest.raises(ModelError, match="posture must have 7 entries"):
        stay_near(SEVEN, np.zeros(6))
    with pytest.raises(ModelError, match="must be > 0"):
        _ = stay_near(SEVEN, np.zeros(7)) * 0.0
    with pytest.raises(ModelError, match="no joint of '2r-fixed' has two limits"):
        avoid_limits(ARMS["2r"][0])
    solver = InverseKinematics(ARMS["2r"][0], "tool", "planar position")
    with pytest.raises(ModelError, match=r"shape \(2, n\)"):
        solver.solve_many(np.zeros((3, 4)))
    stale = InverseKinematics(percuss.robot("two-arms"), "left_tool", joints=["right_joint1"])
    with pytest.raises(ModelError, match="'right_joint1' does not move 'left_tool'"):
        stale.solve((0.0, 0.5, 0.0))


def _carriers(system: Any, name: str) -> list[Any]:
    nodes = system.ancestors(system.node(system.frame(name).body))
    return [node.joint for node in nodes]


def _bounds(part: slice) -> tuple[int, int]:
    return part.start, part.stop


def test_joints_without_limits_stay_within_half_a_turn_of_the_start() -> None:
    system, task = ARMS["3r"]
    near = np.array([9.0, -7.0, 4.0])
    found = InverseKinematics(system, "tool", task, near=near).solve_many(
        reachable(system, task, 50, 2)
    )
    steps = np.array([difference(system, near, q) for q in found.q.T], float)
    assert np.abs(steps).max() <= math.pi + 1e-9
