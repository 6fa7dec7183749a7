"""What an encounter asks of its parts: shapes, signs, and which of them go together."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.scalars import sub
from percuss.algebra.vectors import Vector3
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.actuation import ActuatorLimits, Dump, each, effort_limits
from percuss.encounter.approach import Approach, Law
from percuss.encounter.belief import Belief
from percuss.encounter.contact_geometry import shape_of
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.laws.meeting_plans import asked_meeting
from percuss.encounter.method import Integration
from percuss.encounter.phase_machine import Closure
from percuss.encounter.requirements import require, require_kind
from percuss.kinematics.frames import frame_pose
from percuss.model.checks import is_finite, is_not_negative, is_positive, known, values, violates
from percuss.model.errors import choices, closest
from percuss.model.joints import Free, Planar, Spherical
from percuss.model.names import BaseMode
from percuss.model.systems import System

if TYPE_CHECKING:
    from percuss.encounter.encounter import Encounter

UNIT = 1e-3
"""How far the length of a quaternion may be from one: further is a slip, not a rounding."""


def check_kinds(encounter: Encounter) -> None:
    """EncounterError for a part that is not of the kind it should be."""
    kinds: tuple[tuple[Path, Any, type, str], ...] = (
        (("chaser",), encounter.chaser, System, "a system, such as percuss.robot(…)"),
        (("target",), encounter.target, System, "a system, such as percuss.free_body(…)"),
        (("impact", "closure"), encounter.closure, Closure, "a closure, such as percuss.Weld()"),
        (("control", "law"), encounter.control, Law, "a law, such as percuss.PD(…)"),
        (("approach",), encounter.approach, Approach, "a percuss.Approach"),
        (("orbit",), encounter.orbit, CircularOrbit, "a CircularOrbit of percuss.dynamics"),
    )
    for path, value, kind, what in kinds:
        if value is not None:
            require_kind(path, value, kind, what)
    for path, value, kind, what in (
        (("integration",), encounter.integration, Integration, "a percuss.Integration"),
        (("name",), encounter.name, str, "a text"),
    ):
        require_kind(path, value, kind, what)


def check_point(path: Path, point: Any) -> None:
    """EncounterError unless a point is two or three finite numbers."""
    if not isinstance(point, (Sized, Vector3)) or len(list(point)) not in (2, 3):  # type: ignore[arg-type]
        raise EncounterError(path, f"must be two or three numbers in m, got {shown(point)}")
    for entry in point:  # type: ignore[union-attr]
        require(path, entry, is_finite, "a point of finite numbers in m")


def check_encounter(encounter: Encounter) -> None:
    """EncounterError for the first thing that is wrong: field, value, and what is allowed."""
    require(("duration",), encounter.duration, is_positive, "a time in s > 0")
    if not isinstance(encounter.samples, int) or encounter.samples < 2:
        message = f"must be a whole number, two or more, got {shown(encounter.samples)}"
        raise EncounterError(("output", "samples"), message)
    if encounter.approach is not None and not encounter.closure.needs_target:
        message = f"is for a target that is met, which closure {encounter.closure.name} has not"
        raise EncounterError(("approach",), message)
    _check_bodies(encounter)
    _check_law(encounter.control, ("control",), encounter)
    if encounter.approach is not None:
        _check_approach(encounter.approach, encounter)
    if encounter.orbit is not None and encounter.chaser.mode == BaseMode.FIXED:
        message = "does not go with a fixed chaser: nothing in orbit is held still"
        raise EncounterError(("orbit",), message)
    if encounter.orbit is not None and any(violates(g, _is_zero) for g in encounter.chaser.gravity):
        message = (
            "does not go with gravity, and the chaser brings its own: take it out of the model"
        )
        raise EncounterError(("orbit",), message)


def _is_zero(x: Any) -> Any:
    return x == 0


def _is_later(x: Any) -> Any:
    return x > 0


def _check_bodies(encounter: Encounter) -> None:
    chaser, target, closure = encounter.chaser, encounter.target, encounter.closure
    _check_state("chaser", chaser, encounter.chaser_coordinates, encounter.chaser_rates)
    if target is not None:
        _check_state("target", target, encounter.target_coordinates, encounter.target_rates)
        _check_pair(chaser, target)
        assert encounter.grip is not None
        if encounter.grip.body != target.base.name:
            raise EncounterError(
                ("target", "contact"),
                f"is on {encounter.grip.body!r}, which does not carry the target "
                f"{target.name!r}, as {target.base.name!r} does: make it the root first with "
                "percuss.reroot",
            )
    elif closure.needs_target or encounter.approach is not None:
        need = "an approach" if encounter.approach is not None else f"closure {closure.name}"
        raise EncounterError(("target",), f"is missing: {need} needs a target, a free body")


def _check_pair(chaser: System, target: System) -> None:
    """The target is free to move, in the plane where the chaser is in the plane."""
    base = target.base_joint.motion
    planar = chaser.is_planar and target.is_planar
    if not isinstance(base, Free) and not (planar and isinstance(base, Planar)):
        raise EncounterError(
            ("target",),
            f"{target.name!r} is on a {base.kind} joint on the world; it has to be free: in space "
            "on a free joint, in the plane (both systems planar) on a planar one; see "
            "percuss.free_body",
        )


def _check_state(owner: str, system: System, q: Coordinates, v: Rates) -> None:
    sizes = ("coordinates", q, system.coordinate_count), ("rates", v, system.rate_count)
    for what, entries, count in sizes:
        if not isinstance(entries, Sized) or len(entries) != count:
            got = f"{len(entries)}" if isinstance(entries, Sized) else shown(entries)
            raise EncounterError(
                (owner, what), f"must have {count} entries, those of {system.name!r}, got {got}"
            )
        for k, entry in enumerate(entries):  # type: ignore[arg-type]
            require((owner, what, k), entry, is_finite, "finite")
    for node in system.tree:
        if isinstance(node.joint.motion, (Free, Spherical)):
            first = node.coordinates.stop - 4
            part = [q[first + k] for k in range(4)]
            if all(known(x) for x in part):
                norm = float(np.max(np.linalg.norm([values(x) for x in part], axis=0)))
                if abs(norm - 1.0) > UNIT:
                    raise EncounterError(
                        (owner, "coordinates"),
                        f"entries {first + 1} to {first + 4} must be a unit quaternion "
                        f"(w, x, y, z), got one of length {norm:.6g}",
                    )


def _check_law(law: Law, at: Path, encounter: Encounter) -> None:
    chaser = encounter.chaser
    side = "after" if at == ("control",) else "before"
    if law.only and law.only != side:
        other = "approach.control" if law.only == "before" else "control"
        message = f"{law.name!r} is for {law.only} the contact: use it in {other}"
        raise EncounterError((*at, "law"), message)
    if law.feels and not encounter.closure.takes_time:
        raise EncounterError(
            (*at, "law"),
            f"{law.name!r} acts on a force with a duration, and closure "
            f"{encounter.closure.name} is instantaneous; use closure compliant or pulse, or "
            "another law (none, pd, computed-torque)",
        )
    _check_law_parts(law, at)
    for key in ("natural-frequency", "damping-ratio", "kp", "kd"):
        each(law.strength.get(key), chaser.rate_count, "generalized velocity", (*at, key))
    if law.goal is not None:
        law.goal.points(chaser, encounter.chaser_coordinates, (*at, "goal"))
    effort_limits(law.limits, chaser, (*at, "limits"))
    _check_wheels(law, at, chaser)
    if law.believes is not None:
        _check_belief(law.believes, (*at, "believes"), encounter)


def _check_law_parts(law: Law, at: Path) -> None:
    """Parts of a law that are not what they should be."""
    require_kind((*at, "limits"), law.limits, ActuatorLimits, "a percuss.ActuatorLimits")
    if law.dump is not None:
        require_kind((*at, "dump"), law.dump, Dump, "a percuss.Dump")
    if law.believes is not None:
        require_kind((*at, "believes"), law.believes, Belief, "a percuss.Belief")
    if law.goal is not None and not callable(getattr(law.goal, "points", None)):
        what = "a percuss.Stay, MoveTo or PassThrough"
        raise EncounterError((*at, "goal"), f"must be {what}, got {shown(law.goal)}")
    if law.period is not None:
        require((*at, "period"), law.period, is_positive, "a time in s > 0")


def _check_wheels(law: Law, at: Path, chaser: System) -> None:
    """Wheels are there to be limited and unloaded."""
    if chaser.mode == BaseMode.ATTITUDE_CONTROLLED:
        return
    message = f"is for mode attitude-controlled, which has wheels, not for {chaser.mode}"
    if law.limits.wheels is not None:
        wheels = (*at, "limits", "wheels")
        raise EncounterError(wheels, f"{message}, got {shown(law.limits.wheels)}")
    if law.dump is not None:
        raise EncounterError((*at, "dump"), f"{message}, got {shown(law.dump)}")


def _check_belief(belief: Belief, at: Path, encounter: Encounter) -> None:
    """The bodies that a controller believes in are those of the encounter, by their names."""
    for owner, believed, true in (
        ("chaser", belief.chaser, encounter.chaser),
        ("target", belief.target, encounter.target),
    ):
        if believed is None or true is None:
            continue
        require_kind((*at, owner), believed, System, "a system")
        names = [body.name for body in true.bodies]
        for body in believed.bodies:
            if body.name not in names:
                raise EncounterError(
                    (*at, owner),
                    f"there is no body {body.name!r} in the {owner}.{closest(body.name, names)} "
                    f"There are: {choices(body.name, names)}",
                )


def _check_outside(encounter: Encounter) -> None:
    """The tool is outside the shape that it is to touch."""
    target, grip = encounter.target, encounter.grip
    surface = None if target is None else shape_of(target)
    if surface is None or target is None or grip is None:
        return
    tool = frame_pose(encounter.chaser, encounter.chaser_coordinates, encounter.tool).position
    body = frame_pose(target, encounter.target_coordinates, target.base.name)
    apart = surface.distance(body.act_inverse(tool))
    if violates(apart, is_not_negative):
        raise EncounterError(
            ("target", "position"),
            f"puts the tool {-float(np.min(values(apart))):.4g} m inside the target at the start; "
            "it must be outside",
        )


def _check_approach(approach: Approach, encounter: Encounter) -> None:
    at: Path = ("approach",)
    if approach.by_surface:
        if encounter.target is not None and shape_of(encounter.target) is None:
            raise EncounterError(
                (*at, "contact"),
                "'surface' needs a target with a shape (disk, sphere, box, cylinder); or give "
                "capture-radius, how close in m the tool must come to the contact point",
            )
        _check_outside(encounter)
    if violates(sub(approach.timeout, approach.observe), _is_later):
        limits = f"less than the timeout, {shown(approach.timeout)} s"
        raise EncounterError((*at, "observe"), f"must be {limits}, got {shown(approach.observe)}")
    law = approach.control
    if law.preparation(approach) in ("meeting", "plan"):
        meet = asked_meeting(approach)
        waits = violates(sub(meet.at, approach.observe), _is_later)
        if waits or violates(sub(approach.timeout, meet.at), _is_later):
            raise EncounterError(
                (*at, "meet", "at"),
                f"must be after {shown(approach.observe)} s (observe) and before the timeout, "
                f"{shown(approach.timeout)} s, got {shown(meet.at)}",
            )
    _check_law(law, (*at, "control"), encounter)
