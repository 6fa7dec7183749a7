"""Plans: configurations that feel little of an impact."""

from percuss.exports import on_demand as _on_demand
from percuss.percussion.planner.planner import Planner, plan_percussion
from percuss.percussion.planner.settings import PlannerSettings

__all__ = ["Planner", "PlannerSettings", "plan_percussion"]

__getattr__, __dir__ = _on_demand(__name__, {})
