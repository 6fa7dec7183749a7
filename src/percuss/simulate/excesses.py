"""What happens in a motion that the model does not stop: worth a warning after the run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.impact.surfaces import Surface
from percuss.kinematics.frames import frame_pose
from percuss.simulate.leg import CONTACT, Leg
from percuss.simulate.loads import Touch
from percuss.simulate.observation import Observation
from percuss.simulate.touching import innermost

_SOFT = 0.1
"""Share of the way to the middle of a body beyond which a dent is no dent any more."""
_TOUCHING = 1e-6
"""Gap (m) below which points that were together count as together."""


def beyond_limits(legs: Sequence[Leg]) -> tuple[str, ...]:
    """Joints that went further or faster than their limits: nothing stops them."""
    chaser = legs[0].seen.stage.chaser
    found: list[str] = []
    for joint in chaser.movable_joints:
        if joint.motion.rate_count != 1:
            continue
        node = chaser.node(joint.child)
        q = np.concatenate([leg.seen.q[node.coordinates][0] for leg in legs])
        v = np.concatenate([leg.seen.v[node.rates][0] for leg in legs])
        unit = joint.motion.rate_units[0].removesuffix("/s")
        lower, upper = float(node.limits.lower), float(node.limits.upper)
        speed = float(node.limits.speed)
        if q.min() < lower or q.max() > upper:
            worst = q.min() if lower - q.min() > q.max() - upper else q.max()
            found.append(f"{joint.name} goes to {worst:.4g} {unit} ({lower:.4g} to {upper:.4g})")
        fastest = float(np.abs(v).max())
        if fastest > speed * (1 + 1e-9):
            found.append(f"{joint.name} moves at {fastest:.4g} {unit}/s (at most {speed:.4g})")
    if not found:
        return ()
    return (f"joints leave their limits, which nothing enforces: {', '.join(found)}",)


def too_deep(legs: Sequence[Leg]) -> tuple[str, ...]:
    """A compliant contact in which the tool sinks into the target as no contact does."""
    worst = 0.0
    words = ""
    for leg in legs:
        touch = leg.seen.equations.load
        within = innermost(touch.surface) if isinstance(touch, Touch) else None
        if within is None or not isinstance(touch, Touch) or leg.phase != CONTACT:
            continue
        depth = float(np.max(np.asarray(touch.contact(leg.seen.q, leg.seen.v).depth, float)))
        if depth > max(worst, _SOFT * within):
            worst = depth
            words = touch.surface.describe() if isinstance(touch.surface, Surface) else "target"
    if not words:
        return ()
    return (
        f"the tool sinks {worst:.3g} m into the {words}: the contact is too soft to be one; "
        "raise impact.stiffness",
    )


def touching_again(seen: Observation, normal: np.ndarray | None) -> tuple[str, ...]:
    """After a bounce, when the contact points close in on each other again."""
    stage = seen.stage
    if stage.tree is None or stage.grip is None or normal is None:
        return ()
    grip = frame_pose(stage.tree, seen.q, stage.grip).position
    tool = frame_pose(stage.tree, seen.q, stage.tool).position
    apart = (grip - tool).dot(Vector3(*(float(x) for x in normal)))
    gap = np.broadcast_to(np.asarray(apart, float), seen.motion.time.shape)
    if not (gap < -_TOUCHING).any():
        return ()
    when = seen.time[int(np.argmax(gap < -_TOUCHING))]
    return (
        f"after the bounce the contact points meet again at {when:.4g} s and pass each other by "
        f"{-float(gap.min()):.3g} m along the normal: only the first contact is computed (see "
        "impact.repeat)",
    )
