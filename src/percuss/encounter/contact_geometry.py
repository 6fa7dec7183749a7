"""Where and when the tool touches: contact points, surfaces, gaps and what is watched for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, add, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.dynamics.composite import center_of_mass
from percuss.encounter.assembly import Assembly
from percuss.encounter.events import EventSignal
from percuss.encounter.loads import Touch
from percuss.impact import Contact
from percuss.impact.compliance import push_margin
from percuss.impact.surfaces import (
    Box,
    Cylinder,
    Disk,
    HalfSpace,
    Sphere,
    Surface,
    surface_of,
)
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.trees import Configuration, tree_poses
from percuss.model.errors import ModelError
from percuss.model.systems import Frame, System

ON_SURFACE = 1e-9
"""Distance (m) and slope up to which a contact point and its normal belong to a shape."""


def contact_at(assembly: Assembly, q: Coordinates, v: Rates) -> Contact:
    """Chaser and target, side by side, as they touch at a state.

    The contact point is where the tool is: the grip becomes the point of the target at that
    place, so that a grasp within the capture radius moves nothing.
    """
    assert assembly.target is not None
    assert assembly.grip is not None
    own_q, own_v = assembly.chaser.coordinate_count, assembly.chaser.rate_count
    tool = frame_pose(assembly.chaser, q[:own_q], assembly.tool).position
    body = frame_pose(assembly.target, q[own_q:], assembly.grip.body)
    placement = Pose(assembly.grip.placement.rotation, body.act_inverse(tool))
    grip = replace(assembly.grip, placement=placement)
    return Contact(
        chaser=assembly.chaser,
        target=assembly.target,
        tool=assembly.tool,
        grip=grip,
        chaser_coordinates=q[:own_q],
        chaser_rates=v[:own_v],
        target_coordinates=q[own_q:],
        target_rates=v[own_v:],
    )


@dataclass(frozen=True)
class ContactSurface:
    """The target's surface that the tool meets, in the frame of the target's base body."""

    surface: Surface

    def normal(self, contact: Contact) -> Vector3:
        """The unit vector from chaser to target at a contact, world axes."""
        body = frame_pose(contact.target, contact.target_coordinates, contact.grip.body)
        return -(body.rotation @ self.surface.normal(contact.grip.placement.position))


def contact_surface_at(contact: Contact, given: Any, *, touched_shape: bool) -> ContactSurface:
    """What the tool faces at its first contact.

    The target's shape where it was touched, or where the contact point lies on it and its normal
    there is the one that the bounce uses; else the plane through the contact point across that
    normal, fixed to the target: given in world axes, or from the point to the centre of mass.
    """
    at = contact.grip.placement.position
    shape = shape_of(contact.target)
    if touched_shape:
        assert shape is not None, "a shape that is to be touched is asked for beforehand"
        return ContactSurface(shape)
    outward = outward_at(contact, given)
    if shape is not None and abs(float(np.asarray(shape.distance(at)))) < ON_SURFACE:
        apart = np.array((shape.normal(at) - outward).array(), float)
        if float(np.linalg.norm(apart)) < ON_SURFACE:
            return ContactSurface(shape)
    return ContactSurface(HalfSpace(at, outward))


def outward_at(contact: Contact, given: Any) -> Vector3:
    """Unit normal out of the target at a contact, in the frame of its body, any scalar.

    Against the direction given in world axes, or against that to the target's centre of mass.
    """
    body = frame_pose(contact.target, contact.target_coordinates, contact.grip.body)
    if given is None:
        inward = center_of_mass(contact.target, contact.target_coordinates) - contact.point
    else:
        inward = Vector3(*[*(to_scalar(x) for x in given), 0.0][:3])
    outward = -(body.rotation.inverse() @ inward)
    if contact.is_planar:
        outward = Vector3(outward.x, outward.y, 0.0)
    return outward / outward.norm()


def shape_of(target: System) -> Surface | None:
    """The surface of the target's base body, None where it has no solid shape."""
    try:
        return surface_of(target.base, target.is_planar)
    except ModelError:
        return None


def innermost(surface: Any) -> float | None:
    """How deep a point can be inside a surface (m); None where there is no end to it."""
    match surface:
        case Sphere() | Disk():
            return float(np.asarray(surface.radius, float))
        case Box():
            return 0.5 * min(float(np.asarray(x, float)) for x in surface.size)
        case Cylinder():
            half = 0.5 * float(np.asarray(surface.length, float))
            return min(float(np.asarray(surface.radius, float)), half)
        case _:
            return None


@dataclass(frozen=True)
class Pair:
    """The tool and a body of the target, side by side in one tree."""

    tree: System
    tool: Frame
    body: str

    @staticmethod
    def of(assembly: Assembly) -> Pair:
        assert assembly.grip is not None
        return Pair(assembly.tree, assembly.tool, assembly.grip.body)

    def tool_in_target(self, q: Configuration) -> Vector3:
        """The tool's point in the frame of the target's body (m)."""
        world = tree_poses(self.tree, q).world_poses()
        tool = world[self.tree.node(self.tool.body).index] @ self.tool.placement
        return world[self.tree.node(self.body).index].act_inverse(tool.position)


def gap_of(assembly: Assembly, surface: Surface, q: Configuration) -> Scalar:
    """Signed distance of the tool from the target's surface (m), negative inside."""
    return surface.distance(Pair.of(assembly).tool_in_target(q))


def distance_of(assembly: Assembly, grip: Frame, q: Configuration) -> Vector3:
    """The vector from the tool to the contact point, in the target's axes (m)."""
    return grip.placement.position - Pair.of(assembly).tool_in_target(q)


def within(assembly: Assembly, radius: float) -> EventSignal:
    """The tool comes within a radius (m) of the contact point: d² - r² falls through zero."""
    assert assembly.grip is not None
    pair, place = Pair.of(assembly), assembly.grip.placement.position

    def value(t: Any, q: Coordinates, v: Rates) -> Any:
        del t, v
        apart = place - pair.tool_in_target(q)
        return add(apart.dot(apart), -radius * radius)

    return EventSignal("the tool within the capture radius", value, -1)


def touches(assembly: Assembly, surface: Surface) -> EventSignal:
    """The tool meets the surface: the gap falls through zero."""
    pair = Pair.of(assembly)

    def value(t: Any, q: Coordinates, v: Rates) -> Any:
        del t, v
        return surface.distance(pair.tool_in_target(q))

    return EventSignal("the tool at the surface", value, -1)


def pushes(touch: Touch, direction: int) -> EventSignal:
    """A compliant contact begins (+1) or ends (-1) to push: its law's `push_margin`."""

    def value(t: Any, q: Coordinates, v: Rates) -> Any:
        del t
        contact = touch.contact(q, v)
        depth, speed = contact.depth, contact.closing_speed
        assert depth is not None
        assert speed is not None
        return push_margin(touch.compliance, depth, speed)

    return EventSignal("the contact pushes", value, direction)


def approach_speed(contact: Contact, normal: Vector3) -> float:
    """How fast the points close in on each other along the normal (m/s), negative: they part."""
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    return float(np.asarray(-normal.dot(relative), float))


def relative_velocity(contact: Contact) -> np.ndarray:
    """The velocity of the target's contact point seen from the tool, world axes (3,), m/s."""
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    return np.array(relative.array(), float)
