"""Control of the chaser: plants, goals, laws, and what an actuation cannot do."""

from percuss.control.advice import advice
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
from percuss.control.plant import Plant, TreePlant
from percuss.control.wheels import wheel_rates

__all__ = [
    "ControlLaw",
    "Goal",
    "Plant",
    "TreePlant",
    "advice",
    "computed_torque",
    "feed_forward",
    "gains",
    "hold",
    "no_control",
    "pd",
    "pd_gains",
    "rest_to_rest",
    "restricted",
    "sampled",
    "saturated",
    "through",
    "user_law",
    "wheel_rates",
]
