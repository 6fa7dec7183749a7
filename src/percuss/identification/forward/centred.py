"""A target with its frame at the centre of mass, where identification has the frame of a target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Vector3
from percuss.encounter.encounter import Encounter
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.errors import ModelError
from percuss.model.single import free_body
from percuss.model.systems import Frame, System


def centred(encounter: Encounter) -> Encounter:
    """The same encounter, its target a free body whose frame is at the centre of mass.

    The frame keeps its axes, the contact point its place, and the motion is the same. ModelError
    for a target of several bodies, or one that is not free.
    """
    target, grip = encounter.target, encounter.grip
    assert target is not None
    assert grip is not None
    _refuse_other_targets(target)
    body, joint = target.base, target.base_joint
    com = np.array([float(x) for x in body.com])  # type: ignore[arg-type]
    if not com.any() and joint.placement.is_identity and joint.child_placement.is_identity:
        return encounter
    centre = Frame("centre of mass", body.name, Pose.at(body.com))
    q, v = encounter.target_coordinates, encounter.target_rates
    pose, velocity = frame_pose(target, q, centre), frame_velocity(target, q, v, centre)
    centred = replace(
        body,
        com=Vector3.zero(),
        visuals=tuple(
            replace(one, placement=Pose(one.placement.rotation, one.placement.position - body.com))
            for one in body.visuals
        ),
    )
    point = Pose(grip.placement.rotation, grip.placement.position - body.com)
    held = Frame(grip.name, body.name, point)
    system = free_body(centred, planar=target.is_planar, frames=[held], source=target.source)
    motion = system.base_joint.motion
    if target.is_planar:
        rates = (velocity.linear.x, velocity.linear.y, velocity.angular.z)
    else:
        rates = (*velocity.linear, *velocity.angular)
    return replace(
        encounter,
        target=system.with_gravity(target.gravity),
        grip=held,
        target_coordinates=np.array(motion.coordinates(pose), float),
        target_rates=np.array(rates, float),
    )


def _refuse_other_targets(target: System) -> None:
    if len(target.bodies) > 1:
        names = ", ".join(body.name for body in target.bodies)
        raise ModelError(
            "target: an identification takes a target that is one free body, got "
            f"{len(target.bodies)} bodies: {names}"
        )
    if target.rate_count != (3 if target.is_planar else 6):
        raise ModelError(
            "target: an identification takes a target that moves freely, got one on a joint of "
            f"{target.rate_count} rates: {target.base_joint.name}"
        )
