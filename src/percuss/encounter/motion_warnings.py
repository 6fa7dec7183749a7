"""What happens in a motion that the model does not stop: worth a warning after the run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.encounter.contact_geometry import innermost
from percuss.encounter.joint_use import JointUse
from percuss.encounter.loads import Touch
from percuss.encounter.observation import Observation
from percuss.encounter.phase import CONTACT, Phase
from percuss.impact.surfaces import Surface
from percuss.kinematics.frames import frame_pose

_SOFT = 0.1
"""Share of the way to the middle of a body beyond which a dent is no dent any more."""
_TOUCHING = 1e-6
"""Gap (m) below which points that were together count as together."""


def beyond_limits(uses: Sequence[JointUse]) -> tuple[str, ...]:
    """Joints that went further or faster than their limits: nothing stops them."""
    found: list[str] = []
    for use in uses:
        limits, unit = use.limits, use.unit
        if use.is_outside:
            allowed = f"{limits.lower:.4g} to {limits.upper:.4g}"
            found.append(f"{use.name} goes to {use.worst_position:.4g} {unit} ({allowed})")
        if use.fastest > limits.speed * (1 + 1e-9):
            found.append(
                f"{use.name} moves at {use.fastest:.4g} {unit}/s (at most {limits.speed:.4g})"
            )
    if not found:
        return ()
    return (f"joints leave their limits, which nothing enforces: {', '.join(found)}",)


def too_deep(phases: Sequence[Phase]) -> tuple[str, ...]:
    """A compliant contact in which the tool sinks into the target as no contact does."""
    worst = 0.0
    words = ""
    for phase in phases:
        touch = phase.observation.equations.load
        within = innermost(touch.surface) if isinstance(touch, Touch) else None
        if within is None or not isinstance(touch, Touch) or phase.kind != CONTACT:
            continue
        depth = float(
            np.max(np.asarray(touch.contact(phase.observation.q, phase.observation.v).depth, float))
        )
        if depth > max(worst, _SOFT * within):
            worst = depth
            words = touch.surface.describe() if isinstance(touch.surface, Surface) else "target"
    if not words:
        return ()
    return (
        f"the tool sinks {worst:.3g} m into the {words}: the contact is too soft to be one; "
        "raise impact.stiffness",
    )


def touching_again(observation: Observation, normal: np.ndarray | None) -> tuple[str, ...]:
    """Warnings of contact points that close in on each other again after a bounce."""
    assembly = observation.assembly
    if assembly.grip is None or normal is None:
        return ()
    grip = frame_pose(assembly.tree, observation.poses, assembly.grip).position
    tool = frame_pose(assembly.tree, observation.poses, assembly.tool).position
    apart = (grip - tool).dot(Vector3(*(float(x) for x in normal)))
    gap = np.broadcast_to(np.asarray(apart, float), observation.motion.time.shape)
    if not (gap < -_TOUCHING).any():
        return ()
    when = observation.time[int(np.argmax(gap < -_TOUCHING))]
    return (
        f"after the bounce the contact points meet again at {when:.4g} s and pass each other by "
        f"{-float(gap.min()):.3g} m along the normal: only the first contact is computed (see "
        "impact.repeat)",
    )
