"""The first contact of an approach beside its plan: when, how fast, from which side, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.control.guidance.meeting import default_approach
from percuss.encounter.approach import Approach
from percuss.encounter.assembly import Assembly
from percuss.encounter.laws.meeting_plans import inward_of
from percuss.encounter.phase import APPROACH, Phase
from percuss.kinematics.frames import frame_pose

FASTER = 1.25
"""Closing speed over the planned one from which a contact is called faster. Impulse and loads grow
with the speed, and 1.25 is the factor of safety that spacecraft structures are designed with
(ECSS-E-ST-32-10C, ultimate loads of metallic parts): from there on the margin is used up."""
SIDEWAYS = 0.5
"""Sideways speed over the planned closing speed from which a contact is called sideways: tan 27°,
beyond the friction that bare metal surfaces have, so that the points slide instead of sticking."""
SLOW = 1e-3
"""Speeds below this (m/s) are not told apart: a millimetre a second moves nothing that holds."""
BESIDE = 0.1
"""Distance between planned and touched point, as a share of that from the planned point to the
centre of mass, from which a surface is called touched elsewhere: the lever of the impulse, and the
spin that it gives, change by as much."""
TIMELY = 0.05
"""Share of the way's duration by which a contact may come sooner or later than planned and count
as on time: a tool that keeps its plan is within a small capture radius that long before its end."""


@dataclass(frozen=True)
class Arrival:
    """A contact that was planned by `approach.meet`, and the contact that came about.

    Speeds are those of the tool relative to the point of the target that it touches (m/s):
    `closing_speed` along the approach direction, as the target has turned by then, and
    `sideways_speed` across it, of which a plan has none.
    """

    time: float
    """Of the contact (s)."""
    planned_time: float
    closing_speed: float
    planned_closing_speed: float
    sideways_speed: float
    offset: float
    """From the planned contact point to the point that is touched, on the target (m)."""
    duration: float
    """Of the planned way, from setting out to the meeting (s)."""
    lever: float
    """From the planned contact point to the centre of mass (m)."""
    capture_radius: float | None
    """How far from the planned point is close enough (m); None where a surface is touched."""

    @property
    def early(self) -> float:
        """The time by which it is sooner than planned (s); negative where it is later."""
        return self.planned_time - self.time

    @property
    def differences(self) -> tuple[str, ...]:
        """What the contact is more than its plan: earlier or later, faster, more sideways; or
        elsewhere on the target. Empty for a plan that was kept."""
        found: list[str] = []
        tolerance = TIMELY * self.duration
        if self.early > tolerance:
            found.append("earlier")
        if self.early < -tolerance:
            found.append("later")
        if self.closing_speed > max(FASTER * self.planned_closing_speed, SLOW):
            found.append("faster")
        if self.sideways_speed > max(SIDEWAYS * self.planned_closing_speed, SLOW):
            found.append("more sideways")
        if self.capture_radius is None and self.offset > BESIDE * self.lever:
            found.append("elsewhere")
        return tuple(found)

    @property
    def as_planned(self) -> bool:
        return not self.differences

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for the reader about all that differs, with the numbers; or none."""
        parts = {
            "earlier": f"{self.early:.3g} s before the planned {self.planned_time:.4g} s",
            "later": f"{-self.early:.3g} s after the planned {self.planned_time:.4g} s",
            "faster": f"closing at {self.closing_speed:.3g} m/s instead of "
            f"{self.planned_closing_speed:.3g} m/s",
            "more sideways": f"sliding sideways at {self.sideways_speed:.3g} m/s instead of none",
            "elsewhere": f"{self.offset:.3g} m from the planned contact point",
        }
        said = [parts[key] for key in self.differences]
        if not said:
            return ()
        return (f"the contact is not as planned: it comes {', '.join(said)}{self._why}",)

    @property
    def _why(self) -> str:
        """What an early contact at speed comes from, and what helps."""
        if self.capture_radius is None or self.differences == ("later",):
            return ""
        return (
            ". The tool takes up the planned velocity only at the contact point itself, and the "
            f"grasp closed {self.capture_radius:.3g} m before it: a smaller "
            "approach.capture-radius or more time (a later approach.meet.at) brings the contact "
            "nearer to its plan"
        )


def arrival_of(approach: Approach | None, phases: tuple[Phase, ...]) -> Arrival | None:
    """The first contact beside its plan; None without a plan, or where nothing was touched."""
    if approach is None or approach.meet is None:
        return None
    before = [phase for phase in phases if phase.kind == APPROACH]
    last = before[-1]
    if not last.was_ended:
        return None
    observation, assembly = last.observation, last.observation.assembly
    assert assembly.target is not None
    assert assembly.grip is not None
    own = assembly.chaser.coordinate_count
    body = frame_pose(assembly.target, observation.q[own:, -1], assembly.grip.body)
    inward = np.array((body.rotation @ direction_of(approach, assembly)).array(), float)
    tool = frame_pose(assembly.chaser, observation.q[:own, -1], assembly.tool).position
    beside = body.act_inverse(tool) - assembly.grip.placement.position
    moving = -observation.relative_velocity[-1]
    closing = float(moving @ inward)
    meet = approach.meet
    return Arrival(
        time=last.end,
        planned_time=meet.at,
        closing_speed=closing,
        planned_closing_speed=meet.closing_speed,
        sideways_speed=float(np.linalg.norm(moving - closing * inward)),
        offset=float(np.linalg.norm(np.array(beside.array(), float))),
        duration=meet.at - approach.observe,
        lever=_lever(assembly),
        capture_radius=approach.capture_radius,
    )


def direction_of(approach: Approach, assembly: Assembly) -> Vector3:
    """Unit vector of the planned closing, in the frame of the target's body."""
    assert assembly.target is not None
    assert assembly.grip is not None
    given = inward_of(approach, assembly)
    return default_approach(assembly.target, assembly.grip) if given is None else given


def _lever(assembly: Assembly) -> float:
    """From the planned contact point to the target's centre of mass (m)."""
    assert assembly.target is not None
    assert assembly.grip is not None
    arm = assembly.grip.placement.position - assembly.target.base.com
    return float(np.linalg.norm(np.array(arm.array(), float)))
