"""The frames of a chaser and a target that meet, and how the tool is to be there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.meeting import default_approach
from percuss.control.guidance.tool_axis import forward_axis, given_axis, pointing
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.model.systems import Frame, System


@dataclass(frozen=True)
class MeetingFrames:
    """A tool, the grip it meets, and the directions of both. Any scalar.

    Attributes:
        direction: into the target, a unit vector in the frame of the grip's body.
        axis: which way the tool points, a unit vector in its own frame.
    """

    chaser: System
    tool: Frame
    target: System
    grip: Frame
    direction: Vector3
    axis: Vector3

    @staticmethod
    def of(
        chaser: System,
        tool: str | Frame,
        target: System,
        grip: str | Frame,
        *,
        approach_direction: Any = None,
        tool_axis: Any = None,
    ) -> MeetingFrames:
        """Directions of any length; by default to the target's centre, and on from the last joint.

        See `meeting_plan`.
        """
        frame, held = chaser.frame(tool), target.frame(grip)
        direction = (
            default_approach(target, held)
            if approach_direction is None
            else given_axis(approach_direction, "approach-direction")
        )
        axis = (
            forward_axis(chaser, frame) if tool_axis is None else given_axis(tool_axis, "tool-axis")
        )
        return MeetingFrames(
            chaser=chaser, tool=frame, target=target, grip=held, direction=direction, axis=axis
        )

    def tool_then(
        self, start: Any, then_q: Any, then_v: Any, closing_speed: Scalar
    ) -> tuple[Pose, Motion]:
        """Pose and velocity of the tool at the meeting: the grip's, closing, pointing inwards.

        Args:
            start: coordinates of the chaser until it goes, (nq,), or (nq, cases).
            then_q, then_v: coordinates and rates of the target at the meeting.
            closing_speed: m/s.
        """
        grip = frame_pose(self.target, then_q, self.grip)
        moving = frame_velocity(self.target, then_q, then_v, self.grip)
        inward = grip.rotation @ self.grip.placement.rotation.inverse() @ self.direction
        velocity = Motion(moving.linear + inward * closing_speed, moving.angular)
        now = frame_pose(self.chaser, start, self.tool).rotation
        turned = pointing(now, self.axis, inward, self.chaser.is_planar)
        return Pose(turned, grip.position), velocity
