"""What fields of a scenario ask of each other: each rule yields the problems it finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from percuss.encounter.errors import Path, shown
from percuss.model.systems import System
from percuss.scenario.approach import approach_rules
from percuss.scenario.body_rules import (
    body_rules,
    inertia_rules,
    orientation_rules,
)
from percuss.scenario.chaser_rules import chaser_rules
from percuss.scenario.errors import Problem
from percuss.scenario.from_library import GRIP, library_rules
from percuss.scenario.orbit import orbit_rules
from percuss.scenario.target import Target

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


def broken_rules(scenario: Scenario) -> list[Problem]:
    """Every rule that the scenario breaks, in the order of its blocks.

    Planar and spatial parts are told apart afterwards, when model files have been read; see
    `percuss.scenario.kinds`.
    """
    problems = [
        *chaser_rules(scenario.chaser),
        *target_rules(scenario),
        *scenario.impact.rules(("impact",)),
        *approach_rules(scenario),
        *_felt_rules(scenario),
        *scenario.control.rules(("control",), scenario.duration),
        *scenario.integration.rules(("integration",), scenario.duration),
        *orbit_rules(scenario),
    ]
    if scenario.approach is not None:
        where, timeout = ("approach", "control"), scenario.approach.timeout
        problems += scenario.approach.control.rules(where, timeout)
    return problems


def _felt_rules(scenario: Scenario) -> Iterator[Problem]:
    law, closure = scenario.control.law, scenario.impact.closure
    if scenario.control.makes.feels and not scenario.impact.makes.takes_time:
        yield Problem(
            ("control", "law"),
            f"{law!r} acts on a force with a duration, and closure {closure} is instantaneous; "
            "use closure compliant or pulse, or another law (none, pd, computed-torque)",
        )


# --- the target -----------------------------------------------------------------------------


def target_rules(scenario: Scenario) -> Iterator[Problem]:
    """A body or an object, touched somewhere, and placed by the contact or by its position."""
    at: Path = ("target",)
    target = scenario.target
    if target is None:
        if scenario.impact.makes.needs_target or scenario.approach is not None:
            need = "approach" if scenario.approach else f"closure {scenario.impact.closure}"
            yield Problem(at, f"is missing: {need} needs a target with mass, contact, velocity")
        return
    if target.object is None:
        yield from body_rules(target, at, ("disk", "box", "cylinder", "sphere"))
    else:
        yield from _object_rules(target, target.object, at)
    own = isinstance(target.object, System) and GRIP not in {f.name for f in target.object.frames}
    if target.contact is None and (target.object is None or own):
        yield Problem(
            (*at, "contact"),
            "is missing. Give contact: a point in m from the centre of mass in the target "
            "frame, or {angle: …} on the rim of a disk",
        )
    yield from _contact_rules(target, (*at, "contact"))
    if target.orientation is not None:
        yield from orientation_rules(target.orientation, (*at, "orientation"))
    if scenario.approach is None and target.position is not None:
        yield Problem(
            (*at, "position"),
            "goes with approach; without it the target is placed so that its contact point meets "
            f"the tool, got {shown(target.position)}",
        )
    if scenario.approach is not None and target.position is None:
        yield Problem(
            (*at, "position"),
            "is missing: approach needs the position of the target's centre of mass at the start, "
            "in m, world frame",
        )


def _object_rules(target: Target, given: str | System, at: Path) -> Iterator[Problem]:
    yield from library_rules(given, "target", (*at, "object"))
    for key in ("shape", "radius", "length", "size"):
        if target.given(key):
            value = shown(getattr(target, key))
            yield Problem((*at, key), f"does not go with object; give one of them, got {value}")
    if target.inertia is not None:
        yield from inertia_rules(target.inertia, (*at, "inertia"))


def _contact_rules(target: Target, at: Path) -> Iterator[Problem]:
    contact = target.contact
    if contact is None:
        return
    if (contact.angle is None) == (contact.point is None):
        got = "got both" if contact.angle is not None else "got neither"
        yield Problem(at, f"must be a point in m, or have angle (rad, on the rim), {got}")
    if contact.angle is not None and target.radius is None:
        what = "object" if target.object is not None else "target without radius"
        yield Problem(
            (*at, "angle"),
            f"is on the rim of a disk and needs target.radius; for an {what} give a point [x, y] "
            f"in m, got {contact.angle:g}",
        )
