"""Where the arm on a free base loses a direction: its own singularities, and a published one."""

from __future__ import annotations

import numpy as np

from percuss.dynamics import generalized_task_jacobian, singularities_along
from percuss.kinematics import jacobian
from percuss.model.library.registry import robot
from percuss.sources.fixed_and_free_floating.floating import floating_arm
from percuss.sources.fixed_and_free_floating.motion import arm_motion
from percuss.sources.fixed_and_free_floating.paper import fixed_arm

Array = np.ndarray

PUBLISHED = (-65.0, -11.41)
"""(q1, q2), degrees: a dynamic singularity that Papadopoulos and Dubowsky (1993) give for theirs.

Their arm, base of 40 kg and 6.667 kg m², is the library's "papadopoulos".
"""


def determinants() -> tuple[float, float]:
    """det of the generalized Jacobian and of the fixed arm's at t = 0, case 2, m²."""
    q = arm_motion(0.0).q[:, 0]
    general = generalized_task_jacobian(
        floating_arm(), [0.0, 0.0, 0.0, *q], "tool", "planar position"
    )
    fixed = np.asarray(jacobian(fixed_arm(gravity=False), q, "tool"), float)[:2]
    return float(np.linalg.det(np.asarray(general, float))), float(np.linalg.det(fixed))


def dynamic_singularities(q1: float = np.pi / 2) -> Array:
    """q2 at which the free arm loses a direction for this q1, sorted (rad)."""
    return singularities_along(
        floating_arm(), [0.0, 0.0, 0.0, q1, 0.0], "tool", "joint2", task="planar position"
    )


def published_singularity() -> float:
    """q2 (degrees) at which their arm is singular for their q1, the elbow bent by less than 90°."""
    (q2,) = singularities_along(
        robot("papadopoulos"),
        [0.0, 0.0, 0.0, np.radians(PUBLISHED[0]), 0.0],
        "tool",
        "joint2",
        task="planar position",
        between=(-np.pi / 2, np.pi / 2),
    )
    return float(np.degrees(q2))
