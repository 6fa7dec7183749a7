"""Plans: configurations that feel little of an impact."""

from percuss.plan.planner import Planner, plan_percussion
from percuss.plan.result import Felt, Plan, Search, Verification
from percuss.plan.screening import Sample
from percuss.plan.wishes import Wishes

__all__ = [
    "Felt",
    "Plan",
    "Planner",
    "Sample",
    "Search",
    "Verification",
    "Wishes",
    "plan_percussion",
]
