"""Plans: configurations that feel little of an impact."""

from percuss.plan.felt import Felt
from percuss.plan.planner import Planner, plan_percussion
from percuss.plan.result import Plan, Search, Verification
from percuss.plan.screening import Sample
from percuss.plan.wishes import Wishes
from percuss.plan.worse import Worse

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
