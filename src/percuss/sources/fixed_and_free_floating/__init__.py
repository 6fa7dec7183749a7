"""The paper "The Dynamics of Fixed Base and Free-Floating Robotic Manipulator": a 2R arm.

Its data are in `paper`, its motion along a circle in `motion`, its formulas as printed in
`printed`, its errors in `errata`, and the free base that it leaves to future work in `floating`.
"""

from percuss.sources.fixed_and_free_floating.floating import (
    FloatingArm,
    FollowedCircle,
    followed_circle,
    on_free_base,
)
from percuss.sources.fixed_and_free_floating.motion import ArmMotion, arm_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, TABLE_1, Circle, TwoLinks

__all__ = [
    "CIRCLE",
    "TABLE_1",
    "ArmMotion",
    "Circle",
    "FloatingArm",
    "FollowedCircle",
    "TwoLinks",
    "arm_motion",
    "followed_circle",
    "on_free_base",
]
