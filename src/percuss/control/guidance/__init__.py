"""Guidance of the approach: hold the tool, match a target's motion, plan a meeting."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.control.guidance.arrival import arriving
    from percuss.control.guidance.hold import hold_tool
    from percuss.control.guidance.match import match_tool
    from percuss.control.guidance.meeting import (
        Meeting,
        default_approach,
        meeting_between,
        plan_meeting,
    )
    from percuss.control.guidance.needs import Need, Needs, plan_needs
    from percuss.control.guidance.plan import Plan
    from percuss.control.guidance.planning import meeting_plan
    from percuss.control.guidance.prediction import (
        GripState,
        flight_accelerations,
        grip_state,
        predicted_state,
    )
    from percuss.control.guidance.singular import damped_solution
    from percuss.control.guidance.timing import Candidate, Timetable, when_to_go
    from percuss.control.guidance.tool_axis import forward_axis

__all__ = [
    "Candidate",
    "GripState",
    "Meeting",
    "Need",
    "Needs",
    "Plan",
    "Timetable",
    "arriving",
    "damped_solution",
    "default_approach",
    "flight_accelerations",
    "forward_axis",
    "grip_state",
    "hold_tool",
    "match_tool",
    "meeting_between",
    "meeting_plan",
    "plan_meeting",
    "plan_needs",
    "predicted_state",
    "when_to_go",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "arrival": ("arriving",),
        "hold": ("hold_tool",),
        "match": ("match_tool",),
        "meeting": ("Meeting", "default_approach", "meeting_between", "plan_meeting"),
        "needs": ("Need", "Needs", "plan_needs"),
        "plan": ("Plan",),
        "planning": ("meeting_plan",),
        "prediction": ("GripState", "flight_accelerations", "grip_state", "predicted_state"),
        "singular": ("damped_solution",),
        "timing": ("Candidate", "Timetable", "when_to_go"),
        "tool_axis": ("forward_axis",),
    },
)
