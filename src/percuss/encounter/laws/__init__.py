"""What drives the chaser, before the contact and after it: each law a class of numbers."""

from percuss.encounter.laws.compensating import ImpactCompensation
from percuss.encounter.laws.tool import HoldTool, MatchTarget
from percuss.encounter.laws.tracking import (
    NO_CONTROL,
    PD,
    ComputedTorque,
    Detumble,
    FeedForward,
    NoControl,
)
from percuss.encounter.laws.user import UserLaw

__all__ = [
    "NO_CONTROL",
    "PD",
    "ComputedTorque",
    "Detumble",
    "FeedForward",
    "HoldTool",
    "ImpactCompensation",
    "MatchTarget",
    "NoControl",
    "UserLaw",
]
