"""A meeting of the tool with a point of a target: when, how fast, from which side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import Scalar, is_constant, sub, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.prediction import grip_state, predicted_state
from percuss.dynamics.composite import center_of_mass
from percuss.dynamics.orbit import CircularOrbit
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import neutral
from percuss.kinematics.polynomials import quintic
from percuss.kinematics.trajectories import Trajectory
from percuss.model.checks import is_finite, is_not_negative, is_positive, padded, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import unit_axis
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class Meeting:
    """What the tool does with respect to the grip: waits, comes, closes. Any scalar.

    Until `go` the tool stays at `wait`. From `go` its offset from the grip, r = p_tool - p_grip in
    world axes, goes along the quintic from what it is then to zero at `at`, with relative
    velocity `closing_speed` along the approach direction there. After `at` the tool keeps
    closing at that speed. Made by `plan_meeting`, which predicts the target's flight.
    """

    go: Scalar
    """When the tool leaves (s)."""
    at: Scalar
    """When it meets the grip (s), > go."""
    closing_speed: Scalar
    """Of the tool relative to the grip when they meet, and after (m/s), ≥ 0."""
    approach_direction: Vector3
    """Unit vector in the target's body frame, into the target."""
    wait: Vector3
    """Where the tool is until `go`, world (m)."""
    offset: Vector3
    """r at `go`, world axes (m)."""
    velocity: Vector3
    """ṙ at `go`, world axes (m/s)."""
    acceleration: Vector3
    """r̈ at `go`, world axes (m/s²)."""
    final_velocity: Vector3
    """ṙ at `at`, world axes (m/s): closing_speed R d."""
    final_acceleration: Vector3
    """r̈ at `at`, world axes (m/s²): 2 ω × ṙ, as the target turns under a steady closing."""

    def __post_init__(self) -> None:
        for name in ("go", "at", "closing_speed"):
            object.__setattr__(self, name, to_scalar(getattr(self, name)))
        if violates(self.go, is_finite):
            raise ModelError(f"go must be finite (s), got {shown(self.go)}")
        if violates(sub(self.at, self.go), is_positive):
            raise ModelError(
                f"at must be finite and later than go = {shown(self.go)} s, got {shown(self.at)} s"
            )
        if violates(self.closing_speed, is_not_negative):
            raise ModelError(
                f"closing-speed must be finite and ≥ 0 m/s, got {shown(self.closing_speed)}"
            )
        direction = unit_axis(self.approach_direction, _DIRECTION)
        object.__setattr__(self, "approach_direction", direction)
        for name in ("wait", *_VECTORS):
            vector = padded(getattr(self, name), name)
            if any(violates(x, is_finite) for x in vector):
                raise ModelError(f"{name} must be finite, got {tuple(vector)}")
            object.__setattr__(self, name, vector)

    @property
    def path(self) -> Trajectory:
        """Offset of the tool from the grip between `go` and `at`, world axes: t → (r, ṙ, r̈)."""
        return quintic(
            tuple(self.offset),
            (0.0, 0.0, 0.0),
            sub(self.at, self.go),
            v0=tuple(self.velocity),
            v1=tuple(self.final_velocity),
            a0=tuple(self.acceleration),
            a1=tuple(self.final_acceleration),
            start=self.go,
        )


_DIRECTION = "approach-direction"
_VECTORS = ("offset", "velocity", "acceleration", "final_velocity", "final_acceleration")


def plan_meeting(
    target: System,
    q: Coordinates,
    v: Rates,
    grip: str | Frame,
    *,
    tool_position: Any,
    go: float,
    at: float,
    closing_speed: float,
    approach_direction: Any = None,
    tool_velocity: Any = None,
    orbit: CircularOrbit | None = None,
) -> Meeting:
    """The meeting of a tool that waits with a grip in free flight, predicted from t = 0.

    Args:
        q, v: coordinates and rates of the target at t = 0, numbers.
        grip: frame on the target.
        tool_position: where the tool waits until `go`, world, 3 or 2 numbers (m).
        go, at: when the tool leaves and when it meets the grip (s).
        closing_speed: of the tool relative to the grip at the meeting (m/s).
        approach_direction: of that velocity, in the frame of the grip's body, 3 or 2 numbers of
            any length; default from the grip to the target's centre of mass.
        tool_velocity: of the tool at `go`, world (m/s), for one that does not wait; default 0.
        orbit: in which the target flies, t = 0 being when world and local orbital axes coincide.
    """
    return meeting_between(
        target,
        predicted_state(target, q, v, go, orbit=orbit),
        predicted_state(target, q, v, at, orbit=orbit),
        grip,
        tool_position=tool_position,
        go=go,
        at=at,
        closing_speed=closing_speed,
        approach_direction=approach_direction,
        tool_velocity=tool_velocity,
        orbit=orbit,
    )


def meeting_between(
    target: System,
    at_go: tuple[Any, Any],
    at_meeting: tuple[Any, Any],
    grip: str | Frame,
    *,
    tool_position: Any,
    go: Scalar,
    at: Scalar,
    closing_speed: Scalar,
    approach_direction: Any = None,
    tool_velocity: Any = None,
    orbit: CircularOrbit | None = None,
) -> Meeting:
    """The meeting with a target whose flight is known, any scalar; else as `plan_meeting`.

    Args:
        at_go, at_meeting: coordinates and rates of the target when the tool leaves and when it
            meets the grip.
    """
    if approach_direction is None:
        direction = default_approach(target, grip)
    else:
        direction = unit_axis(
            padded(approach_direction, "approach-direction"), "approach-direction"
        )
    place = padded(tool_position, "tool_position")
    speed = Vector3.zero() if tool_velocity is None else padded(tool_velocity, "tool_velocity")
    before = grip_state(target, *at_go, grip, orbit=orbit, t=to_scalar(go))
    after = grip_state(target, *at_meeting, grip, orbit=orbit, t=to_scalar(at))
    back = target.frame(grip).placement.rotation.inverse()
    closing = (after.pose.rotation @ (back @ direction)) * to_scalar(closing_speed)
    return Meeting(
        go=go,
        at=at,
        closing_speed=closing_speed,
        approach_direction=direction,
        wait=place,
        offset=place - before.pose.position,
        velocity=speed - before.velocity.linear,
        acceleration=-before.acceleration.linear,
        final_velocity=closing,
        final_acceleration=after.velocity.angular.cross(closing) * 2.0,
    )


def default_approach(target: System, grip: str | Frame) -> Vector3:
    """The direction from the grip to the target's centre of mass: a unit vector.

    It is in the axes of the body that carries the grip.
    """
    frame = target.frame(grip)
    q = neutral(target)
    body = frame_pose(target, q, frame.body)
    inward = body.act_inverse(center_of_mass(target, q)) - frame.placement.position
    length = inward.norm()
    if is_constant(length) and length < 1e-9:
        raise ModelError(
            f"grip {frame.name!r} is at the centre of mass of {target.name!r}: give an "
            "approach-direction, there is none from the grip to the centre"
        )
    return unit_axis(inward, _DIRECTION)
