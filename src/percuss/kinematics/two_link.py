"""Inverse kinematics of the planar arm with two revolute joints, in closed form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import (
    Scalar,
    add,
    atan2,
    cos,
    formula,
    is_constant,
    mul,
    plain,
    sin,
    sqrt,
    sub,
    terms,
    to_scalar,
    unpack,
)
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.joint_limits import turned_into_limits
from percuss.kinematics.manifold import neutral
from percuss.model.checks import is_finite, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Revolute
from percuss.model.systems import WORLD, Frame, Joint, System

Angles = tuple[Scalar, Scalar]

_ROUNDING = 1e-12
"""Reach is exceeded only by more than this part of it."""


class UnreachableError(ModelError):
    """The tool cannot get there: `missing` is the distance that is lacking (m)."""

    def __init__(self, message: str, missing: float) -> None:
        super().__init__(message)
        self.missing = missing


@dataclass(frozen=True)
class TwoLinkAngles:
    """(q1, q2) in rad for both elbows; `positive` bends by q2 ≥ 0, `negative` by q2 ≤ 0.

    With the arm outstretched both are the same. Iteration gives those that are allowed.
    """

    positive: Angles
    negative: Angles
    allowed: tuple[bool, bool] = (True, True)
    """Whether (positive, negative) are within the limits of the joints, where there are any."""

    def __iter__(self) -> Iterator[Angles]:
        pairs = zip((self.positive, self.negative), self.allowed, strict=True)
        return iter([angles for angles, good in pairs if good])


def two_link_angles(length1: Scalar, length2: Scalar, x: Scalar, y: Scalar) -> TwoLinkAngles:
    """Joint angles at which the tip of a planar 2R arm is at (x, y) m from its first joint.

    cos q2 = (r² - l1² - l2²) / (2 l1 l2), q1 = atan2(y, x) - atan2(l2 sin q2, l1 + l2 cos q2).

    Works on any scalar. Numbers out of reach are refused by `UnreachableError`, which carries the
    distance missing; for JAX values and batches the result is then NaN.
    """
    l1, l2, x, y = (to_scalar(value) for value in (length1, length2, x, y))
    for name, value in (("length1", l1), ("length2", l2)):
        if violates(value, is_positive):
            raise ModelError(f"{name} must be finite and > 0 m, got {shown(value)}")
    for name, value in (("x", x), ("y", y)):
        if violates(value, is_finite):
            raise ModelError(f"{name} must be finite (m), got {shown(value)}")
    cosine = _cosine(l1, l2, x, y)
    if all(is_constant(value) for value in (l1, l2, x, y)):
        cosine = _within_reach(float(l1), float(l2), math.hypot(x, y), cosine)  # type: ignore[arg-type]
    # sin² as a product loses no digits where the arm is nearly straight.
    c = terms(cosine)
    sine = plain(sqrt((1.0 - c) * (1.0 + c)))
    return TwoLinkAngles(_angles(l1, l2, x, y, cosine, sine), _angles(l1, l2, x, y, cosine, -sine))


def two_link_solutions(
    system: System,
    target: Any,
    *,
    at: Any = None,
    frame: str | Frame = "tool",
    limited: bool = True,
) -> TwoLinkAngles:
    """Both solutions of a planar system whose tool is carried by two revolute joints.

    A number outside a joint's limits is moved inside by whole turns where that is possible; where
    it is not, the solution is marked as not allowed, and left out by iteration. If none is left,
    an error names the limits. Batches and JAX values cannot be left out: they become NaN. Symbols
    are trusted.

    Args:
        target: (x, y) in the world, m.
        at: coordinates, shape (nq,), of which those of the base count; default neutral.
        frame: the tool.
        limited: whether the joints' limits hold.

    Returns:
        The coordinates of the two joints, each within half a turn of zero, or as near to that as
        the limits allow.
    """
    first, second = _two_joints(system, frame)
    origin = first.placement
    if first.parent != WORLD:
        held = neutral(system) if at is None else at
        origin = frame_pose(system, held, Frame("joint 1", first.parent, first.placement))
    link1 = first.child_placement @ second.placement
    link2 = second.child_placement @ system.frame(frame).placement
    x, y = unpack(target, 2, "the target", ("x (m)", "y (m)"))
    local = origin.act_inverse(Vector3(x, y, origin.position.z))
    angles = two_link_angles(_planar_length(link1), _planar_length(link2), local.x, local.y)
    # The triangle's sides are straight lines between the joints, which the links' x axes need
    # not be: joint 1 turns its side by bend1 less, joint 2 by bend2 - bend1 plus link 1's twist.
    bend1, bend2 = (atan2(link.position.y, link.position.x) for link in (link1, link2))
    turned = plain(terms(bend2) - bend1 + link1.rotation.angle_about_z())
    positive, negative = (
        _in_joints(first, second, sub(a, bend1), sub(b, turned)) for a, b in angles
    )
    found = TwoLinkAngles(positive, negative)
    return _within_limits((first, second), found) if limited else found


def _within_reach(l1: float, l2: float, distance: float, cosine: Scalar) -> float:
    """cos q2 in [-1, 1], or an error that says what is missing."""
    reach, hole = l1 + l2, abs(l1 - l2)
    slack = _ROUNDING * reach
    if distance > reach + slack:
        missing = distance - reach
        raise UnreachableError(
            f"out of reach by {missing:.6g} m: the target is {distance:.6g} m from joint 1 and the "
            f"arm spans at most {reach:.6g} m",
            missing,
        )
    if distance < hole - slack:
        missing = hole - distance
        raise UnreachableError(
            f"too near by {missing:.6g} m: the target is {distance:.6g} m from joint 1 and links "
            f"of {l1:g} and {l2:g} m reach no nearer than {hole:.6g} m",
            missing,
        )
    if distance <= slack:
        raise ModelError(
            "the target is on joint 1, where links of one length fold back on themselves and the "
            "angle of joint 1 is free: choose it, with q2 = π"
        )
    return min(1.0, max(-1.0, float(cosine)))  # type: ignore[arg-type]


@formula
def _cosine(l1: Scalar, l2: Scalar, x: Scalar, y: Scalar) -> Scalar:
    return (x * x + y * y - (l1 * l1 + l2 * l2)) / (2.0 * (l1 * l2))


@formula
def _angles(l1: Scalar, l2: Scalar, x: Scalar, y: Scalar, cosine: Scalar, sine: Scalar) -> Angles:
    shoulder = atan2(y, x) - atan2(l2 * sine, l1 + l2 * cosine)
    return shoulder, atan2(sine, cosine)


def _in_joints(first: Joint, second: Joint, q1: Scalar, q2: Scalar) -> Angles:
    """Angles about z as coordinates of joints whose axes may point down."""
    return _wrapped(mul(_up(first), q1)), _wrapped(mul(_up(second), q2))


def _within_limits(joints: tuple[Joint, Joint], found: TwoLinkAngles) -> TwoLinkAngles:
    """Angles within the joints' limits: others are marked, and refused if no elbow is left."""
    elbows: list[Angles] = []
    complaints: list[str] = []
    for elbow, angles in (("q2 ≥ 0", found.positive), ("q2 ≤ 0", found.negative)):
        pairs = list(zip(joints, angles, strict=True))
        inside = [turned_into_limits(joint, angle) for joint, angle in pairs]
        outside = [
            f"{joint.name} at {shown(angle)} rad, allowed {shown(joint.limits.lower)} … "
            f"{shown(joint.limits.upper)} rad"
            for (joint, angle), kept in zip(pairs, inside, strict=True)
            if is_constant(kept) and math.isnan(kept)
        ]
        complaints.append(f"{elbow} needs {' and '.join(outside)}" if outside else "")
        # One joint outside spoils the other's angle too; for numbers the mark says it.
        spoilt = sub(inside[0], inside[0]), sub(inside[1], inside[1])
        elbows.append(angles if outside else (add(inside[0], spoilt[1]), add(inside[1], spoilt[0])))
    if all(complaints):
        raise ModelError(
            f"no elbow is within the limits of the joints: {'; '.join(complaints)}. "
            "limited=False gives the solutions without them"
        )
    return TwoLinkAngles(*elbows, allowed=(not complaints[0], not complaints[1]))


def _up(joint: Joint) -> Scalar:
    assert isinstance(joint.motion, Revolute)
    return joint.motion.axis.z


def _wrapped(angle: Scalar) -> Scalar:
    if is_constant(angle):
        return math.remainder(angle, math.tau)
    return atan2(sin(angle), cos(angle))


def _planar_length(pose: Pose) -> Scalar:
    x, y, _ = terms(*pose.position)
    return plain(sqrt(x * x + y * y))


def _two_joints(system: System, frame: str | Frame) -> tuple[Joint, Joint]:
    chain = [node.joint for node in system.ancestors(system.node(system.frame(frame).body))]
    turning = [joint for joint in reversed(chain) if isinstance(joint.motion, Revolute)]
    others = [
        joint
        for joint in chain
        if joint not in turning and joint is not system.base_joint and joint.subspace
    ]
    if not system.is_planar or len(turning) != 2 or others or turning[1].parent != turning[0].child:
        kinds = ", ".join(f"{joint.name} ({joint.motion.kind})" for joint in reversed(chain))
        raise ModelError(
            f"system {system.name!r} is no planar arm of two revolute joints, one on the other: "
            f"{kinds}. inverse_kinematics solves any chain"
        )
    # A joint that others follow has no more room than they leave it.
    first, second = (replace(j, limits=system.node(j.child).limits) for j in turning)
    return first, second
