"""Control of the chaser: plants, goals, laws, and what an actuation cannot do."""

from typing import TYPE_CHECKING

from percuss.control.advice import advice
from percuss.control.detumble import detumble
from percuss.control.gains import gains, pd_gains
from percuss.control.ic2 import ic2
from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.control.goals import Goal, hold, rest_to_rest, through
    from percuss.control.ic2_sensing import force_delayed, rate_limited
    from percuss.control.joint_friction_models import DryFriction, FrictionModel, LuGre
    from percuss.control.laws import (
        ControlLaw,
        Felt,
        computed_torque,
        feed_forward,
        no_control,
        pd,
        restricted,
        sampled,
        saturated,
        user_law,
    )
    from percuss.control.momentum import DumpPlan, RestMotion, dump_plan, rest_motion
    from percuss.control.plant import Plant, TreePlant
    from percuss.control.posture import CalmestPosture, calmest_posture
    from percuss.control.wheels import dump_torques, joints_kept, wheel_limited, wheel_rates

__all__ = [
    "CalmestPosture",
    "ControlLaw",
    "DryFriction",
    "DumpPlan",
    "Felt",
    "FrictionModel",
    "Goal",
    "LuGre",
    "Plant",
    "RestMotion",
    "TreePlant",
    "advice",
    "calmest_posture",
    "computed_torque",
    "detumble",
    "dump_plan",
    "dump_torques",
    "feed_forward",
    "force_delayed",
    "gains",
    "hold",
    "ic2",
    "joints_kept",
    "no_control",
    "pd",
    "pd_gains",
    "rate_limited",
    "rest_motion",
    "rest_to_rest",
    "restricted",
    "sampled",
    "saturated",
    "through",
    "user_law",
    "wheel_limited",
    "wheel_rates",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "goals": ("Goal", "hold", "rest_to_rest", "through"),
        "ic2_sensing": ("force_delayed", "rate_limited"),
        "joint_friction_models": ("DryFriction", "FrictionModel", "LuGre"),
        "laws": (
            "ControlLaw",
            "Felt",
            "computed_torque",
            "feed_forward",
            "no_control",
            "pd",
            "restricted",
            "sampled",
            "saturated",
            "user_law",
        ),
        "momentum": ("DumpPlan", "RestMotion", "dump_plan", "rest_motion"),
        "plant": ("Plant", "TreePlant"),
        "posture": ("CalmestPosture", "calmest_posture"),
        "wheels": ("dump_torques", "joints_kept", "wheel_limited", "wheel_rates"),
    },
)
"""Names that are also those of a module are imported at once, the others when asked for."""
