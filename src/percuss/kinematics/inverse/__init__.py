"""Inverse kinematics: joint coordinates for a pose of the tool."""

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
