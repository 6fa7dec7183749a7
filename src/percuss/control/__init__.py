"""Control of the chaser: plants, goals, laws, and what an actuation cannot do."""

from percuss.control.advice import advice
from percuss.control.detumble import detumble
from percuss.control.gains import gains, pd_gains
from percuss.control.goals import Goal, hold, rest_to_rest, through
from percuss.control.laws import (
    ControlLaw,
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
    "DumpPlan",
    "Goal",
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
    "gains",
    "hold",
    "joints_kept",
    "no_control",
    "pd",
    "pd_gains",
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
