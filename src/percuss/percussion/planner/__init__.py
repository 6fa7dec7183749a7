"""Plans: configurations that feel little of an impact."""

from percuss.percussion.planner.felt import FeltImpact
from percuss.percussion.planner.planner import Planner, plan_percussion
from percuss.percussion.planner.result import PercussionPlan, PostureSearch, Verification
from percuss.percussion.planner.screening import PostureSample
from percuss.percussion.planner.settings import PlannerSettings
from percuss.percussion.planner.worse import Worse

__all__ = [
    "FeltImpact",
    "PercussionPlan",
    "Planner",
    "PlannerSettings",
    "PostureSample",
    "PostureSearch",
    "Verification",
    "Worse",
    "plan_percussion",
]
