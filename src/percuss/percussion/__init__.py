"""Centre of percussion: how to be struck so that the joints feel least.

One body on a fixed axis (`AxisBody`), one body on any joint in space (`JointedBody`), and whole
robots on free, held or fixed bases (`impact_reactions`).
"""

from percuss.exports import on_demand as _on_demand
from percuss.percussion.admissible import (
    admissible_points,
    coefficient_interval,
    published_coefficient_interval,
)
from percuss.percussion.conditions import ball_joint_impact
from percuss.percussion.fixed_axis import AxisBody, ratio_of, reaction_ratio
from percuss.percussion.holding import Holding
from percuss.percussion.links import fixed_axis_reaction, with_joints_at_percussion_points
from percuss.percussion.multibody import impact_reactions
from percuss.percussion.optimal import best_direction, best_point, reaction_map, worst_strike
from percuss.percussion.parameter_slopes import reaction_slopes
from percuss.percussion.spatial import JointedBody
from percuss.percussion.worst_case import reaction_range
from percuss.percussion.zero_reaction import zero_reaction

__all__ = [
    "AxisBody",
    "Holding",
    "JointedBody",
    "admissible_points",
    "ball_joint_impact",
    "best_direction",
    "best_point",
    "coefficient_interval",
    "fixed_axis_reaction",
    "impact_reactions",
    "published_coefficient_interval",
    "ratio_of",
    "reaction_map",
    "reaction_range",
    "reaction_ratio",
    "reaction_slopes",
    "with_joints_at_percussion_points",
    "worst_strike",
    "zero_reaction",
]

__getattr__, __dir__ = _on_demand(__name__, {}, packages=("planner",))
