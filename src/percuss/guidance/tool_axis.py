"""Which way a tool points, and the orientations with which it points another way."""

from __future__ import annotations

import math
from typing import Any

from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import is_constant
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
        moved = joint.child_placement.inverse()  # the moved joint frame, in the body's
        motion = joint.motion.uncoupled
        if motion.rate_count and not isinstance(motion, (Free, Planar)):
            along = placement.position - moved.position
            if isinstance(motion, (Revolute, Prismatic)) and _is_zero(along):
                along = moved.rotation @ motion.axis
            return unit_axis(placement.rotation.inverse() @ along, "the tool's forward axis")
        # A fixed joint: the tool seen from the body before it.
        placement = joint.placement @ joint.child_placement @ placement
    raise ModelError(f"no joint moves {frame.name!r}: which way it points must be given")


def given_axis(axis: Any, what: str) -> Vector3:
    """Two or three numbers of any length but zero as a unit vector."""
    return unit_axis(padded(axis, what), what)


def pointing(rotation: Rotation, axis: Vector3, direction: Vector3, planar: bool) -> Rotation:
    """The orientation with `axis` (own frame) along `direction` (world) nearest to `rotation`.

    By the shortest turn. In the plane the axes are turned about its normal.
    """
    now = rotation @ axis
    if planar:
        back = math.atan2(_number(now.y), _number(now.x))
        angle = math.atan2(_number(direction.y), _number(direction.x)) - back
        return Rotation.about(Vector3(0.0, 0.0, 1.0), math.remainder(angle, math.tau)) @ rotation
    away = now.cross(direction)
    sine, cosine = _number(away.norm()), _number(now.dot(direction))
    if sine < _SAME_PLACE:
        if cosine > 0:
            return rotation
        away = _any_normal(now)
    return Rotation.about(unit_axis(away, "axis"), math.atan2(sine, cosine)) @ rotation


def _any_normal(axis: Vector3) -> Vector3:
    """Across an axis, about which a half turn is as short as about any other."""
    parts = [abs(_number(x)) for x in axis]
    least = parts.index(min(parts))
    return axis.cross(Vector3(*(1.0 if k == least else 0.0 for k in range(3))))


def _is_zero(vector: Vector3) -> bool:
    length = vector.norm()
    return is_constant(length) and length < _SAME_PLACE


def _number(x: Any) -> float:
    return float(x)
