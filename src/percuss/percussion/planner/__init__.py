"""Plans: configurations that feel little of an impact."""

from percuss.percussion.planner.felt import Felt
from percuss.percussion.planner.planner import Planner, plan_percussion
from percuss.percussion.planner.result import Plan, Search, Verification
from percuss.percussion.planner.screening import Sample
from percuss.percussion.planner.wishes import Wishes
from percuss.percussion.planner.worse import Worse

__all__ = [
    "Felt",
    "Plan",
    "Planner",
    "Sample",
    "Search",
    "Verification",
    "Wishes",
    "Worse",
    "plan_percussion",
]
