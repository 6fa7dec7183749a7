"""What the chaser feels of an impact, as a function of a choice and of errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from percuss.algebra.motions import Force
from percuss.algebra.scalars import pack, plain, sub, terms
from percuss.dynamics.composite import momentum
from percuss.dynamics.inverse import joint_reactions
from percuss.impact.contact import weightless
from percuss.kinematics.frames import frame_velocity
from percuss.model.joints import Free, Planar
from percuss.model.systems import Frame
from percuss.percussion.planner.problem import ImpactProblem


@dataclass(frozen=True)
class FeltImpact:
    """What the chaser feels of an impact.

    Reaction impulses by joint (N s; with `PlannerSettings.length` moments counted in), the base's
    linear momentum after it (N s; of a base that is held: the impulse on its support), its angular
    rate after it (rad/s), the objective (N s) without errors and over the errors, and the speed of
    the contact points relative to each other (m/s).
    """

    joints: Mapping[str, float]
    base_momentum: float
    base_rate: float
    nominal: float
    cost: float
    relative_speed: float

    def plain(self) -> dict[str, Any]:
        return {
            "cost": self.cost,
            "nominal": self.nominal,
            "joints": dict(self.joints),
            "base_momentum": self.base_momentum,
            "base_rate": self.base_rate,
            "relative_speed": self.relative_speed,
        }


def felt(problem: ImpactProblem, x: Any, e: Any = None) -> dict[str, Any]:
    """What the impact does to the chaser, for a choice and errors; any scalar.

    Returns:
        `squares`: of each joint's reaction impulse ((N s)², moments counted by `length`), of
        the base's linear momentum after the impact ((N s)²; for a base that is held, of the
        impulse on its support) and of its angular rate after it ((rad/s)²); `tool`: the
        contact point, world (m); `closing`: how fast the points approach along a bounce's
        normal (m/s), 0 for other closures; `speed`: the square of their relative velocity.
    """
    contact = problem.meeting(x, e)
    jump = problem.jump(contact, x)
    chaser, q = contact.chaser, contact.chaser_coordinates
    before, after = list(contact.chaser_rates), list(jump.chaser_rates)
    change = pack(sub(a, float(b)) for a, b in zip(after, before, strict=True))
    push = Force(jump.impulse, jump.moment)
    still = (0.0,) * chaser.rate_count
    loads = joint_reactions(weightless(chaser), q, still, change, wrenches=[(contact.tool, push)])
    shorter = 0.0 if math.isinf(problem.length) else problem.length**-2
    squares = [
        plain(f.linear.dot(f.linear) + shorter * terms(f.angular.dot(f.angular)))
        for f in (loads[name] for name in problem.felt_by)
    ]
    base = chaser.base
    if isinstance(chaser.base_joint.motion, (Free, Planar)):
        at = Frame.point(base.name, tuple(base.com))
        motion = frame_velocity(chaser, q, jump.chaser_rates, at)
        gained = motion.linear * base.mass
        rate = motion.angular.dot(motion.angular)
    else:
        gained = jump.impulse - momentum(chaser, q, change).linear
        rate = 0.0
    relative = contact.grip_velocity.linear - contact.tool_velocity.linear
    closing = 0.0 if jump.normal is None else -jump.normal.dot(relative)
    return {
        "squares": pack([*squares, gained.dot(gained), rate]),
        "tool": pack(list(contact.point)[: problem.size]),
        "closing": pack([closing]),
        "speed": pack([relative.dot(relative)]),
    }
