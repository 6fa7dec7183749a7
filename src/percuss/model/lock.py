"""Joints held where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Planar
from percuss.model.systems import Friction, Joint, Limits, System


def lock(system: System, positions: Mapping[str, Scalar]) -> System:
    """The system with joints held, each at its coordinate (rad or m) by the joint's name.

    A held joint is fixed and has no coordinate; its body stays a body of its own.
    """
    for name in positions:
        if isinstance(system.joint(name).motion, (Free, Planar, Fixed)):
            raise ModelError(
                f"joint {name!r} is {system.joint(name).motion.kind}; only a joint of an arm that "
                "moves can be locked"
            )
    joints = tuple(
        held(joint, positions[joint.name]) if joint.name in positions else joint
        for joint in system.joints
    )
    return replace(system, joints=joints)


def held(joint: Joint, coordinate: Scalar) -> Joint:
    """A joint of one coordinate (rad or m) as a fixed one: P_T_C stays what it is there."""
    pose = joint.placement @ joint.motion.pose((coordinate,)) @ joint.child_placement
    return replace(
        joint,
        motion=Fixed(),
        placement=pose,
        child_placement=Pose.identity(),
        limits=Limits(),
        friction=Friction(),
    )
