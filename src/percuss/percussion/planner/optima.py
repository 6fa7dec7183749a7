"""Which optima are the same one."""

from __future__ import annotations

import math

import numpy as np

from percuss.percussion.planner.descent import Optimum
from percuss.percussion.planner.problem import Array, ImpactProblem

_SAME = 1e-6
"""Share of the cost by which two optima may differ and count as equally good."""
_NEAR = 1e-3
"""Choices closer than this (rad, m) with the same cost are the same optimum."""


def alike(a: float, b: float) -> bool:
    """Whether two costs are the same."""
    return math.isclose(a, b, rel_tol=_SAME, abs_tol=1e-12)


def distinct(problem: ImpactProblem, optima: list[Optimum]) -> list[Optimum]:
    """Optima that differ in cost or place, in their order."""
    found: list[Optimum] = []
    for optimum in optima:
        known = (
            alike(optimum.cost, other.cost)
            and float(np.linalg.norm(_apart(problem, optimum.x, other.x))) < _NEAR
            for other in found
        )
        if not any(known):
            found.append(optimum)
    return found


def _apart(problem: ImpactProblem, a: Array, b: Array) -> Array:
    """The difference of two choices, whole turns left out."""
    apart = a - b
    for k, joint in enumerate(problem.joints):
        if joint.motion.kind == "revolute":
            apart[k] -= math.tau * round(apart[k] / math.tau)
    return apart
