"""Control of the chaser: plants, goals, laws, and what an actuation cannot do."""

from typing import TYPE_CHECKING

from percuss.control.advice import advice
from percuss.control.detumble import detumble
from percuss.control.gains import gains, pd_gains
from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.control.goals import Goal, hold, rest_to_rest
    from percuss.control.laws import ControlLaw, computed_torque, pd, sampled, saturated, user_law
    from percuss.control.momentum import dump_plan, rest_motion
    from percuss.control.plant import TreePlant
    from percuss.control.posture import calmest_posture
    from percuss.control.wheels import wheel_limited

__all__ = [
    "ControlLaw",
    "Goal",
    "TreePlant",
    "advice",
    "calmest_posture",
    "computed_torque",
    "detumble",
    "dump_plan",
    "gains",
    "hold",
    "pd",
    "pd_gains",
    "rest_motion",
    "rest_to_rest",
    "sampled",
    "saturated",
    "user_law",
    "wheel_limited",
]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "goals": ("Goal", "hold", "rest_to_rest"),
        "laws": ("ControlLaw", "computed_torque", "pd", "sampled", "saturated", "user_law"),
        "momentum": ("dump_plan", "rest_motion"),
        "plant": ("TreePlant",),
        "posture": ("calmest_posture",),
        "wheels": ("wheel_limited",),
    },
    packages=("guidance",),
)
"""Names that are also those of a module are imported at once, the others when asked for."""
