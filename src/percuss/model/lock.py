"""Joints held where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, sub
from percuss.model.checks import shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Mimic, Planar
from percuss.model.systems import Friction, Joint, Limits, System

_ROUNDING = 1e-9
"""By which the positions of two coupled joints may contradict each other (rad or m): numbers
written by hand in degrees or with nine digits agree this well."""


def lock(system: System, positions: Mapping[str, Scalar]) -> System:
    """The system with joints held, each at its coordinate (rad or m) by the joint's name.

    A held joint is fixed and has no coordinate; its body stays a body of its own. What is coupled
    is held together: a leader holds its followers, and a follower its leader, which is then
    where the follower has the coordinate asked for.
    """
    leading = _leading(system, positions)
    joints: list[Joint] = []
    for joint in system.joints:
        own = joint.motion.leader if isinstance(joint.motion, Mimic) else joint.name
        joints.append(held(joint, leading[own]) if own in leading else joint)
    return replace(system, joints=tuple(joints))


def _leading(system: System, positions: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The coordinate of each joint to hold that has one of its own, followers translated."""
    found: dict[str, Scalar] = {}
    asked: dict[str, str] = {}
    for name, position in positions.items():
        motion = system.joint(name).motion
        if isinstance(motion, (Free, Planar, Fixed)):
            raise ModelError(
                f"joint {name!r} is {motion.kind}; only a joint of an arm that moves can be locked"
            )
        own, at = name, position
        if isinstance(motion, Mimic):
            own, at = motion.leader, motion.leader_at(position)
        if own in found and violates(sub(at, found[own]), lambda gap: abs(gap) <= _ROUNDING):
            raise ModelError(
                f"joints {asked[own]!r} and {name!r} are coupled and cannot be locked at "
                f"{shown(positions[asked[own]])} and {shown(position)} together: {own!r} would "
                f"have to be at {shown(found[own])} and at {shown(at)}"
            )
        found[own], asked[own] = at, name
    return found


def held(joint: Joint, coordinate: Scalar) -> Joint:
    """A joint of one coordinate (rad or m) as a fixed one: P_T_C stays what it is there.

    The coordinate of a joint that follows another is its leader's.
    """
    pose = joint.placement @ joint.motion.pose((coordinate,)) @ joint.child_placement
    return replace(
        joint,
        motion=Fixed(),
        placement=pose,
        child_placement=Pose.identity(),
        limits=Limits(),
        friction=Friction(),
    )
