"""Chasers put together in a scenario file: bases, arms, locked joints, tools, model files."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import percuss
from percuss.algebra import Pose
from percuss.dynamics import mass_matrix, total_mass
from percuss.kinematics import frame_pose
from percuss.model import Frame, ModelNotice, box, cylinder, parse_urdf, robot, save_system, sphere
from percuss.scenario import Scenario, ScenarioError, load, loads, with_overrides
from tests.model.urdf_text import joint, link
from tests.model.urdf_text import robot as urdf_text
from tests.model.vehicles import inertial, vehicle, written_arm
from tests.scenario.examples import PLANAR, URDF
from tests.truth.compare import assert_same, pose_matrix

pin: Any = import_module("pinocchio")

VEHICLE = """\
chaser:
  base: {shape: box, size: [1.6, 1.4, 1.8], mass: 500}
  mode: free-flying
  arms:
    right:
      urdf: arm.urdf
      mount: [0.8, -0.3, 0]
      orientation: {rpy: [0, 90 deg, 0]}
      joints: [0.1, -40 deg]
    left:
      robot: iiwa-14
      mount: [0.8, 0.3, 0]
      from: a1
      joints: {a2: 0.3, a4: -1}
  tool: {arm: right, frame: tool_link}
target: {mass: 20, inertia: [1, 1, 1], contact: [0, 0, 0.5]}
impact: {closure: weld}
duration: 1 s
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An arm, a satellite with a bracket, an arm on an empty root, broken files."""
    (tmp_path / "arm.urdf").write_text(URDF)
    random = np.random.default_rng(5)
    place = '<origin xyz="0.5 0 0.2" rpy="0 0.4 0"/>'
    lines = (
        link("bus", inertial(random, 300.0)),
        link("bracket", ""),
        joint("weld", "bus", "bracket", "fixed", place),
    )
    (tmp_path / "bus.urdf").write_text(urdf_text(*lines))
    (tmp_path / "rooted.urdf").write_text(urdf_text(*written_arm(3, "offset").lines))
    (tmp_path / "empty.urdf").write_text(urdf_text(*written_arm(3, "massless").lines))
    (tmp_path / "rigid.urdf").write_text(urdf_text(link("antenna", inertial(random, 7.0))))
    (tmp_path / "bad.urdf").write_text("<robot")
    save_system(robot("demo-7"), tmp_path / "demo.yaml")
    save_system(robot("thesis"), tmp_path / "flat.yaml")
    return tmp_path


def test_arms_on_a_box(folder: Path) -> None:
    with pytest.warns(
        ModelNotice, match="changed in iiwa-14\n  from 'a1': read 'satellite' of 150 kg; used left"
    ):
        scenario = loads(VEHICLE, "v.yaml", folder)
    chaser = scenario.start.chaser
    assert not scenario.is_planar
    assert str(chaser.mode) == "free-flying"
    names = [joint.name for joint in chaser.movable_joints]
    assert names[:3] == ["right_elbow", "right_shoulder", "left_a1"]
    q = dict(zip(chaser.coordinate_names, scenario.start.chaser_coordinates, strict=True))
    assert q["right_elbow"] == 0.1
    assert q["right_shoulder"] == pytest.approx(np.radians(-40))
    assert (q["left_a2"], q["left_a4"], q["left_a1"]) == (0.3, -1.0, 0.0)
    assert scenario.start.tool.name == "right_tool_link"
    assert [notice.file for notice in scenario.notices] == ["iiwa-14"]
    # As put together in Python.
    arm = parse_urdf(URDF, mode="fixed")
    right = percuss.Mounted(arm, Pose.at((0.8, -0.3, 0.0), rpy=(0.0, np.pi / 2, 0.0)))
    left = percuss.Mounted(robot("iiwa-14"), Pose.at((0.8, 0.3, 0.0)), start="a1")
    whole = percuss.compose(box("base", (1.6, 1.4, 1.8), 500.0), {"right": right, "left": left})
    at = scenario.start.chaser_coordinates
    assert_same(mass_matrix(chaser, at), mass_matrix(whole, at), "mass matrix", 1e-15)


def test_a_scenario_of_a_vehicle_is_the_scenario_of_its_one_urdf(folder: Path) -> None:
    both = vehicle(11, {"right": "massive", "left": "massless"}, on_frame=True)
    (folder / "whole.urdf").write_text(both.text)
    rest = "tool: right_tool\n  joints: [0.1, 0.2, 0.3, -0.1, -0.2, -0.3]\n"
    rest += VEHICLE[VEHICLE.index("target:") :]
    whole = loads(f"chaser:\n  urdf: whole.urdf\n  {rest}", folder=folder)
    save_system(both.composed, folder / "composed.yaml")
    saved = loads(f"chaser:\n  system: composed.yaml\n  {rest}", folder=folder)
    ours, theirs = percuss.run(saved), percuss.run(whole)
    for key in ("impulse", "moment", "chaser_velocity", "target_velocity"):
        assert_same(ours.summary["impact"][key], theirs.summary["impact"][key], key, 1e-11)


BASES = {
    "box": (
        "{shape: box, size: [1, 2, 3], mass: 7, com: [0.1, 0.2, 0.3]}",
        box("b", (1, 2, 3), 7.0),
    ),
    "sphere": ("{shape: sphere, radius: 0.5, mass: 7}", sphere("b", 0.5, 7.0)),
    "cylinder": (
        "{shape: cylinder, radius: 0.5, length: 2, mass: 7}",
        cylinder("b", 0.5, 2.0, 7.0),
    ),
    "inertia": ("{mass: 7, inertia: {xx: 3, yy: 4, zz: 5, xy: 1}}", None),
}


@pytest.mark.parametrize(("base", "shape"), BASES.values(), ids=BASES)
def test_bases_of_a_shape_or_an_inertia(folder: Path, base: str, shape: Any) -> None:
    text = VEHICLE.replace("{shape: box, size: [1.6, 1.4, 1.8], mass: 500}", base)
    text = re.sub(r"    left:\n(      .*\n)+", "", text).replace(
        "urdf: arm.urdf", "urdf: empty.urdf"
    )
    text = text.replace("joints: [0.1, -40 deg]", "joints: [0, 0, 0]").replace("tool_link", "tool")
    body = loads(text, folder=folder).start.chaser.base
    assert body.mass == 7.0
    if shape is not None:
        assert body.inertia == shape.inertia
    else:
        assert tuple(body.inertia) == (3.0, 4.0, 5.0, 1.0, 0.0, 0.0)
    assert tuple(body.com) == ((0.1, 0.2, 0.3) if "com" in base else (0.0, 0.0, 0.0))


@pytest.mark.parametrize("base", ["{urdf: bus.urdf}", "{system: demo.yaml}", "{robot: demo-7}"])
def test_bases_that_are_models_and_mounts_on_their_frames(folder: Path, base: str) -> None:
    frame = "bracket" if "bus" in base else "tool"
    text = f"""
chaser:
  base: {base}
  arms: {{arm: {{urdf: rooted.urdf, mount: {{frame: {frame}}}, joints: {{joint1: 0.4}}}}}}
target: {{mass: 20, inertia: [1, 1, 1], contact: [0, 0, 0.5]}}
impact: {{closure: weld}}
duration: 1 s
"""
    start = loads(text, folder=folder).start
    assert start.tool.name == "arm_tool", "the only end of the only arm"
    arm = percuss.read_model(folder / "rooted.urdf")
    host = frame_pose(start.chaser, start.chaser_coordinates, frame)
    own = frame_pose(arm, [0.0, 0.4, 0.0], "tool")
    ours = frame_pose(start.chaser, start.chaser_coordinates, start.tool)
    assert_same(pose_matrix(ours), pose_matrix(host @ own), "the tool")


def test_saved_systems_wherever_a_robot_is(folder: Path) -> None:
    rest = VEHICLE[VEHICLE.index("target:") :]
    spatial = loads(f"chaser: {{system: demo.yaml}}\n{rest}", folder=folder)
    library = loads(f"chaser: {{robot: demo-7}}\n{rest}", folder=folder)
    assert spatial.start.chaser.bodies == library.start.chaser.bodies
    flat = PLANAR.partition("target:")
    planar = loads(f"chaser: {{system: flat.yaml}}\n{flat[1]}{flat[2]}", folder=folder)
    assert planar.is_planar
    with pytest.raises(ScenarioError, match=r"target\..* is planar .* of chaser\.system demo"):
        loads(f"chaser: {{system: demo.yaml}}\n{flat[1]}{flat[2]}", folder=folder)
    arm = VEHICLE.replace("robot: iiwa-14", "system: demo.yaml").replace(
        "from: a1", "from: shoulder_yaw"
    )
    arm = arm.replace("{a2: 0.3, a4: -1}", "{elbow_pitch: 1}")
    with pytest.warns(ModelNotice, match="'satellite' of 400 kg; used left out"):
        assert loads(arm, folder=folder).start.chaser.rate_count == 6 + 2 + 7


MJCF = """<mujoco><worldbody><body name="post"><geom type="sphere" size="0.1" mass="2"/>
  <body name="boom" pos="0 0 0.2"><joint name="swing" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.03" mass="3"/>
    <site name="tip" pos="0 0 0.5"/></body></body></worldbody></mujoco>"""
XACRO = """<robot name="boom" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="3"/>
  <link name="post"/>
  <link name="boom"><inertial><origin xyz="0 0 0.25"/><mass value="${m}"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="post"/><child link="boom"/>
    <origin xyz="0 0 0.2"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize(
    ("source", "mass", "tool"),
    [("mjcf: boom.xml", 505.0, "left_tip"), ("urdf: boom.xacro", 503.0, "left_boom")],
)
def test_arms_of_other_formats(folder: Path, source: str, mass: float, tool: str) -> None:
    pytest.importorskip("mujoco" if "mjcf" in source else "xacro")
    (folder / "boom.xml").write_text(MJCF)
    (folder / "boom.xacro").write_text(XACRO)
    text = f"""
chaser:
  base: {{shape: box, size: [1, 1, 1], mass: 500}}
  arms: {{left: {{{source}, mount: [0, 0, 0.5], joints: {{swing: 90 deg}}}}}}
  tool: {tool}
target: {{mass: 20, inertia: [1, 1, 1], contact: [0, 0, 0.5]}}
impact: {{closure: weld}}
duration: 1 s
"""
    start = loads(text, folder=folder).start
    assert total_mass(start.chaser) == pytest.approx(mass)
    at = frame_pose(start.chaser, start.chaser_coordinates, tool).position.array()
    length = 0.5 if tool == "left_tip" else 0.0
    np.testing.assert_allclose(at, [length, 0, 0.7], atol=1e-15)
    assert (
        loads(text.replace(f"  tool: {tool}\n", ""), folder=folder).start.tool.body == "left_boom"
    )


def test_an_arm_without_joints_is_part_of_the_base(folder: Path) -> None:
    text = VEHICLE.replace("robot: iiwa-14", "urdf: rigid.urdf").replace("      from: a1\n", "")
    text = text.replace("      joints: {a2: 0.3, a4: -1}\n", "")
    chaser = loads(text, folder=folder).start.chaser
    assert chaser.base.mass == pytest.approx(500.0 + 300.0 + 7.0)
    assert chaser.frame("left_antenna").body == "base"
    with pytest.raises(ScenarioError, match=r"arms\.left\.joints: must have 0 entries"):
        loads(text.replace("rigid.urdf\n", "rigid.urdf\n      joints: [1]\n"), folder=folder)


# --- joints ---------------------------------------------------------------------------------


def test_locked_joints_keep_their_coordinates_and_leave_the_lists(folder: Path) -> None:
    text = VEHICLE.replace("joints: [0.1, -40 deg]", "locked: [elbow]\n      joints: [-40 deg]")
    text = text.replace("{a2: 0.3, a4: -1}", "{a2: 0.3, a4: -1}\n      locked: [a4, a1]")
    with pytest.warns(ModelNotice):
        locked, free = loads(text, folder=folder), loads(VEHICLE, folder=folder)
    names = [joint.name for joint in locked.start.chaser.movable_joints]
    assert names == ["right_shoulder", *(f"left_a{k}" for k in (2, 3, 5, 6, 7))]
    for frame, moved in (("left_tool", {}), ("right_tool_link", {"right_elbow": 0.0})):
        chaser = free.start.chaser
        q = np.array(free.start.chaser_coordinates)
        for name, value in moved.items():
            q[chaser.coordinate_names.index(name)] = value
        ours = frame_pose(locked.start.chaser, locked.start.chaser_coordinates, frame)
        assert_same(pose_matrix(ours), pose_matrix(frame_pose(chaser, q, frame)), frame)


def test_joints_of_the_chaser_by_full_name(folder: Path) -> None:
    text = VEHICLE.replace("      joints: [0.1, -40 deg]\n", "")
    text = text.replace("      joints: {a2: 0.3, a4: -1}\n", "")
    text = text.replace(
        "  tool:",
        "  joints: {right_elbow: 1, left_a3: 2}\n  locked: [left_a3, left_a4]\n"
        "  velocity: {joints: {left_a1: 3 deg/s}}\n  tool:",
    )
    with pytest.warns(ModelNotice):
        start = loads(text, folder=folder).start
    assert start.chaser.rate_count == 6 + 2 + 5
    q = dict(zip(start.chaser.coordinate_names, start.chaser_coordinates, strict=True))
    assert q["right_elbow"] == 1.0
    assert "left_a3" not in q
    v = dict(zip(start.chaser.rate_names, start.chaser_rates, strict=True))
    assert v["left_a1"] == pytest.approx(np.radians(3))
    held = frame_pose(start.chaser, start.chaser_coordinates, "left_tool")
    iiwa = robot("iiwa-14")
    own = np.zeros(iiwa.coordinate_count)
    own[[3, 9]] = 1.0, 2.0
    arm = frame_pose(iiwa, own, Frame("a1", "satellite", iiwa.joint("a1").placement)).inverse()
    expected = Pose.at((0.8, 0.3, 0.0)) @ arm @ frame_pose(iiwa, own, "tool")
    assert_same(pose_matrix(held), pose_matrix(expected), "tool of the locked arm")


def test_planar_joints_can_be_locked() -> None:
    text = PLANAR.replace(
        "joints: [0, 0]\n", "joints: {joint1: 0.5, joint2: 1}\n  locked: [joint1]\n"
    )
    text = text.replace("joints: [0, 0]}", "joints: [0.2]}")
    start = loads(text).start
    assert start.chaser.rate_names[3:] == ("joint2",)
    np.testing.assert_array_equal(start.chaser_coordinates[3:], [1.0])


# --- mistakes -------------------------------------------------------------------------------

MISTAKES = [
    # (what to replace, by what, field, words)
    ("urdf: arm.urdf", "urdf: no.urdf", "chaser.arms.right.urdf", "there is no file"),
    ("urdf: arm.urdf", "urdf: bad.urdf", "chaser.arms.right.urdf", "cannot be read"),
    ("urdf: arm.urdf", "urdf: .", "chaser.arms.right.urdf", "is a folder"),
    ("urdf: arm.urdf", "system: arm.yaml", "chaser.arms.right.system", "there is no file"),
    ("urdf: arm.urdf", "robot: demo7", "chaser.arms.right.robot", "Did you mean 'demo-7'?"),
    ("urdf: arm.urdf", "robot: arm.urdf", "chaser.arms.right.robot", "write urdf: arm.urdf"),
    ("urdf: arm.urdf", "robot: cube", "chaser.arms.right.robot", "is a target"),
    ("urdf: arm.urdf", "robot: thesis", "chaser.arms.right.robot", "planar and spatial parts"),
    ("urdf: arm.urdf", "system: flat.yaml", "chaser.arms.right.system", "do not mix"),
    ("urdf: arm.urdf", "urdf: arm.urdf\n      robot: demo-7", "chaser.arms.right", "exactly one"),
    ("urdf: arm.urdf", "strict: true", "chaser.arms.right", "got none of them"),
    ("urdf: arm.urdf", "urdf: arm.urdf\n      angle: 3", "chaser.arms.right.angle", "orientation"),
    ("[0.8, -0.3, 0]", "[0.8, -0.3]", "chaser.arms.right.mount", "must have 3 entries in m"),
    ("[0.8, -0.3, 0]", "{frame: bracket}", "chaser.arms.right", "no frame or body 'bracket'"),
    ("[0.8, -0.3, 0]", "{}", "chaser.arms.right.mount", "or have frame: NAME, got neither"),
    ("[0.8, -0.3, 0]", "{frame: base, point: [0, 0, 0]}", "chaser.arms.right.mount", "got both"),
    ("{rpy: [0, 90 deg, 0]}", "[0, 0, 0, 0]", "chaser.arms.right.orientation", "not be zero"),
    ("[0.1, -40 deg]", "[0.1]", "chaser.arms.right.joints", "2 entries, one for each joint (elb"),
    ("[0.1, -40 deg]", "{right_elbow: 1}", "chaser.arms.right.joints", "Did you mean 'elbow'?"),
    ("[0.1, -40 deg]", "[0.1, 3 m]", "chaser.arms.right.joints", "must be in rad"),
    ("from: a1", "from: a9", "chaser.arms.left.from", "no joint, frame or body 'a9'"),
    ("from: a1", "from: tool", "chaser.arms.left.from", "nothing hangs from 'tool'"),
    ("from: a1", "from: a1\n      locked: [a9]", "chaser.arms.left.locked", "no joint 'left_"),
    ("from: a1", "from: a1\n      locked: a1", "chaser.arms.left.locked", "a list of"),
    ("  tool:", "  locked: [base]\n  tool:", "chaser.locked[1]", "is free and cannot be locked"),
    ("  tool:", "  joints: [0]\n  tool:", "chaser.joints", "got both: arms.right.joints too"),
    ("  tool:", "  mount: [0, 0]\n  tool:", "chaser.mount", "give each arm its mount"),
    ("  tool:", "  urdf: arm.urdf\n  tool:", "chaser", "A model that carries arms is a base"),
    ("  tool:", "  strict: 3\n  tool:", "chaser.strict", "must be true or false, got 3"),
    ("  tool: {arm: right, frame: tool_link}\n", "", "chaser.tool", "(right_tool_link, left_tool)"),
    ("frame: tool_link", "frame: tool", "chaser.tool", "no frame or body 'right_tool'"),
    ("{arm: right, ", "{arm: rigth, ", "chaser.tool.arm", "Did you mean 'right'?"),
    ("frame: tool_link", "frame: tool_link, at: [0, 0, 1]", "chaser.tool", "got frame and at"),
    ("shape: box, size: [1.6, 1.4, 1.8]", "shape: disk, radius: 1", "chaser.base.shape", "box, c"),
    ("size: [1.6, 1.4, 1.8]", "size: [1.6, 1.4]", "chaser.base.size", "is planar (2 entries"),
    ("mass: 500}", "mass: 500, urdf: bus.urdf}", "chaser.base.shape", "does not go with urdf"),
    ("mass: 500}", "mass: 500, strict: true}", "chaser.base.strict", "goes with a model file"),
    ("base: {shape: box, size: [1.6, 1.4, 1.8], mass: 500}", "base: {robot: thesis}",
     "chaser.base.robot", "planar and spatial parts do not mix"),
    ("  base: {shape: box, size: [1.6, 1.4, 1.8], mass: 500}\n", "", "chaser.base", "is missing"),
    ("    left:\n      robot: iiwa-14", "    left:\n      links: [{length: 1, mass: 1}]",
     "chaser.arms.left", "planar and spatial parts do not mix"),
    ("  mode: free-flying", "  position: [1, 2]", "chaser.position", "is planar"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "words"), MISTAKES)
def test_mistakes_name_line_field_and_what_is_allowed(
    old: str, new: str, field: str, words: str, folder: Path
) -> None:
    assert old in VEHICLE
    text = VEHICLE.replace(old, new, 1)
    with pytest.raises(ScenarioError) as caught:
        loads(text, "v.yaml", folder)
    place = rf"v\.yaml, line \d+: {re.escape(field)}"
    lines = [m for m in str(caught.value).splitlines() if re.match(place, m)]
    assert any(words in m for m in lines), str(caught.value)


def test_planar_links_on_a_base_that_is_a_model_are_refused() -> None:
    text = (
        "chaser: {base: {robot: srms, strict: true}, arm: [{length: 1, mass: 1}]}\n"
        "target: {shape: disk, mass: 5, radius: 1, contact: {angle: 0}}\n"
        "impact: {closure: pin}\nduration: 1 s\n"
    )
    with pytest.raises(ScenarioError, match=r"chaser\.base\.robot: .* spatial; .* got 'srms'"):
        loads(text, "v.yaml")


def test_several_files_that_are_not_there_are_told_at_once(folder: Path) -> None:
    text = VEHICLE.replace("arm.urdf", "no.urdf").replace("robot: iiwa-14", "urdf: nor.urdf")
    with pytest.raises(ScenarioError) as caught:
        loads(text, folder=folder)
    assert len(caught.value.problems) == 2


def test_two_arms_that_would_share_names(folder: Path) -> None:
    (folder / "x.urdf").write_text(urdf_text(link("b_x")))
    (folder / "y.urdf").write_text(urdf_text(link("x")))
    arms = "arms: {a: {urdf: x.urdf}, a_b: {urdf: y.urdf}}"
    text = f"chaser:\n  base: {{robot: demo-7}}\n  {arms}\n  tool: tool\n"
    with pytest.raises(ScenarioError, match=r"chaser\.arms: two bodies or frames .* 'a_b_x'"):
        loads(text + VEHICLE[VEHICLE.index("target:") :], folder=folder)


def test_no_arms_at_all(folder: Path) -> None:
    text = re.sub(r"  arms:\n(    .*\n)+", "  arms: {}\n", VEHICLE)
    with pytest.raises(ScenarioError, match=r"chaser\.arms: must hold at least one arm, got \{\}"):
        loads(text, folder=folder)


# --- fixed bases ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rooted.urdf", "empty.urdf", "arm.urdf"])
def test_position_is_that_of_the_root_as_pinocchio_has_it(folder: Path, name: str) -> None:
    text = f"""
chaser: {{urdf: {name}, mode: fixed, position: [1, 2, 3], orientation: {{rpy: [0.1, 0.2, 0.3]}}}}
target: {{mass: 20, inertia: [1, 1, 1], contact: [0, 0, 0.5]}}
impact: {{closure: weld}}
duration: 0.1 s
"""
    scenario = loads(text, folder=folder)
    start = scenario.start
    model = pin.buildModelFromUrdf(str(folder / name))
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    tool = data.oMf[model.getFrameId(start.tool.name)].homogeneous
    root = pose_matrix(Pose.at((1.0, 2.0, 3.0), rpy=(0.1, 0.2, 0.3)))
    ours = pose_matrix(frame_pose(start.chaser, start.chaser_coordinates, start.tool))
    assert_same(ours, root @ tool, "the tool in the world")
    # And the result tells the pose that was given.
    final = percuss.run(scenario).summary["final"]["coordinates"]
    np.testing.assert_allclose(final[:3], [1, 2, 3], atol=1e-15)


def test_a_vehicle_on_a_fixed_base_is_held_at_its_root(folder: Path) -> None:
    text = VEHICLE.replace("mode: free-flying", "mode: fixed\n  position: [1, 2, 3]")
    bare = text.replace("  base: {shape: box, size: [1.6, 1.4, 1.8], mass: 500}\n", "")
    with pytest.warns(ModelNotice):
        held, without = loads(text, folder=folder).start, loads(bare, folder=folder).start
    assert held.chaser.rate_count == 9
    for start in (held, without):
        base = frame_pose(start.chaser, start.chaser_coordinates, "base").position
        np.testing.assert_array_equal(base.array(), [1, 2, 3])
    one, other = (frame_pose(s.chaser, s.chaser_coordinates, s.tool) for s in (held, without))
    assert_same(pose_matrix(one), pose_matrix(other), "the tool")


def test_a_displaced_pedestal_that_floats_keeps_its_offset(folder: Path) -> None:
    rest = VEHICLE[VEHICLE.index("target:") :]
    with pytest.warns(ModelNotice, match="'world'|the world"):
        free = loads(f"chaser: {{urdf: rooted.urdf, position: [1, 2, 3]}}\n{rest}", folder=folder)
    fixed = percuss.read_model(folder / "rooted.urdf")
    start = free.start
    ours = frame_pose(start.chaser, start.chaser_coordinates, start.tool)
    expected = Pose.at((1.0, 2.0, 3.0)) @ frame_pose(fixed, [0.0, 0.0, 0.0], "tool")
    assert_same(pose_matrix(ours), pose_matrix(expected), "the tool")


# --- where files are --------------------------------------------------------------------------


def test_scenarios_with_other_files_of_the_same_name_are_not_equal(tmp_path: Path) -> None:
    rest = VEHICLE[VEHICLE.index("target:") :]
    text = f"chaser: {{urdf: arm.urdf, tool: tool_link}}\n{rest}"
    made = []
    for place, mass in (("a", 300), ("b", 300), ("c", 40_000)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "arm.urdf").write_text(URDF.replace('value="300"', f'value="{mass}"'))
        made.append(loads(text, folder=tmp_path / place))
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_overrides_reach_into_arms(folder: Path) -> None:
    with pytest.warns(ModelNotice):
        scenario = loads(VEHICLE, folder=folder)
    changed = with_overrides(
        scenario, {"chaser.arms.left.joints.a2": 0.7, "chaser.parameters.right_upper.mass": 11}
    )
    q = dict(
        zip(changed.start.chaser.coordinate_names, changed.start.chaser_coordinates, strict=True)
    )
    assert q["left_a2"] == 0.7
    masses = {body.name: body.mass for body in changed.start.chaser.bodies}
    assert masses["right_upper"] == 11.0


def test_a_vehicle_from_mappings_and_back(folder: Path) -> None:
    document = yaml.safe_load(VEHICLE)
    document["chaser"]["arms"].pop("left")
    document["chaser"]["arms"]["right"]["urdf"] = str(folder / "arm.urdf")
    scenario = Scenario(**document)
    (folder / "again.yaml").write_text(scenario.text)
    assert load(folder / "again.yaml") == scenario
