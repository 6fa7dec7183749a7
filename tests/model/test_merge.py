"""Merging and re-basing change how a system is described, not what it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.dynamics import bias_forces, mass_matrix
from percuss.kinematics import neutral, poses
from percuss.model import (
    WORLD,
    Body,
    Fixed,
    Frame,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    System,
    box,
    rod,
)
from percuss.model.merge import merge_fixed
from percuss.model.rebase import rebase


def tilted(x: float, y: float, z: float) -> Pose:
    return Pose.at((x, y, z), rpy=(0.3 + x, -0.7 + y, 1.1 + z))


def gripper_arm() -> System:
    """A free base with an arm, a camera fixed to the arm, a lens on it, and a finger on both."""
    return System(
        "arm",
        (
            box("base", (1.0, 0.8, 0.6), 40.0),
            Body("link", 3.0, Vector3(0.2, 0.1, 0.0), Symmetric3(0.02, 0.05, 0.06)),
            box("camera", (0.1, 0.2, 0.3), 0.7),
            rod("lens", 0.2, 0.1),
            box("finger", (0.1, 0.02, 0.02), 0.2),
        ),
        (
            Joint("free", Free(), WORLD, "base"),
            Joint(
                name="shoulder",
                motion=Revolute(Vector3(0.0, 1.0, 1.0)),
                parent="base",
                child="link",
                placement=tilted(0.4, 0.0, 0.1),
            ),
            Joint(
                name="mount",
                motion=Fixed(),
                parent="link",
                child="camera",
                placement=tilted(0.3, 0.1, 0.2),
                child_placement=tilted(0.1, 0, 0),
            ),
            Joint(
                name="thread",
                motion=Fixed(),
                parent="camera",
                child="lens",
                placement=tilted(0.0, 0.0, 0.2),
            ),
            Joint(
                name="slide",
                motion=Prismatic(Vector3(1.0, 2.0, 0.0)),
                parent="lens",
                child="finger",
                placement=tilted(0.1, 0.0, 0.3),
            ),
        ),
        (Frame("focus", "lens", tilted(0.2, 0.0, 0.0)), Frame("dock", "base")),
        gravity=Vector3(0.3, -1.0, -9.0),
    )


def assert_same_motion(old: System, new: System, names: dict[str, str] | None = None) -> None:
    """Same coordinates, mass matrix, bias forces and pose of every old frame, to rounding."""
    assert old.coordinate_names == new.coordinate_names
    rng = np.random.default_rng(1)
    q = np.array(neutral(old), float) + rng.normal(size=old.coordinate_count)
    v = rng.normal(size=old.rate_count)
    for function in (lambda s: mass_matrix(s, q), lambda s: bias_forces(s, q, v)):
        expected = function(old)
        scale = 1e-12 * np.abs(expected).max()
        np.testing.assert_allclose(function(new), expected, rtol=0, atol=scale)
    there, here = poses(old, q), poses(new, q)
    for name, pose in there.items():
        found = here[(names or {}).get(name, name)]
        np.testing.assert_allclose(found.matrix(), pose.matrix(), rtol=0, atol=1e-12)


def test_merging_keeps_inertia_frames_and_coordinates() -> None:
    system = gripper_arm()
    merged = merge_fixed(system)
    assert [body.name for body in merged.bodies] == ["base", "link", "finger"]
    assert [joint.name for joint in merged.joints] == ["free", "shoulder", "slide"]
    assert {frame.name: frame.body for frame in merged.frames} == {
        "focus": "link",
        "dock": "base",
        "camera": "link",
        "lens": "link",
    }
    assert merged.node("link").body.mass == pytest.approx(3.8)
    assert_same_motion(system, merged)


def test_visuals_move_along() -> None:
    merged = merge_fixed(gripper_arm())
    visuals = merged.node("link").body.visuals
    assert [visual.shape for visual in visuals] == ["box", "cylinder"]
    camera = merged.frame("camera").placement
    np.testing.assert_allclose(visuals[0].placement.matrix(), camera.matrix(), atol=1e-15)


def test_parts_far_from_the_origin_keep_their_small_inertia() -> None:
    far = Pose.at((1e6, 0.0, 0.0))
    system = System(
        "far",
        (
            Body("a", 1.0, Vector3(1e6, 0.0, 0.0), Symmetric3.scaled_identity(1e-3)),
            Body("b", 1.0, inertia=Symmetric3.scaled_identity(2e-3)),
        ),
        (
            Joint("free", Free(), WORLD, "a"),
            Joint(name="glue", motion=Fixed(), parent="a", child="b", placement=far),
        ),
    )
    inertia = merge_fixed(system).base.inertia
    np.testing.assert_allclose(inertia.array(), np.eye(3) * 3e-3, rtol=1e-12)


def test_a_system_without_fixed_joints_is_returned_as_it_is() -> None:
    merged = merge_fixed(gripper_arm())
    assert merge_fixed(merged) == merged


def test_the_fixed_base_stays() -> None:
    system = gripper_arm().with_mode("fixed", tilted(1.0, 2.0, 3.0))
    merged = merge_fixed(system)
    assert isinstance(merged.base_joint.motion, Fixed)
    assert merged.base.name == "base"
    assert_same_motion(system, merged)


def test_planar_bodies_stay_planar() -> None:
    system = System(
        "flat",
        (Body.planar("a", 2.0, 0.3), Body.planar("b", 1.0, 0.1, (0.2, 0.0))),
        (
            Joint("plane", Planar(), WORLD, "a"),
            Joint(
                name="glue",
                motion=Fixed(),
                parent="a",
                child="b",
                placement=Pose.planar(0.5, 0.1, 0.4),
            ),
        ),
    )
    merged = merge_fixed(system)
    assert merged.base.planar_only
    assert_same_motion(system, merged)


def test_symbols_are_merged_too() -> None:
    m, length = sympy.symbols("m l", positive=True)
    system = System(
        "symbolic",
        (rod("a", length, m), Body("tip", m)),
        (
            Joint("pivot", Revolute(), WORLD, "a"),
            Joint(
                name="glue",
                motion=Fixed(),
                parent="a",
                child="tip",
                placement=Pose.at((length, 0.0, 0.0)),
            ),
        ),
    )
    inertia = sympy.simplify(mass_matrix(merge_fixed(system), [0.0])[0])
    assert sympy.simplify(inertia - sympy.Rational(4, 3) * m * length**2) == 0


def test_rebase_moves_body_frames_onto_their_joints() -> None:
    system = gripper_arm()
    offset = tilted(0.3, -0.2, 0.5)
    joints = [replace(j, child_placement=offset) for j in system.joints]
    moved = replace(system, joints=tuple(joints))
    rebased = rebase(moved)
    assert all(joint.child_placement.is_identity for joint in rebased.joints)
    # The fixed and prismatic joints moved instead of their bodies' frames.
    assert {f.name for f in rebased.frames} == {"focus", "dock", "base_frame", "link_frame"}
    assert_same_motion(moved, rebased, {"base": "base_frame", "link": "link_frame"})


def test_rebase_turns_a_revolute_axis_rather_than_the_body() -> None:
    system = gripper_arm()
    turn = Pose.at((0.0, 0.0, 0.0), rpy=(0.4, 0.5, 0.6))
    joints = [
        replace(j, child_placement=turn) if j.name == "shoulder" else j for j in system.joints
    ]
    turned = replace(system, joints=tuple(joints))
    rebased = rebase(turned)
    assert len(rebased.frames) == len(turned.frames)
    assert_same_motion(turned, rebased)


def test_rebase_does_not_take_a_name_that_is_used() -> None:
    system = gripper_arm().with_frames(Frame("link_frame", "link"))
    joints = [
        replace(j, child_placement=tilted(0.1, 0.2, 0.3)) if j.name == "shoulder" else j
        for j in system.joints
    ]
    rebased = rebase(replace(system, joints=tuple(joints)))
    assert {"link_frame", "link_frame_"} <= {frame.name for frame in rebased.frames}
