"""The general time loop with every step recorded: the polynomial between its ends.

A segment is one attempt. Which of the attempts were steps shows in the count of steps.
"""

from __future__ import annotations

from typing import Any

from percuss.kernel.rollouts import general_step, interpolated_step
from percuss.kernel.rollouts.problem import RolloutProblem

State = dict[str, Any]

TARGETS = interpolated_step.TARGETS
SMOOTH = interpolated_step.SMOOTH

start_state = interpolated_step.start_state
step = interpolated_step.step
due = interpolated_step.due


def observe(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """What `general_step` observes, and the motion between the ends of the last step."""
    return general_step.observe(problem, state, segment, p) | {"piece": state["piece"]}
