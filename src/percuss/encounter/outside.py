"""What pushes and turns the bodies of a run from outside: thrusters of the base, and gravity."""

from __future__ import annotations

from percuss.algebra.arrays import Coordinates
from percuss.algebra.motions import Force
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Vector3
from percuss.dynamics.composite import total_inertia
from percuss.kinematics.trees import tree_poses
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode
from percuss.model.systems import System


def external_wrench(
    system: System, chaser: System, q: Coordinates, forces: tuple[Scalar, ...]
) -> Force:
    """What acts from outside, world axes about the world's origin: thrusters and uniform gravity.

    A free-flying base is pushed and turned from outside; wheels only exchange momentum with it,
    and what a fixed base passes on is not asked for.

    Args:
        system: all bodies, the chaser's coordinates and rates first.
        q: coordinates, shape (nq,).
        forces: commands on the chaser's rates (N, N m).
    """
    wrench = weight(system, q)
    joint = chaser.base_joint
    if chaser.mode != BaseMode.FREE_FLYING or not isinstance(joint.motion, (Free, Planar)):
        return wrench
    own = forces[chaser.node(joint.child).rates]
    if isinstance(joint.motion, Planar):
        push, turn = Vector3(own[0], own[1], 0.0), Vector3(0.0, 0.0, own[2])
    else:
        push, turn = Vector3(*own[:3]), Vector3(*own[3:])
    axes = joint.placement.rotation
    origin = tree_poses(system, q).world_poses()[system.node(joint.child).index]
    at = (origin @ joint.child_placement.inverse()).position
    push, turn = axes @ push, axes @ turn
    return wrench + Force(push, at.cross(push) + turn)


def weight(system: System, q: Coordinates) -> Force:
    """The weight of all bodies, world axes about the world's origin (N, N m)."""
    body = total_inertia(system, q)
    return Force(system.gravity * body.mass, body.first_moment.cross(system.gravity))
