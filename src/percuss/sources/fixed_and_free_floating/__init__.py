"""The paper "The Dynamics of Fixed Base and Free-Floating Robotic Manipulator": a 2R arm.

Its data are in `paper`, its motion along a circle in `motion`, its formulas as printed in
`printed`, its errors in `errata`, and the free base that it leaves to future work in `floating`,
`followed` and `singularities`.
"""

from percuss.sources.fixed_and_free_floating.floating import (
    FloatingArm,
    LargestLoads,
    free_base_peaks,
    on_free_base,
)
from percuss.sources.fixed_and_free_floating.followed import FollowedCircle, followed_circle
from percuss.sources.fixed_and_free_floating.motion import ArmMotion, arm_motion
from percuss.sources.fixed_and_free_floating.paper import CIRCLE, TABLE_1, Circle, TwoLinks

__all__ = [
    "CIRCLE",
    "TABLE_1",
    "ArmMotion",
    "Circle",
    "FloatingArm",
    "FollowedCircle",
    "LargestLoads",
    "TwoLinks",
    "arm_motion",
    "followed_circle",
    "free_base_peaks",
    "on_free_base",
]
