"""Encounters of a chaser with a target: what they are made of, and what carries them out.

`Encounter` is the whole: bodies, start, closure, laws, times. `percuss.simulate` carries it out.
"""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.encounter.actuation import ActuatorLimits, Dump
    from percuss.encounter.approach import Approach, Law, Meet
    from percuss.encounter.belief import Belief
    from percuss.encounter.closures import Bounce, Compliant, Pin, Pulse, Repeat, Weld
    from percuss.encounter.encounter import Encounter
    from percuss.encounter.errors import EncounterError
    from percuss.encounter.failure import SimulationError
    from percuss.encounter.goals import MoveTo, PassThrough, Stay
    from percuss.encounter.laws import (
        PD,
        ComputedTorque,
        Detumble,
        FeedForward,
        HoldTool,
        ImpactCompensation,
        MatchTarget,
        NoControl,
        UserLaw,
    )
    from percuss.encounter.method import Integration

__all__ = [
    "PD",
    "ActuatorLimits",
    "Approach",
    "Belief",
    "Bounce",
    "Compliant",
    "ComputedTorque",
    "Detumble",
    "Dump",
    "Encounter",
    "EncounterError",
    "FeedForward",
    "HoldTool",
    "ImpactCompensation",
    "Integration",
    "Law",
    "MatchTarget",
    "Meet",
    "MoveTo",
    "NoControl",
    "PassThrough",
    "Pin",
    "Pulse",
    "Repeat",
    "SimulationError",
    "Stay",
    "UserLaw",
    "Weld",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "actuation": ("ActuatorLimits", "Dump"),
        "approach": ("Approach", "Law", "Meet"),
        "belief": ("Belief",),
        "closures": ("Bounce", "Compliant", "Pin", "Pulse", "Repeat", "Weld"),
        "encounter": ("Encounter",),
        "errors": ("EncounterError",),
        "failure": ("SimulationError",),
        "goals": ("MoveTo", "PassThrough", "Stay"),
        "laws": (
            "PD",
            "ComputedTorque",
            "Detumble",
            "FeedForward",
            "HoldTool",
            "ImpactCompensation",
            "MatchTarget",
            "NoControl",
            "UserLaw",
        ),
        "method": ("Integration",),
    },
)
