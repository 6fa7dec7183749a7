"""The two systems that touch, as a scenario describes them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import atan2, cos, formula, mul, pack, sin
from percuss.algebra.vectors import Vector3
from percuss.encounter.errors import EncounterError, Path
from percuss.encounter.postures import coordinates_at
from percuss.encounter.start import Start
from percuss.impact.contact import Contact
from percuss.impact.surfaces import surface_of
from percuss.kinematics.frames import frame_pose, planar_angle
from percuss.model.bodies import Body
from percuss.model.checks import is_finite, values, violates
from percuss.model.errors import ModelError
from percuss.model.rebase import unused
from percuss.model.single import free_body
from percuss.model.systems import Frame, System
from percuss.scenario.chaser_system import chaser_system
from percuss.scenario.command import check_command
from percuss.scenario.errors import Problem, ScenarioError
from percuss.scenario.fields import plain, plain_entries
from percuss.scenario.from_library import GRIP, system_of
from percuss.scenario.impact import BounceBlock, CompliantBlock
from percuss.scenario.models import Models
from percuss.scenario.orbit import check_orbit, inertial_velocity
from percuss.scenario.posture import locked_system, start_joints
from percuss.scenario.shaped import planar_body, solid_body, tensor
from percuss.scenario.state import (
    base_pose,
    joint_values,
    rates_at,
    rotation_of,
)
from percuss.scenario.target import Target
from percuss.scenario.tool import tool_frame
from percuss.scenario.visuals import guessed

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


def build(scenario: Scenario) -> Contact:
    """Chaser and target just before the impact, the contact point of the target at the tool.

    ScenarioError where there is no such moment at the start: with `approach`, and for a pulse
    without a target.
    """
    if scenario.contact is not None:
        return scenario.contact
    if scenario.approach is not None:
        raise ScenarioError(
            "approach: chaser and target are apart at the start; no contact yet. Leave out "
            "approach: the scenario then begins where they touch"
        )
    raise ScenarioError("target: is missing; a pulse without a target has no contact")


def build_start(
    scenario: Scenario, models: Models, folder: FilePath
) -> tuple[Start | None, Contact | None, list[Problem]]:
    """How a run begins, its contact where it begins with one, or what stands in the way.

    `models` are those that the chaser names; other files are relative to `folder`.
    """
    try:
        movable = chaser_system(scenario.chaser, models, scenario.gravity)
        chaser = locked_system(movable, scenario.chaser)
        check_orbit(scenario, chaser)
        orbit = None if scenario.orbit is None else scenario.orbit.circular
        tool = tool_frame(chaser, scenario.chaser, models, folder)
        q, v = _chaser_state(scenario, chaser, models)
        check_command(scenario, chaser, q)
        if scenario.target is None:
            return Start(chaser, tool, q, v, orbit=orbit), None, []
        target, grip = _target_system(scenario.target, chaser, tool)
        q_target = _target_place(scenario, chaser, q, tool, target=target, grip=grip)
        v_target = _target_rates(scenario, q_target, target)
        _check_normal(scenario, grip)
        start = Start(
            chaser=chaser,
            tool=tool,
            chaser_coordinates=q,
            chaser_rates=v,
            target=target,
            grip=grip,
            target_coordinates=q_target,
            target_rates=v_target,
            orbit=orbit,
        )
        if scenario.approach is not None:
            _check_surface(scenario, start)
            return start, None, []
        return start, _touching(start, target, grip), []
    except EncounterError as error:
        return None, None, [Problem(error.path, error.message)]


def _check_surface(scenario: Scenario, start: Start) -> None:
    approach, target = scenario.approach, start.target
    if approach is None or approach.contact != "surface" or target is None:
        return
    try:
        surface = surface_of(target.base, planar=target.is_planar)
    except ModelError as error:
        raise EncounterError(
            ("approach", "contact"),
            f"'surface' needs a target with a shape (disk, sphere, box, cylinder): {error}",
        ) from None
    tool = frame_pose(start.chaser, start.chaser_coordinates, start.tool).position
    body = frame_pose(target, start.target_coordinates, target.base.name)
    apart = surface.distance(body.act_inverse(tool))
    if violates(apart, lambda gap: np.logical_not(gap < 0.0)):
        inside = -float(np.min(values(apart)))
        raise EncounterError(
            ("target", "position"),
            f"puts the tool {inside:.4g} m inside the target at the start; it must be outside",
        )


def _touching(start: Start, target: System, grip: Frame) -> Contact:
    """Chaser and target of a start as they touch at it."""
    try:
        return Contact(
            chaser=start.chaser,
            target=target,
            tool=start.tool,
            grip=grip,
            chaser_coordinates=start.chaser_coordinates,
            chaser_rates=start.chaser_rates,
            target_coordinates=start.target_coordinates,
            target_rates=start.target_rates,
        )
    except ModelError as error:
        raise EncounterError(("target", "contact"), str(error)) from None


def _chaser_state(scenario: Scenario, system: System, models: Models) -> tuple[Any, Any]:
    chaser = scenario.chaser
    joints = start_joints(system, chaser, models)
    q = coordinates_at(system, base_pose(chaser), chaser.angle, joints)
    where: Path = ("chaser", "velocity", "joints")
    rates = joint_values(system, chaser.velocity.joints, where, rates=True)
    place = base_pose(chaser).position
    velocity = inertial_velocity(scenario.orbit, place, chaser.velocity, scenario.is_planar)
    return q, rates_at(system, q, velocity, rates)


def _target_system(target: Target, chaser: System, tool: Frame) -> tuple[System, Frame]:
    """The target as a free body with its frame at its centre of mass, and where it is held."""
    taken = {body.name for body in chaser.bodies} | {f.name for f in chaser.frames} | {tool.name}
    name, grip_name = unused("target", taken), unused("grip", taken)
    planar = _is_planar(target)
    if target.object is not None:
        body, point = _object_body(target.object, target)
    else:
        body, point = _own_body(target, planar), None
    if target.contact is not None:
        point = _contact_point(target)
    assert point is not None, "the rules ask for a contact where there is no grip"
    grip = Frame(grip_name, name, Pose.at(point))
    system = free_body(guessed(replace(body, name=name)), planar=planar, frames=[grip])
    return system.with_gravity(chaser.gravity), grip


def _is_planar(target: Target) -> bool:
    """Whether the target lies in the plane; the rules have seen that its parts agree."""
    if target.object is not None:
        return system_of(target.object).is_planar
    if target.shape in ("disk", "cylinder", "sphere"):
        return target.shape == "disk"
    if target.size is not None:
        return len(target.size) == 2
    return target.inertia is not None and target.inertia.is_planar


def _object_body(given: str | System, target: Target) -> tuple[Body, tuple[Any, ...] | None]:
    """The body of an object, its frame at its centre of mass, and there its grip if it has one."""
    system = system_of(given)
    body, at = system.base, ("target", "inertia")
    grips = [frame.placement.position for frame in system.frames if frame.name == GRIP]
    points = [tuple(grip - body.com) for grip in grips]
    try:
        if target.mass is not None:
            body = replace(body, mass=target.mass)
        if target.inertia is not None:
            body = replace(body, inertia=tensor(target.inertia, body.name))
    except ModelError as error:
        raise EncounterError(at, str(error)) from None
    return replace(body, com=Vector3.zero()), points[0] if points else None


def _own_body(target: Target, planar: bool) -> Body:
    if planar:
        return planar_body("target", target, ("target",))
    assert target.mass is not None, "the rules ask for a mass where there is no object"
    try:
        return solid_body("target", target, target.mass)
    except ModelError as error:
        at = "inertia" if target.inertia is not None else "mass"
        raise EncounterError(("target", at), str(error)) from None


def _contact_point(target: Target) -> tuple[Any, ...]:
    contact = target.contact
    assert contact is not None
    if contact.point is not None:
        return contact.point
    assert target.radius is not None
    assert contact.angle is not None
    angle = plain(contact.angle)
    return mul(target.radius, cos(angle)), mul(target.radius, sin(angle))


@formula
def _against(link: Any, polar: Any) -> Any:
    """The target's angle at which a radius of this polar angle points against a link's (rad)."""
    return link + math.pi - polar


def _target_place(
    scenario: Scenario, chaser: System, q: Coordinates, tool: Frame, *, target: System, grip: Frame
) -> Any:
    """The target's coordinates, those of its centre of mass."""
    given = scenario.target
    assert given is not None
    point = grip.placement.position
    if target.is_planar:
        angle = given.angle
        if angle is None:
            # The thesis's (4.20): the contact's radius points against the tool's link.
            link = planar_angle(chaser, q, tool.body)
            angle = _against(link, atan2(point.y, point.x))
        turned = Pose.planar(0.0, 0.0, angle)
    else:
        angle = 0.0
        turned = rotation_of(given.orientation)
    if given.position is not None:
        position = Pose.at(given.position).position
    else:
        position = frame_pose(chaser, q, tool).position - turned.rotation @ point
    x, y, z = position
    if any(violates(a, is_finite) for a in position):
        raise EncounterError(("target", "contact"), f"lies at no finite place, got ({x}, {y}, {z})")
    if target.is_planar:
        return pack((x, y, plain(angle)))
    return pack((x, y, z, *turned.rotation.to_quaternion()))


def _target_rates(scenario: Scenario, q: Coordinates, target: System) -> Any:
    """Velocity of the centre of mass and angular velocity, world axes: the rates themselves."""
    assert scenario.target is not None
    planar = target.is_planar
    place = Vector3(plain(q[0]), plain(q[1]), 0.0 if planar else plain(q[2]))
    given = inertial_velocity(scenario.orbit, place, scenario.target.velocity, planar)
    linear, angular = given.linear, given.angular
    if target.is_planar:
        vx, vy = linear or (0.0, 0.0)
        return pack(plain_entries((vx, vy, 0.0 if angular is None else angular)))
    turning = angular if isinstance(angular, tuple) else (0.0, 0.0, 0.0)
    return pack(plain_entries((*(linear or (0.0, 0.0, 0.0)), *turning)))


def _check_normal(scenario: Scenario, grip: Frame) -> None:
    impact, approach = scenario.impact, scenario.approach
    if not isinstance(impact, (BounceBlock, CompliantBlock)) or impact.normal is not None:
        return
    if isinstance(impact, CompliantBlock) and not impact.contact_law.only_pushes:
        return
    if approach is not None and approach.contact == "surface":
        return
    if violates(grip.placement.position.norm(), lambda away: np.logical_not(away < 1e-9)):
        raise EncounterError(
            ("impact", "normal"),
            "is missing: the contact is at the target's centre of mass, so there is no direction "
            "from one to the other; give normal as a vector in the world frame",
        )
