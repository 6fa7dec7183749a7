"""Match the tool's velocity with that of a point of the target, and meet it."""

from __future__ import annotations

from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import to_scalar, unpack, where
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.meeting import Meeting
from percuss.control.guidance.prediction import GripState, grip_state
from percuss.control.guidance.tool_control import ToolControl
from percuss.control.guidance.trees import refuse_same_tree, tree_of
from percuss.control.laws import ControlLaw
from percuss.control.plant import Plant
from percuss.dynamics.orbit import CircularOrbit
from percuss.model.systems import Frame


def match_tool(
    plant: Plant,
    tool: str | Frame,
    grip: str | Frame,
    meeting: Meeting,
    *,
    natural_frequency: Any,
    damping_ratio: Any,
    posture: Any,
    posture_frequency: Any = None,
    posture_damping: Any = None,
    singular_below: float | None = None,
    orbit: CircularOrbit | None = None,
) -> ControlLaw:
    """The tool waits, follows the grip of a target in flight, meets it and keeps closing.

    Until `meeting.go` the tool is held where it waits. Then it follows the grip at the offset of
    the meeting's path, its error e obeying ë + 2 ζ ωn ė + ωn² e = 0: the grip's acceleration, fed
    forward, is that of the target's free motion in its present state. From `meeting.at` on the
    offset ρ in the target's axes obeys

        ρ̈ = -2 ζ ωn (ρ̇ - c d) - ωn² (1 - d dᵀ) ρ,

    with the closing speed c along the approach direction d: the position is fed back across d
    only, so that after a bounce the tool returns at the closing speed and not with a force that
    grows with the distance.

    Args:
        plant: chaser and target side by side, the chaser's rates first.
        tool: a frame on the chaser.
        grip: a frame on the target.
        meeting: from `plan_meeting`.
        orbit: in which the target flies; the law's clock is then that of the run, t = 0 being
            when world and local orbital axes coincide.

    The other arguments, and what the base does, are those of `hold_tool`.
    """
    control = ToolControl.of(
        plant,
        tool,
        natural_frequency,
        damping_ratio,
        posture=posture,
        posture_frequency=posture_frequency,
        posture_damping=posture_damping,
        singular_below=singular_below,
    )
    space = control.space
    whole = space.tree.whole
    found = whole.frame(grip)
    refuse_same_tree(whole, space.tool, found)
    target = tree_of(whole, found)
    path = meeting.path

    def command(t: Any, q: Coordinates, v: Rates, memory: Any) -> tuple[Any, Any]:
        time = to_scalar(t)
        own_q, own_v = space.tree.state(q, v)
        pose, velocity = space.pose(own_q), space.velocity(own_q, own_v)
        grip_now = grip_state(target.system, *target.state(q, v), found, orbit=orbit, t=time)
        waiting = control.sliding(pose.position - meeting.wait, velocity.linear)
        r, dr, ddr = (Vector3(*unpack(part, 3, "path")) for part in path(time))
        apart = pose.position - grip_now.pose.position
        parting = velocity.linear - grip_now.velocity.linear
        coming = grip_now.acceleration.linear + ddr + control.sliding(apart - r, parting - dr)
        closing = grip_now.acceleration.linear + _closing(
            control, meeting, found, grip_now, apart=apart, parting=parting
        )
        before, after = time < meeting.go, time >= meeting.at
        wanted = _chosen(before, waiting, _chosen(after, closing, coming))
        return control.commands(time, own_q, own_v, wanted), memory

    return ControlLaw(command)


def _closing(
    control: ToolControl,
    meeting: Meeting,
    grip: Frame,
    grip_now: GripState,
    *,
    apart: Vector3,
    parting: Vector3,
) -> Vector3:
    """r̈ (world axes) with which the offset in the target's axes closes steadily.

    With r = R ρ:  r̈ = R ρ̈ + ω̇ × r + 2 ω × R ρ̇ + ω × (ω × r).
    """
    body = grip_now.pose.rotation @ grip.placement.rotation.inverse()
    direction = body @ meeting.approach_direction
    spin, change = grip_now.velocity.angular, grip_now.acceleration.angular
    carried = spin.cross(apart)
    sliding = parting - carried  # R ρ̇
    across = apart - direction * direction.dot(apart)
    own = control.sliding(across, sliding - direction * meeting.closing_speed)
    return own + change.cross(apart) + spin.cross(sliding) * 2.0 + spin.cross(carried)


def _chosen(condition: Any, if_true: Vector3, if_false: Vector3) -> Vector3:
    return Vector3(*(where(condition, a, b) for a, b in zip(if_true, if_false, strict=True)))
