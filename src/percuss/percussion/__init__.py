"""Centre of percussion: how to be struck so that the joints feel least.

One body on a fixed axis (`AxisBody`), one body on any joint in space (`JointedBody`), and whole
robots on free, held or fixed bases (`impact_reactions`).
"""

from percuss.percussion.admissible import (
    Interval,
    admissible_angles,
    admissible_points,
    angles_of,
    coefficient_interval,
    coefficient_limits,
    least_angle,
    published_coefficient_interval,
)
from percuss.percussion.charts import (
    DesignChart,
    FeasibleRegion,
    SlopeChart,
    design_chart,
    feasible_region,
    slope_chart,
)
from percuss.percussion.conditions import BallJointImpact, Condition, ball_joint_impact
from percuss.percussion.fixed_axis import (
    AxisBody,
    displacement,
    impact_coefficient,
    impact_distance,
    ratio_of,
    reaction,
    reaction_of,
    reaction_ratio,
)
from percuss.percussion.holding import BaseState, Holding, JointState
from percuss.percussion.links import (
    LinkPercussion,
    effective_coefficient,
    fixed_axis_reaction,
    jointed_link,
    link_percussion,
    with_joints_at_percussion_points,
)
from percuss.percussion.multibody import (
    ImpactReactions,
    JointLoad,
    capture_reactions,
    impact_reactions,
)
from percuss.percussion.optimal import (
    ReactionMap,
    Strike,
    best_direction,
    best_point,
    reaction_map,
    worst_strike,
)
from percuss.percussion.parameter_slopes import ReactionSlopes, reaction_slopes
from percuss.percussion.sensitivity import Slopes, coefficient_slopes, slopes, slopes_of
from percuss.percussion.spatial import BodyReaction, JointedBody, body_reaction, wrench_reaction
from percuss.percussion.worst_case import (
    Extreme,
    ReactionRange,
    reaction_range,
    tolerance_margin,
)
from percuss.percussion.zero_reaction import ZeroReaction, percussion_direction, zero_reaction

__all__ = [
    "AxisBody",
    "BallJointImpact",
    "BaseState",
    "BodyReaction",
    "Condition",
    "DesignChart",
    "Extreme",
    "FeasibleRegion",
    "Holding",
    "ImpactReactions",
    "Interval",
    "JointLoad",
    "JointState",
    "JointedBody",
    "LinkPercussion",
    "ReactionMap",
    "ReactionRange",
    "ReactionSlopes",
    "SlopeChart",
    "Slopes",
    "Strike",
    "ZeroReaction",
    "admissible_angles",
    "admissible_points",
    "angles_of",
    "ball_joint_impact",
    "best_direction",
    "best_point",
    "body_reaction",
    "capture_reactions",
    "coefficient_interval",
    "coefficient_limits",
    "coefficient_slopes",
    "design_chart",
    "displacement",
    "effective_coefficient",
    "feasible_region",
    "fixed_axis_reaction",
    "impact_coefficient",
    "impact_distance",
    "impact_reactions",
    "jointed_link",
    "least_angle",
    "link_percussion",
    "percussion_direction",
    "published_coefficient_interval",
    "ratio_of",
    "reaction",
    "reaction_map",
    "reaction_of",
    "reaction_range",
    "reaction_ratio",
    "reaction_slopes",
    "slope_chart",
    "slopes",
    "slopes_of",
    "tolerance_margin",
    "with_joints_at_percussion_points",
    "worst_strike",
    "wrench_reaction",
    "zero_reaction",
]
