"""The chaser of a scenario as a system, with its tool and its state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from percuss.algebra.poses import Pose
from percuss.encounter.errors import EncounterError, Path
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar, Spherical
from percuss.model.planar import PlanarArm, PlanarLink, planar_robot
from percuss.model.systems import Friction, Limits, System
from percuss.scenario.chaser import Chaser
from percuss.scenario.chaser_rules import is_composed
from percuss.scenario.fields import plain, plain_entries
from percuss.scenario.links import LinkBlock
from percuss.scenario.models import Models
from percuss.scenario.placing import NEXT_TO_NOTHING, placed
from percuss.scenario.shaped import planar_body
from percuss.scenario.state import base_pose
from percuss.scenario.vehicle_system import vehicle_system
from percuss.scenario.visuals import ground_mark, guessed

_BASE: Path = ("chaser", "base")


def chaser_system(chaser: Chaser, models: Models, gravity: Any) -> System:
    """Bodies and joints, in their base mode; gravity as given, or the robot's own.

    Every joint that can move still does; see `percuss.scenario.posture` for those to lock.
    """
    pose = base_pose(chaser)
    if models.whole is not None:
        system = _fallen(models.whole, gravity)
        system = placed(system, chaser.mode or str(system.mode), pose)
    elif is_composed(chaser):
        system = vehicle_system(chaser, models, gravity, pose)
    else:
        system = _fallen(_from_links(chaser, pose), gravity)
    if chaser.parameters:
        try:
            system = system.with_parameters(dict(chaser.parameters))
        except ModelError as error:
            raise EncounterError(("chaser", "parameters"), str(error)) from None
    for joint in system.joints:
        if joint is not system.base_joint and isinstance(joint.motion, (Free, Planar, Spherical)):
            raise EncounterError(
                ("chaser",),
                f"joint {joint.name!r} is {joint.motion.kind}; the joints of a chaser must be "
                "revolute or prismatic",
            )
    return replace(system, bodies=tuple(guessed(body) for body in system.bodies))


def _fallen(system: System, gravity: Any) -> System:
    return system if gravity is None else system.with_gravity(tuple(gravity))


def _from_links(chaser: Chaser, pose: Pose) -> System:
    com = chaser.base.com if chaser.base is not None and chaser.base.com else (0.0, 0.0)
    if chaser.arm is not None:
        mount = chaser.mount if chaser.mount is not None else com
        arms = {"": PlanarArm(_links(chaser.arm, ("chaser", "arm")), mount)}
    else:
        mounts = chaser.mount or {}
        arms = {
            name: PlanarArm(
                _links(arm.links or (), ("chaser", "arms", name, "links")),
                mounts.get(name, com) if arm.mount is None else arm.mount.point or com,
                arm.angle,
            )
            for name, arm in (chaser.arms or {}).items()
        }
    base = _ground(arms) if chaser.base is None else planar_body("base", chaser.base, _BASE)
    try:
        system = planar_robot(arms, base=base, name="chaser")
        return system.with_mode(chaser.mode or "free-floating", pose)
    except ModelError as error:
        raise EncounterError(("chaser",), str(error)) from None


def _ground(arms: Mapping[str, PlanarArm]) -> Body:
    """Where the arms of a chaser without a base are bolted to the world.

    The world holds it: its mass never moves anything, and is next to nothing so that it adds
    to no total either.
    """
    marks = tuple(ground_mark(arm) for arm in arms.values())
    body = Body.planar("base", NEXT_TO_NOTHING, NEXT_TO_NOTHING)
    return replace(body, visuals=marks)


def _links(links: tuple[LinkBlock, ...], at: Path) -> list[PlanarLink]:
    return [_link(link, (*at, k)) for k, link in enumerate(links)]


def _link(link: LinkBlock, at: Path) -> PlanarLink:
    limits = link.limits
    effort = float("inf") if link.torque is None else plain(link.torque)
    bounds = plain_entries((limits.lower, limits.upper, limits.speed) if limits is not None else ())
    friction = link.friction
    rubbing = plain_entries(
        (friction.viscous, friction.coulomb, friction.smoothing) if friction is not None else ()
    )
    try:
        return PlanarLink(
            length=link.length,
            mass=link.mass,
            com=link.com,
            inertia=link.inertia,
            joint=link.joint,
            limits=replace(Limits(*bounds), effort=effort),
            friction=Friction(*rubbing),
        )
    except ModelError as error:
        raise EncounterError(at, str(error)) from None
