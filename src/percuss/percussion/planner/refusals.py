"""What a plan cannot move."""

from __future__ import annotations

import math

from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Prismatic, Revolute
from percuss.model.systems import Joint
from percuss.scenario import ScenarioError


def refuse_held_base(joint: Joint) -> None:
    """A base whose attitude cannot be chosen."""
    usual = joint.placement.is_identity and joint.child_placement.is_identity
    if not (isinstance(joint.motion, (Free, Planar)) and usual):
        raise ScenarioError(
            "chaser.mode: the approach cannot be chosen, as the base cannot turn "
            f"(it is on a {joint.motion.kind} joint)"
        )


def refuse_joint(joint: Joint) -> None:
    """A joint of another kind, or without limits where it needs them."""
    if not isinstance(joint.motion, (Revolute, Prismatic)):
        raise ModelError(
            f"joint {joint.name!r} is {joint.motion.kind}; a plan is for revolute and prismatic "
            "joints"
        )
    lower, upper = float(joint.limits.lower), float(joint.limits.upper)
    if not lower < upper:
        raise ModelError(
            f"joint {joint.name!r}: limits must be lower < upper, got {lower}, {upper}"
        )
    if isinstance(joint.motion, Prismatic) and not math.isfinite(upper - lower):
        raise ModelError(
            f"joint {joint.name!r} slides without end: give it limits lower and upper (m) to plan"
        )
