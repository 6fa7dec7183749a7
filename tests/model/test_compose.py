"""Vehicles put together are what the same vehicle is in one file."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.algebra import Pose
from percuss.dynamics import bias_forces, mass_matrix, momentum, total_mass
from percuss.kinematics import jacobian, poses
from percuss.model import Body, ModelError, Mounted, System, box, compose, parse_urdf, robot
from percuss.model.compose import rooted
from tests.model.vehicles import ROOTS, Twice, vehicle
from tests.oracles import to_pinocchio
from tests.truth.compare import assert_same, pose_matrix

pin: Any = import_module("pinocchio")

kinds = st.sampled_from(ROOTS)
twice = st.builds(
    vehicle,
    st.integers(0, 2**32 - 10),
    st.fixed_dictionaries(
        {"right": st.sampled_from(ROOTS)}, optional={"left": st.sampled_from(ROOTS)}
    ),
    st.booleans(),
)


def mass(system: System) -> float:
    return float(total_mass(system))  # type: ignore[arg-type]


def state(system: System, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    q = random.normal(size=system.coordinate_count)
    if system.coordinate_count > system.rate_count:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, random.normal(size=system.rate_count)


@given(twice, st.integers(0, 2**32 - 1))
def test_a_vehicle_put_together_is_the_vehicle_written_as_one_urdf(both: Twice, seed: int) -> None:
    ours, theirs = both.composed, both.whole
    assert ours.coordinate_names == theirs.coordinate_names
    q, v = state(ours, seed)
    assert_same(total_mass(ours), total_mass(theirs), "mass")
    assert_same(mass_matrix(ours, q), mass_matrix(theirs, q), "mass matrix")
    assert_same(bias_forces(ours, q, v), bias_forces(theirs, q, v), "bias")
    for part in ("linear", "angular"):
        mine, other = (getattr(momentum(s, q, v), part).array() for s in (ours, theirs))
        assert_same(mine, other, f"{part} momentum")
    for frame in ("right_tool", "right_link1", "bracket"):
        assert_same(jacobian(ours, q, frame), jacobian(theirs, q, frame), f"Jacobian of {frame}")
        mine, other = (pose_matrix(poses(s, q)[frame]) for s in (ours, theirs))
        assert_same(mine, other, f"pose of {frame}")


@given(twice, st.integers(0, 2**32 - 1))
def test_a_vehicle_put_together_is_what_pinocchio_reads(both: Twice, seed: int) -> None:
    system, model = both.composed, pin.buildModelFromXML(both.text, pin.JointModelFreeFlyer())
    data = model.createData()
    q, v = state(system, seed)
    # The twin maps the base's state; Pinocchio's own model sorts the joints by name.
    twin = to_pinocchio(system)
    others = [model.joints[model.getJointId(j.name)].idx_v for j in system.movable_joints]
    columns = [*range(6), *others]
    theirs = np.zeros(model.nq)
    theirs[:7] = twin.coordinates(q)[:7]
    theirs[[k + 1 for k in others]] = q[7:]
    turn = np.zeros((model.nv, model.nv))
    turn[:6, :6] = twin.rate_matrix(q)[:6, :6]
    turn[others, range(6, model.nv)] = 1.0
    drift = np.zeros(model.nv)
    drift[:6] = twin.accelerations(q, v, np.zeros_like(v))[:6]
    matrix = np.triu(pin.crba(model, data, theirs))
    matrix = matrix + np.triu(matrix, 1).T
    model.gravity = pin.Motion.Zero()
    assert sorted(columns) == list(range(model.nv))
    assert_same(mass_matrix(system, q), turn.T @ matrix @ turn, "mass matrix")
    bias = turn.T @ pin.rnea(model, data, theirs, turn @ v, drift)
    assert_same(bias_forces(system, q, v), bias, "bias", scale=float(np.linalg.norm(matrix)))
    pin.computeJointJacobians(model, data, theirs)
    pin.updateFramePlacements(model, data)
    frame = model.getFrameId("right_tool")
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    expected = pin.getFrameJacobian(model, data, frame, aligned) @ turn
    assert_same(jacobian(system, q, "right_tool"), expected, "Jacobian")


def test_a_root_with_mass_is_merged_and_stays_as_a_frame() -> None:
    both = vehicle(1, {"right": "massive", "left": "offset"}, on_frame=False)
    names = [body.name for body in both.composed.bodies]
    assert names[0] == "satellite"
    assert "right_base_link" not in names
    assert both.composed.frame("right_base_link").body == "satellite"
    assert both.composed.frame("left_pedestal").body == "satellite"
    assert both.composed.base.mass == pytest.approx(80.0 + 4.0 + 6.0, rel=1e-15)


def test_a_body_as_base_and_a_satellite_that_comes_along() -> None:
    bus = box("bus", (1.6, 1.4, 1.8), 500.0)
    whole = compose(bus, {"left": Mounted(robot("iiwa-14"), Pose.at((0.0, 0.0, 0.9)))}, name="v")
    assert whole.name == "v"
    assert total_mass(whole) == pytest.approx(500.0 + mass(robot("iiwa-14")), rel=1e-15)
    (change,) = whole.changes
    assert "arm 'left': base 'satellite'" in str(change)
    assert "150 kg" in str(change)
    assert "welded" in str(change)


@pytest.mark.parametrize("start", ["a1", "satellite", "link1"])
def test_an_arm_that_begins_at_a_joint_or_frame_leaves_the_rest_out(start: str) -> None:
    iiwa = robot("iiwa-14")
    whole = compose(Body("bus", 10.0, inertia=(1, 1, 1)), {"arm": Mounted(iiwa, start=start)})
    left_out = {"a1": 150.0, "satellite": 150.0, "link1": 154.0}[start]
    assert total_mass(whole) == pytest.approx(10.0 + mass(iiwa) - left_out, rel=1e-15)
    assert f"{150:g} kg" in str(whole.changes[0])
    # The joint's frame, or the frame, is where the mount is.
    q = np.zeros(whole.coordinate_count)
    q[3] = 1.0
    own = np.zeros(iiwa.coordinate_count)
    own[3] = 1.0
    frame = pose_matrix(poses(iiwa, own)["link1" if start == "a1" else start])
    tool = pose_matrix(poses(iiwa, own)["tool"])
    assert_same(pose_matrix(poses(whole, q)["arm_tool"]), np.linalg.inv(frame) @ tool, "tool")


def test_arms_on_arms_and_followers() -> None:
    text = """<robot name="gripper"><link name="palm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="lead" type="continuous"><parent link="palm"/><child link="a"/></joint>
      <joint name="led" type="continuous"><parent link="palm"/><child link="b"/>
        <mimic joint="lead" multiplier="-1"/></joint></robot>"""
    gripper = parse_urdf(text)
    host = robot("demo-7")
    whole = compose(host, {"hand": Mounted(gripper, on="tool"), "other": Mounted(gripper)})
    assert whole.rate_count == host.rate_count + 2
    assert [joint.name for joint in whole.followers] == ["hand_led", "other_led"]
    assert whole.frame("hand_palm").body == "link7"
    assert total_mass(whole) == pytest.approx(mass(host) + 6.0)


def _named(name: str) -> System:
    return percuss.free_body(Body(name, 1.0, inertia=(1, 1, 1)))


MISTAKES = {
    "unknown frame": (
        {"arm": Mounted(_named("x"), on="toool")},
        "arm 'arm': .*no frame or body 'toool'",
    ),
    "unknown start": (
        {"arm": Mounted(robot("demo-7"), start="yaw")},
        "no joint, frame or body 'yaw'",
    ),
    "nothing there": ({"arm": Mounted(robot("demo-7"), start="tool")}, "nothing hangs from 'tool'"),
    "no name": ({" ": Mounted(_named("x"))}, "an arm needs a name"),
    "prefixes": (
        {"a": Mounted(_named("b_x")), "a_b": Mounted(_named("x"))},
        "two bodies or frames would be called 'a_b_x', of arm 'a' and arm 'a_b'; rename an arm",
    ),
    "the base's": ({"bus": Mounted(_named("x"))}, "'bus_x', of the base and arm 'bus'"),
    "gravity": ({"arm": Mounted(_named("x").with_gravity((0, 0, -9.81)))}, "arm 'arm': .*gravity"),
    "flat": ({"arm": Mounted(robot("percussion"))}, "has only its moment about z"),
}


@pytest.mark.parametrize(("arms", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(arms: dict[str, Mounted], message: str) -> None:
    base = percuss.free_body(Body("bus_x", 1.0, inertia=(1, 1, 1)))
    with pytest.raises(ModelError, match=message):
        compose(base, arms)


def test_two_roots_of_which_one_floats_are_no_arm() -> None:
    one, other = _named("x"), _named("y").prefixed("b_")
    both = System("both", (*one.bodies, *other.bodies), (*one.joints, *other.joints))
    with pytest.raises(ModelError, match="has several roots, and 'b_y' moves freely"):
        rooted(both)


def test_no_arms_is_the_base() -> None:
    base = robot("demo-7")
    assert compose(base, {}) == base
    assert mass(compose(base.base, {})) == 400.0
