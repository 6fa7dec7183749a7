"""Body frames moved onto their joints, as formats without a child placement need them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import is_constant
from percuss.model.bodies import Body
from percuss.model.joints import Fixed, Mimic, Prismatic, Revolute
from percuss.model.merge import combined
from percuss.model.systems import Frame, Joint, System


def rebase(system: System, *, keep: Collection[str] = ()) -> System:
    """The same system with each body frame on its joint: child placements are the identity.

    A body frame stays where it is when the joint can move to it instead (a fixed or prismatic
    joint, a revolute one whose axis passes through it). Otherwise the old body frame is kept
    as a named frame "<body>_frame". Coordinates and rates keep their meaning.

    Args:
        keep: names of joints that are left alone.
    """
    joints = [joint if joint.name in keep else _folded(joint) for joint in system.joints]
    # The old body frame seen from the new one, for the bodies whose frame moves.
    moved = {
        joint.child: joint.child_placement
        for joint in joints
        if joint.name not in keep and not joint.child_placement.is_identity
    }
    names = {body.name for body in system.bodies} | {frame.name for frame in system.frames}
    frames = [
        replace(frame, placement=moved[frame.body] @ frame.placement)
        if frame.body in moved
        else frame
        for frame in system.frames
    ]
    for body, pose in moved.items():
        name = unused(f"{body}_frame", names)
        names.add(name)
        frames.append(Frame(name, body, pose))
    return replace(
        system,
        bodies=tuple(_moved_body(body, moved) for body in system.bodies),
        joints=tuple(_moved_joint(joint, moved) for joint in joints),
        frames=tuple(frames),
    )


def unused(name: str, taken: Collection[str]) -> str:
    """The name, with underscores after it until nobody has it."""
    while name in taken:
        name += "_"
    return name


def _folded(joint: Joint) -> Joint:
    """The joint frame moved to the child's body frame where that changes nothing else.

    placement · motion · C = (placement · C) · (C⁻¹ · motion · C), and what is in the second
    brackets is the same kind of motion for a fixed joint, for a prismatic one with its axis in
    the axes of C, and for a revolute one if moreover the axis meets the origin of C.
    """
    offset, motion = joint.child_placement, joint.motion.uncoupled
    if offset.is_identity:
        return joint
    if isinstance(motion, Revolute):
        lever = motion.axis.cross(offset.position)
        if not all(is_constant(a) and a == 0 for a in lever):
            return joint
    elif not isinstance(motion, (Fixed, Prismatic)):
        return joint
    if isinstance(motion, (Revolute, Prismatic)):
        motion = type(motion)(offset.rotation.inverse() @ motion.axis)
        if isinstance(joint.motion, Mimic):
            motion = replace(joint.motion, motion=motion)
    return replace(
        joint,
        motion=motion,
        placement=joint.placement @ offset,
        child_placement=Pose.identity(),
    )


def _moved_body(body: Body, moved: dict[str, Pose]) -> Body:
    if body.name not in moved:
        return body
    pose = moved[body.name]
    visuals = (replace(v, placement=pose @ v.placement) for v in body.visuals)
    return combined(body.name, [(pose, body)], visuals)


def _moved_joint(joint: Joint, moved: dict[str, Pose]) -> Joint:
    if joint.parent in moved:
        joint = replace(joint, placement=moved[joint.parent] @ joint.placement)
    if joint.child in moved:
        joint = replace(joint, child_placement=Pose.identity())
    return joint
