"""Impact compensation: the law as the paper writes it, against what the dynamics makes of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from percuss import Force, Frame, System, Vector3, forward_dynamics, robot
from percuss.control import TreePlant
from percuss.control.ic2_compensation import compensation
from percuss.dynamics import joint_reactions
from percuss.kinematics import frame_acceleration, frame_pose, jacobian
from percuss.model import Body, PlanarLink, planar_arm
from percuss.percussion.links import link_percussion
from tests.percussion.test_multibody import Twin, pin
from tests.strategies import random_state, random_system

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)

ROBOT = robot("percussion").with_mode("free-flying")
PLANT = TreePlant(ROBOT)
NORMAL = np.array([0.0, 0.0, 0.0, -math.pi / 2, math.pi / 2])
REST = np.zeros(5)
PUSH = Vector3(0.0, -100.0, 0.0)
COP_2 = 0.3 + 2.5 / 6


def array(vector: Any) -> Array:
    return np.array(vector.array(), float)


def on_link_2(at: float) -> Frame:
    return Frame.point("link2", (at, 0.0, 0.0))


def floats(values: Any) -> Array:
    return np.array([float(x) for x in values])


def reactions(system: System, q: Array, v: Array, u: Any, wrenches: Any) -> dict[str, Array]:
    """Force through each joint under motor torques u (N)."""
    a = forward_dynamics(system, q, v, u, wrenches=wrenches)
    loads = joint_reactions(system, q, v, a, wrenches=wrenches)
    return {joint.name: array(loads[joint.name].linear) for joint in system.movable_joints}


def pushed(at: str | Frame, force: Vector3) -> list[tuple[Any, Force]]:
    return [(at, Force(force, Vector3.zero()))]


@st.composite
def planar_chains(draw: st.DrawFn) -> tuple[System, Array, Array]:
    """A planar arm of one to four links on a base, with a state."""
    rng = np.random.default_rng(draw(seeds))
    links = [
        PlanarLink(
            float(rng.uniform(0.5, 2)),
            float(rng.uniform(1, 20)),
            com=float(rng.uniform(0.2, 0.8)),
            inertia=float(rng.uniform(0.2, 5)),
        )
        for _ in range(draw(st.integers(1, 4)))
    ]
    base = Body.planar("base", float(rng.uniform(50, 500)), float(rng.uniform(10, 100)))
    mode = draw(st.sampled_from(["free-flying", "attitude-controlled", "free-floating"]))
    arm = planar_arm(links, base=base, mount=tuple(rng.uniform(-1, 1, 2))).with_mode(mode)
    state = random_state(rng, arm)
    return arm, state.q, state.v


# --- numbers of the paper's robot ---------------------------------------------------------------


@pytest.mark.parametrize("rule", ["acceleration", "force"])
def test_torques_at_onset_are_the_force_times_its_distance_from_the_cop(rule: str) -> None:
    made = compensation(PLANT, on_link_2(1.0), rule=rule)
    torques = floats(made.torques(NORMAL, REST, PUSH))
    np.testing.assert_allclose(torques, [0, 0, 28.333333, 28.333333, 28.333333], atol=5e-7)


@pytest.mark.parametrize("at", [0.1, 0.5, COP_2, 0.9, 1.0])
def test_torques_change_sign_at_the_centre_of_percussion(at: float) -> None:
    torques = floats(compensation(PLANT, on_link_2(at)).torques(NORMAL, REST, PUSH))
    np.testing.assert_allclose(torques[2:], 100 * (at - COP_2), atol=1e-9)
    felt = reactions(ROBOT, NORMAL, REST, torques, pushed(on_link_2(at), PUSH))
    assert max(np.linalg.norm(force) for force in felt.values()) < 1e-9, "no joint feels it"


def test_without_base_torque_joint_1_feels_it() -> None:
    tip = on_link_2(1.0)
    torques = floats(compensation(PLANT, tip, base_torque=False).torques(NORMAL, REST, PUSH))
    np.testing.assert_allclose(torques[2:], [0.0, 28.620235, 28.004407], atol=5e-7)
    felt = reactions(ROBOT, NORMAL, REST, torques, pushed(tip, PUSH))
    assert np.linalg.norm(felt["joint1"]) == pytest.approx(9.56, abs=5e-3)


def test_a_free_floating_base_has_no_torque_to_give() -> None:
    plant, tip = TreePlant(ROBOT.with_mode("free-floating")), on_link_2(1.0)
    own = floats(compensation(plant, tip).torques(NORMAL, REST, PUSH))
    without = compensation(PLANT, tip, base_torque=False).torques(NORMAL, REST, PUSH)
    np.testing.assert_allclose(own, floats(without), atol=1e-12)


def test_a_force_along_the_link_is_not_answered() -> None:
    tip, along = on_link_2(1.0), Vector3(-100.0, 0.0, 0.0)
    for rule in ("acceleration", "force"):
        torques = floats(compensation(PLANT, tip, rule=rule).torques(NORMAL, REST, along))
        felt = reactions(ROBOT, NORMAL, REST, torques, pushed(tip, along))
        free = reactions(ROBOT, NORMAL, REST, REST, pushed(tip, along))
        assert np.linalg.norm(felt["joint2"]) > 0.9 * np.linalg.norm(free["joint2"]), rule
    assert np.abs(torques).max() < 1e-9, "by the force alone there is nothing to do"


# --- the law as it is written -------------------------------------------------------------------


@given(planar_chains(), st.booleans(), seeds)
@settings(max_examples=40, deadline=None)
def test_torques_are_those_of_equation_51(
    chain: tuple[System, Array, Array], base_torque: bool, seed: int
) -> None:
    """n_i = -r_i × m_i (ω̇_i × r_C,i) + n_{i+1}, with the ω̇ that these torques cause."""
    system, q, v = chain
    force = Vector3.of([*(100 * np.random.default_rng(seed).normal(size=2)), 0.0])
    made = compensation(TreePlant(system), "tool", base_torque=base_torque)
    torques = floats(made.torques(q, v, force))
    assume(np.abs(torques).max() < 1e5)
    a = forward_dynamics(system, q, v, torques, wrenches=pushed("tool", force))
    expected = np.zeros(system.rate_count)
    moment = 0.0
    end = array(frame_pose(system, q, "tool").position)
    for link in reversed(link_percussion(system)):
        body = system.node(link.link).body
        pose = frame_pose(system, q, link.link)
        joint = array(pose.position)
        assert link.point is not None
        cop = array(pose.act(Vector3(*link.point)))
        com = array(pose.act(body.com)) - joint
        turning = array(frame_acceleration(system, q, v, a, frame=link.link).angular)
        inertial = float(body.mass) * np.cross(turning, com)  # type: ignore[arg-type]
        moment = moment - np.cross(end - cop, inertial)[2]
        expected[system.node(link.link).rates] = moment
        end = joint
    if base_torque and system.mode != "free-floating":
        expected[2] = moment
    np.testing.assert_allclose(torques, expected, rtol=1e-8, atol=1e-7)


@given(planar_chains(), seeds)
@settings(max_examples=40, deadline=None)
def test_at_rest_a_push_across_the_last_link_is_felt_by_no_joint(
    chain: tuple[System, Array, Array], seed: int
) -> None:
    system, q, _ = chain
    assume(system.mode != "free-floating")
    rest = np.zeros(system.rate_count)
    turn = frame_pose(system, q, "tool").rotation
    size = float(np.random.default_rng(seed).uniform(-500, 500))
    force = turn @ Vector3(0.0, size, 0.0)
    for rule in ("acceleration", "force"):
        made = compensation(TreePlant(system), "tool", rule=rule)
        torques = floats(made.torques(q, rest, force))
        felt = reactions(system, q, rest, torques, pushed("tool", force))
        largest = max(np.linalg.norm(f) for f in felt.values())
        assert largest < 1e-7 * abs(size), f"{rule}: {largest} N of {size} N"


@given(planar_chains(), seeds)
@settings(max_examples=30, deadline=None)
def test_what_is_left_is_what_the_joints_acceleration_needs(
    chain: tuple[System, Array, Array], seed: int
) -> None:
    """d × N = (d - r_C) × m a of every link, at rest, whatever the force and the base."""
    system, q, _ = chain
    rest = np.zeros(system.rate_count)
    force = Vector3.of([*np.random.default_rng(seed).normal(size=2), 0.0])
    torques = floats(compensation(TreePlant(system), "tool").torques(q, rest, force))
    assume(np.abs(torques).max() < 1e3)
    a = forward_dynamics(system, q, rest, torques, wrenches=pushed("tool", force))
    loads = joint_reactions(system, q, rest, a, wrenches=pushed("tool", force))
    end = array(frame_pose(system, q, "tool").position)
    for node in reversed(system.tree[1:]):
        pose = frame_pose(system, q, node.body.name)
        joint, com = array(pose.position), array(pose.act(node.body.com))
        reaction = array(pose.rotation @ loads[node.joint.name].linear)
        moved = array(frame_acceleration(system, q, rest, a, frame=node.body.name).linear)
        left = np.cross(end - joint, reaction)[2]
        needed = np.cross(end - com, float(node.body.mass) * moved)[2]  # type: ignore[arg-type]
        assert left == pytest.approx(needed, rel=1e-7, abs=1e-8), node.joint.name
        end = joint


# --- in space -----------------------------------------------------------------------------------

ARM = robot("demo-7").with_mode("free-flying")


def arm_state(seed: int) -> Array:
    rng = np.random.default_rng(seed)
    q = np.zeros(ARM.coordinate_count)
    q[:3], q[3:7] = rng.normal(size=3), rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] = rng.uniform(-2, 2, 7)
    return q


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_a_seven_joint_arm_spares_every_joint_before_the_wrist(seed: int) -> None:
    """A push that the wrist can give way to; behind the wrist's pitch axis nothing is felt."""
    q, rest = arm_state(seed), np.zeros(ARM.rate_count)
    wrist = frame_pose(ARM, q, "link6")
    axis = array(wrist.rotation @ Vector3(0.0, 1.0, 0.0))
    arm = array(frame_pose(ARM, q, "tool").position) - array(wrist.position)
    across = np.cross(axis, arm)
    force = Vector3(*(100 * across / np.linalg.norm(across)))
    for rule in ("acceleration", "force"):
        made = compensation(TreePlant(ARM), "tool", rule=rule)
        torques = floats(made.torques(q, rest, force))
        felt = reactions(ARM, q, rest, torques, pushed("tool", force))
        for name in list(felt)[:6]:
            assert np.linalg.norm(felt[name]) < 1e-6, f"{rule}: {name}"
        free = reactions(ARM, q, rest, np.zeros(ARM.rate_count), pushed("tool", force))
        assert np.linalg.norm(free["wrist_pitch"]) > 10.0


def test_a_roll_link_belongs_to_the_link_before_it() -> None:
    chain = compensation(TreePlant(ARM), "tool").chain
    names = [[ARM.tree[k].body.name for k in link] for link in chain.links]
    assert names == [["link2", "link3"], ["link4", "link5"], ["link6", "link7"]]


@given(seeds, st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_motors_give_the_components_along_their_axes(seed: int, count: int) -> None:
    """n_i = I_o ω̇ - d × m (ω̇ × r_C) + n_{i+1} as vectors; in space and in motion."""
    rng = np.random.default_rng(seed)
    system = chain_in_space(rng, count)
    state = random_state(rng, system)
    tool, force = (
        Frame.point(f"body {count - 1}", rng.normal(size=3)),
        Vector3.of(rng.normal(size=3)),
    )
    torques = floats(compensation(TreePlant(system), tool).torques(state.q, state.v, force))
    assume(np.abs(torques).max() < 1e3)
    a = forward_dynamics(system, state.q, state.v, torques, wrenches=pushed(tool, force))
    moment = np.zeros(3)
    end = array(frame_pose(system, state.q, tool).position)
    for k in range(count - 1, 0, -1):
        node = system.node(f"body {k}")
        pose = frame_pose(system, state.q, node.body.name)
        joint = array((pose @ node.joint.child_placement.inverse()).position)
        turn = np.array(pose.rotation.array(), float)
        central = turn @ np.array(node.body.inertia.array(), float) @ turn.T
        com = array(pose.act(node.body.com)) - joint
        turning = array(
            frame_acceleration(system, state.q, state.v, a, frame=node.body.name).angular
        )
        inertial = float(node.body.mass) * np.cross(turning, com)  # type: ignore[arg-type]
        moment = moment + central @ turning + np.cross(com - (end - joint), inertial)
        axis = np.array(jacobian(system, state.q, node.body.name), float)[3:, node.rates.start]
        assert torques[node.rates.start] == pytest.approx(axis @ moment, rel=1e-7, abs=1e-7)
        end = joint
    axes = np.array(jacobian(system, state.q, "body 0"), float)[3:, 3:6]
    np.testing.assert_allclose(torques[3:6], axes.T @ moment, rtol=1e-7, atol=1e-7)


def chain_in_space(rng: np.random.Generator, count: int) -> System:
    """Bodies in a row on revolute joints, the first one free."""
    system = random_system(rng, count, kinds=("revolute",), base=("free",))
    joints = [
        replace(joint, parent=f"body {k - 1}") if k else joint
        for k, joint in enumerate(sorted(system.joints, key=lambda j: j.name))
    ]
    chain = replace(system, joints=tuple(joints))
    return chain.with_mode("free-flying").with_gravity((0.0, 0.0, 0.0))


# --- against Pinocchio --------------------------------------------------------------------------


@given(seeds, st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_reactions_under_these_torques_are_pinocchios(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    system = random_system(rng, count, kinds=("revolute",), base=("free",))
    system = system.with_mode("free-flying").with_gravity((0.0, 0.0, 0.0))
    state = random_state(rng, system)
    tool, force = (
        Frame.point(f"body {count - 1}", rng.normal(size=3)),
        Vector3.of(rng.normal(size=3)),
    )
    torques = floats(compensation(TreePlant(system), tool).torques(state.q, state.v, force))
    assume(np.abs(torques).max() < 1e3)
    ours = reactions(system, state.q, state.v, torques, pushed(tool, force))
    twin = Twin(system, state.q, state.v)
    loads = twin.forces(tool, Force(force, Vector3.zero()))
    there = twin.twin.forces(state.q, torques)
    a = pin.aba(twin.model, twin.data, twin.q, twin.v, there, loads)
    theirs = twin.reactions(a, loads)
    for name, mine in ours.items():
        size = 1.0 + float(np.linalg.norm(theirs[name]))
        np.testing.assert_allclose(mine, theirs[name][:3], atol=1e-9 * size, err_msg=name)
