"""What a compliant contact does to the two systems that touch, as loads for their dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Force, Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Vector3
from percuss.impact.compliance import (
    Compliance,
    contact_force,
    dissipation,
    elastic_energy,
    normal_force,
)
from percuss.impact.contact_laws import SpringLaw
from percuss.impact.shapes import Surface
from percuss.kinematics.trees import tree_poses, tree_velocities
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class CompliantContact:
    """The force between a tool and a target, and what it does.

    `on_chaser` (N, world axes) acts on the tool at `point` (m, world), its opposite on the target
    at that very point, so that linear and angular momentum of both together stay exactly.
    `power` (W) is what the contact puts into the bodies, negative when it takes;
    power = -(d/dt elastic_energy) - dissipation, the dissipation being never negative.
    `depth` (m), `closing_speed` (m/s), `normal` (unit, out of the target, world axes) and
    `normal_force` (N) are None under the law "bilateral", which has no surface.
    """

    on_chaser: Vector3
    point: Vector3
    power: Scalar
    elastic_energy: Scalar
    dissipation: Scalar
    depth: Scalar | None = None
    closing_speed: Scalar | None = None
    normal: Vector3 | None = None
    normal_force: Scalar | None = None


@dataclass(frozen=True)
class CompliantLoads:
    """A compliant contact with its loads, as `forward_dynamics` takes them: (frame, force) pairs.

    World axes, moment about the frame's origin (N, N m).
    """

    pairs: list[tuple[Frame, Force]]
    contact: CompliantContact


def compliant_contact(
    compliance: Compliance,
    surface: Surface | None,
    tool: Vector3,
    tool_velocity: Vector3,
    *,
    body: Pose,
    body_velocity: Motion,
    grip: Vector3 | None = None,
    made: bool = False,
) -> CompliantContact:
    """The contact of a tool's point with a body, from where they are and how they move.

    Args:
        surface: of the body, in its frame; None under the law "bilateral".
        tool: position of the tool's point in the world (m).
        tool_velocity: of that point, world axes (m/s).
        body: pose W_T_B of the target's body.
        body_velocity: of the origin of B, and angular; world axes (m/s, rad/s).
        grip: under the law "bilateral" the other end of the spring, in the body's frame (m).
        made: whether the contact is taken for made, see `contact_force`.

    Under the law "bilateral" the force on the tool is k d + c w: d leads from the tool to the
    grip, and w is the velocity relative to the tool of the target's point *at the tool*. Force and
    reaction act there. The damper thus resists what the target sees of the tool's motion, the
    derivative of d in the target's own axes, and not a rotation of the stretched pair as a whole;
    power and dissipation then balance exactly, which they do not for the velocity of the grip.
    """
    arm = tool - body.position
    carried = body_velocity.linear + body_velocity.angular.cross(arm)
    relative = tool_velocity - carried
    law = compliance.contact_law
    if isinstance(law, SpringLaw):
        if grip is None:
            raise ModelError(f"grip must be a point of the target under the law {law.name!r}")
        elongation = body.act(grip) - tool
        force = law.pull(compliance.stiffness, compliance.damping, elongation, relative)
        stored = law.elastic_energy(compliance.stiffness, elongation)
        lost = law.dissipation(compliance.damping, relative)
        return CompliantContact(
            on_chaser=force,
            point=tool,
            power=relative.dot(force),
            elastic_energy=stored,
            dissipation=lost,
        )
    if surface is None:
        raise ModelError(f"surface must be that of the target under the law {law.name!r}")
    there = body.act_inverse(tool)
    depth = -surface.distance(there)
    normal = body.rotation @ surface.normal(there)
    closing = -relative.dot(normal)
    force = contact_force(compliance, normal, depth, relative, made=made)
    return CompliantContact(
        on_chaser=force,
        point=tool,
        power=relative.dot(force),
        elastic_energy=elastic_energy(compliance, depth),
        dissipation=dissipation(compliance, normal, depth, relative),
        depth=depth,
        closing_speed=closing,
        normal=normal,
        normal_force=normal_force(compliance, depth, closing),
    )


def compliant_loads(
    system: System,
    q: Coordinates,
    v: Rates,
    tool: str | Frame,
    *,
    grip: str | Frame,
    surface: Surface | None,
    compliance: Compliance,
    made: bool = False,
) -> CompliantLoads:
    """The loads of a compliant contact on a forest that holds both systems.

    Args:
        system: chaser and target side by side, with coordinates q and rates v.
        tool: frame on the chaser whose origin touches.
        grip: frame on the target; its body has the surface, and under the law "bilateral" its
            origin is the other end of the spring.
        surface: in the frame of the grip's body; None under the law "bilateral".
        made: whether the contact is taken for made, see `contact_force`.

    Returns:
        The loads for `forward_dynamics(system, q, v, tau, loads.pairs)`, and the contact.
    """
    tool, grip = system.frame(tool), system.frame(grip)
    poses = tree_poses(system, q)
    world, velocities = poses.world_poses(), tree_velocities(poses, v).bodies
    first, second = system.node(tool.body).index, system.node(grip.body).index
    body = world[second]
    found = compliant_contact(
        compliance,
        surface,
        world[first].act(tool.placement.position),
        _point_velocity(world[first], velocities[first], tool.placement.position),
        body=body,
        body_velocity=_in_world_axes(body, velocities[second]),
        grip=grip.placement.position,
        made=made,
    )
    on_tool = Force(found.on_chaser, Vector3.zero())
    touched = Frame(f"{grip.name} touched", grip.body, Pose(position=body.act_inverse(found.point)))
    return CompliantLoads([(tool, on_tool), (touched, -on_tool)], found)


def _point_velocity(pose: Pose, velocity: Motion, point: Vector3) -> Vector3:
    """The velocity of a body's point, world axes (m/s).

    Velocity and point are in the body's frame.
    """
    return pose.rotation @ (velocity.linear + velocity.angular.cross(point))


def _in_world_axes(pose: Pose, velocity: Motion) -> Motion:
    return Motion(pose.rotation @ velocity.linear, pose.rotation @ velocity.angular)
