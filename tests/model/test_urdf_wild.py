"""URDF files as they are found: what makes no sense is read in the nearest way that does."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import numpy as np
import pinocchio  # pyright: ignore[reportMissingImports]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3
from percuss.dynamics import mass_matrix, total_mass
from percuss.kinematics import jacobian, poses
from percuss.model import (
    WORLD,
    Body,
    Fixed,
    Joint,
    Limits,
    Mimic,
    ModelError,
    ModelNotice,
    Planar,
    Revolute,
    System,
)
from percuss.model.changes import Change
from percuss.model.repair import nearest_physical_inertia
from percuss.model.urdf.read import parse_urdf, read_urdf
from percuss.model.urdf.write import write_urdf
from tests.model.urdf_text import AB, MASS, joint, link, robot

FULL = MASS.replace("ixx", 'ixy="0.1" ixz="0" iyz="0.2" ixx')
"""Pinocchio asks for every entry of a tensor."""
LIMIT = '<limit effort="1" velocity="1" lower="-9" upper="9"/>'
FLAT = '<inertial><mass value="1"/><inertia ixx="9" iyy="1" izz="1"/></inertial>'
BOX = '<visual><geometry><box size="1 1 1"/></geometry>{}</visual>'
GHOST = '<inertial><mass value="0"/><inertia ixx="9" iyy="9" izz="9"/></inertial>'

CHANGED = {
    "unnamed robot": ("<robot><link name='a'/></robot>", "line 1: <robot>: 'name' is missing"),
    "loop joint": (
        robot(*AB, joint("j", "a", "b"), "<loop_joint/>"),
        "line 5: <loop_joint>: changes the dynamics",
    ),
    "quaternion": (
        robot(*AB, joint("j", "a", "b", content='<origin xyz="1 0 0" quat="0 1 0 0"/>')),
        "line 4: joint 'j', <origin>: unknown attribute 'quat'. Allowed: xyz, rpy",
    ),
    "inertial quaternion": (
        robot(link("a", MASS.replace("<mass", '<origin quat="0 1 0 0"/><mass'))),
        "line 2: link 'a', <inertial>, <origin>: unknown attribute 'quat'",
    ),
    "low": (
        robot(*AB, joint("j", "a", "b", content='<limit low="-1" upper="1"/>')),
        r"<limit>: unknown attribute 'low'. Did you mean 'lower'\? Allowed: lower, upper, effort",
    ),
    "spring": (
        robot(*AB, joint("j", "a", "b", content='<dynamics damping="1" spring_stiffness="3"/>')),
        "line 4: joint 'j', <dynamics>: unknown attribute 'spring_stiffness'",
    ),
    "axis attribute": (
        robot(*AB, joint("j", "a", "b", content='<axis xzy="0 0 1"/>')),
        r"line 4: joint 'j', <axis>: unknown attribute 'xzy'. Did you mean 'xyz'\?",
    ),
    "mass attribute": (
        robot(link("a", MASS.replace("value", "unit='kg' value"))),
        "<mass>: unknown attribute 'unit'. Allowed: value",
    ),
    "inertia attribute": (
        robot(link("a", MASS.replace("izz", "iyx='3' izz"))),
        r"<inertia>: unknown attribute 'iyx'. Did you mean 'i..'\?",
    ),
    "joint attribute": (
        robot(*AB, joint("j", "a", "b").replace("type", "axis='z' type")),
        "line 4: joint 'j': unknown attribute 'axis'. Allowed: name, type",
    ),
    "link attribute": (
        robot("<link name='a' mass='3'/>"),
        "line 2: link 'a': unknown attribute 'mass'",
    ),
    "parent attribute": (
        robot(*AB, joint("j", "a", "b").replace("<parent", "<parent frame='f'")),
        "line 4: joint 'j', <parent>: unknown attribute 'frame'. Allowed: link",
    ),
    **{
        f"{tag} in {where or 'joint'}": (
            robot(*AB, joint("j", "a", "b", content=content), *after),
            f"line {line}: .*<{tag}>: changes the dynamics and is not supported",
        )
        for tag in ("armature", "springStiffness", "springReference", "rotorInertia")
        for where, content, after, line in (
            ("", f"<{tag} value='1'/>", (), 4),
            ("gazebo", "", ("<gazebo reference='j'>", f"<{tag}>1</{tag}>", "</gazebo>"), 6),
            (
                "transmission",
                "",
                (f"<transmission><actuator><{tag}/></actuator></transmission>",),
                5,
            ),
        )
    },
    "limits": (
        robot(*AB, joint("j", "a", "b", content='<limit lower="2" upper="1"/>')),
        "line 4: joint 'j', <limit>: limits reversed",
    ),
    "friction": (
        robot(*AB, joint("j", "a", "b", content='<dynamics damping="-1"/>')),
        "line 4: joint 'j', <dynamics>: 'damping' must be ≥ 0",
    ),
    "friction of a plane": (
        robot(*AB, joint("j", "a", "b", "planar", '<dynamics damping="1"/>')),
        "line 4: joint 'j', <dynamics>: a planar joint takes no friction",
    ),
    "no inertia": (
        robot(link("a", "<inertial><mass value='1'/></inertial>")),
        "line 2: link 'a', <inertial>: has no <inertia>",
    ),
    "triangle": (robot(link("a", FLAT)), "line 2: link 'a': body 'a': inertia is not physical"),
    "ghost": (robot(link("a", GHOST)), "line 2: link 'a', <inertial>: mass is 0 kg but"),
    "two inertials": (robot(link("a", MASS + MASS)), "has 2 <inertial> elements"),
    "massless": (
        robot(link("a"), link("b", ""), joint("j", "a", "b")),
        "line 4: joint 'j': moves nothing that has mass",
    ),
    "no geometry": (robot(link("a", MASS + "<visual/>")), "<visual>: has no <geometry>"),
    "no radius": (
        robot(link("a", MASS + "<visual><geometry><sphere/></geometry></visual>")),
        "<sphere>: 'radius' is missing",
    ),
    "follows nobody": (
        robot(*AB, joint("j", "a", "b", content="<mimic joint='k'/>")),
        "line 4: joint 'j', <mimic>: joint 'k' does not exist",
    ),
    "a fixed joint follows": (
        robot(
            *AB,
            link("c"),
            joint("k", "a", "c"),
            joint("j", "a", "b", "fixed", "<mimic joint='k'/>"),
        ),
        "line 6: joint 'j', <mimic>: a fixed joint cannot follow",
    ),
    "follows what is fixed": (
        robot(
            *AB,
            link("c"),
            joint("k", "a", "c", "fixed"),
            joint("j", "a", "b", content="<mimic joint='k' offset='0.3'/>"),
        ),
        "line 6: joint 'j', <mimic>: a joint that follows 'k', which is fixed",
    ),
    "limits that exclude each other": (
        robot(
            *AB,
            link("c"),
            joint("k", "a", "c", content='<limit lower="0" upper="1"/>'),
            joint("j", "a", "b", content='<limit lower="2" upper="3"/><mimic joint="k"/>'),
        ),
        "line 6: joint 'j': limits 2 to 3 that no position of 'k' keeps",
    ),
    "commas": (
        robot(*AB, joint("j", "a", "b", content='<origin xyz="1, 2, 3"/>')),
        "line 4: joint 'j', <origin>: 'xyz' must be 3 finite numbers .*got '1, 2, 3'",
    ),
    "late declaration": (
        "\n<?xml version='1.0'?>\n" + robot(*AB, joint("j", "a", "b")),
        "line 3: <robot>: the XML declaration is not at the start",
    ),
    "negative effort": (
        robot(*AB, joint("j", "a", "b", content='<limit effort="-1" velocity="2"/>')),
        "line 4: joint 'j', <limit>: 'effort' must be ≥ 0 N m, got -1",
    ),
    "colour": (
        robot(link("a", MASS + BOX.format('<material name="m"><color rgba="1 0"/></material>'))),
        "<color>: 'rgba' must be 4 finite numbers",
    ),
    "rounding": (
        robot(link("a", MASS.replace('"1"/>', '"-2.4e-35"/>').replace('"1"', '"0"'))),
        "line 2: link 'a': body 'a': inertia is not physical",
    ),
}
"""What is read in another way than it stands, and what a strict reading says of it."""


def read(text: str, **options: str) -> System:
    """The system of a text, without the notice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelNotice)
        return parse_urdf(text, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "message"), CHANGED.values(), ids=CHANGED.keys())
def test_what_makes_no_sense_is_changed_and_said_or_refused(text: str, message: str) -> None:
    with pytest.warns(ModelNotice, match="not everything is used as it stands") as notices:
        system = parse_urdf(text)
    (notice,) = notices
    assert notice.filename == __file__
    assert system.changes
    for change in system.changes:
        assert str(change) in str(notice.message)
        assert 0 < change.line <= text.count("\n") + 1
        assert change.read
        assert change.used
    assert system.joints
    with pytest.raises(ModelError, match=f"(?s)URDF, {message}|URDF, line.*{message}"):
        parse_urdf(text, strict=True)


def test_a_sound_file_has_no_changes_and_is_the_same_when_read_strictly() -> None:
    text = robot(*AB, joint("j", "a", "b", content='<limit effort="1" velocity="2"/>'))
    assert parse_urdf(text, strict=True) == parse_urdf(text)
    assert parse_urdf(text).changes == ()


def test_each_kind_of_change_is_listed_once_with_line_read_and_used() -> None:
    text = robot(
        link("a"),
        link("b"),
        link("c"),
        joint("j", "a", "b", content='<dynamics D="7.5" K="1"/>'),
        joint("k", "b", "c", content='<dynamics D="3.5"/>'),
        "<gazebo/><gazebo/>",
    )
    changes = read(text).changes
    assert changes == (
        Change(5, "<dynamics>, 2 times, first here", "unknown attribute D='7.5'", "nothing"),
        Change(5, "joint 'j', <dynamics>", "unknown attribute K='1'", "nothing"),
        Change(
            7, "<gazebo>, 2 times, first here", "an element without effect on the motion", "nothing"
        ),
    )


def test_what_is_only_left_out_is_no_reason_to_refuse() -> None:
    with pytest.warns(ModelNotice, match="<gazebo>"):
        parse_urdf(robot(link("a"), "<gazebo/>"), strict=True)


def test_all_errors_of_a_file_come_at_once() -> None:
    text = robot(
        link("a", MASS.replace('"2"', '"-2"')),
        link("b", MASS.replace('"1"/>', '"nan"/>')),
        joint("j", "a", "b", content='<origin xyz="1 2"/><limit effort="x"/>'),
        joint("k", "a", "c"),
    )
    with pytest.raises(ModelError, match="URDF: 4 problems") as error:
        parse_urdf(text)
    lines = str(error.value).splitlines()[1:]
    for line, words in zip(
        lines,
        ("line 2.*mass must be", "line 3.*'izz' must", "line 4.*'xyz' must", "line 4.*'effort'"),
        strict=True,
    ):
        assert re.search(words, line)


# --- inertia ------------------------------------------------------------------------------

moments = st.floats(-10, 10, allow_subnormal=False)


@given(*[moments] * 6)
@settings(max_examples=200, deadline=None)
def test_the_nearest_inertia_is_physical_and_none_found_at_random_is_nearer(
    xx: float, yy: float, zz: float, xy: float, xz: float, yz: float
) -> None:
    given_tensor = Symmetric3(xx=xx, yy=yy, zz=zz, xy=xy, xz=xz, yz=yz)
    nearest = nearest_physical_inertia(given_tensor)
    Body("b", 1.0, inertia=nearest)
    distance = np.linalg.norm(nearest.array() - given_tensor.array())
    rng = np.random.default_rng(0)
    scale = 1 + np.linalg.norm(given_tensor.array())
    for _ in range(50):
        # Any physical tensor: Σ σ 1 - σ with a positive semidefinite second moment σ.
        root = rng.normal(size=(3, 3)) * np.sqrt(scale) * rng.uniform()
        second = root @ root.T
        other = np.trace(second) * np.eye(3) - second
        assert distance <= np.linalg.norm(other - given_tensor.array()) + 1e-9 * scale
    # The residual of a projection on a cone is at right angles to it.
    residual = nearest.array() - given_tensor.array()
    assert abs(np.sum(residual * nearest.array())) < 1e-9 * scale**2


def test_a_physical_inertia_is_its_own_nearest() -> None:
    tensor = Symmetric3(xx=3.0, yy=4.0, zz=5.0, xy=0.1, xz=0.2, yz=0.3)
    np.testing.assert_allclose(
        nearest_physical_inertia(tensor).array(), tensor.array(), rtol=1e-14, atol=1e-14
    )


def test_a_repair_says_how_far_it_went() -> None:
    (change,) = read(robot(link("a", FLAT))).changes
    assert change.line == 2
    assert change.read == "principal moments 1, 1, 9 kg m²"
    # 9 exceeds 1 + 1 by 7: a third of it goes off each, √3 · 7/3 of √83.
    assert "principal moments 3.33333, 3.33333, 6.66667 kg m²" in change.used
    assert f"{100 * math.sqrt(3) * 7 / 3 / math.sqrt(83):.3g} % away" in change.used


# --- what moves nothing -------------------------------------------------------------------


def test_a_joint_that_moves_nothing_with_mass_is_held_within_its_limits() -> None:
    text = robot(
        link("a"),
        link("b", ""),
        link("tip", ""),
        joint("j", "a", "b", "prismatic", '<axis xyz="0 0 1"/><limit lower="0.2" upper="1"/>'),
        joint("k", "b", "tip", "fixed", '<origin xyz="0 0 1"/>'),
    )
    system = read(text)
    assert system.rate_count == 0
    assert tuple(system.frame("tip").placement.position) == (0.0, 0.0, 1.2)
    (change,) = system.changes
    assert change.used == "a fixed joint, held at 0.2 m"


def test_a_massless_link_between_two_joints_moves() -> None:
    text = robot(
        link("a", FULL),
        link("between", ""),
        link("b", FULL.replace("<mass", '<origin xyz="0 1 0"/><mass')),
        joint("yaw", "a", "between", "continuous", content='<axis xyz="0 0 1"/>'),
        joint("roll", "between", "b", "continuous", content='<axis xyz="1 0 0"/>'),
    )
    system = parse_urdf(text)
    assert system.node("between").body.is_massless
    model = pinocchio.buildModelFromXML(text)
    q = np.array([0.3, 0.7])
    circle = [f(x) for x in q for f in (np.cos, np.sin)]
    expected = pinocchio.crba(model, model.createData(), np.array(circle))
    np.testing.assert_allclose(
        mass_matrix(system, q), np.triu(expected) + np.triu(expected, 1).T, rtol=1e-13
    )


def test_a_file_without_mass_has_kinematics_and_no_dynamics() -> None:
    text = robot(
        link("a", ""), link("b", ""), joint("j", "a", "b", content='<origin xyz="1 0 0"/>')
    )
    system = parse_urdf(text)
    assert tuple(poses(system, [0.4])["b"].position) == (1.0, 0.0, 0.0)
    assert jacobian(system, [0.4], "b").shape == (6, 1)
    with pytest.raises(ModelError, match="no mass") as error:
        mass_matrix(system, [0.4])
    assert "\n" not in str(error.value)


# --- followers ----------------------------------------------------------------------------


def test_mimic_is_a_follower() -> None:
    text = robot(
        *AB,
        link("c"),
        joint("j", "a", "b"),
        joint("k", "a", "c", content='<mimic joint="j" multiplier="-2" offset="0.5"/>'),
    )
    system = parse_urdf(text)
    motion = system.joint("k").motion
    assert motion == Mimic(Revolute((1.0, 0.0, 0.0)), "j", -2.0, 0.5)
    assert system.coordinate_names == ("j",)


def test_followers_move_as_pinocchio_says_of_the_free_joints() -> None:
    com = FULL.replace("<mass", '<origin xyz="0.2 0.3 0.1"/><mass')
    bodies = [link("a", FULL), link("b", com), link("c", com), link("d", com)]
    free = robot(
        *bodies,
        joint("j", "a", "b", content=LIMIT + '<axis xyz="0 0 1"/>'),
        joint("k", "b", "c", content=LIMIT + '<axis xyz="0 1 0"/><origin xyz="1 0 0"/>'),
        joint("l", "a", "d", "prismatic", LIMIT + '<axis xyz="0 1 0"/>'),
    )
    coupled = free.replace(
        '<axis xyz="0 1 0"/><origin', '<mimic joint="j" multiplier="3"/><axis xyz="0 1 0"/><origin'
    )
    coupled = coupled.replace('<axis xyz="0 1 0"/></joint>', '<axis xyz="0 1 0"/>X</joint>')
    coupled = coupled.replace("X", '<mimic joint="k" multiplier="-0.5" offset="0.1"/>')
    system = parse_urdf(coupled)
    model = pinocchio.buildModelFromXML(free)
    G = np.array([[1.0], [3.0], [-1.5]])
    q = np.array([0.4])
    full = pinocchio.crba(model, model.createData(), (G @ q) + np.array([0, 0, 0.1]))
    expected = G.T @ (np.triu(full) + np.triu(full, 1).T) @ G
    np.testing.assert_allclose(mass_matrix(system, q), expected, rtol=1e-13)


def test_a_follower_of_a_follower_moves_the_mass_of_both() -> None:
    text = robot(
        link("a"),
        link("b", ""),
        link("c", ""),
        link("d"),
        joint("j", "a", "b"),
        joint("k", "a", "c", content='<mimic joint="j" multiplier="2"/>'),
        joint("l", "a", "d", content='<mimic joint="k" multiplier="3"/>'),
    )
    system = parse_urdf(text)
    assert system.coordinate_names == ("j",)
    assert np.asarray(mass_matrix(system, [0.2]), float) == pytest.approx(36.0)


def test_joints_that_follow_in_a_circle_are_refused() -> None:
    text = robot(
        *AB,
        link("c"),
        joint("j", "a", "b", content='<mimic joint="k"/>'),
        joint("k", "a", "c", content='<mimic joint="j"/>'),
    )
    with pytest.raises(ModelError, match="follow each other in a circle: 'j' → 'k' → 'j'"):
        parse_urdf(text)


# --- planes -------------------------------------------------------------------------------

IZZ = '<inertial>{}<mass value="2"/><inertia ixx="0" iyy="0" izz="0.3"/></inertial>'
TESTBED = (
    link("hull", IZZ.format("")),
    link("arm", IZZ.format('<origin xyz="0.2 0 0"/>')),
    joint(
        "j", "hull", "arm", content='<origin xyz="0 0.2 0" rpy="0 0 1.5708"/><axis xyz="0 0 1"/>'
    ),
)


@pytest.mark.parametrize("mode", ["fixed", "free-floating"])
def test_a_planar_testbed_is_a_planar_system(mode: str) -> None:
    with pytest.warns(ModelNotice, match="izz, of 'hull', 'arm'.*a planar system"):
        system = parse_urdf(robot(*TESTBED), mode=mode)
    assert system.is_planar
    assert isinstance(system.base_joint.motion, Planar if mode == "free-floating" else Fixed)
    assert system.rate_count == (4 if mode == "free-floating" else 1)
    inertia = 0.3 + 2 * 0.2**2
    assert np.asarray(mass_matrix(system, [0.1] * system.rate_count))[-1, -1] == pytest.approx(
        inertia, rel=1e-14
    )


def test_one_moment_in_space_is_repaired() -> None:
    tilted = TESTBED[2].replace('<axis xyz="0 0 1"/>', '<axis xyz="1 0 0"/>')
    system = read(robot(*TESTBED[:2], tilted), mode="free-floating")
    assert not system.is_planar
    assert len(system.changes) == 2
    np.testing.assert_allclose(system.base.inertia.array(), np.diag([0.1, 0.1, 0.2]), atol=1e-15)


def test_a_massless_base_with_an_inertia_stands_on_the_ground() -> None:
    text = robot(link("a", GHOST), link("b"), joint("j", "a", "b"))
    with pytest.warns(ModelNotice, match="mass 0 kg, inertia principal moments 9, 9, 9 kg m²"):
        system = parse_urdf(text)
    assert total_mass(system) == 2.0
    with pytest.raises(ModelError, match="nothing can be a free-floating base"):
        read(text, mode="free-floating")


# --- roots --------------------------------------------------------------------------------

PEDESTAL = (
    link("world", ""),
    link("pedestal", FULL),
    link("arm", FULL.replace("<mass", '<origin xyz="0.5 0 0"/><mass')),
    joint("bolt", "world", "pedestal", "fixed", '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'),
    joint("turn", "pedestal", "arm", content=LIMIT + '<origin xyz="0 0 1"/><axis xyz="0 1 0"/>'),
)


def test_what_is_fixed_to_an_empty_root_keeps_its_offset() -> None:
    text = robot(*PEDESTAL)
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    pinocchio.forwardKinematics(model, data, np.array([0.6]))
    fixed = poses(parse_urdf(text), [0.6])["arm"]
    np.testing.assert_allclose(fixed.matrix(), data.oMi[1].homogeneous, atol=1e-15)
    free = read(text, mode="free-floating")
    assert free.base.name == "root"
    at_world = poses(free, [0, 0, 0, 1, 0, 0, 0, 0.6])
    np.testing.assert_allclose(at_world["arm"].matrix(), data.oMi[1].homogeneous, atol=1e-15)
    assert free.frame("pedestal").placement == Pose.at((1, 2, 3), rpy=(0.1, 0.2, 0.3))


def test_a_free_base_with_an_empty_root_has_the_mass_matrix_of_pinocchio() -> None:
    text = robot(*PEDESTAL)
    free = read(text, mode="free-flying")
    model = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    q = np.array([0, 0, 0, 0, 0, 0, 1, 0.6])
    full = pinocchio.crba(model, model.createData(), q)
    expected = np.triu(full) + np.triu(full, 1).T
    ours = np.asarray(mass_matrix(free, [0, 0, 0, 1, 0, 0, 0, 0.6]), float)
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-13)


def test_the_name_of_the_file_stands_for_a_missing_name(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(robot(link("a")).replace(' name="r"', ""))
    with pytest.warns(ModelNotice, match="the name 'arm'"):
        assert read_urdf(path).name == "arm"


def test_what_was_changed_is_sound_when_written_and_read_again() -> None:
    for text, _ in CHANGED.values():
        system = read(text)
        if any(joint.motion.kind == "planar" for joint in system.joints):
            continue
        again = parse_urdf(write_urdf(system), strict=True)
        assert [j.limits for j in again.joints] == [j.limits for j in system.joints]
        assert again.bodies == system.bodies


def test_limits_that_nothing_can_keep_are_none() -> None:
    text = robot(*AB, joint("j", "a", "b", content='<limit lower="2" upper="1" effort="3"/>'))
    assert read(text).joint("j").limits == Limits(effort=3.0)
    assert read(text).base_joint == Joint("base", Fixed(), WORLD, "a")


@pytest.mark.parametrize("suffix", [".xacro", ".urdf"])
def test_macros_are_expanded(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"arm{suffix}"
    macro = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="m"'
    path.write_text(
        robot(link("a", MASS.replace('"2"', '"${2 * m}"'))).replace(
            '<robot name="r">', f'{macro} value="3"/>'
        )
    )
    assert total_mass(read_urdf(path)) == 6.0
