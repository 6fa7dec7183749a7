"""The paper's conditions (21)-(35) for a body on a ball joint, against what really happens.

With t the direction of the impact's moment about the joint, the paper asks for six things.
Together they are sufficient for a joint without reaction. None of them is necessary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.model.bodies import Body
from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.joints import Spherical
from percuss.percussion.spatial import JointedBody, body_reaction

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Condition:
    """One of the paper's conditions: `residual` is dimensionless and 0 where it holds exactly."""

    equation: str
    words: str
    residual: float
    holds: bool


@dataclass(frozen=True)
class BallJointImpact:
    """An impact on a body on a ball joint: the paper's terms, and the exact reaction.

    `axis` is t, body axes; `impact_coefficient` and `mass_distribution` are C_ID,t = m l·r/I_tt
    and C_MD,t = I_tt,c/I_tt,o about it; `displacement` is r̃_t (nan for a balanced body).
    `reaction` is the joint's impulse on the body per impulse, `ratio` its size;
    `predicted_ratio` the planar formula about t that the paper carries over.
    """

    axis: Array
    conditions: tuple[Condition, ...]
    impact_coefficient: float
    mass_distribution: float
    displacement: float
    reaction: Array
    ratio: float
    predicted_ratio: float

    @property
    def promised(self) -> bool:
        """Whether the paper's conditions all hold, so that it promises no reaction."""
        return all(condition.holds for condition in self.conditions)


def ball_joint_impact(
    body: Body,
    point: Any,
    impulse: Any,
    *,
    origin: Any = (0.0, 0.0, 0.0),
    tolerance: float = 1e-9,
) -> BallJointImpact:
    """Judge an impulse (any size, body axes) at a point of a body (m) on a ball joint at origin.

    Args:
        tolerance: largest residual at which a condition holds.
    """
    jointed = JointedBody(body, Spherical(), origin)
    force = np.array(padded(impulse, "impulse").array(), float)
    size = float(np.linalg.norm(force))
    arm = np.array((padded(point, "point") - jointed.origin).array(), float)
    moment = np.cross(arm, force)
    if not math.isfinite(size) or size == 0.0 or float(np.linalg.norm(moment)) == 0.0:
        raise ModelError(
            "the impulse must have a moment about the joint, or there is no axis to turn about; "
            f"got impulse {force.tolist()} at {arm.tolist()} m from the joint"
        )
    f, t = force / size, moment / float(np.linalg.norm(moment))
    com = np.array(jointed.com.array(), float)
    mass = float(body.mass)  # type: ignore[arg-type]
    about_joint = np.array(jointed.inertia.second_moment.array(), float)
    central = np.array(body.inertia.array(), float)
    felt, own = float(t @ about_joint @ t), float(t @ central @ t)

    found = body_reaction(jointed, point, force)
    reaction = np.array(found.reaction.linear.array(), float) / size
    turn = np.array(found.velocity.angular.array(), float)

    across = about_joint @ t - felt * t
    gyration = math.sqrt(felt / mass)
    coefficient = mass * float(arm @ com) / felt
    conditions = (
        _condition("(21)", "the impulse is normal to the line from joint to impact",
                   abs(float(f @ arm)) / float(np.linalg.norm(arm)), tolerance),
        _condition("(25)-(26)", "the body turns about the axis t of the impact's moment",
                   float(np.linalg.norm(np.cross(turn, t))) / float(np.linalg.norm(turn)),
                   tolerance),
        _condition("(32)", "t is a principal axis at the joint",
                   float(np.linalg.norm(across)) / felt, tolerance),
        _condition("(33)", "the centre of mass is in the plane through the joint normal to t",
                   abs(float(com @ t)) / gyration, tolerance),
        _condition("(34)", "C_ID about t is 1", abs(coefficient - 1.0), tolerance),
        _condition("(35) text", "joint, centre of mass and impact point are on one line",
                   float(np.linalg.norm(np.cross(com, arm))) / float(felt / mass), tolerance),
    )  # fmt: skip
    away = arm @ com - felt / mass  # r · r_cm with r from the centre of percussion to the impact
    angle = math.acos(max(-1.0, min(1.0, float(f @ arm) / float(np.linalg.norm(arm)))))
    return BallJointImpact(
        axis=t,
        conditions=conditions,
        impact_coefficient=coefficient,
        mass_distribution=own / felt,
        displacement=float(away) / (own / mass) if own > 0.0 else math.nan,
        reaction=reaction,
        ratio=float(np.linalg.norm(reaction)),
        predicted_ratio=math.hypot(math.cos(angle), (1.0 - coefficient) * math.sin(angle)),
    )


def _condition(equation: str, words: str, residual: float, tolerance: float) -> Condition:
    return Condition(equation, words, residual, residual <= tolerance)
