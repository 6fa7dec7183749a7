"""The arms that fly: published numbers, kinematics against Pinocchio and DH tables, assumptions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.kinematics.manifold import integrate
from percuss.model.joints import Fixed
from percuss.model.library import assumptions
from percuss.model.library.canadarms import SRMS_LINKS, SSRMS_LINKS
from percuss.model.library.entry import Assumption, LibraryEntry
from percuss.model.library.registry import entry

pin: Any = pytest.importorskip("pinocchio")

ENTRIES = percuss.robots()
POSED = [entry for entry in ENTRIES if entry.posture]
ASSUMED = [(entry.name, number) for entry in ENTRIES for number in entry.assumed]
FLYING = (
    "ssrms",
    "srms",
    "ets-vii",
    "frend",
    "air-bearing-ur",
    "era-like",
    "jemrms-main-like",
    "jemrms-small-fine-like",
    "spdm-like",
    "orbital-express-like",
    "e-deorbit-like",
)
TARGETS = (
    "envisat",
    "hubble",
    "zenit-2-stage",
    "kosmos-3m-stage",
    "htv-like",
    "ets-vii-target",
    "nextsat",
    "tiangong-1",
    "cubesat-1u",
    "cubesat-3u",
    "cubesat-6u",
    "rendezvous-target",
)


def at_posture(found: LibraryEntry) -> tuple[percuss.System, np.ndarray]:
    """The system and its coordinates in its usual posture."""
    system = percuss.robot(found.name)
    q = np.array(percuss.neutral(system), float)
    for joint, angle in found.posture.items():
        q[system.node(system.joint(joint).child).coordinates] = angle
    return system, q


def arm_joints(system: percuss.System) -> list[percuss.Joint]:
    """The movable joints without the base's."""
    return [joint for joint in system.movable_joints if joint is not system.base_joint]


def arm_mass(system: percuss.System) -> float:
    """Of all bodies but the vehicle (kg)."""
    return sum(float(body.mass) for body in system.bodies if body is not system.base)  # type: ignore[arg-type]


# --- every entry --------------------------------------------------------------------------


def test_the_fleet_is_there() -> None:
    kinds = {entry.name: entry.kind for entry in ENTRIES}
    assert {kinds[name] for name in FLYING} == {"robot"}
    assert {kinds[name] for name in TARGETS} == {"target"}
    assert all(entry.group for entry in ENTRIES)
    generated = [entry for entry in ENTRIES if entry.group.startswith("arms that fly, made")]
    assert all(entry.name.endswith("-like") and entry.assumed for entry in generated)


@pytest.mark.parametrize("name", [*FLYING, *TARGETS])
def test_every_one_says_where_its_numbers_are_from(name: str) -> None:
    found = entry(name)
    assert len(found.source) > 20
    assert not {"/tmp", "shared", ".csv"} & set(found.source.split())
    system = percuss.robot(name)
    if found.kind == "target":
        assert system.frame("grip").body == system.base.name
    else:
        assert set(found.posture) == {joint.name for joint in arm_joints(system)}


@pytest.mark.parametrize("found", POSED, ids=lambda found: found.name)
def test_usual_posture_is_possible(found: LibraryEntry) -> None:
    system, q = at_posture(found)
    moments = np.linalg.eigvalsh(percuss.mass_matrix(system, q))
    assert moments[0] > 1e-12 * moments[-1]
    for joint in arm_joints(system):
        limits = joint.limits
        assert limits.lower <= found.posture[joint.name] <= limits.upper
        assert 0 < limits.speed < math.inf
        assert 0 < limits.effort < math.inf


@pytest.mark.parametrize(
    ("name", "number"), ASSUMED, ids=lambda part: getattr(part, "parameter", part)
)
def test_assumptions_are_parameters_that_can_be_varied(name: str, number: Assumption) -> None:
    system = percuss.robot(name)
    assert percuss.parameters(system)[number.parameter] == pytest.approx(number.value, rel=1e-14)
    assert number.low <= number.value <= number.high
    assert number.low < number.high
    assert number.reason
    for end in (number.low, number.high):
        changed = system.with_parameters({number.parameter: end})
        assert percuss.parameters(changed)[number.parameter] == end


def test_assumptions_by_name() -> None:
    names = [number.parameter for number in assumptions("ssrms")]
    assert "upper_boom.com.x" in names
    assert "station.mass" in names
    assert assumptions("thesis") == ()
    with pytest.raises(percuss.ModelError, match="Did you mean 'ssrms'"):
        assumptions("ssrm")


@pytest.mark.parametrize("name", [*FLYING, *TARGETS])
def test_survives_urdf_and_yaml(name: str, tmp_path: Path) -> None:
    system = percuss.robot(name)
    percuss.save_system(system, tmp_path / "robot.yaml")
    percuss.write_urdf(system, tmp_path / "robot.urdf")
    rng = np.random.default_rng(1)
    q = integrate(system, percuss.neutral(system), 0.3 * rng.normal(size=system.rate_count))
    matrix = percuss.mass_matrix(system, q)
    for again in (
        percuss.load_system(tmp_path / "robot.yaml"),
        percuss.read_urdf(tmp_path / "robot.urdf", mode=system.mode, name=name),
    ):
        assert again.rate_names == system.rate_names
        assert [joint.limits for joint in arm_joints(again)] == [
            joint.limits for joint in arm_joints(system)
        ]
        np.testing.assert_allclose(
            percuss.mass_matrix(again, q), matrix, atol=1e-12 * np.abs(matrix).max()
        )


# --- against Pinocchio ----------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in FLYING if name != "air-bearing-ur"])
def test_kinematics_and_inertia_as_pinocchio(name: str) -> None:
    """Tool pose in the base frame and mass matrix of the written URDF, at random joints."""
    system = percuss.robot(name).with_mode("fixed")
    model = pin.buildModelFromXML(percuss.write_urdf(system))
    data = model.createData()
    rng = np.random.default_rng(7)
    joints = arm_joints(system)
    for _ in range(5):
        angles = {joint.name: rng.uniform(-2.0, 2.0) for joint in joints}
        q = np.array(percuss.neutral(system), float)
        theirs = pin.neutral(model)
        for joint in joints:
            q[system.node(joint.child).coordinates] = angles[joint.name]
            theirs[model.joints[model.getJointId(joint.name)].idx_q] = angles[joint.name]
        pin.framesForwardKinematics(model, data, theirs)
        for frame in system.frames:
            found = np.array(percuss.frame_pose(system, q, frame).matrix(), float)
            expected = data.oMf[model.getFrameId(frame.name)].homogeneous
            np.testing.assert_allclose(found, expected, atol=1e-12 * 30)
        order = [model.joints[model.getJointId(joint.name)].idx_v for joint in joints]
        matrix = pin.crba(model, data, theirs)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        ours = percuss.mass_matrix(system, q)
        np.testing.assert_allclose(
            ours, matrix[np.ix_(order, order)], atol=1e-12 * np.abs(matrix).max()
        )


# --- published numbers ------------------------------------------------------------------------


def test_ssrms_weighs_and_reaches_what_is_published() -> None:
    system = percuss.robot("ssrms")
    assert arm_mass(system) == pytest.approx(1505.32, abs=1e-9)
    straight = sum(abs(link.end[0]) for link in SSRMS_LINKS)
    assert straight == pytest.approx(2 * (1.3589 + 7.11), abs=1e-12)
    assert straight == pytest.approx(17.0, rel=0.01)
    for joint in arm_joints(system):
        limits = joint.limits
        assert (limits.lower, limits.upper) == (-4.71239, 4.71239)
        assert (limits.speed, limits.effort) == (0.0698132, 2332.0)


def test_srms_weighs_and_reaches_what_is_published() -> None:
    system = percuss.robot("srms")
    assert arm_mass(system) == pytest.approx(421.76, abs=1e-9)
    assert sum(abs(link.end[0]) for link in SRMS_LINKS) == pytest.approx(15.2, rel=0.01)
    efforts = [joint.limits.effort for joint in arm_joints(system)]
    assert efforts == [1570, 1570, 1074, 470, 470, 470]
    speeds = [joint.limits.speed for joint in arm_joints(system)]
    assert speeds == [0.03997, 0.03997, 0.0560, 0.0831, 0.0831, 0.0831]


@pytest.mark.parametrize(("name", "links"), [("ssrms", SSRMS_LINKS), ("srms", SRMS_LINKS)])
def test_boom_inertias_are_about_centres_near_mid_boom(name: str, links: tuple) -> None:
    """About the joint the booms' moments would be less than m (L/2)²; about the centre they fit."""
    for link in links:
        if link.body in ("upper_boom", "lower_boom"):
            way = math.hypot(*link.end)
            about_joint = link.mass * (way / 2) ** 2
            assert float(link.inertia.zz) < about_joint
            body = percuss.robot(name).node(link.body).body
            assert float(body.com.x) == pytest.approx(link.end[0] / 2)  # type: ignore[arg-type]
            assert float(link.inertia.zz) > link.mass * way**2 / 12 * 0.9


def test_ets_vii_is_table_1() -> None:
    """Yoshida, IJRR 22(5) 2003, table 1."""
    system = percuss.robot("ets-vii")
    base = system.base
    assert float(base.mass) == 2550.0  # type: ignore[arg-type]
    assert [float(x) for x in base.inertia] == [6200, 3540, 7090, 48.2, 78.5, -29.2]  # type: ignore[arg-type]
    links = [body for body in system.bodies if body is not base]
    assert [float(body.mass) for body in links] == [35.0, 22.5, 21.9, 16.5, 26.0, 18.5]  # type: ignore[arg-type]
    moments = [float(body.inertia.zz) for body in links]  # type: ignore[arg-type]
    assert moments == pytest.approx([1.69, 3.75, 2.53, 0.072, 0.13, 0.26], rel=1e-14)
    mount = system.joint("joint1").placement.position
    assert [float(x) for x in mount] == [-0.79, -0.29, 1.0]  # type: ignore[arg-type]
    # The repair, said in the notes: no moment exceeds the sum of the others any more.
    repaired = [(float(b.inertia.xx), float(b.inertia.yy)) for b in links[:3]]  # type: ignore[arg-type]
    assert repaired == [
        pytest.approx(pair, rel=1e-12) for pair in [(0.845, 0.845), (1.27, 2.48), (0.96, 1.57)]
    ]
    assert any("triangle inequality" in note for note in entry("ets-vii").notes)


def test_other_published_masses_and_lengths() -> None:
    masses = {name: arm_mass(percuss.robot(name)) for name in FLYING}
    assert masses["frend"] == pytest.approx(100.1641, abs=1e-9)
    assert masses["air-bearing-ur"] == pytest.approx(17.7, abs=1e-9)
    assert masses["era-like"] == pytest.approx(630)
    assert masses["jemrms-main-like"] == pytest.approx(780)
    assert masses["jemrms-small-fine-like"] == pytest.approx(190)
    assert masses["spdm-like"] == pytest.approx(1662)
    assert masses["orbital-express-like"] == pytest.approx(71)
    assert percuss.total_mass(percuss.robot("orbital-express-like")) == pytest.approx(1035)
    assert percuss.total_mass(percuss.robot("e-deorbit-like")) == pytest.approx(1380)
    assert float(percuss.robot("frend").base.mass) == 4469.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "length", "count"),
    [
        ("era-like", 11.28, 7),
        ("jemrms-main-like", 10.0, 6),
        ("jemrms-small-fine-like", 2.2, 6),
        ("orbital-express-like", 3.3, 6),
        ("e-deorbit-like", 4.3, 7),
    ],
)
def test_generated_arms_have_their_length_and_joints(name: str, length: float, count: int) -> None:
    system = percuss.robot(name)
    q = percuss.neutral(system)
    shoulder = percuss.frame_pose(system, q, "link1").position
    reach = percuss.frame_pose(system, q, "tool").position - shoulder
    assert np.linalg.norm(reach.array().astype(float)) == pytest.approx(length, rel=1e-12)
    assert len(arm_joints(system)) == count


def test_dextre_has_two_arms_of_seven() -> None:
    system = percuss.robot("spdm-like")
    sides = [joint.name.split("_")[0] for joint in arm_joints(system)]
    assert sides == ["left"] * 7 + ["right"] * 7
    assert [frame.name for frame in system.frames][-2:] == ["left_tool", "right_tool"]


def test_targets_have_the_published_masses() -> None:
    masses = {name: float(percuss.robot(name).base.mass) for name in TARGETS}  # type: ignore[arg-type]
    assert masses == {
        "envisat": 7827.867,
        "hubble": 11110.0,
        "zenit-2-stage": 8300.0,
        "kosmos-3m-stage": 1435.0,
        "htv-like": 16500.0,
        "ets-vii-target": 410.0,
        "nextsat": 224.0,
        "tiangong-1": 8500.0,
        "cubesat-1u": 1.33,
        "cubesat-3u": 4.0,
        "cubesat-6u": 6.0,
        "rendezvous-target": 130.0,
    }
    zenit = percuss.robot("zenit-2-stage").base.inertia
    assert (float(zenit.zz), float(zenit.xx)) == pytest.approx((31561, 107253), abs=0.5)  # type: ignore[arg-type]
    kosmos = percuss.robot("kosmos-3m-stage").base.inertia
    assert (float(kosmos.zz), float(kosmos.xx)) == pytest.approx((2066, 5338), abs=0.5)  # type: ignore[arg-type]
    cube = percuss.robot("cubesat-1u").base.inertia
    assert float(cube.xx) == pytest.approx(0.0022167, abs=1e-7)  # type: ignore[arg-type]


# --- joint order, axes and placements, as in the files that the numbers come from --------------

JOINTS = {
    "ssrms": [
        ("shoulder_roll", (1.3589, 0, 0), (1, 0, 0)),
        ("shoulder_yaw", (0, 0, 0.7026), (0, 0, 1)),
        ("shoulder_pitch", (0, -0.5692, 0), (0, 1, 0)),
        ("elbow_pitch", (7.11, -0.475, 0), (0, 1, 0)),
        ("wrist_pitch", (7.11, 0, 0), (0, 1, 0)),
        ("wrist_yaw", (0, -0.5692, 0), (0, 0, 1)),
        ("wrist_roll", (0, 0, -0.7026), (1, 0, 0)),
    ],
    "srms": [
        ("shoulder_yaw", (0, 0, -0.5172), (0, 0, 1)),
        ("shoulder_pitch", (0, 0, -0.3048), (0, 1, 0)),
        ("elbow_pitch", (6.377, 0, -0.1524), (0, 1, 0)),
        ("wrist_pitch", (7.06, 0, -0.1524), (0, 1, 0)),
        ("wrist_yaw", (0.4572, 0, 0), (0, 0, 1)),
        ("wrist_roll", (0.762, 0, 0), (1, 0, 0)),
    ],
    "ets-vii": [
        ("joint1", (-0.79, -0.29, 1.0), (0, 0, 1)),
        ("joint2", (0, -0.275, 0.35), (0, 0, 1)),
        ("joint3", (0, -0.87, 0), (0, 0, 1)),
        ("joint4", (-0.63, 0, 0), (0, 0, 1)),
        ("joint5", (0, 0, 0.26), (0, 0, 1)),
        ("joint6", (0, 0, 0.28), (0, 0, 1)),
    ],
    "frend": [
        ("joint1", (0, 0, 0.178765), (0, 0, 1)),
        ("joint2", (0, 0, 0.178765), (0, 0, 1)),
        ("joint3", (0, 0, 0.25908), (0, 0, 1)),
        ("joint4", (0, 0, 0.9), (0, 0, 1)),
        ("joint5", (0, 0, -0.22225), (0, 0, 1)),
        ("joint6", (0, 0, 0.90017), (0, 0, 1)),
        ("joint7", (0, 0, 0), (0, 0, 1)),
    ],
}


@pytest.mark.parametrize("name", JOINTS)
def test_joints_are_placed_as_in_the_source(name: str) -> None:
    system = percuss.robot(name)
    found = [
        (
            joint.name,
            tuple(float(x) for x in joint.placement.position),  # type: ignore[arg-type]
            tuple(float(x) for x in joint.motion.axis),  # type: ignore[attr-defined]
        )
        for joint in arm_joints(system)
    ]
    assert found == JOINTS[name]


# --- Denavit-Hartenberg tables, derived from the same files by other code ----------------------

DH = {
    # θ offset (deg), d, a (m), α (deg); then base-to-0 and n-to-tool as 3×4 rows.
    "ssrms": (
        [
            (0, 0, 0, 90),
            (-90, 0.7026, 0, 90),
            (180, 0, 7.11, 0),
            (0, 0, 7.11, 0),
            (0, -1.6134, 0, 90),
            (90, -0.7026, 0, 90),
            (0, 0, 0, 0),
        ],
        "shoulder_end_effector",
        [[0, 0, 1, 1.3589], [-1, 0, 0, 0], [0, -1, 0, 0]],
        [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1.3589]],
    ),
    "srms": (
        [
            (180, -0.3048, 0, 90),
            (-178.630984, 0, 6.378821, 0),
            (-0.132398, 0, 7.061645, 0),
            (-1.236618, 0, 0.4572, 90),
            (90, 0, 0, 90),
            (0, 0, 0, 0),
        ],
        "shoulder_base",
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -0.5172]],
        [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1.4224]],
    ),
    "ets-vii": (
        [
            (0, 0.35, 0, 90),
            (90, 0, 0.87, 0),
            (-90, 0, 0.63, 0),
            (-180, -0.015, 0, 90),
            (-90, 0.28, 0, 90),
            (0, 0, 0, 0),
        ],
        "satellite",
        [[1, 0, 0, -0.79], [0, 1, 0, -0.29], [0, 0, 1, 1]],
        [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0.53]],
    ),
    "frend": (
        [
            (59.999949, 0.178765, 0, 90),
            (180, 0.25908, 0, 90),
            (180, 0.9, 0, 90),
            (180, -0.22225, 0, 90),
            (180, 0.90017, 0, 90),
            (180, 0, 0, 90),
            (0, 0, 0, 0),
        ],
        "vehicle",
        [[1, 0, 0, 0.3182], [0, 1, 0, -0.3182], [0, 0, 1, 2.166265]],
        [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0.2979]],
    ),
}


def dh_transform(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    """Rz(θ) Tz(d) Tx(a) Rx(α), the standard convention."""
    ct, st_, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array(
        [
            [ct, -st_ * ca, st_ * sa, a * ct],
            [st_, ct * ca, -ct * sa, a * st_],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


@pytest.mark.parametrize("name", DH)
@given(seed=st.integers(0, 2**32 - 1))
def test_tool_pose_by_denavit_hartenberg(name: str, seed: int) -> None:
    """The tables have six decimals: metres and degrees agree to a few of the last."""
    rows, carrier, first, last = DH[name]
    system = percuss.robot(name)
    joints = arm_joints(system)
    angles = np.random.default_rng(seed).uniform(-math.pi, math.pi, len(joints))
    q = np.array(percuss.neutral(system), float)
    for joint, angle in zip(joints, angles, strict=True):
        q[system.node(joint.child).coordinates] = angle
    expected = np.vstack([first, [0, 0, 0, 1]]).astype(float)
    for (offset, d, a, alpha), angle in zip(rows, angles, strict=True):
        expected = expected @ dh_transform(angle + math.radians(offset), d, a, math.radians(alpha))
    expected = expected @ np.vstack([last, [0, 0, 0, 1]])
    pose = percuss.frame_pose(system, q, carrier).inverse() @ percuss.frame_pose(
        system, q, system.frames[0].name
    )
    np.testing.assert_allclose(np.array(pose.matrix(), float), expected, atol=1e-6)


def test_fixed_parts_of_the_arms_are_fixed() -> None:
    for name in ("ssrms", "srms", "frend"):
        system = percuss.robot(name)
        fixed = [joint for joint in system.joints if isinstance(joint.motion, Fixed)]
        assert len(fixed) == 1
