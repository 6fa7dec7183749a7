"""Scenarios become the systems they describe."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.encounter.actuation import effort_limits
from percuss.impact.closures import pin
from percuss.scenario import Scenario, ScenarioError, build, load, loads, with_overrides
from percuss.scenario.advice import warnings
from percuss.scenario.control import ComputedTorqueBlock, DetumbleBlock, PythonBlock
from tests.scenario.examples import OTHERS, PLANAR, SHIPPED, SPATIAL, URDF, with_block

M = [
    [120, 0, -45, -45, -15],
    [0, 120, 0, 0, 0],
    [-45, 0, 193.333333333333, 143.333333333333, 60],
    [-45, 0, 143.333333333333, 143.333333333333, 60],
    [-15, 0, 60, 60, 30],
]


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "capture.yaml").write_text(SPATIAL)
    return tmp_path / "capture.yaml"


def test_planar_example_has_the_matrices_of_the_thesis() -> None:
    contact = build(loads(PLANAR))
    q = contact.chaser_coordinates
    np.testing.assert_allclose(q, [1, 2, math.pi / 2, 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(percuss.mass_matrix(contact.chaser, q), M, atol=1e-12)
    J = percuss.jacobian(contact.chaser, q, contact.tool)[:2]
    np.testing.assert_allclose(J, [[1, 0, -5, -5, -3], [0, 1, 0, 0, 0]], atol=1e-14)
    np.testing.assert_allclose(
        contact.target_coordinates, [1, 8, 4.212388980384690], rtol=0, atol=1e-14
    )
    J_O = percuss.jacobian(contact.target, contact.target_coordinates, contact.grip)[:2]
    np.testing.assert_allclose(J_O, [[1, 0, 1], [0, 1, 0]], atol=1e-14)
    np.testing.assert_array_equal(contact.target_rates, [-1, 0, 0])
    np.testing.assert_allclose(contact.point.array(), [1, 7, 0], atol=1e-15)
    assert contact.chaser.mode == "free-flying"


def test_planar_example_gives_the_impact_of_the_thesis() -> None:
    jump = pin(build(loads(PLANAR)))
    wanted = [-0.0025575448, 0, 0, -0.08056266, 0.34398977]
    np.testing.assert_allclose(jump.chaser_rates, wanted, atol=5e-9)
    np.testing.assert_allclose(jump.target_rates, [-0.87723785, 0, 0.2455243], atol=5e-9)


def test_default_angle_is_the_rule_of_the_thesis() -> None:
    """(4.20): the link's angle + π − γ."""
    scenario = loads(PLANAR)
    default = with_overrides(scenario, {"target.angle": None})
    np.testing.assert_allclose(
        build(default).target_coordinates, build(scenario).target_coordinates, atol=1e-14
    )
    turned = with_overrides(default, {"chaser.joints": "[0.3, -1.1]"})
    angle = build(turned).target_coordinates[2]
    assert angle == pytest.approx(math.pi / 2 + 0.3 - 1.1 + math.pi - 0.5, abs=1e-14)


def test_other_blocks_of_the_format() -> None:
    text = PLANAR.partition("impact:")[0] + OTHERS + "duration: 10 s\n"
    scenario = loads(text)
    assert isinstance(scenario.control, ComputedTorqueBlock)
    assert scenario.control.believes == {"target.mass": 14}
    assert scenario.integration.relative_tolerance == 1e-10
    limits = effort_limits(scenario.encounter.control.limits, build(scenario).chaser)
    np.testing.assert_array_equal(limits, [50, 50, 50, 200, 200])


@pytest.mark.parametrize(
    "block",
    [
        "approach: {capture-radius: 0.02, timeout: 60 s, control: {law: none}}",
        "impact: {closure: compliant, law: hunt-crossley, stiffness: 1e5, restitution: 0.5}",
        "impact: {closure: compliant, law: linear, stiffness: 500 N/m, damping: 14 N s/m}",
        "impact: {closure: pulse, force: [0, -1000], frame: link, duration: 10 ms}",
        "impact: {closure: bounce, restitution: 0.5, repeat: {below: 0.01, then: weld, most: 20}}",
    ],
)
def test_every_block_of_the_format_is_carried_out(block: str) -> None:
    text = with_block(PLANAR, block.partition(":")[0], block)
    if block.startswith("approach"):
        text = text.replace(
            "  shape: disk\n  mass: 15", "  position: [1, 9]\n  shape: disk\n  mass: 15"
        )
    assert loads(text).encounter.duration == 10.0


def test_ic2_goes_with_forces_that_last() -> None:
    pulse = with_block(PLANAR, "impact", "impact: {closure: pulse, force: [0, -9], duration: 1 s}")
    scenario = loads(with_block(pulse, "control", "control: {law: ic2}"))
    assert scenario.encounter.control.feels
    with pytest.raises(ScenarioError, match=r"control\.law: 'ic2' acts on a force with a duration"):
        loads(with_block(PLANAR, "control", "control: {law: ic2}"))


def test_a_pulse_needs_no_target() -> None:
    text = with_block(PLANAR, "impact", "impact: {closure: pulse, force: [0, -9], duration: 1 s}")
    scenario = loads(with_block(text, "target", ""))
    assert scenario.contact is None
    assert warnings(scenario) == ()
    with pytest.raises(ScenarioError, match="target"):
        build(scenario)


def test_spatial_example(arm: Path) -> None:
    scenario = load(arm)
    contact = build(scenario)
    chaser = contact.chaser
    assert not scenario.is_planar
    assert chaser.mode == "free-floating"
    assert chaser.coordinate_names[-2:] == ("elbow", "shoulder"), "the order of the file"
    np.testing.assert_allclose(contact.chaser_coordinates[-2:], [-math.radians(40), 0.3])
    grip = percuss.frame_pose(contact.target, contact.target_coordinates, contact.grip)
    np.testing.assert_allclose(grip.position.array(), contact.point.array(), atol=1e-15)
    np.testing.assert_array_equal(contact.target_rates, [0, -0.05, 0, 0.02, 0, 0.05])
    inertia = contact.target.base.inertia
    assert tuple(inertia) == (120, 150, 90, 2, 0, -1)
    assert tuple(contact.target.base.com) == (0, 0, 0)


def test_joint_list_follows_the_file_and_the_last_link_is_the_tool(arm: Path) -> None:
    scenario = load(arm)
    listed = with_overrides(scenario, {"chaser.joints": "[-40 deg, 0.3]", "chaser.tool": None})
    assert build(listed).tool == build(scenario).tool
    np.testing.assert_array_equal(
        build(listed).chaser_coordinates, build(scenario).chaser_coordinates
    )
    point = with_overrides(scenario, {"chaser.tool": "{link: lower, at: [0, 0, 1]}"})
    np.testing.assert_allclose(build(point).point.array(), build(scenario).point.array())


@given(
    st.lists(st.floats(-3, 3), min_size=7, max_size=7),
    st.lists(st.floats(-1, 1), min_size=13, max_size=13),
    st.lists(st.floats(-3, 3), min_size=6, max_size=6),
)
def test_poses_and_velocities_are_those_of_the_file(
    joints: list[float], rates: list[float], angles: list[float]
) -> None:
    """Base: velocity of its frame's origin; target: of its centre of mass; both world axes."""
    contact = build(
        Scenario(
            chaser={
                "robot": "demo-7",
                "position": [1, 2, 3],
                "orientation": {"rpy": angles[:3]},
                "joints": joints,
                "velocity": {"linear": rates[:3], "angular": rates[3:6], "joints": rates[6:]},
            },
            target={
                "object": "rendezvous-target",
                "orientation": {"rpy": angles[3:]},
                "velocity": {"linear": rates[:3], "angular": rates[3:6]},
            },
            impact={"closure": "weld"},
            duration=1,
        )
    )
    for system, q, v in (
        (contact.chaser, contact.chaser_coordinates, contact.chaser_rates),
        (contact.target, contact.target_coordinates, contact.target_rates),
    ):
        motion = percuss.frame_velocity(system, q, v, system.base.name)
        np.testing.assert_allclose(motion.linear.array(), rates[:3], atol=1e-14)
        np.testing.assert_allclose(motion.angular.array(), rates[3:6], atol=1e-14)
    base = percuss.frame_pose(contact.chaser, contact.chaser_coordinates, "satellite")
    np.testing.assert_allclose(base.position.array(), [1, 2, 3], atol=1e-15)
    wanted = percuss.Rotation.from_rpy(*angles[:3]).array()
    np.testing.assert_allclose(base.rotation.array(), wanted, atol=1e-14)
    grip = percuss.frame_pose(contact.target, contact.target_coordinates, contact.grip)
    np.testing.assert_allclose(grip.position.array(), contact.point.array(), atol=1e-13)
    turned = percuss.Rotation.from_rpy(*angles[3:]).array()
    np.testing.assert_allclose(grip.rotation.array(), turned, atol=1e-14)


def test_python_and_yaml_make_the_same_scenario() -> None:
    document = yaml.safe_load(PLANAR)
    made = Scenario(**document)
    assert made == loads(PLANAR)
    assert made == Scenario.model_validate(document)
    assert loads(made.text) == made
    assert made != with_overrides(made, {"target.mass": 16})
    arrays = dict(document, chaser=dict(document["chaser"], position=np.array([1.0, 2.0])))
    assert Scenario(**arrays) == made


def test_a_scenario_does_not_change() -> None:
    scenario = loads(PLANAR)
    with pytest.raises(ValueError, match="frozen"):
        scenario.duration = 3.0
    control = with_overrides(scenario, {"control": "{law: detumble, time-constant: 5 s}"}).control
    assert isinstance(control, DetumbleBlock)
    with pytest.raises(TypeError, match="does not change"):
        control.believes["a"] = 1
    with pytest.raises(ValueError, match="frozen"):
        control.time_constant = 3.0
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    assert len({scenario, loads(PLANAR)}) == 1


def test_fixed_base_is_held_where_it_is() -> None:
    text = PLANAR.replace("mode: free-flying", "mode: fixed")
    contact = build(loads(text))
    assert contact.chaser.rate_count == 2
    np.testing.assert_allclose(contact.point.array(), [1, 7, 0], atol=1e-14)
    base = percuss.frame_pose(contact.chaser, contact.chaser_coordinates, "base")
    np.testing.assert_allclose(base.position.array(), [1, 2, 0], atol=1e-15)
    moving = text.replace("velocity: {linear: [0, 0]", "velocity: {linear: [0.1, 0]", 1)
    with pytest.raises(ScenarioError, match=r"line 13: chaser\.velocity\.linear: must be zero"):
        loads(moving)
    no_base = "\n".join(line for line in text.splitlines() if "base:" not in line)
    np.testing.assert_allclose(build(loads(no_base)).point.array(), [1, 7, 0], atol=1e-14)


def test_urdf_on_a_fixed_base(arm: Path) -> None:
    held = with_overrides(
        load(arm), {"chaser.mode": "fixed", "chaser.position": [1, 2, 3], "chaser.joints": None}
    )
    contact = build(held)
    assert contact.chaser.rate_count == 2
    np.testing.assert_allclose(contact.point.array(), [1, 2, 5.5])


def test_several_arms() -> None:
    text = """
chaser:
  base: {mass: 50, inertia: 4}
  mount: {left: [0, 0.3], right: [0, -0.3]}
  arms:
    left: [{length: 1, mass: 2}, {length: 1, mass: 2}]
    right: {angle: 90 deg, links: [{joint: prismatic, length: 1, mass: 2}]}
  joints: {left_joint2: 90 deg, right_joint1: 0.25 m}
  tool: {arm: right}
target: {mass: 3, inertia: 1, contact: [0.2, 0]}
impact: {closure: weld}
duration: 1
"""
    contact = build(loads(text))
    assert contact.chaser.coordinate_names[3:] == ("left_joint1", "left_joint2", "right_joint1")
    np.testing.assert_allclose(contact.point.array(), [0, -0.3 + 1.25, 0], atol=1e-15)
    left = build(loads(text.replace("{arm: right}", "{link: 1, at: [0.5, 0.1]}")))
    np.testing.assert_allclose(left.point.array(), [0.5, 0.4, 0], atol=1e-15)
    assert all(body.visuals for body in (*contact.chaser.bodies, *contact.target.bodies))


def test_links_keep_their_motors_and_friction() -> None:
    link = "{length: 3.0, mass: 10, com: 0.3, inertia: 2.5, torque: 20 N m, limits: [-1, 60 deg], "
    text = PLANAR.replace(
        "{joint: revolute, length: 3.0, mass: 10}",
        link + "friction: {viscous: 0.2, coulomb: 0.1 N m}}",
    )
    system = build(loads(text)).chaser
    joint = system.joint("joint2")
    assert (joint.limits.lower, joint.limits.effort) == (-1, 20)
    assert joint.limits.upper == pytest.approx(math.pi / 3)
    assert (joint.friction.viscous, joint.friction.coulomb) == (0.2, 0.1)
    body = system.node("link2").body
    assert (body.com.x, body.inertia.zz) == (0.3, 2.5)
    limits = effort_limits(loads(text).encounter.control.limits, system)
    np.testing.assert_array_equal(limits, [np.inf, np.inf, np.inf, np.inf, 20])


def test_names_of_the_target_give_way() -> None:
    text = PLANAR.replace("  arm:", "  arms:\n    target:").replace("    - {", "      - {")
    text = text.replace("tool: {link: 2, at: 3.0}", "tool: {arm: target}").replace(
        "  mount: [0, 0]                                    # joint 1 in the base frame\n", ""
    )
    contact = build(loads(text))
    assert contact.tool.name == "target_tool"
    assert contact.attached("pin").joined.rate_count == 6


@pytest.mark.parametrize(
    ("goal", "times", "last"),
    [
        ("initial", [0], [1, 2, math.pi / 2, 0, 0]),
        ("{joints: [0.1, 0.2]}", [0], [1, 2, math.pi / 2, 0.1, 0.2]),
        ("{joints: {joint2: 0.2}, within: 8 s}", [0, 8], [1, 2, math.pi / 2, 0, 0.2]),
        ("{position: [3, 4], angle: 7, within: 8}", [0, 8], [3, 4, 7, 0, 0]),
        (
            "{times: [1, 2, 5], joints: [[0, 0], [1, 1], [2, 90 deg]]}",
            [1, 2, 5],
            [1, 2, math.pi / 2, 2, math.pi / 2],
        ),
    ],
)
def test_goals(goal: str, times: list[float], last: list[float]) -> None:
    control = f"control: {{law: computed-torque, natural-frequency: 1, goal: {goal}}}"
    scenario = loads(with_block(PLANAR, "control", control))
    contact = build(scenario)
    destination = scenario.encounter.control.goal
    assert destination is not None
    points = destination.points(contact.chaser, contact.chaser_coordinates)
    np.testing.assert_array_equal(points.times, times)
    np.testing.assert_allclose(points.knots[-1], last, atol=1e-15)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_scenarios(path: Path) -> None:
    scenario = load(path)
    assert scenario.encounter.name == scenario.name
    assert warnings(scenario) == ()
    assert path.read_text().startswith("# "), "says what it is"
    assert "# Look for" in path.read_text()
    start = scenario.start
    assert start.target is not None
    assert all(body.visuals for body in (*start.chaser.bodies, *start.target.bodies))
    if scenario.approach is None:
        contact = build(scenario)
        grip = percuss.frame_pose(contact.target, contact.target_coordinates, contact.grip)
        np.testing.assert_allclose(grip.position.array(), contact.point.array(), atol=1e-14)
    assert loads(scenario.text, folder=scenario.folder) == scenario


def test_object_with_another_mass() -> None:
    scenario = loads(SPATIAL_OBJECT)
    heavier = with_overrides(scenario, {"target.mass": 8000, "target.inertia": [2e4, 1e5, 1e5]})
    body = build(heavier).target.base
    assert body.mass == 8000
    assert tuple(body.inertia)[:3] == (2e4, 1e5, 1e5)


SPATIAL_OBJECT = """
chaser: {robot: demo-7, parameters: {link3.mass: 9}}
target: {object: envisat}
impact: {closure: weld}
duration: 1
"""


def test_parameters_of_a_robot() -> None:
    scenario = loads(SPATIAL_OBJECT)
    assert build(scenario).chaser.node("link3").body.mass == 9.0
    with pytest.raises(ScenarioError, match=r"chaser\.parameters: .*Did you mean 'link3.mass'"):
        with_overrides(scenario, {"chaser.parameters.link33.mass": 3})


def test_joints_beyond_their_limits_are_noticed() -> None:
    found: tuple[Any, ...] = warnings(
        with_overrides(loads(SPATIAL_OBJECT), {"chaser.joints": "{elbow_pitch: 3.3}"})
    )
    assert any("'elbow_pitch' starts at 3.3, beyond its limits -3.1 to 3.1" in w for w in found)


def test_an_arm_that_stands_on_the_world() -> None:
    text = """
chaser: {robot: 2r-fixed, joints: [0.3, 0.5], velocity: {joints: {joint2: 3 deg/s}}}
target: {shape: disk, mass: 3, radius: 0.2, contact: {angle: 1}}
impact: {closure: weld}
duration: 1
"""
    contact = build(loads(text))
    np.testing.assert_array_equal(contact.chaser_coordinates, [0.3, 0.5])
    np.testing.assert_allclose(contact.chaser_rates, [0, math.radians(3)])
    moved = build(with_overrides(loads(text), {"chaser.position": [1, 2], "chaser.angle": 0.4}))
    turn = percuss.Pose.planar(1.0, 2.0, 0.4)
    there = turn.act(percuss.frame_pose(contact.chaser, [0.3, 0.5], "tool").position)
    np.testing.assert_allclose(
        percuss.frame_pose(moved.chaser, moved.chaser_coordinates, "tool").position.array(),
        there.array(),
        atol=1e-15,
    )
    with pytest.raises(ScenarioError, match=r"chaser\.mode: .* got 'free-flying'"):
        with_overrides(loads(text), {"chaser.mode": "free-flying"})


def test_a_law_of_your_own(tmp_path: Path) -> None:
    (tmp_path / "law.py").write_text("def law(t, q, v, memory):\n    return 0 * v, memory\n")
    control = "control: {law: python, file: law.py, period: 10 ms, memory: [0, 0]}"
    scenario = loads(with_block(PLANAR, "control", control), folder=tmp_path)
    assert isinstance(scenario.control, PythonBlock)
    assert (scenario.control.period, scenario.control.memory) == (0.01, (0, 0))
    assert scenario.folder / scenario.control.file == tmp_path / "law.py"


@pytest.mark.parametrize(
    ("target", "moments"),
    [
        ("{shape: box, size: [1, 2, 3], mass: 12, contact: [0, 0, 1]}", (13, 10, 5)),
        ("{shape: cylinder, radius: 2, length: 3, mass: 4, contact: [2, 0, 0]}", (7, 7, 8)),
        ("{shape: sphere, radius: 2, mass: 5, contact: [0, 2, 0]}", (8, 8, 8)),
        (
            "{shape: box, size: [1, 1, 1], inertia: [1, 1, 1], mass: 4, contact: [2, 0, 0]}",
            (1, 1, 1),
        ),
    ],
)
def test_shapes_in_space(target: str, moments: tuple[float, ...]) -> None:
    text = f"chaser: {{robot: demo-7}}\ntarget: {target}\nimpact: {{closure: weld}}\nduration: 1"
    body = build(loads(text)).target.base
    assert tuple(body.inertia)[:3] == pytest.approx(moments, rel=1e-14)


def test_a_sphere_has_one_radius_and_is_in_space() -> None:
    text = "chaser: {{robot: {}}}\ntarget: {}\nimpact: {{closure: weld}}\nduration: 1"
    ball = "{shape: sphere, radius: 2, mass: 5, contact: [0, 2, 0]}"
    target = build(loads(text.format("demo-7", ball))).target
    assert [(look.shape, look.size) for look in target.base.visuals] == [("sphere", (2.0,))]
    assert not target.is_planar
    for wrong, complaint in (
        ("{shape: sphere, mass: 5, contact: [0, 2, 0]}", "shape sphere needs radius in m"),
        (ball.replace("mass", "size: [1, 1, 1], mass"), "size: does not belong to shape sphere"),
        (ball.replace("[0, 2, 0]", "{angle: 1}"), "an angle on the rim"),
    ):
        with pytest.raises(ScenarioError, match=complaint):
            loads(text.format("demo-7", wrong))
    with pytest.raises(ScenarioError, match=r"target\.shape: is spatial \(a sphere\)"):
        loads(text.format("thesis", ball))


def test_drawn_size_of_an_inertia() -> None:
    """A homogeneous box is guessed back from its inertia, whatever the axes."""
    size, mass = np.array([1.0, 2.0, 3.0]), 12.0
    turn = percuss.Rotation.from_rpy(0.3, -0.4, 1.1).array()
    tensor = turn @ np.diag(mass * (size @ size - size**2) / 12) @ turn.T
    xx, yy, zz, xy, xz, yz = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
    scenario = Scenario(
        chaser={"robot": "demo-7"},
        target={
            "mass": mass,
            "inertia": {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz},
            "contact": [1, 0, 0],
        },
        impact={"closure": "weld"},
        duration=1,
    )
    (look,) = build(scenario).target.base.visuals
    assert sorted(look.size) == pytest.approx([1, 2, 3], rel=1e-12)
    axes = look.placement.rotation.array()
    drawn = (
        axes @ np.diag(mass * (np.sum(np.square(look.size)) - np.square(look.size)) / 12) @ axes.T
    )
    np.testing.assert_allclose(drawn, tensor, atol=1e-12)
