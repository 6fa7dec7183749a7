"""MJCF files as people write them, and what they may not do."""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import percuss
from percuss.model import Fixed, Free, ModelError, ModelNotice, Prismatic, Revolute, Spherical
from percuss.model.mjcf.read import parse_mjcf, read_mjcf

BALL = '<geom size=".1" mass="1"/>'
MENAGERIE = """<mujoco model="two fingers">
  <compiler angle="degree" autolimits="true" meshdir="assets"/>
  <option integrator="implicitfast"/>
  <default>
    <default class="arm">
      <joint axis="0 1 0" range="-90 45" damping="0.5" frictionloss="0.1"/>
      <default class="visual"><geom group="2" contype="0" conaffinity="0" type="mesh"/></default>
      <default class="collision"><geom group="3" type="capsule" mass="0"/></default>
    </default>
  </default>
  <asset>
    <mesh file="link.stl" scale="2 2 2"/>
    <texture name="grain" type="2d" file="grain.png"/>
    <material name="gold" texture="grain" rgba="1 .8 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="table" pos="2 0 0"><geom type="box" size=".5 .5 .5" mass="50"/></body>
    <body name="base" pos="0 0 1" childclass="arm">
      <inertial pos="0 0 .1" mass="4" diaginertia=".1 .1 .05"/>
      <geom class="visual" mesh="link" material="gold"/>
      <body name="link" pos="0 0 .2" euler="0 0 90">
        <joint name="shoulder" actuatorfrcrange="-20 20"/>
        <inertial pos="0 0 .1" mass="2" diaginertia=".02 .02 .01"/>
        <geom class="visual" mesh="link" pos="0 0 .1" euler="0 90 0"/>
        <geom class="collision" fromto="0 0 0 0 0 .2" size=".05"/>
        <site name="tool" pos="0 0 .3" material="gold"/>
        <body name="sensor" pos="0 .1 0">
          <geom type="box" size=".01 .02 .03" mass=".1" rgba="1 0 0 1"/>
        </body>
        <body name="finger" pos="0 0 .3">
          <joint name="slide" class="arm" type="slide" range="0 .04"/><geom size=".02" mass=".1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="shoulder" forcerange="-5 5" gear="10"/>
    <motor joint="slide" ctrlrange="-1 1" gear="30"/>
  </actuator>
  <keyframe><key qpos="0.1 0.02"/></keyframe>
</mujoco>"""


def one(inside: str, *, more: str = "", body: str = 'name="b"') -> str:
    """A model of one body."""
    return f"<mujoco>{more}<worldbody><body {body}>{inside}</body></worldbody></mujoco>"


def test_a_file_as_people_write_them() -> None:
    system = parse_mjcf(MENAGERIE)
    assert system.name == "two fingers"
    assert system.mode == "fixed"
    assert [body.name for body in system.bodies] == ["base", "link", "finger"]
    assert [(j.name, j.motion.kind) for j in system.joints] == [
        ("base", "fixed"),
        ("shoulder", "revolute"),
        ("slide", "prismatic"),
    ]
    shoulder, slide = system.movable_joints
    assert (shoulder.limits.lower, shoulder.limits.upper) == (-math.pi / 2, math.pi / 4)
    assert shoulder.limits.effort == 20.0
    assert (shoulder.friction.viscous, shoulder.friction.coulomb) == (0.5, 0.1)
    assert (slide.limits.lower, slide.limits.upper, slide.limits.effort) == (0.0, 0.04, 30.0)
    assert {frame.name: frame.body for frame in system.frames} == {"sensor": "link", "tool": "link"}
    assert percuss.total_mass(system) == pytest.approx(4 + 2.1 + 0.1, abs=1e-12)
    assert system.gravity == percuss.Vector3.zero()
    assert not system.changes
    base = percuss.frame_pose(system, (0.0, 0.0), "base").position
    assert base.array().tolist() == [0.0, 0.0, 1.0]


def test_looks_are_kept() -> None:
    system = parse_mjcf(MENAGERIE)
    bodies = {body.name: body for body in system.bodies}
    (gold,) = bodies["base"].visuals
    assert gold.shape == "mesh"
    assert gold.size == (2.0, 2.0, 2.0)
    assert gold.mesh == Path("assets/link.stl")
    assert gold.color == pytest.approx((1.0, 0.8, 0.0, 1.0))
    mesh, box = bodies["link"].visuals  # not the capsule, which is for collisions
    np.testing.assert_allclose(mesh.placement.position.array(), (0, 0, 0.1))
    assert box.shape == "box"
    assert box.size == pytest.approx((0.02, 0.04, 0.06))
    np.testing.assert_allclose(box.placement.position.array(), (0, 0.1, 0), atol=1e-15)
    capsule = parse_mjcf(one('<joint/><geom type="capsule" size=".1 .3"/>')).bodies[0].visuals
    assert [visual.shape for visual in capsule] == ["cylinder", "sphere", "sphere"]


@pytest.mark.parametrize("mode", ["free-floating", "attitude-controlled", "free-flying"])
def test_the_base_is_let_go(mode: str) -> None:
    system = parse_mjcf(MENAGERIE, mode=mode, name="flyer")
    assert system.name == "flyer"
    assert system.mode == mode
    assert isinstance(system.base_joint.motion, Free)
    assert system.base_joint.name == "base"
    assert system.base_joint.placement.is_identity
    assert system.rate_names[6:] == ("shoulder", "slide")


def test_a_free_joint_makes_a_floating_base_that_can_be_held() -> None:
    text = one(f'<freejoint name="root"/>{BALL}', body='name="b" pos="1 2 3"')
    free = parse_mjcf(text)
    assert (free.mode, free.base_joint.name) == ("free-floating", "base")
    held = parse_mjcf(text, mode="fixed")
    assert isinstance(held.base_joint.motion, Fixed)
    assert held.base_joint.placement.position.array().tolist() == [1.0, 2.0, 3.0]


def test_a_robot_hinged_to_the_world_has_no_base_to_set_free() -> None:
    text = one(f'<joint name="hinge"/>{BALL}')
    assert [joint.name for joint in parse_mjcf(text).joints] == ["hinge"]
    with pytest.raises(ModelError, match="'b' is on the world by revolute joint 'hinge', so it"):
        parse_mjcf(text, mode="free-floating")


def test_a_base_without_mass_stays_where_it_is() -> None:
    inner = f'<body name="arm"><joint name="j"/>{BALL}</body>'
    text = one(inner, body='name="stand" pos="0 0 2"')
    system = parse_mjcf(text)
    assert system.base.is_massless
    assert percuss.frame_pose(system, (0.0,), "stand").position.z == 2.0
    with pytest.raises(ModelError, match="body 'stand' has no mass, so it cannot be a free-flying"):
        parse_mjcf(text, mode="free-flying")


def test_several_joints_of_a_body_are_a_chain_of_massless_ones() -> None:
    stack = '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" pos="1 0 0"/>'
    system = parse_mjcf(one(f'{stack}<joint type="ball"/>{BALL}'))
    assert [body.name for body in system.bodies] == ["b_x", "b_y", "b"]
    assert [body.is_massless for body in system.bodies] == [True, True, False]
    kinds = [type(joint.motion) for joint in system.joints]
    assert kinds == [Prismatic, Revolute, Spherical]
    assert [joint.name for joint in system.joints] == ["x", "y", "b_joint"]


def test_what_mujoco_warns_of_is_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    singular = one(f'<joint axis="0 1 0"/><joint type="ball"/>{BALL}')
    with pytest.warns(ModelNotice, match="^MJCF: MuJoCo: Inertia matrix is too close to singular"):
        parse_mjcf(singular)
    assert not list(tmp_path.iterdir())


def test_names_that_are_missing_or_taken() -> None:
    inner = f'<joint/>{BALL}<site name="b" pos="0 0 1"/><body><joint/>{BALL}</body>'
    system = parse_mjcf(one(inner))
    assert [body.name for body in system.bodies] == ["b", "body2"]
    assert [joint.name for joint in system.joints] == ["b_joint", "body2_joint"]
    assert [frame.name for frame in system.frames] == ["b_site"]


def test_two_robots_are_refused_and_named() -> None:
    two = "".join(f'<body name="{name}"><freejoint/>{BALL}</body>' for name in ("left", "right"))
    still = '<body name="wall"><geom size="1"/></body>'
    with pytest.raises(ModelError, match="2 bodies of the world can move: 'left', 'right'; allow"):
        parse_mjcf(f"<mujoco><worldbody>{two}{still}</worldbody></mujoco>")
    rocks = still + still.replace("wall", "rock")
    with pytest.raises(
        ModelError, match="2 bodies of the world could be the robot: 'wall', 'rock'"
    ):
        parse_mjcf(f"<mujoco><worldbody>{rocks}</worldbody></mujoco>")
    with pytest.raises(ModelError, match="the model has no body; a robot needs at least one"):
        parse_mjcf("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")


CHANGED = """<mujoco>
<option gravity="0 0 -9.81" density="1.2"/>
<worldbody><body name="base" gravcomp="1"><freejoint name="root"/><geom size=".1"/>
<body name="a"><joint name="a" stiffness="3" armature="0.1"/><geom size=".1" pos="1 0 0"/>
<body name="b"><joint name="b" type="ball" range="0 30"/><geom size=".1" pos="1 0 0"/></body></body>
<body name="c"><joint name="c" type="slide"/><geom size=".1" pos="1 0 0"/></body>
</body></worldbody>
<tendon><fixed name="wire" stiffness="2"><joint joint="a" coef="1"/></fixed></tendon>
<equality><connect name="loop" body1="b" body2="c" anchor="0 0 0"/>
<joint name="bent" joint1="c" joint2="a" polycoef="0 1 2 0 0"/></equality>
<actuator><position name="servo" joint="a" kp="40" kv="3"/><motor name="pull" tendon="wire"/>
<motor name="push" joint="c" forcerange="-1 4"/></actuator>
</mujoco>"""


def test_what_is_not_used_is_listed_once_with_its_line() -> None:
    with pytest.warns(
        ModelNotice, match=r"^MJCF: not everything is used as it stands:\n<option>"
    ) as told:
        system = parse_mjcf(CHANGED)
    assert len(told) == 1
    assert [str(change) for change in system.changes] == [
        "<option>: read density 1.2 kg/m³ of a medium; used none",
        "line 2: <option>: read gravity 0 0 -9.81 m/s²; used none; it is given with a scenario",
        "line 3: body 'base': read gravcomp 1; used none",
        "line 4: joint 'a': read stiffness 3 N m/rad; used none",
        "line 4: joint 'a': read armature 0.1 kg m²; used none",
        "line 5: joint 'b': read a cone of 30° as its limit; used no limit",
        "line 6: joint 'c': read effort from -1 to 4 N; used 4 N both ways",
        "line 8: tendon 'wire': read stiffness; used none",
        "line 9: equality 'loop': read connect constraint; used none: the parts move apart",
        "line 10: equality 'bent': read joint constraint; used none: the parts move apart",
        "line 11: actuator 'servo': read a servo of gains 40 (position) and 3 (speed); "
        "used a motor of that force",
        "line 11: actuator 'pull': read acts on a tendon; used none",
    ]
    assert system.gravity == percuss.Vector3.zero()
    assert str(system.changes[1]) in str(told[0].message)


def test_strict_reading_refuses_all_of_it_at_once() -> None:
    with pytest.raises(ModelError) as refusal:
        parse_mjcf(CHANGED, strict=True)
    text = str(refusal.value)
    assert text.startswith("MJCF: strict reading allows no change:\n")
    assert "armature 0.1" in text
    assert "'loop'" in text
    assert parse_mjcf(MENAGERIE, strict=True).changes == ()


def test_gravity_that_the_file_does_not_state_is_no_change() -> None:
    assert parse_mjcf(one(f"<joint/>{BALL}")).changes == ()
    none = parse_mjcf(one(f"<joint/>{BALL}", more='<option gravity="0 0 0"/>'))
    assert none.changes == ()


def test_a_mocap_body_that_carries_the_robot_is_listed() -> None:
    text = one(f'<body name="a"><joint/>{BALL}</body>', body='name="hand" mocap="true"')
    with pytest.warns(ModelNotice, match="mocap: its user moves it; used fixed"):
        assert parse_mjcf(text).mode == "fixed"


# --- kinematics only ------------------------------------------------------------------------------


def test_a_file_without_any_mass_is_good_for_kinematics() -> None:
    inner = '<joint name="a"/><body name="tip" pos="1 0 0"><joint name="b"/></body>'
    system = parse_mjcf(one(inner))
    assert system.is_massless
    place = percuss.frame_pose(system, (math.pi / 2, 0.3), "tip").position.array()
    np.testing.assert_allclose(place, (0, 1, 0), atol=1e-15)
    with pytest.raises(ModelError, match="has no mass anywhere, so it has kinematics only"):
        percuss.mass_matrix(system, (0.0, 0.0))
    free = parse_mjcf(one(f"<body>{inner}</body>"), mode="free-floating")
    assert free.rate_count == 8


def test_a_moving_body_without_mass_among_others_is_refused_with_its_line() -> None:
    inner = f'\n<joint name="a"/>{BALL}\n<body name="tip"><joint name="b"/></body>'
    with pytest.raises(ModelError, match=r"line 3: .*mass and inertia of moving bodies.*'tip'"):
        parse_mjcf(one(inner))


# --- files ----------------------------------------------------------------------------------------

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_includes_are_read_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    arm = f'<mujocoinclude><body name="arm"><joint name="j"/>{BALL}</body></mujocoinclude>'
    (tmp_path / "parts" / "arm.xml").write_text(arm)
    defaults = '<mujoco><include file="inner.xml"/></mujoco>'
    (tmp_path / "parts" / "defaults.xml").write_text(defaults)
    damped = '<mujoco><default><joint damping="2"/></default></mujoco>'
    (tmp_path / "parts" / "inner.xml").write_text(damped)
    main = one('<include file="parts/arm.xml"/>', more='<include file="parts/defaults.xml"/>')
    (tmp_path / "robot.xml").write_text(main)
    system = read_mjcf(tmp_path / "robot.xml")
    assert system.source == "robot.xml"
    assert system.joint("j").friction.viscous == 2.0
    with pytest.raises(ModelError, match=r"includes 'parts/defaults.xml', but there is no folder"):
        parse_mjcf(main)
    assert parse_mjcf(main, folder=tmp_path).joint("j").friction.viscous == 2.0


@pytest.mark.parametrize("name", ["../secret.xml", "{above}/secret.xml", "link.xml"])
def test_nothing_is_read_outside_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.xml").write_text(f"<mujoco><worldbody>{BALL}</worldbody></mujoco>")
    (tmp_path / "robot").mkdir()
    os.symlink(tmp_path / "secret.xml", tmp_path / "robot" / "link.xml")
    included = name.format(above=tmp_path)
    for text in (
        one(f"<joint/>{BALL}", more=f'<include file="{included}"/>'),
        one(f"<joint/>{BALL}", more=f'<asset><model name="m" file="{included}"/></asset>'),
    ):
        (tmp_path / "robot" / "robot.xml").write_text(text)
        with pytest.raises(ModelError, match=r"line 1: .* is outside the folder of the model"):
            read_mjcf(tmp_path / "robot" / "robot.xml")


def test_a_mesh_gives_inertia_only_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "block.obj").write_text(TETRAHEDRON)
    (tmp_path / "robot").mkdir()
    weighs = one('<joint/><geom type="mesh" mesh="block"/>', more="<asset>{}</asset>")
    outside, inside = '<mesh file="../block.obj"/>', '<mesh file="block.obj"/>'
    (tmp_path / "robot" / "robot.xml").write_text(weighs.format(outside))
    with pytest.raises(ModelError, match=r"mesh 'block.obj' is outside the folder of the model"):
        read_mjcf(tmp_path / "robot" / "robot.xml")
    system = parse_mjcf(weighs.format(inside), folder=tmp_path)
    assert system.bodies[0].mass == pytest.approx(1000 / 6)
    (visual,) = system.bodies[0].visuals
    np.testing.assert_allclose(visual.placement.position.array(), (0, 0, 0), atol=1e-7)
    with pytest.raises(
        ModelError, match=r"'block.obj' gives a body its inertia, but there is no f"
    ):
        parse_mjcf(weighs.format(inside))
    with pytest.raises(ModelError, match=r"MuJoCo cannot read it: .*none.obj"):
        parse_mjcf(weighs.format(inside).replace("block", "none"), folder=tmp_path)


def test_reading_leaves_no_files_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError):
        parse_mjcf(one(f'<joint pos="nan 0 0"/>{BALL}'))
    parse_mjcf(MENAGERIE)
    assert not list(tmp_path.iterdir())


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a folder; expected an MJCF file"):
        read_mjcf(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_mjcf(tmp_path / "none.xml")
    (tmp_path / "latin.xml").write_bytes(b"<mujoco model='\xe9'/>")
    with pytest.raises(ModelError, match=r"latin.xml: MJCF is UTF-8 text, but byte 15 is not"):
        read_mjcf(tmp_path / "latin.xml")


# --- hostile --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"MJCF, line 1: the file is empty; expected <mujoco>"),
        (MENAGERIE[:900], r"MJCF, line \d+, column \d+: not well-formed XML"),
        ("<mujoco><worldbody></mujoco>", r"MJCF, line 1, column \d+: not well-formed XML"),
        (
            "<robot name='r'/>",
            r"line 1: .*MJCF is <mujoco>, got <robot>. This is a URDF: read_urdf",
        ),
        ("<sdf version='1.7'/>", r"got <sdf>. This is SDF, which no library that percuss uses can"),
        ("<mujoco>\n<wurldbody/></mujoco>", r"MJCF, line 2: MuJoCo .*unrecognized element.*wurldb"),
        ("<mujoco>\n\n<option grafity='1'/></mujoco>", r"MJCF, line 3: MuJoCo .*grafity"),
        (one(f"\n<joint type='hinj'/>{BALL}"), r"MJCF, line 2: MuJoCo .*invalid keyword: 'hinj'"),
        (
            one(f"\n<joint pos='NaN 0 0'/>{BALL}"),
            r"line 2: .*<joint>: 'pos' must be finite numbers, got",
        ),
        (one(f"<joint pos='1e999 0 0'/>{BALL}"), r"MJCF"),
        (one("<joint/><geom size='.1' mass='-1'/>"), r"MJCF, line 1: MuJoCo .*mass"),
        (
            one("<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/>"),
            r"MJCF, line 1: MuJoCo .*inertia must satisfy A \+ B >= C",
        ),
        (one(f"<joint axis='0 0 0'/>{BALL}"), r"MJCF, line 1: MuJoCo .*axis"),
        (one(f"<joint name='a'/><joint name='a'/>{BALL}"), r"MJCF.*repeated name 'a'"),
        (one("<body>" * 600 + "</body>" * 600), r"MJCF, line 1: MuJoCo .*nesting is too deep"),
        (
            one(f"<joint/>{BALL}<replicate count='1000'><replicate count='1000000'/></replicate>"),
            r"line 1: .*<replicate>: asks for 1000000000 entries; at most 10000 are made",
        ),
        (one(f"<joint/>{BALL}", more="<size nuser_body='2000000000'/>"), r"at most 10000 are made"),
        (
            '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
            "<mujoco model='&b;&b;'/>",
            r"MJCF",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_mjcf(text)


def test_comments_with_dashes_are_read() -> None:
    system = parse_mjcf(one(f"<!-- ---- the arm ---- -->\n<joint/>{BALL}"))
    assert system.rate_count == 1
    with pytest.raises(ModelError, match="line 3: "):
        parse_mjcf(one(f"<!-- --\n-->\n<jint/>{BALL}"))


def test_ten_megabytes_are_read_or_refused_in_seconds() -> None:
    geoms = '<geom type="box" size="0.1 0.1 0.1" pos="0.5 0 0" rgba="1 0 0 1"/>\n' * 2_000
    text = one(f'<joint/>{geoms}<site name="long" user="{"0 " * 4_950_000}"/>')
    assert len(text) > 9_900_000
    start = time.perf_counter()
    try:
        system = parse_mjcf(text)
    except ModelError:
        system = None
    assert time.perf_counter() - start < 30.0
    assert system is None or len(system.bodies) == 1
    with pytest.raises(ModelError, match="65 MiB is too large for a robot; allowed are 64 MiB"):
        parse_mjcf("x" * (65 * 2**20))


def test_without_mujoco_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(
        ImportError, match=r"MuJoCo, .* not installed: pip install 'percuss\[mjcf\]'"
    ):
        parse_mjcf(one(f"<joint/>{BALL}"))


def test_mujoco_is_imported_only_to_read() -> None:
    import subprocess

    code = "import sys, percuss, percuss.model.mjcf; assert 'mujoco' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
