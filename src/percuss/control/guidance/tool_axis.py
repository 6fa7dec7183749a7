"""Which way a tool points, and the orientations with which it points another way."""

from __future__ import annotations

import math
from typing import Any

from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import atan2, div, is_constant, mul, sub, where
from percuss.algebra.vectors import Vector3
from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Prismatic, Revolute, unit_axis
from percuss.model.systems import Frame, System

_SAME_PLACE = 1e-9


def forward_axis(system: System, tool: str | Frame) -> Vector3:
    """The unit vector, in the tool's frame, from the last joint that moves the tool to the tool.

    A tool at that joint points along the joint's axis.
    """
    frame = system.frame(tool)
    placement = frame.placement
    for node in system.ancestors(system.node(frame.body)):
        joint = node.joint
        child = joint.child_placement.inverse()  # the moved joint frame, in the body's
        motion = joint.motion.uncoupled
        if motion.rate_count and not isinstance(motion, (Free, Planar)):
            along = placement.position - child.position
            if isinstance(motion, (Revolute, Prismatic)):
                along = _or_else(along, child.rotation @ motion.axis)
            return unit_axis(placement.rotation.inverse() @ along, "the tool's forward axis")
        # A fixed joint: the tool seen from the body before it.
        placement = joint.placement @ joint.child_placement @ placement
    raise ModelError(f"no joint moves {frame.name!r}: which way it points must be given")


def given_axis(axis: Any, what: str) -> Vector3:
    """Two or three numbers of any length but zero as a unit vector."""
    return unit_axis(padded(axis, what), what)


def pointing(rotation: Rotation, axis: Vector3, direction: Vector3, planar: bool) -> Rotation:
    """The orientation with `axis` (own frame) along `direction` (world) nearest to `rotation`.

    By the shortest turn. In the plane the axes are turned about its normal. Numbers, or batches of
    numbers.
    """
    now = rotation @ axis
    if planar:
        angle = sub(atan2(direction.y, direction.x), atan2(now.y, now.x))
        return Rotation.about(Vector3(0.0, 0.0, 1.0), angle) @ rotation
    away = now.cross(direction)
    sine, cosine = away.norm(), now.dot(direction)
    along: Any = sine < _SAME_PLACE
    across = _any_normal(now)
    turn = Vector3(
        *(
            where(along, a, div(b, where(along, 1.0, sine)))
            for a, b in zip(across, away, strict=True)
        )
    )
    half = where(cosine > 0.0, 0.0, math.pi)
    angle = where(along, half, atan2(sine, cosine))
    return Rotation.about(turn, angle) @ rotation


def _any_normal(axis: Vector3) -> Vector3:
    """A unit vector across an axis, about which a half turn is as short as about any other."""
    x, y, z = (mul(entry, entry) for entry in axis)
    first: Any = (x <= y) & (x <= z)
    second: Any = y <= z
    least = (
        where(first, 1.0, 0.0),
        where(first, 0.0, where(second, 1.0, 0.0)),
        where(first, 0.0, where(second, 0.0, 1.0)),
    )
    across = axis.cross(Vector3(*least))
    return across / across.norm()


def _or_else(vector: Vector3, other: Vector3) -> Vector3:
    """A vector, or another where it is zero."""
    length = vector.norm()
    if is_constant(length):
        return other if length < _SAME_PLACE else vector
    nothing: Any = length < _SAME_PLACE
    return Vector3(*(where(nothing, b, a) for a, b in zip(vector, other, strict=True)))
