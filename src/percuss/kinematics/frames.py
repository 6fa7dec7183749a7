"""Poses, velocities and accelerations of frames."""

from __future__ import annotations

from enum import StrEnum

from percuss.algebra.arrays import Accelerations, Coordinates
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, mul, total, unpack
from percuss.algebra.vectors import Vector3
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    Velocities,
    tree_accelerations,
    tree_poses,
    tree_velocities,
)
from percuss.model.errors import ModelError
from percuss.model.joints import Mimic, Planar, Revolute
from percuss.model.systems import Frame, System


class Reference(StrEnum):
    """Where the components of a velocity, acceleration or Jacobian are taken.

    The linear part is the velocity of the body's point at the origin of the axes.
    """

    WORLD_ALIGNED = "world-aligned"
    """World axes at the frame's own origin: the velocity of that point, as a camera sees it."""
    BODY = "body"
    """The frame's own axes at its own origin: what is carried along measures."""
    WORLD_ORIGIN = "world-origin"
    """World axes at the world's origin: the spatial velocity of the textbooks."""

    @classmethod
    def _missing_(cls, value: object) -> Reference:
        allowed = ", ".join(repr(member.value) for member in cls)
        raise ValueError(f"reference must be one of {allowed}, got {value!r}")


def poses(system: System, q: Configuration) -> dict[str, Pose]:
    """W_T_F of every body and named frame, by name."""
    world = tree_poses(system, q).world_poses()
    result = {node.body.name: pose for node, pose in zip(system.tree, world, strict=True)}
    for frame in system.frames:
        result[frame.name] = result[frame.body] @ frame.placement
    return result


def frame_pose(system: System, q: Configuration, frame: str | Frame) -> Pose:
    """W_T_F of a frame, a body, or a point on a body."""
    found = system.frame(frame)
    return tree_poses(system, q).world_poses()[system.node(found.body).index] @ found.placement


def frame_velocity(
    system: System,
    q: Configuration,
    v: Velocities,
    frame: str | Frame,
    *,
    reference: Reference | str = Reference.WORLD_ALIGNED,
) -> Motion:
    """Velocity of a frame (m/s, rad/s), components as `reference` says."""
    tree = tree_poses(system, q)
    found = system.frame(frame)
    index = system.node(found.body).index
    velocity = found.placement.act_inverse(tree_velocities(tree, v).bodies[index])
    return reference_pose(tree, found, reference).act(velocity)


def frame_acceleration(
    system: System,
    q: Configuration,
    v: Velocities,
    a: Accelerations,
    *,
    frame: str | Frame,
    reference: Reference | str = Reference.WORLD_ALIGNED,
) -> Motion:
    """Time derivative of the components that `frame_velocity` gives: J v̇ + J̇ v.

    World-aligned, that is the ordinary acceleration of the point (m/s²) and the angular
    acceleration (rad/s²); in the other two references it is the spatial acceleration.
    Gravity does not enter.
    """
    tree = tree_poses(system, q)
    found = system.frame(frame)
    index = system.node(found.body).index
    velocities = tree_velocities(tree, v)
    rate_changes = unpack(a, system.rate_count, "a", system.rate_names)
    accelerations = tree_accelerations(tree, velocities, rate_changes)
    velocity = found.placement.act_inverse(velocities.bodies[index])
    spatial = found.placement.act_inverse(accelerations[index])
    if Reference(reference) == Reference.WORLD_ALIGNED:
        # The world axes do not turn with the body: add ω × v.
        spatial = spatial + Motion(velocity.angular.cross(velocity.linear), Vector3.zero())
    return reference_pose(tree, found, reference).act(spatial)


def reference_pose(tree: TreePoses, frame: Frame, reference: Reference | str) -> Pose:
    """The pose that takes components in the frame itself to those of the reference."""
    reference = Reference(reference)
    if reference == Reference.BODY:
        return Pose.identity()
    index = tree.system.node(frame.body).index
    pose = tree.world_poses()[index] @ frame.placement
    if reference == Reference.WORLD_ALIGNED:
        return Pose(pose.rotation, Vector3.zero())
    return pose


def planar_angle(system: System, q: Coordinates, frame: str | Frame) -> Scalar:
    """Angle of a frame about z in a planar system (rad), unwrapped: the sum of its joints."""
    if not system.is_planar:
        raise ModelError(f"system {system.name!r} is not planar: its frames have no single angle")
    coordinates = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    found = system.frame(frame)
    angle = found.placement.rotation.angle_about_z()
    for node in system.ancestors(system.node(found.body)):
        joint = node.joint
        own = coordinates[node.coordinates]
        turn: Scalar = 0.0
        if isinstance(joint.motion, Revolute):
            turn = mul(joint.motion.axis.z, own[0])
        elif isinstance(joint.motion, Mimic) and isinstance(joint.motion.motion, Revolute):
            turn = mul(joint.motion.axis.z, joint.motion.coordinate(own[0]))
        elif isinstance(joint.motion, Planar):
            turn = own[2]
        placed = joint.placement.rotation.angle_about_z()
        carried = joint.child_placement.rotation.angle_about_z()
        angle = total((placed, turn, carried, angle))
    return angle
