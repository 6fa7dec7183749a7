"""Whole runs with a gripper whose fingers are coupled: balances close, and the coupling holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import percuss
from percuss.algebra import Pose
from percuss.control.ic2_chain import chain_of
from percuss.control.plant import TreePlant
from percuss.encounter.ensemble.ensemble import Ensemble
from percuss.kinematics import frame_pose
from percuss.model import (
    Frame,
    Friction,
    Joint,
    Limits,
    Mimic,
    ModelError,
    Prismatic,
    Revolute,
    System,
    box,
    planar_arm,
    read_urdf,
    write_urdf,
)
from percuss.model.planar import PlanarLink
from percuss.scenario import ScenarioError


def gripping_arm() -> System:
    """`demo-7` with a finger that slides, one that follows it, and a thumb that follows both."""
    arm = percuss.robot("demo-7")
    tool = arm.frame("tool")
    left = tool.placement @ Pose.at((0.0, 0.05, -0.1))
    right = tool.placement @ Pose.at((0.0, -0.05, -0.1))
    slide = Prismatic((0, 1, 0))
    joints = (
        Joint(
            name="left",
            motion=slide,
            parent=tool.body,
            child="left finger",
            placement=left,
            limits=Limits(-0.05, 0.05, 0.5, 40.0),
            friction=Friction(2.0),
        ),
        Joint(
            name="right",
            motion=Mimic(slide, "left", -1.25, -0.01),
            parent=tool.body,
            child="right finger",
            placement=right,
            limits=Limits(-0.04, 0.06),
            friction=Friction(1.0),
        ),
        Joint("thumb", Mimic(Revolute((1, 0, 0)), "right", 3.0), "left finger", "thumb"),
    )
    bodies = [box(joint.child, (0.02, 0.02, 0.04), 1.0) for joint in joints]
    return replace(arm, bodies=(*arm.bodies, *bodies), joints=(*arm.joints, *joints))


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "gripper.urdf"
    write_urdf(gripping_arm(), path)
    return path


def scenario(urdf: Path, **settings: Any) -> percuss.Scenario:
    document: dict[str, Any] = {
        "name": "coupled gripper",
        "chaser": {
            "urdf": str(urdf),
            "mode": "free-floating",
            "tool": "tool",
            "joints": [0.6, 0.9, 0.3, 1.1, -0.4, 0.7, 0.2, 0.01],
            "velocity": {"joints": [0.01, -0.02, 0.01, 0.0, 0.02, -0.01, 0.01, 0.02]},
        },
        "target": {
            "mass": 150,
            "inertia": {"xx": 30, "yy": 40, "zz": 35, "xy": 2, "xz": 0, "yz": -1},
            "contact": [-0.6, 0.1, 0],
            "velocity": {"linear": [-0.02, -0.03, 0.01], "angular": [0.03, 0.02, 0.06]},
        },
        "impact": {"closure": "weld"},
        "duration": 3,
    }
    for path, value in settings.items():
        *within, key = path.split("__")
        block = document[within[0]] if within else document
        block[key] = value
    return percuss.loads(yaml.safe_dump(document))


def test_urdf_reads_what_was_written(urdf: Path) -> None:
    system = read_urdf(urdf, mode="free-floating")
    assert [joint.name for joint in system.followers] == ["right", "thumb"]
    motion = system.joint("thumb").motion
    assert isinstance(motion, Mimic)
    assert (motion.leader, motion.multiplier) == ("left", pytest.approx(-3.75))
    assert system.rate_count == 14


@pytest.mark.parametrize(
    "settings",
    [
        {"impact__closure": "weld"},
        {"impact__closure": "pin"},
        {"impact__closure": "bounce", "impact__restitution": 0.5},
        {
            "chaser__mode": "free-flying",
            "control": {"law": "computed-torque", "natural-frequency": 1.0},
        },
    ],
    ids=["weld", "pin", "bounce", "free-flying"],
)
def test_balances_close(urdf: Path, settings: dict[str, Any]) -> None:
    result = percuss.run(scenario(urdf, **settings))
    for name, drift in result.summary["balance"].items():
        assert drift < 1e-9, f"{name} drifts by {drift}"
    loads = result.summary["peak"]["joint_reaction"]
    assert {"left", "right", "thumb"} <= set(loads)
    assert {"left", "right", "thumb"} <= set(result.summary["impact"]["joint_reactions"])
    names = [str(x) for x in result.record.labels["coordinate"]]
    assert "left" in names
    assert "right" not in names


def test_joints_beyond_a_follower_s_limits_are_told(urdf: Path) -> None:
    """-1.25 q - 0.01 within -0.04 … 0.06 leaves the leader -0.056 … 0.024, and it has ±0.05."""
    found = scenario(urdf, chaser__joints=[0.6, 0.9, 0.3, 1.1, -0.4, 0.7, 0.2, 0.03])
    warnings = percuss.run(found).summary["warnings"]
    assert any("left" in text and "0.024" in text for text in warnings), warnings


def test_a_follower_cannot_be_placed_by_itself(urdf: Path) -> None:
    with pytest.raises(ScenarioError, match=r"'right' follows left .* give 'left'"):
        scenario(urdf, chaser__joints={"right": 0.01})


def test_an_ensemble_is_the_single_run(tmp_path: Path) -> None:
    """Of a short arm, which compiles sooner."""
    arm = gripping_arm()
    kept = ("satellite", "link1", "left finger", "right finger")
    joints = [joint for joint in arm.joints if joint.child in kept]
    hand = [replace(j, parent="link1") if j.name in ("left", "right") else j for j in joints]
    short = replace(
        arm,
        bodies=tuple(body for body in arm.bodies if body.name in kept),
        joints=tuple(hand),
        frames=(Frame("tool", "link1", Pose.at((0.0, 0.0, 0.25))),),
    )
    write_urdf(short, tmp_path / "short.urdf")
    chaser = {"urdf": str(tmp_path / "short.urdf"), "tool": "tool", "joints": [0.6, 0.01]}
    chosen = scenario(tmp_path / "short.urdf", chaser=chaser, duration=0.5)
    single = percuss.run(chosen).summary["peak"]["joint_reaction"]
    batch = Ensemble(chosen, reactions=True)()
    found = dict(zip(single, batch.peak_reactions[:, 0].tolist(), strict=True))
    assert found == pytest.approx(single, rel=1e-5)


def test_compensation_needs_joints_that_turn_one_link() -> None:
    arm = planar_arm(
        [PlanarLink(1.0, 2.0), PlanarLink(1.0, 2.0)], base=box("base", (1, 1, 1), 50.0)
    )
    first, second = arm.joints[1:]
    coupled = replace(
        arm, joints=(arm.joints[0], first, replace(second, motion=Mimic(Revolute(), first.name)))
    )
    with pytest.raises(ModelError, match="is followed by"):
        chain_of(TreePlant(coupled), Frame.point(second.child, (1.0, 0.0)), True)


def test_the_fingers_close_together(urdf: Path) -> None:
    system = read_urdf(urdf, mode="free-floating")
    q = np.array(percuss.neutral(system))
    at = system.node("left finger").coordinates.start
    left, right = [], []
    for x in (0.0, 0.02):
        q[at] = x
        left.append(float(frame_pose(system, q, "left finger").position.y))  # type: ignore[arg-type]
        right.append(float(frame_pose(system, q, "right finger").position.y))  # type: ignore[arg-type]
    assert left[1] - left[0] == pytest.approx(0.02)
    assert right[1] - right[0] == pytest.approx(-0.025)
