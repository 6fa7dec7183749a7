"""Lines and circles that a tool follows, with its velocity and acceleration along them.

A path is called with a time t (s) and says where the tool should be, how it should move and how
that changes: a `TaskState`. How far along the path it is at a time is a scalar trajectory s(t)
from 0 to 1, as `cubic([0], [1], duration)`. Written for any scalar.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, add, cos, mul, sin, to_scalar, unpack
from percuss.algebra.vectors import Vector3
from percuss.kinematics.polynomials import quintic
from percuss.kinematics.trajectories import Trajectory
from percuss.model.checks import is_positive, padded, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import unit_axis


@dataclass(frozen=True, slots=True)
class TaskState:
    """A pose in the world, with the velocity and acceleration of the frame at its origin.

    World axes; m, m/s, m/s² and rad/s, rad/s².
    """

    pose: Pose
    velocity: Motion
    acceleration: Motion


@dataclass(frozen=True)
class LinePath:
    """A path from one pose to another: straight, and turning about one axis."""

    first: Pose
    last: Pose
    timing: Trajectory

    def __call__(self, t: Any) -> TaskState:
        """p = p0 + s D and R = exp(s φ×) R0, with φ the rotation vector from R0 to R1."""
        s, ds, dds = _progress(self.timing, t)
        way = self.last.position - self.first.position
        turn = (self.last.rotation @ self.first.rotation.inverse()).to_rotation_vector()
        turned = Quaternion.from_rotation_vector(turn * s).to_rotation()
        pose = Pose(turned @ self.first.rotation, self.first.position + way * s)
        return TaskState(pose, Motion(way * ds, turn * ds), Motion(way * dds, turn * dds))


@dataclass(frozen=True)
class CirclePath:
    """An arc about an axis: p = c + r (cos θ e1 + sin θ e2) with θ = θ0 + s · sweep."""

    center: Vector3
    radius: Scalar
    normal: Vector3
    towards: Vector3
    """e1: where θ = 0 is, a unit vector at right angles to the normal."""
    angle: Scalar
    """θ0 (rad)."""
    sweep: Scalar
    """rad; 2π is once round, against the clock seen from the tip of the normal."""
    orientation: Rotation
    """world ← tool at the start."""
    turning: bool
    """Whether the tool turns with the radius, or keeps its orientation."""
    timing: Trajectory

    def __call__(self, t: Any) -> TaskState:
        """Position, velocity θ̇ t and acceleration θ̈ t - θ̇² r, orientation as `turning` says."""
        s, ds, dds = _progress(self.timing, t)
        swept = mul(self.sweep, s)
        theta, rate, change = add(self.angle, swept), mul(self.sweep, ds), mul(self.sweep, dds)
        e1, e2 = self.towards, self.normal.cross(self.towards)
        out = (e1 * cos(theta) + e2 * sin(theta)) * self.radius
        along = (e2 * cos(theta) - e1 * sin(theta)) * self.radius
        velocity, acceleration = along * rate, along * change - out * mul(rate, rate)
        if not self.turning:
            still = Vector3.zero()
            pose = Pose(self.orientation, self.center + out)
            return TaskState(pose, Motion(velocity, still), Motion(acceleration, still))
        turned = Rotation.about(self.normal, swept) @ self.orientation
        return TaskState(
            Pose(turned, self.center + out),
            Motion(velocity, self.normal * rate),
            Motion(acceleration, self.normal * change),
        )


def line(first: Pose, last: Pose, timing: Trajectory | float) -> LinePath:
    """A straight way between two poses.

    Args:
        first: world ← tool at the start.
        last: world ← tool at the end; the turn between them is at most half a turn.
        timing: s(t) from 0 to 1 as a trajectory of one coordinate, or a duration (s) for a
            quintic from rest to rest.
    """
    for name, pose in (("first", first), ("last", last)):
        if not isinstance(pose, Pose):
            raise ModelError(f"{name} must be a Pose (percuss.Pose.at(position)), got {pose!r}")
    return LinePath(first, last, _timing(timing))


def circle(
    center: Any,
    radius: Scalar,
    timing: Trajectory | float,
    *,
    normal: Any = (0.0, 0.0, 1.0),
    towards: Any = None,
    angle: Scalar = 0.0,
    sweep: Scalar = math.tau,
    orientation: Rotation | None = None,
    turning: bool = False,
) -> CirclePath:
    """An arc about a point.

    Args:
        center: (x, y, z) or (x, y) in the world (m).
        radius: m.
        timing: s(t) from 0 to 1 as a trajectory of one coordinate, or a duration (s).
        normal: axis of the circle, default z.
        towards: direction from the centre where the angle is zero, default x (or, for a normal
            along x, y); only its part at right angles to the normal counts.
        angle: where on the circle it begins (rad).
        sweep: how far it goes round (rad), default once.
        orientation: world ← tool at the start, default the identity.
        turning: whether the tool turns with the radius instead of keeping its orientation.
    """
    size = to_scalar(radius)
    if violates(size, is_positive):
        raise ModelError(f"radius must be finite and > 0 m, got {shown(size)}")
    axis = unit_axis(normal, "the normal of a circle")
    given = towards
    if given is None:
        along_x = abs(float(axis.x)) > 0.9  # type: ignore[arg-type]
        given = (0.0, 1.0, 0.0) if along_x else (1.0, 0.0, 0.0)
    reference = Vector3.of(given, "towards")
    in_plane = reference - axis * axis.dot(reference)
    return CirclePath(
        center=padded(center, "center"),
        radius=size,
        normal=axis,
        towards=unit_axis(in_plane, "the part of 'towards' at right angles to the normal"),
        angle=to_scalar(angle),
        sweep=to_scalar(sweep),
        orientation=orientation or Rotation.identity(),
        turning=turning,
        timing=_timing(timing),
    )


def _timing(timing: Trajectory | float) -> Trajectory:
    if not isinstance(timing, Trajectory):
        return quintic([0.0], [1.0], timing)
    if timing.size != 1:
        raise ModelError(f"timing must be a trajectory of one coordinate, got {timing.size}")
    return timing


def _progress(timing: Trajectory, t: Any) -> tuple[Scalar, Scalar, Scalar]:
    s, ds, dds = (unpack(part, 1, "the progress")[0] for part in timing(t))
    return s, ds, dds
