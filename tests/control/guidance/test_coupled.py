"""Guidance of arms in which joints follow others."""

from __future__ import annotations

import numpy as np
import pytest

from percuss.algebra import Pose
from percuss.control.guidance.tool_axis import forward_axis
from percuss.control.guidance.tool_space import tool_space
from percuss.control.guidance.trees import tree_of
from percuss.control.plant import TreePlant
from percuss.model import (
    WORLD,
    Frame,
    Joint,
    Mimic,
    ModelError,
    Planar,
    Revolute,
    System,
    disk,
    rod,
    side_by_side,
)
from tests.truth.compare import assert_same


def reaching() -> System:
    """A planar robot whose elbow and wrist are coupled, and a side arm with nothing in its hand."""
    joints = (
        Joint("base", Planar(), WORLD, "base"),
        Joint("side", Revolute(), "base", "side link"),
        Joint(
            name="wrist",
            motion=Mimic(Revolute(), "elbow", -0.5),
            parent="forearm",
            child="hand",
            placement=Pose.at((1.0, 0.0)),
        ),
        Joint(
            name="shoulder",
            motion=Revolute(),
            parent="base",
            child="upper arm",
            placement=Pose.at((0.5, 0.0)),
        ),
        Joint(
            name="elbow",
            motion=Revolute(),
            parent="upper arm",
            child="forearm",
            placement=Pose.at((1.0, 0.0)),
        ),
    )
    bodies = (disk("base", 0.5, 50.0), *(rod(j.child, 1.0, 2.0) for j in joints[1:]))
    frames = (Frame("tool", "hand", Pose.at((1.0, 0.0))),)
    return System("reaching", bodies, joints, frames, mode="free-flying")  # type: ignore[arg-type]


def test_a_tool_is_moved_by_leaders() -> None:
    space = tool_space(TreePlant(reaching()), "tool")
    assert [reaching().rate_names[k] for k in space.moving] == ["shoulder", "elbow"]
    assert [reaching().rate_names[k] for k in space.held][-1] == "side"


def test_a_tool_points_away_from_the_follower_that_carries_it() -> None:
    assert_same(forward_axis(reaching(), "tool").array(), [1.0, 0.0, 0.0], "forward axis")


def test_trees_of_a_forest_keep_their_couplings() -> None:
    """The second tree's joints are renamed, its coupling with them."""
    both = side_by_side(reaching(), System.prefixed(reaching(), "other "))
    twins = side_by_side(reaching(), _renamed_bodies(reaching()))
    motion = twins.joint("target wrist").motion
    assert isinstance(motion, Mimic)
    assert motion.leader == "target elbow"
    tree = tree_of(both, both.frame("other tool"), "free-flying")
    assert tree.rates == tuple(range(6, 12))
    q = np.arange(12.0)
    assert tree.state(q, q)[0] == tuple(range(6, 12))


def _renamed_bodies(system: System) -> System:
    """Other names for bodies and frames, the same for the joints."""
    other = system.prefixed("x ")
    joints = tuple(
        Joint(
            name=old.name,
            motion=old.motion,
            parent=new.parent,
            child=new.child,
            placement=old.placement,
        )
        for old, new in zip(system.joints, other.joints, strict=True)
    )
    return System("renamed", other.bodies, joints, other.frames, mode=system.mode)


def test_a_coupling_between_trees_is_refused() -> None:
    joints = (
        Joint("first", Revolute(), WORLD, "a"),
        Joint("second", Mimic(Revolute(), "first"), WORLD, "b"),
    )
    system = System("pair", (rod("a", 1.0, 1.0), rod("b", 1.0, 1.0)), joints)
    with pytest.raises(ModelError, match="'second' follows 'first', which hangs from another root"):
        tree_of(system, Frame("tip", "a"))
