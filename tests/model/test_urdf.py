"""URDF read and written: the same robot on both sides, and messages that say what is wrong."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.dynamics import bias_forces, mass_matrix, total_mass
from percuss.kinematics import neutral, poses
from percuss.model import (
    WORLD,
    BaseMode,
    Body,
    Fixed,
    Frame,
    Free,
    Friction,
    Joint,
    Limits,
    ModelError,
    ModelNotice,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    box,
    free_body,
)
from percuss.model.bodies import Visual
from percuss.model.joints import JointMotion
from percuss.model.urdf.read import parse_urdf, read_urdf
from percuss.model.urdf.write import write_urdf
from tests.model.urdf_text import AB, MASS, joint, link, robot


def spatial_axis(motion: JointMotion) -> tuple[Any, ...]:
    assert isinstance(motion, (Revolute, Prismatic))
    return tuple(motion.axis)


# --- reading ------------------------------------------------------------------------------


def test_links_and_joints_are_read() -> None:
    text = robot(
        link("base"),
        link("arm"),
        link("hand"),
        joint(
            "elbow",
            "base",
            "arm",
            content='<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 2"/>'
            '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
            '<dynamics damping="0.5" friction="0.1"/>',
        ),
        joint("slide", "arm", "hand", "prismatic"),
    )
    system = parse_urdf(text)
    elbow, slide = system.joint("elbow"), system.joint("slide")
    assert system.name == "r"
    assert system.mode == BaseMode.FIXED
    assert system.base_joint == Joint("base", Fixed(), WORLD, "base")
    assert spatial_axis(elbow.motion) == (0.0, 0.0, 1.0)
    assert elbow.limits == Limits(-1.0, 2.0, speed=4.0, effort=30.0)
    assert elbow.friction == Friction(0.5, 0.1)
    assert elbow.placement == Pose.at((1, 2, 3), rpy=(0.1, 0.2, 0.3))
    assert spatial_axis(slide.motion) == (1.0, 0.0, 0.0)
    assert slide.placement.is_identity
    assert slide.limits == Limits()
    assert parse_urdf(text, name="other").name == "other"


@pytest.mark.parametrize("mode", ["free-floating", "attitude-controlled", "free-flying"])
def test_the_root_link_is_the_base(mode: str) -> None:
    system = parse_urdf(robot(link("hull")), mode=mode)
    assert system.mode == mode
    assert system.base_joint == Joint("base", Free(), WORLD, "hull")


def test_the_inertia_tensor_is_turned_into_link_axes() -> None:
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0.1" iyz="0"/></inertial>'
    )
    body = parse_urdf(robot(link("a", inertial))).base
    assert tuple(body.com) == (0.1, 0.2, 0.3)
    np.testing.assert_allclose(
        body.inertia.array(), [[2, 0, 0], [0, 1, 0.1], [0, 0.1, 2.5]], atol=1e-15
    )


def test_fixed_links_are_merged_and_stay_as_frames() -> None:
    text = robot(
        link("base"),
        link("arm", ""),
        link("motor"),
        link("tool", ""),
        joint("elbow", "base", "arm", "continuous"),
        joint("screws", "arm", "motor", "fixed", '<origin xyz="1 0 0"/>'),
        joint("tip", "motor", "tool", "fixed", '<origin xyz="0 1 0"/><dynamics friction="3"/>'),
    )
    system = parse_urdf(text)
    # The arm itself weighs nothing, but the motor fixed to it does.
    assert [body.name for body in system.bodies] == ["base", "arm"]
    assert tuple(system.node("arm").body.com) == (1.0, 0.0, 0.0)
    assert tuple(system.frame("tool").placement.position) == (1.0, 1.0, 0.0)
    assert system.frame("motor").body == "arm"
    assert total_mass(system) == 4.0


def test_a_planar_joint_is_given_by_its_normal() -> None:
    origin = '<origin xyz="1 0 0" rpy="0.3 0 0"/>'
    text = robot(
        link("a"), link("b"), joint("p", "a", "b", "planar", origin + '<axis xyz="1 2 2"/>')
    )
    system = parse_urdf(text)
    placement = Pose.at((1, 0, 0), rpy=(0.3, 0, 0))
    at_zero = poses(system, [0.0, 0.0, 0.0])["b"]
    np.testing.assert_allclose(at_zero.matrix(), placement.matrix(), atol=1e-15)
    moved = placement.inverse() @ poses(system, [0.3, 0.4, 0.9])["b"]
    assert moved.position.array() @ [1, 2, 2] == pytest.approx(0, abs=1e-15)
    turn = moved.rotation.to_rotation_vector().array()
    np.testing.assert_allclose(turn, 0.9 * np.array([1, 2, 2]) / 3, atol=1e-15)


def test_the_world_is_the_ground() -> None:
    text = robot(
        link("world", ""),
        link("stand", ""),
        link("arm"),
        joint("bolt", "world", "stand", "fixed", '<origin xyz="0 0 1"/>'),
        joint("turn", "stand", "arm", content='<origin xyz="1 0 0"/>'),
    )
    with pytest.warns(ModelNotice, match="link 'stand': read the frame of a link fixed to 'world'"):
        system = parse_urdf(text)
    (turn,) = system.joints
    assert turn.parent == WORLD
    assert tuple(turn.placement.position) == (1.0, 0.0, 1.0)
    with pytest.raises(ModelError, match=r"line 2: link 'world': has no mass.*mode='fixed'"):
        parse_urdf(text, mode="free-floating")


def test_a_root_without_mass_is_the_ground_or_takes_the_mass_fixed_to_it() -> None:
    arm = robot(link("root", ""), link("arm"), joint("turn", "root", "arm"))
    assert parse_urdf(arm, mode="fixed").joint("turn").parent == WORLD
    text = robot(
        link("root", ""),
        link("hull"),
        joint("weld", "root", "hull", "fixed", '<origin xyz="1 0 0"/>'),
    )
    for mode in ("fixed", "free-flying"):
        system = parse_urdf(text, mode=mode)
        assert system.base.name == "root"
        assert tuple(system.frame("hull").placement.position) == (1.0, 0.0, 0.0)


def test_a_base_bolted_to_the_world_can_be_set_free() -> None:
    text = robot(link("world", ""), link("hull"), joint("bolt", "world", "hull", "fixed"))
    assert parse_urdf(text).base_joint.name == "bolt"
    with pytest.warns(ModelNotice, match="a base called 'root', its frame that of the link"):
        free = parse_urdf(text, mode="free-floating")
    assert free.base_joint == Joint("base", Free(), WORLD, "root")
    assert free.frame("hull").body == "root"
    heavy = robot(link("world"), link("hull"), joint("bolt", "world", "hull", "fixed"))
    assert [body.name for body in parse_urdf(heavy).bodies] == ["hull"]
    with pytest.warns(ModelNotice, match="a base called 'root'"):
        assert total_mass(parse_urdf(heavy, mode="free-floating")) == 4.0


def test_a_floating_joint_on_the_world_carries_the_base() -> None:
    text = robot(link("world", ""), link("hull"), joint("drift", "world", "hull", "floating"))
    for mode in (None, "free-floating"):
        system = parse_urdf(text, mode=mode)
        assert system.base_joint == Joint("drift", Free(), WORLD, "hull")
        assert system.mode == BaseMode.FREE_FLOATING
    with pytest.raises(ModelError, match=r"base mode 'fixed' needs.*with_mode"):
        parse_urdf(text, mode="fixed")


def test_a_joint_called_base_keeps_its_name() -> None:
    system = parse_urdf(robot(link("a"), link("b"), joint("base", "a", "b")))
    assert [j.name for j in system.joints] == ["base_", "base"]


def test_limits_follow_the_format() -> None:
    limits = {
        "revolute": '<limit upper="2" effort="1" velocity="0"/>',
        "continuous": '<limit lower="1" upper="2" effort="1" velocity="0"/>',
        "prismatic": '<limit effort="1" velocity="0"/>',
    }
    found = {}
    for kind, limit in limits.items():
        system = parse_urdf(robot(link("a"), link("b"), joint("j", "a", "b", kind, limit)))
        found[kind] = system.joint("j").limits
    assert found["revolute"] == Limits(0.0, 2.0, 0.0, 1.0)
    assert found["continuous"] == found["prismatic"] == Limits(speed=0.0, effort=1.0)


# --- looks and extensions -----------------------------------------------------------------


def test_visuals_colours_and_meshes(tmp_path: Path) -> None:
    mesh = tmp_path / "pkg" / "meshes" / "a b.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_text("solid")
    folder = tmp_path / "pkg" / "urdf"
    folder.mkdir()
    shapes = [
        ('<box size="1 2 3"/>', '<material name="red"/>'),
        (
            '<cylinder radius="1" length="2"/>',
            '<material name="x"><color rgba="0 1 0 1"/></material>',
        ),
        ('<sphere radius="1"/>', '<material name="unheard of"/>'),
        ('<mesh filename="package://pkg/meshes/a%20b.stl" scale="2 2 2"/>', ""),
        ('<mesh filename="../meshes/a b.stl"/>', ""),
        (f'<mesh filename="{mesh.as_uri()}"/>', ""),
    ]
    visuals = "".join(
        f'<visual><origin xyz="0 0 1"/><geometry>{shape}</geometry>{material}</visual>'
        for shape, material in shapes
    )
    path = folder / "r.urdf"
    red = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
    collision = "<collision><geometry><anything/></geometry></collision>"
    path.write_text(robot(link("a", MASS + visuals + collision), red))
    found = read_urdf(path).base.visuals
    up = Pose.at((0, 0, 1))
    assert found[0] == Visual(
        shape="box", size=(1.0, 2.0, 3.0), placement=up, mesh=None, color=(1.0, 0.0, 0.0, 0.5)
    )
    assert found[1] == Visual(
        shape="cylinder", size=(1.0, 2.0), placement=up, mesh=None, color=(0.0, 1.0, 0.0, 1.0)
    )
    assert found[2] == Visual("sphere", (1.0,), up)
    assert found[3].size == (2.0, 2.0, 2.0)
    for visual in found[3:]:
        assert visual.mesh is not None
        assert visual.mesh.samefile(mesh)
    again = tmp_path / "again.urdf"
    text = write_urdf(read_urdf(path), again)
    assert 'filename="pkg/meshes/a b.stl"' in text
    for visual, other in zip(read_urdf(again).base.visuals, found, strict=True):
        assert replace(visual, mesh=None) == replace(other, mesh=None)
        assert (visual.mesh is None) == (other.mesh is None)


def test_what_is_left_out_is_said_once(tmp_path: Path) -> None:
    visual = '<visual><geometry><mesh filename="package://p/x.stl"/></geometry></visual>'
    odd = "<visual><geometry><capsule/></geometry></visual><self_collision/>"
    path = tmp_path / "r.urdf"
    path.write_text(
        robot(
            link("a", MASS + visual + odd),
            link("b"),
            joint("j", "a", "b", content="<safety_controller/><calibration/>"),
            "<transmission/><transmission/><gazebo/><sensor/><ros2_control/>",
        )
    )
    with pytest.warns(ModelNotice) as notices:
        system = read_urdf(path)
    (notice,) = notices
    assert notice.filename == __file__
    text = str(notice.message)
    for what in (
        "<transmission>, 2 times",
        "<gazebo>",
        "<capsule>",
        "<calibration>",
        "package://p/x.stl",
    ):
        assert what in text
    (kept,) = system.base.visuals
    assert kept.mesh == tmp_path / "x.stl"


# --- what is refused ----------------------------------------------------------------------

NO_MASS = "<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial>"

REFUSED = {
    "empty": ("  \n", "line 1: the file is empty"),
    "text": ("hello", "line 1, column 1: not well-formed XML"),
    "truncated": (robot(link("a"))[:-12], "line 2.*not well-formed.*Still open: <link> in <robot>"),
    "mismatch": ("<robot name='r'><link></robot>", "mismatched tag"),
    "wrong root": ("<sdf/>", "line 1: <sdf>: the root element of a URDF is <robot>, got <sdf>"),
    "no links": (robot(), "line 1: <robot>: has no <link>"),
    "unnamed link": (robot(link("a"), "<link/>"), "line 3: <link>: 'name' is missing"),
    "unnamed joint": (robot(*AB, joint("", "a", "b")), "line 4: <joint>: 'name' is missing"),
    "link twice": (robot(*AB, link("a")), "line 4: link 'a': the name is taken.* line 2"),
    "joint twice": (
        robot(*AB, link("c"), joint("j", "a", "b"), joint("j", "b", "c")),
        "line 6: joint 'j': the name is taken by another joint on line 5",
    ),
    "no type": (robot(*AB, "<joint name='j'/>"), "line 4: joint 'j': 'type' is missing"),
    "type": (
        robot(*AB, joint("j", "a", "b", "ball")),
        "'ball' is not supported; allowed are revol",
    ),
    "no parent": (
        robot(*AB, "<joint name='j' type='fixed'/>"),
        "line 4: joint 'j': has no <parent>",
    ),
    "no link in parent": (
        robot(*AB, "<joint name='j' type='fixed'><parent/><child link='b'/></joint>"),
        "line 4: joint 'j', <parent>: 'link' is missing",
    ),
    "unknown child": (
        robot(link("arm_1"), link("arm_2"), joint("j", "arm_1", "arm_3")),
        "line 4: joint 'j', <child>: link 'arm_3' does not exist. Did you mean 'arm_",
    ),
    "two roots": (
        robot(*AB),
        r"line 3: link 'b': the file has 2 roots.*'a' \(line 2\), 'b' \(line 3\)",
    ),
    "two parents": (
        robot(*AB, link("c"), joint("j", "a", "c"), joint("k", "b", "c")),
        r"line 6: joint 'k': link 'c' is already the child of joint 'j' \(line 5\): a loop",
    ),
    "cycle": (robot(*AB, joint("j", "a", "b"), joint("k", "b", "a")), "loop: a → b → a"),
    "own parent": (robot(*AB, joint("j", "b", "b")), "line 4: joint 'j': links form a loop: b → b"),
    "xacro": (robot("<xacro:macro name='m'/>"), "line 2: <xacro:macro>: is a macro"),
    "expression": (
        robot(link("a", MASS.replace('"2"', '"${m}"'))),
        "'value' must be a finite number.*Expand the file with xacro",
    ),
    "not a number": (
        robot(link("a", MASS.replace('"2"', '"abc"'))),
        r"line 2: link 'a', <inertial>, <mass>: 'value' must be a finite number \(kg\), got 'abc'",
    ),
    "nan": (robot(link("a", MASS.replace('"2"', '"nan"'))), "finite number.*got 'nan'"),
    "underscore": (robot(link("a", MASS.replace('"2"', '"1_0"'))), "got '1_0'"),
    "two entries": (
        robot(*AB, joint("j", "a", "b", content='<origin xyz="1 2"/>')),
        "<origin>: 'xyz' must be 3 finite numbers .*got '1 2'",
    ),
    "no axis": (
        robot(*AB, joint("j", "a", "b", content='<axis xyz="0 0 0"/>')),
        "line 4: joint 'j', <axis>: xyz must be a finite vector of length > 0",
    ),
    "no mass value": (robot(link("a", NO_MASS)), "line 2: link 'a', <inertial>: has no <mass>"),
    "no moment": (
        robot(link("a", "<inertial><mass value='1'/><inertia ixx='1'/></inertial>")),
        "<inertia>: 'iyy' is missing",
    ),
    "negative mass": (
        robot(link("a", MASS.replace('"2"', '"-2"'))),
        "line 2: link 'a': body 'a': mass must be finite and > 0 kg, got -2",
    ),
    "world inside": (
        robot(link("a"), link("world"), joint("j", "a", "world")),
        "line 3: link 'world': 'world' is the inertial frame",
    ),
    "overflow": (
        robot(*AB, joint("j", "a", "b", "fixed", '<origin xyz="1e300 0 0"/>')),
        "line 4: joint 'j': placement: position x must be finite",
    ),
    "surrogate": ("<robot name='\ud800'/>", "cannot be read as text"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_files_are_refused_with_line_field_and_value(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"(?s)URDF, {message}|URDF, line.*{message}"):
        parse_urdf(text)


def test_bad_arguments_and_paths(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'flying' is not one of fixed, free-floating"):
        parse_urdf(robot(link("a")), mode="flying")
    with pytest.raises(FileNotFoundError):
        read_urdf(tmp_path / "nothing.urdf")
    with pytest.raises(ModelError, match="is a folder"):
        read_urdf(tmp_path)
    binary = tmp_path / "binary.urdf"
    for data in (b"\x00\xff\xfe", b'<?xml version="1.0" encoding="klingon"?><robot/>'):
        binary.write_bytes(data)
        with pytest.raises(ModelError, match=r"binary.urdf, line 1"):
            read_urdf(binary)


WHOLE = robot(
    link("base"),
    link("arm"),
    link("tool", ""),
    joint("elbow", "base", "arm", content='<origin xyz="1 2 3"/><limit lower="-1" upper="2"/>'),
    joint("tip", "arm", "tool", "fixed", '<origin rpy="0 1 0"/>'),
)


@given(
    st.integers(0, len(WHOLE)),
    st.integers(0, 12),
    st.text(alphabet='<>/="& axb10.-e', max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_gives_a_system_or_a_model_error(at: int, cut: int, text: str) -> None:
    message = "line"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelNotice)
        try:
            parse_urdf(WHOLE[:at] + text + WHOLE[at + cut :])
        except ModelError as error:
            message = str(error)
    assert "line" in message


# --- writing ------------------------------------------------------------------------------

numbers = st.floats(-2, 2, allow_subnormal=False)
triples = st.tuples(numbers, numbers, numbers)
# Right angles and what is close to them: there roll and yaw are hard to tell apart.
right_angles = st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi, math.pi / 2 - 1e-6])
angles = st.tuples(*[st.one_of(st.floats(-3, 3), right_angles)] * 3)
placements = st.builds(
    lambda p, a, b: Pose.at(p, rpy=a) @ Pose.at((0, 0, 0), rpy=b), triples, angles, angles
)
axes = triples.filter(lambda a: math.hypot(*a) > 0.1)


@st.composite
def bodies(draw: st.DrawFn, name: str) -> Body:
    """Second moments of mass ≥ 0 along turned axes make every inertia a physical one."""
    x, y, z = draw(st.tuples(*[st.floats(0.01, 1)] * 3))
    turn = draw(placements).rotation.array()
    inertia = turn @ np.diag([y + z, x + z, x + y]) @ turn.T
    mass, com = draw(st.floats(0.1, 10)), Vector3(*draw(triples))
    return Body(name, mass, com, Symmetric3.of((inertia + inertia.T) / 2))


motions = st.one_of(
    st.builds(Revolute, axes),
    st.builds(Prismatic, axes),
    st.builds(Planar),
    st.builds(Fixed),
    st.builds(Free),
)
base_motions = st.one_of(st.builds(Fixed), st.builds(Free), st.builds(Planar), st.builds(Revolute))
bounds = st.sampled_from([Limits(), Limits(-1.0, 2.0, 3.0, 4.0), Limits(upper=1.0), Limits(-0.5)])


@st.composite
def systems(draw: st.DrawFn) -> System:
    count = draw(st.integers(1, 6))
    names = [f"b{k}" for k in range(count)]
    identity_or_not = st.one_of(st.just(Pose.identity()), placements)
    placed = draw(identity_or_not)
    joints = [
        Joint(
            name="root",
            motion=draw(base_motions),
            parent=WORLD,
            child="b0",
            placement=placed,
            child_placement=draw(identity_or_not),
        )
    ]
    for k in range(1, count):
        motion = draw(motions)
        single = isinstance(motion, (Revolute, Prismatic))
        joints.append(
            Joint(
                name=f"j{k}",
                motion=motion,
                parent=names[draw(st.integers(0, k - 1))],
                child=names[k],
                placement=draw(placements),
                child_placement=draw(identity_or_not),
                limits=draw(bounds) if single else Limits(),
                friction=Friction(0.1, 0.25) if single else Friction(),
            )
        )
    frames = [
        Frame(f"f{k}", draw(st.sampled_from(names)), draw(placements))
        for k in range(draw(st.integers(0, 2)))
    ]
    return System(
        "random",
        tuple(draw(bodies(name)) for name in names),
        tuple(draw(st.permutations(joints))),
        tuple(frames),
    )


def assert_same_motion(old: System, new: System, seed: int) -> None:
    """Mass matrix, bias forces under gravity and poses of all frames at a random state."""
    rng = np.random.default_rng(seed)
    q = np.array(neutral(old), float) + rng.normal(size=old.coordinate_count)
    v = rng.normal(size=old.rate_count)
    gravity = (1.0, -2.0, -9.0)
    old, new = old.with_gravity(gravity), new.with_gravity(gravity)
    mass, bias = mass_matrix(old, q), bias_forces(old, q, v)
    # Bias forces can cancel to nothing; rates are of order one, so masses are their scale.
    scale = np.abs(mass).max(initial=0.0)
    np.testing.assert_allclose(mass_matrix(new, q), mass, rtol=0, atol=1e-12 * scale)
    scale = np.abs(bias).max(initial=scale)
    np.testing.assert_allclose(bias_forces(new, q, v), bias, rtol=0, atol=1e-12 * scale)
    here = poses(new, q)
    there = poses(old, q)
    for name, pose in there.items():
        moved = f"{name}_frame"
        found = here[moved if moved in here and moved not in there else name].matrix()
        scale = max(1.0, np.abs(pose.position.array()).max())
        np.testing.assert_allclose(found, pose.matrix(), rtol=0, atol=1e-12 * scale)


@given(systems(), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_write_then_read_is_the_same_robot(system: System, seed: int) -> None:
    text = write_urdf(system)
    back = parse_urdf(text, mode=system.mode)
    moving = [joint for joint in system.joints if joint.motion.rate_count]
    for moved in moving:
        if moved.parent != WORLD:
            assert back.joint(moved.name).limits == moved.limits
            assert back.joint(moved.name).friction == moved.friction
    assert_same_motion(system, back, seed)
    # Once in URDF's own terms, nothing changes any more.
    assert_same_motion(back, parse_urdf(write_urdf(back), mode=back.mode), seed)


@given(st.floats(-16, 0), *[st.floats(-3, 3)] * 5)
def test_roll_pitch_yaw_is_exact_next_to_the_singularity(
    exponent: float, a: float, b: float, roll: float, yaw: float, c: float
) -> None:
    turn = Rotation.from_rpy(a, b, c)
    steep = Rotation.from_rpy(roll, math.pi / 2 - 10**exponent, yaw)
    rotation = turn @ (turn.inverse() @ steep)  # with rounding in all entries
    again = Rotation.from_rpy(*rotation.to_rpy())
    np.testing.assert_allclose(again.array(), rotation.array(), rtol=0, atol=2e-15)


def test_a_tilted_plane_keeps_its_link_frame() -> None:
    text = robot(*AB, joint("p", "a", "b", "planar", '<axis xyz="-1 2 -2"/>'))
    system = parse_urdf(text)
    again = parse_urdf(write_urdf(system))
    assert again.frames == ()
    assert_same_motion(system, again, 0)


def test_the_base_is_written_as_the_root_link_where_it_can_be() -> None:
    satellite = free_body(box("hull", (1, 1, 1), 10.0))
    text = write_urdf(satellite)
    assert "Base mode: free-floating" in text
    assert "world" not in text.replace("world axes", "")
    held = satellite.with_mode("fixed", Pose.at((0, 0, 2)))
    assert '<link name="world"/>' in write_urdf(held)
    back = parse_urdf(write_urdf(held))
    assert tuple(back.base_joint.placement.position) == (0.0, 0.0, 2.0)


def test_two_roots_hang_from_the_world() -> None:
    system = System(
        "pair",
        (box("a", (1, 1, 1), 1.0), box("b", (1, 1, 1), 2.0)),
        (Joint("fa", Free(), WORLD, "a"), Joint("fb", Free(), WORLD, "b")),
    )
    back = parse_urdf(write_urdf(system), mode="free-floating")
    assert back.joints == system.joints


def test_names_are_escaped_and_files_are_whole(tmp_path: Path) -> None:
    system = replace(free_body(box('<"hull" & co>', (1, 1, 1), 10.0)), name="näme")
    path = tmp_path / "r.urdf"
    text = write_urdf(system, path)
    assert path.read_text(encoding="utf-8") == text
    assert [p.name for p in tmp_path.iterdir()] == ["r.urdf"]
    back = read_urdf(path, mode="free-floating")
    assert back.name == "näme"
    assert back.bodies == system.bodies
    with pytest.raises(ModelError, match="control character"):
        write_urdf(replace(system, name="a\x01"))


def test_what_urdf_cannot_hold() -> None:
    bodies = (box("a", (1, 1, 1), 1.0), box("b", (1, 1, 1), 1.0))
    base = Joint("base", Free(), WORLD, "a")
    ball = System("ball", bodies, (base, Joint("j", Spherical(), "a", "b")))
    with pytest.raises(ModelError, match="joint 'j': URDF has no spherical joint"):
        write_urdf(ball)
    m = sympy.Symbol("m", positive=True)
    symbolic = System("s", (Body("a", m),), (base,))
    with pytest.raises(ModelError, match="body 'a': mass is m, not a plain number"):
        write_urdf(symbolic)
    rough = Joint("j", Revolute(), "a", "b", friction=Friction(0.0, 1.0, 0.1))
    with pytest.warns(ModelNotice, match="friction smoothing of joint 'j'"):
        write_urdf(System("rough", bodies, (base, rough)))
    flat = System("flat", (Body.planar("a", 1.0, 1.0),), (Joint("base", Planar(), WORLD, "a"),))
    with pytest.warns(ModelNotice, match="'a' is a planar body"):
        write_urdf(flat)


@given(systems(), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_pinocchio_finds_the_same_mass_matrix(system: System, seed: int) -> None:
    """An independent reader of the same text agrees on what it says."""
    pinocchio = pytest.importorskip("pinocchio")
    one_angle = (Revolute, Prismatic, Fixed)
    joints = [
        j if isinstance(j.motion, one_angle) else replace(j, motion=Fixed()) for j in system.joints
    ]
    joints = [replace(j, limits=Limits(-1.0, 1.0, 1.0, 1.0)) for j in joints]
    text = write_urdf(replace(system, joints=tuple(joints), mode=BaseMode.FIXED))
    back = parse_urdf(text).with_gravity((0.0, 0.0, -9.81))
    model = pinocchio.buildModelFromXML(text)
    assume(back.rate_count > 0)
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=(2, back.rate_count))
    order = [model.joints[model.getJointId(name)].idx_v for name in back.rate_names]
    theirs_q, theirs_v = np.zeros(model.nq), np.zeros(model.nv)
    theirs_q[order], theirs_v[order] = q, v
    data = model.createData()
    mass = pinocchio.crba(model, data, theirs_q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    bias = pinocchio.nonLinearEffects(model, data, theirs_q, theirs_v)
    for ours, theirs in (
        (mass_matrix(back, q), mass[np.ix_(order, order)]),
        (bias_forces(back, q, v), bias[order]),
    ):
        scale = np.abs(theirs).max(initial=1.0)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * scale)
