"""Kinematics of arms in which joints follow others: poses that are reached, limits that hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from percuss.algebra import Pose
from percuss.control.plant import layout_of
from percuss.kinematics import (
    analytic_jacobian,
    avoid_limits,
    frame_pose,
    held_trajectory,
    inverse_kinematics,
    mobility,
    planar_angle,
)
from percuss.model import (
    WORLD,
    Frame,
    Joint,
    Limits,
    Mimic,
    ModelError,
    Prismatic,
    Revolute,
    System,
    rod,
)
from percuss.percussion.links import link_percussion
from tests.truth.compare import assert_same, derivative


def folding(multiplier: float = -2.0, offset: float = 0.3) -> System:
    """A planar arm of four links whose second joint follows the third, as linkages make it."""
    motions = (
        Revolute(),
        Mimic(Revolute(), "j3", multiplier, offset),
        Revolute(),
        Mimic(Prismatic((1, 0, 0)), "j1", 0.2, 0.1),
    )
    names = [WORLD, *(f"link{k}" for k in range(1, 5))]
    joints = tuple(
        Joint(
            name=f"j{k}",
            motion=motion,
            parent=names[k - 1],
            child=names[k],
            placement=Pose.at((1.0, 0.0)) if k > 1 else Pose.identity(),
        )
        for k, motion in enumerate(motions, start=1)
    )
    frames = (Frame("tool", "link4", Pose.at((1.0, 0.0))),)
    return System("folding", tuple(rod(name, 1.0, 2.0) for name in names[1:]), joints, frames)


def with_limits(system: System, **limits: Limits) -> System:
    joints = tuple(replace(j, limits=limits.get(j.name, j.limits)) for j in system.joints)
    return replace(system, joints=joints)


def test_inverse_kinematics_moves_leaders_and_what_follows_them() -> None:
    system = folding()
    for q in ((0.4, -0.7), (-1.0, 0.5), (2.0, 1.2)):
        target = frame_pose(system, q, "tool").position
        found = inverse_kinematics(system, "tool", tuple(target)[:2], "planar position")
        there = frame_pose(system, found.q, "tool").position
        assert_same(there.array(), target.array(), "tool", 1e-8, scale=1.0)
        assert len(found.q) == 2


def test_a_tool_on_a_follower_is_moved_by_its_leader() -> None:
    """The leader is on another branch."""
    joints = (
        Joint("left", Revolute(), WORLD, "finger"),
        Joint("right", Mimic(Revolute(), "left", -0.5), WORLD, "thumb"),
    )
    system = System("pair", (rod("finger", 1.0, 1.0), rod("thumb", 1.0, 1.0)), joints)
    tip = Frame.point("thumb", (1.0, 0.0))
    target = frame_pose(system, [1.2], tip).position
    found = inverse_kinematics(system, tip, tuple(target)[:2], "planar position")
    there = frame_pose(system, found.q, tip).position
    assert_same(there.array(), target.array(), "tip", 1e-8, scale=1.0)
    with pytest.raises(ModelError, match="'right' follows 'left' and moves with it; name that one"):
        inverse_kinematics(system, tip, tuple(target)[:2], "planar position", joints=["right"])


def test_limits_of_followers_hold_in_inverse_kinematics() -> None:
    """j2 = -2 j3 + 0.3 within ±0.5 keeps j3 within -0.1 … 0.4."""
    system = with_limits(folding(), j2=Limits(-0.5, 0.5))
    inside = frame_pose(system, (0.5, 0.35), "tool").position
    found = inverse_kinematics(system, "tool", tuple(inside)[:2], "planar position")
    assert -0.1 - 1e-9 <= found.q[1] <= 0.4 + 1e-9
    assert avoid_limits(system).gradient((0.3, 0.15))[1] == pytest.approx(0.0, abs=1e-12)


def test_angles_add_up_through_followers() -> None:
    system = folding()
    q = (0.4, -0.7)
    assert planar_angle(system, q, "tool") == pytest.approx(0.4 + (-2.0 * -0.7 + 0.3) - 0.7)
    J = analytic_jacobian(system, q, "tool", "planar")
    moved = derivative(lambda t: _planar(system, (0.4 + 0.3 * t, -0.7 - 0.2 * t)))
    assert_same(J @ np.array([0.3, -0.2]), moved, "J v", 1e-10, scale=1.0)


def _planar(system: System, q: Any) -> Any:
    x, y, _ = frame_pose(system, q, "tool").position
    return [x, y, planar_angle(system, q, "tool")]


def test_trajectories_name_leaders() -> None:
    system = folding()
    path = held_trajectory(system, (0.1, 0.2), lambda t: ((t, 2 * t), (1.0, 2.0), (0.0, 0.0)))
    q, v, _ = path(0.5)
    assert_same(q, [0.5, 1.0], "q")
    assert_same(v, [1.0, 2.0], "v")
    with pytest.raises(ModelError, match="'j2' has 0 coordinates"):
        held_trajectory(system, (0.1, 0.2), lambda t: ((t,), (1.0,), (0.0,)), ["j2"])


def test_layouts_of_control_leave_followers_out() -> None:
    system = folding()
    layout = layout_of(system)
    assert (layout.coordinate_count, layout.rate_count) == (2, 2)
    assert layout.lines == ((0, 0), (1, 1))


def test_links_on_followers_have_centres_of_percussion() -> None:
    """Each for its own joint: the rods' are at two thirds of their length."""
    found = link_percussion(folding())
    assert [link.link for link in found] == ["link1", "link2", "link3"]
    for link in found:
        assert link.point is not None
        assert float(np.linalg.norm(link.point)) == pytest.approx(2 / 3, rel=1e-12)


def test_a_coupling_takes_a_freedom_away() -> None:
    assert mobility(folding()) == 2
