"""Joints of a URDF, and the check that they make a tree of its links."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Vector3
from percuss.model.errors import ModelError, choices, closest
from percuss.model.joints import (
    Fixed,
    Free,
    JointMotion,
    Planar,
    Prismatic,
    Revolute,
    unit_axis,
)
from percuss.model.systems import Friction, Joint, Limits
from percuss.model.urdf.parts import Findings, read_origin
from percuss.model.urdf.xml import Element
from percuss.model.validation import check_joint

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")

NO_LIMIT = sys.float_info.max
"""URDF has no infinity: the largest number stands for it, in both directions."""

_KNOWN = ("origin", "parent", "child", "axis", "limit", "dynamics")


def read_joint(element: Element, findings: Findings) -> Joint:
    """A joint between two links; the joint frame at zero is the child's link frame."""
    findings.ignore_others(element, _KNOWN)
    name, kind = element.text("name"), element.text("type")
    if kind not in JOINT_TYPES:
        raise element.error(f"type {kind!r} is not supported; allowed are {', '.join(JOINT_TYPES)}")
    placement, child_placement = read_origin(element), Pose.identity()
    motion = _motion(element, kind)
    if isinstance(motion, Planar):
        # URDF gives the plane by its normal; ours is the x-y plane of the joint frame. The
        # joint frame is turned there, and the link frame back.
        turn = Pose(Rotation.taking_z_to(_axis(element)))
        placement, child_placement = placement @ turn, turn.inverse()
    joint = Joint(
        name,
        motion,
        element.needed("parent").text("link"),
        element.needed("child").text("link"),
        placement,
        child_placement,
        _limits(element, kind),
        _friction(element, kind),
    )
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

    By the format's rule one missing bound is 0 when the other is there.
    """
    limit = element.only("limit")
    if limit is None or kind not in ("revolute", "continuous", "prismatic"):
        return Limits()
    bounds = (-math.inf, math.inf)
    if kind != "continuous" and {"lower", "upper"} & set(limit.attributes):
        unit = "m" if kind == "prismatic" else "rad"
        bounds = tuple(_limit(limit, name, unit, 0.0) for name in ("lower", "upper"))
    speed = _limit(limit, "velocity", "m/s or rad/s", math.inf)
    effort = _limit(limit, "effort", "N or N m", math.inf)
    return Limits(*bounds, speed=speed, effort=effort)


def _limit(limit: Element, attribute: str, unit: str, default: float) -> float:
    value = limit.number(attribute, unit, default)
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value


def _friction(element: Element, kind: str) -> Friction:
    dynamics = element.only("dynamics")
    if dynamics is None:
        return Friction()
    viscous = dynamics.number("damping", "N m s/rad or N s/m", 0.0)
    coulomb = dynamics.number("friction", "N m or N", 0.0)
    # A fixed joint has nothing to rub.
    return Friction() if kind == "fixed" else Friction(viscous, coulomb)


def root_of(links: dict[str, Element], joints: dict[str, Element]) -> str:
    """The one link that is no child; loops, several roots and unknown links are refused."""
    joint_of: dict[str, Element] = {}
    for joint in joints.values():
        for role in ("parent", "child"):
            named = joint.needed(role)
            link = named.text("link")
            if link not in links:
                raise named.error(f"link {link!r} does not exist.{_hint(link, links)}")
        child = joint.needed("child").text("link")
        if child in joint_of:
            other = joint_of[child]
            raise joint.error(
                f"link {child!r} is already the child of {other.described} (line {other.line}): "
                "a loop, which a tree of joints cannot hold"
            )
        joint_of[child] = joint
    reaching_root: set[str] = set()
    for name in links:
        path: dict[str, None] = {}
        link = name
        while link in joint_of and link not in reaching_root:
            if link in path:
                names = list(path)
                cycle = " → ".join([link, *reversed(names[names.index(link) :])])
                raise joint_of[link].error(f"links form a loop: {cycle}")
            path[link] = None
            link = joint_of[link].needed("parent").text("link")
        reaching_root.update(path)
    roots = [name for name in links if name not in joint_of]
    if len(roots) > 1:
        named = ", ".join(f"{name!r} (line {links[name].line})" for name in roots)
        raise links[roots[1]].error(
            f"the file has {len(roots)} roots, links that are no joint's child: {named}; "
            "allowed is one. Join them by a joint, 'fixed' or 'floating' perhaps"
        )
    return roots[0]


def _hint(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return f"{closest(name, names)} There are: {choices(name, names)}"
