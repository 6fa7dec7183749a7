"""Inverse kinematics: joint coordinates for a pose of the tool."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.kinematics.inverse.objectives import Objective, avoid_limits, stay_near
    from percuss.kinematics.inverse.solutions import NoSolutionError, Solution, Solutions
    from percuss.kinematics.inverse.solver import InverseKinematics, inverse_kinematics

__all__ = [
    "InverseKinematics",
    "NoSolutionError",
    "Objective",
    "Solution",
    "Solutions",
    "avoid_limits",
    "inverse_kinematics",
    "stay_near",
]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "objectives": ("Objective", "avoid_limits", "stay_near"),
        "solutions": ("NoSolutionError", "Solution", "Solutions"),
        "solver": ("InverseKinematics", "inverse_kinematics"),
    },
)
