"""Guidance of the approach: hold the tool, match a target's motion, plan a meeting."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand as _on_demand

if TYPE_CHECKING:
    from percuss.control.guidance.hold import hold_tool
    from percuss.control.guidance.match import match_tool
    from percuss.control.guidance.meeting import plan_meeting
    from percuss.control.guidance.needs import plan_needs
    from percuss.control.guidance.planning import meeting_plan
    from percuss.control.guidance.timing import when_to_go

__all__ = ["hold_tool", "match_tool", "meeting_plan", "plan_meeting", "plan_needs", "when_to_go"]

__getattr__, __dir__ = _on_demand(
    __name__,
    {
        "hold": ("hold_tool",),
        "match": ("match_tool",),
        "meeting": ("plan_meeting",),
        "needs": ("plan_needs",),
        "planning": ("meeting_plan",),
        "timing": ("when_to_go",),
    },
)
