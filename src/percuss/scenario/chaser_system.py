"""The chaser of a scenario as a system, with its tool and its state."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from percuss.algebra.poses import Pose
from percuss.model.bodies import Body, Visual, box, disk
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, Planar, Prismatic, Revolute
from percuss.model.library import robot
from percuss.model.planar import PlanarArm, PlanarLink, planar_robot
from percuss.model.systems import Friction, Joint, Limits, System
from percuss.model.urdf import read_urdf
from percuss.scenario.chaser import Chaser
from percuss.scenario.errors import Path, UnbuildableError, shown
from percuss.scenario.links import Link
from percuss.scenario.state import base_pose
from percuss.scenario.visuals import ground_mark, guessed

_NEXT_TO_NOTHING = 1e-9
"""Mass (kg) and inertia (kg m²) of a body that stands for the ground and never moves."""
_BASE: Path = ("chaser", "base")


def chaser_system(chaser: Chaser, gravity: Any, folder: FilePath) -> System:
    """Bodies and joints, in their base mode; gravity as given, or the robot's own."""
    pose = base_pose(chaser)
    if chaser.urdf is not None:
        system = _from_urdf(chaser, pose, folder)
    elif chaser.robot is not None:
        system = _from_library(chaser, pose)
    else:
        system = _from_parts(chaser, pose)
    if chaser.parameters:
        try:
            system = system.with_parameters(dict(chaser.parameters))
        except ModelError as error:
            raise UnbuildableError(("chaser", "parameters"), str(error)) from None
    for joint in system.joints:
        if joint is not system.base_joint and not isinstance(
            joint.motion.uncoupled, (Revolute, Prismatic, Fixed)
        ):
            raise UnbuildableError(
                ("chaser", "urdf"),
                f"joint {joint.name!r} is {joint.motion.kind}; the joints of a chaser must be "
                f"revolute or prismatic, got {shown(chaser.urdf)}",
            )
    if gravity is not None:
        system = system.with_gravity(tuple(gravity))
    return replace(system, bodies=tuple(guessed(body) for body in system.bodies))


def _from_parts(chaser: Chaser, pose: Pose) -> System:
    com = chaser.base.com if chaser.base is not None and chaser.base.com else (0.0, 0.0)
    if chaser.arm is not None:
        mount = chaser.mount if chaser.mount is not None else com
        arms = {"": PlanarArm(_links(chaser.arm, ("chaser", "arm")), mount)}
    else:
        mounts = chaser.mount or {}
        arms = {
            name: PlanarArm(
                _links(arm.links, ("chaser", "arms", name, "links")),
                arm.mount if arm.mount is not None else mounts.get(name, com),
                arm.angle,
            )
            for name, arm in (chaser.arms or {}).items()
        }
    base = _ground(arms) if chaser.base is None else planar_body("base", chaser.base, _BASE)
    try:
        system = planar_robot(arms, base=base, name="chaser")
        return system.with_mode(chaser.mode or "free-floating", pose)
    except ModelError as error:
        raise UnbuildableError(("chaser",), str(error)) from None


def _ground(arms: Mapping[str, PlanarArm]) -> Body:
    """Where the arms of a chaser without a base are bolted to the world.

    The world holds it: its mass never moves anything, and is next to nothing so that it adds
    to no total either.
    """
    marks = tuple(ground_mark(arm) for arm in arms.values())
    body = Body.planar("base", _NEXT_TO_NOTHING, _NEXT_TO_NOTHING)
    return replace(body, visuals=marks)


def planar_body(name: str, given: Any, at: Path) -> Body:
    """A planar body of a shape, or of mass and inertia; `given` has those fields."""
    visuals: tuple[Visual, ...] = ()
    try:
        if given.radius is not None:
            shape = disk(name, given.radius, given.mass)
        elif given.size is not None:
            thickness = 0.2 * min(given.size)
            shape = box(name, (*given.size, thickness), given.mass)
        else:
            shape = None
        com = getattr(given, "com", None) or (0.0, 0.0)
        if shape is not None:
            visuals = tuple(replace(v, placement=Pose.at(com)) for v in shape.visuals)
        inertia: Any = given.inertia
        if inertia is not None:
            return replace(Body.planar(name, given.mass, inertia.moment, com), visuals=visuals)
        assert shape is not None, "the rules ask for a shape or an inertia"
        return replace(shape, com=Pose.at(com).position, visuals=visuals)
    except ModelError as error:
        raise UnbuildableError(at, str(error)) from None


def _links(links: tuple[Link, ...], at: Path) -> list[PlanarLink]:
    return [_link(link, (*at, k)) for k, link in enumerate(links)]


def _link(link: Link, at: Path) -> PlanarLink:
    limits = link.limits
    effort = float("inf") if link.torque is None else float(link.torque)
    bounds = (
        (float(limits.lower), float(limits.upper), float(limits.speed))
        if limits is not None
        else ()
    )
    friction = link.friction
    rubbing = (
        (float(friction.viscous), float(friction.coulomb), float(friction.smoothing))
        if friction is not None
        else ()
    )
    try:
        return PlanarLink(
            link.length,
            link.mass,
            link.com,
            link.inertia,
            link.joint,
            replace(Limits(*bounds), effort=effort),
            Friction(*rubbing),
        )
    except ModelError as error:
        raise UnbuildableError(at, str(error)) from None


def _from_library(chaser: Chaser, pose: Pose) -> System:
    system = robot(str(chaser.robot))
    mode = chaser.mode or str(system.mode)
    try:
        system = system.with_mode(mode, pose)
    except ModelError as error:
        raise UnbuildableError(
            ("chaser", "mode"), f"{str(error).rstrip('.')}, got {shown(mode)}"
        ) from None
    return _held(system, pose)


def _from_urdf(chaser: Chaser, pose: Pose, folder: FilePath) -> System:
    at: Path = ("chaser", "urdf")
    path = folder / str(chaser.urdf)
    try:
        with warnings.catch_warnings(record=True) as notices:
            warnings.simplefilter("always")
            system = read_urdf(path, mode=chaser.mode or "free-floating")
    except FileNotFoundError:
        raise UnbuildableError(at, f"there is no file {shown(str(path))}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UnbuildableError(at, f"{shown(chaser.urdf)} cannot be read: {reason}") from None
    for notice in notices:
        warnings.warn(str(notice.message), notice.category, stacklevel=2)
    return _held(system, pose)


def _held(system: System, pose: Pose) -> System:
    """A base that is fixed to the world, moved to where it is to be."""
    joint = system.base_joint
    if isinstance(joint.motion, (Free, Planar)):
        return system
    if isinstance(joint.motion, Fixed):
        held = Joint(joint.name, Fixed(), joint.parent, joint.child, pose)
        joints = tuple(held if j is joint else j for j in system.joints)
        return replace(system, joints=joints)
    if not pose.is_identity:
        raise UnbuildableError(
            ("chaser", "position"),
            f"{system.name!r} stands on the world by its joint {joint.name!r} and has no base to "
            "place; leave position, angle and orientation out",
        )
    return system
