"""Joints of a URDF."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Vector3
from percuss.model.errors import ModelError
from percuss.model.joints import (
    Fixed,
    Free,
    JointMotion,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    unit_axis,
)
from percuss.model.systems import Friction, Joint, Limits
from percuss.model.urdf.elements import look_inside, read_origin
from percuss.model.urdf.xml import Element
from percuss.model.validation import check_joint, takes_friction

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")

NO_LIMIT = sys.float_info.max
"""URDF has no infinity: the largest number stands for it, in both directions."""

_KNOWN = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")


def read_joint(element: Element) -> Joint:
    """A joint between two links; the joint frame at zero is the child's link frame."""
    look_inside(element, _KNOWN)
    log, name, kind = element.log, element.text("name"), element.text("type")
    if kind not in JOINT_TYPES:
        raise element.error(f"type {kind!r} is not supported; allowed are {', '.join(JOINT_TYPES)}")
    parent, child = (element.needed(role).text("link") for role in ("parent", "child"))
    joint = Joint(name, Fixed(), parent, child)
    with log.going_on():
        joint = replace(joint, motion=_motion(element, kind))
    with log.going_on():
        joint = _placed(joint, element)
    with log.going_on():
        joint = replace(joint, limits=_limits(element, kind))
    with log.going_on():
        joint = replace(joint, friction=_friction(element, joint.motion))
    with log.going_on():
        joint = _following(joint, element)
    try:
        check_joint(joint)
    except ModelError as error:
        raise ModelError(f"{element.place}: {error}") from error
    return joint


def _motion(element: Element, kind: str) -> JointMotion:
    if kind in ("revolute", "continuous"):
        return Revolute(_axis(element))
    if kind == "prismatic":
        return Prismatic(_axis(element))
    return {"fixed": Fixed, "floating": Free, "planar": Planar}[kind]()


def _placed(joint: Joint, element: Element) -> Joint:
    placement = read_origin(element)
    if not isinstance(joint.motion, Planar):
        return replace(joint, placement=placement)
    # URDF gives the plane by its normal; ours is the x-y plane of the joint frame. The joint
    # frame is turned there, and the link frame back.
    turn = Pose(Rotation.taking_z_to(_axis(element)))
    return replace(joint, placement=placement @ turn, child_placement=turn.inverse())


def _axis(element: Element) -> Vector3:
    """<axis xyz> in the joint frame, of length one; x without it."""
    axis = element.only("axis")
    if axis is None:
        return Vector3(1.0, 0.0, 0.0)
    xyz = axis.numbers("xyz", 3, "x y z of the axis in the joint frame", (1.0, 0.0, 0.0))
    try:
        return unit_axis(xyz, "xyz")
    except ModelError as error:
        raise axis.error(str(error)) from error


def _limits(element: Element, kind: str) -> Limits:
    """<limit>: rad or m, rad/s or m/s, N m or N. What the file does not say is not limited.

    By the format's rule one missing bound is 0 when the other is there. Limits that nothing
    could keep are none.
    """
    limit = element.only("limit")
    if limit is None or kind not in ("revolute", "continuous", "prismatic"):
        return Limits()
    unit = "m" if kind == "prismatic" else "rad"
    lower, upper = -math.inf, math.inf
    if kind != "continuous" and {"lower", "upper"} & set(limit.attributes):
        lower, upper = (_limit(limit, name, unit, 0.0) for name in ("lower", "upper"))
    if lower > upper:
        read = f"lower {lower:g} above upper {upper:g} {unit}"
        limit.log.change(limit, f"limits reversed: {read}", read, "no limits of position")
        lower, upper = -math.inf, math.inf
    speed = _largest(limit, "velocity", f"{unit}/s")
    effort = _largest(limit, "effort", "N" if kind == "prismatic" else "N m")
    return Limits(lower, upper, speed=speed, effort=effort)


def _largest(limit: Element, attribute: str, unit: str) -> float:
    """A limit of a magnitude, infinite when it is absent or negative."""
    value = _limit(limit, attribute, unit, math.inf)
    if value >= 0:
        return value
    read = f"{attribute} {value:g} {unit}"
    limit.log.change(limit, f"{attribute!r} must be ≥ 0 {unit}, got {value:g}", read, "no limit")
    return math.inf


def _limit(limit: Element, attribute: str, unit: str, default: float) -> float:
    value = limit.number(attribute, unit, default)
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value


def _friction(element: Element, motion: JointMotion) -> Friction:
    dynamics = element.only("dynamics")
    if dynamics is None:
        return Friction()
    found: list[float] = []
    for attribute, unit in (("damping", "N m s/rad or N s/m"), ("friction", "N m or N")):
        value = dynamics.number(attribute, unit, 0.0)
        if value < 0:
            problem = f"{attribute!r} must be ≥ 0 ({unit}), got {value:g}: it would drive the joint"
            dynamics.log.change(dynamics, problem, f"{attribute} {value:g}", "0")
        found.append(max(value, 0.0))
    if takes_friction(motion) or not any(found):
        return Friction(*found)
    if not isinstance(motion, Fixed):  # a fixed joint has nothing to rub
        problem = f"a {motion.kind} joint takes no friction (its rates mix m/s and rad/s)"
        dynamics.log.change(dynamics, problem, f"friction of a {motion.kind} joint", "none")
    return Friction()


def _following(joint: Joint, element: Element) -> Joint:
    """The joint as a follower if <mimic> says so: q = multiplier · q of the other + offset."""
    mimic = element.only("mimic")
    if mimic is None:
        return joint
    if not isinstance(joint.motion, (Revolute, Prismatic)):
        problem = f"a {joint.motion.kind} joint cannot follow another"
        element.log.change(mimic, problem, problem, "the joint without <mimic>")
        return joint
    leader = mimic.text("joint")
    multiplier = mimic.number("multiplier", "", 1.0)
    offset = mimic.number("offset", "rad or m", 0.0)
    return replace(joint, motion=Mimic(joint.motion, leader, multiplier, offset))
