"""Encounters of a chaser with a target: what they are made of, and what carries them out.

`Encounter` is the whole: bodies, start, closure, laws, times. `percuss.simulate` carries it out.
"""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.encounter.actuation import ActuatorLimits, Dump
    from percuss.encounter.approach import Approach, Meet
    from percuss.encounter.belief import Belief
    from percuss.encounter.closures import Bounce, Compliant, Pin, Pulse, Repeat, Weld
    from percuss.encounter.encounter import Encounter
    from percuss.encounter.errors import EncounterError
    from percuss.encounter.failure import SimulationError
    from percuss.encounter.goals import MoveTo, PassThrough, Stay
    from percuss.encounter.laws.compensating import ImpactCompensation
    from percuss.encounter.laws.tool import HoldTool, MatchTarget
    from percuss.encounter.laws.tracking import PD, ComputedTorque, Detumble, FeedForward, NoControl
    from percuss.encounter.laws.user import UserLaw
    from percuss.encounter.method import Integration
    from percuss.encounter.records.result import EncounterResult
    from percuss.encounter.summary.plain_data import read_summary

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
    "EncounterResult",
    "FeedForward",
    "HoldTool",
    "ImpactCompensation",
    "Integration",
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
    "read_summary",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "actuation": ("ActuatorLimits", "Dump"),
        "approach": ("Approach", "Meet"),
        "belief": ("Belief",),
        "closures": ("Bounce", "Compliant", "Pin", "Pulse", "Repeat", "Weld"),
        "encounter": ("Encounter",),
        "errors": ("EncounterError",),
        "failure": ("SimulationError",),
        "goals": ("MoveTo", "PassThrough", "Stay"),
        "laws.compensating": ("ImpactCompensation",),
        "laws.tool": ("HoldTool", "MatchTarget"),
        "laws.tracking": ("PD", "ComputedTorque", "Detumble", "FeedForward", "NoControl"),
        "laws.user": ("UserLaw",),
        "method": ("Integration",),
        "records.result": ("EncounterResult",),
        "summary.plain_data": ("read_summary",),
    },
)
