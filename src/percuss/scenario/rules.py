"""What fields of a scenario ask of each other: each rule yields the problems it finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from percuss.model.errors import closest
from percuss.model.library import robot
from percuss.scenario.body_rules import (
    body_rules,
    inertia_rules,
    library_rules,
    orientation_rules,
)
from percuss.scenario.chaser import Arm, Base, Chaser
from percuss.scenario.control_rules import control_rules, integration_rules, period_rules
from percuss.scenario.errors import Path, Problem, shown
from percuss.scenario.fields import Measured
from percuss.scenario.impact_rules import approach_rules, impact_rules
from percuss.scenario.links import Link
from percuss.scenario.lists import FrozenDict
from percuss.scenario.target import Target
from percuss.scenario.units import in_words, parse_unit

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

SOURCES = ("arm", "arms", "urdf", "robot")


def broken_rules(scenario: Scenario) -> list[Problem]:
    """Every rule that the scenario breaks, in the order of its blocks."""
    from percuss.scenario.kinds import mixing

    problems = [
        *chaser_rules(scenario.chaser),
        *target_rules(scenario),
        *impact_rules(scenario),
        *approach_rules(scenario),
        *control_rules(scenario.control, ("control",), scenario.impact.closure),
        *integration_rules(scenario),
        *period_rules(scenario),
    ]
    if scenario.approach is not None:
        where = ("approach", "control")
        problems += control_rules(scenario.approach.control, where, None)
    # Planar and spatial parts are told apart by what is there, once that is complete.
    return problems or list(mixing(scenario))


def chaser_kind(chaser: Chaser) -> tuple[str, str]:
    """ "planar" or "spatial", and the part that says so."""
    if chaser.arm is not None or chaser.arms is not None:
        return "planar", "chaser.arm" if chaser.arm is not None else "chaser.arms"
    if chaser.robot is not None:
        kind = "planar" if robot(chaser.robot).is_planar else "spatial"
        return kind, f"chaser.robot {chaser.robot}"
    return "spatial", "chaser.urdf"


# --- the chaser -----------------------------------------------------------------------------


def chaser_rules(chaser: Chaser) -> Iterator[Problem]:
    """One kind of robot, with what belongs to it."""
    at: Path = ("chaser",)
    given = [key for key in SOURCES if chaser.given(key)]
    if len(given) != 1:
        got = f"got {' and '.join(given)}" if given else "got none of them"
        yield Problem(at, f"must have exactly one of {', '.join(SOURCES)}, {got}")
        return
    (source,) = given
    from_parts = source in ("arm", "arms")
    for key, belongs in (("base", True), ("mount", True), ("parameters", False)):
        if chaser.given(key) and from_parts is not belongs:
            allowed = "arm or arms" if belongs else "urdf or robot"
            value = shown(_short(getattr(chaser, key)))
            yield Problem((*at, key), f"goes with {allowed}, not with {source}, got {value}")
    if source == "robot":
        yield from library_rules(chaser.robot, "robot", (*at, "robot"))
    if chaser.orientation is not None:
        yield from orientation_rules(chaser.orientation, (*at, "orientation"))
    if not from_parts:
        return
    yield from _base_rules(chaser, at)
    yield from _mount_rules(chaser, at)
    if chaser.arm is not None:
        yield from _link_rules(chaser.arm, (*at, "arm"))
    for name, arm in (chaser.arms or {}).items():
        yield from _link_rules(arm.links, (*at, "arms", name, "links"))
    if chaser.arms is not None and not chaser.arms:
        yield Problem((*at, "arms"), "must hold at least one arm, got {}")


def _base_rules(chaser: Chaser, at: Path) -> Iterator[Problem]:
    if chaser.base is None:
        if chaser.mode != "fixed":
            mode = chaser.mode or "free-floating"
            needs = f"is missing: mode {mode} needs a body under the arm"
            example = "{shape: disk, mass: 100, radius: 1.0}"
            yield Problem((*at, "base"), f"{needs}. Give base: {example}, or mode: fixed")
        return
    yield from body_rules(chaser.base, (*at, "base"), ("disk", "box"))


def _mount_rules(chaser: Chaser, at: Path) -> Iterator[Problem]:
    where = (*at, "mount")
    by_name = isinstance(chaser.mount, FrozenDict)
    if chaser.mount is None:
        return
    if chaser.arm is not None and by_name:
        yield Problem(where, f"of one arm is a point [x, y] in m, got {shown(dict(chaser.mount))}")
    if chaser.arms is None:
        return
    if not by_name:
        message = "of several arms is a mapping by arm, {left: [x, y], …} in m"
        yield Problem(where, f"{message}, got {shown(chaser.mount)}")
        return
    for name in chaser.mount:
        if name not in chaser.arms:
            hint = closest(name, chaser.arms)
            there = ", ".join(chaser.arms)
            yield Problem((*where, name), f"there is no arm {name!r}.{hint} There are: {there}")
        elif chaser.arms[name].mount is not None:
            point = shown(chaser.mount[name])
            yield Problem((*where, name), f"the arm has its own mount already, got {point}")


def _link_rules(links: tuple[Link, ...], at: Path) -> Iterator[Problem]:
    if not links:
        yield Problem(at, "must hold at least one link {length: …, mass: …}, got []")
    for k, link in enumerate(links):
        where = (*at, k)
        angle, rate, effort, viscous = (
            (("rad",), ("rad/s",), ("N m",), ("N m s/rad", "N m s"))
            if link.joint == "revolute"
            else (("m",), ("m/s",), ("N",), ("N s/m",))
        )
        limits, friction = link.limits, link.friction
        checked: list[tuple[Path, Any, tuple[str, ...]]] = [(("torque",), link.torque, effort)]
        if limits is not None:
            checked += [
                (("limits", "lower"), limits.lower, angle),
                (("limits", "upper"), limits.upper, angle),
                (("limits", "speed"), limits.speed, rate),
            ]
            if limits.lower > limits.upper:
                bounds = f"{limits.lower:g} > {limits.upper:g}"
                yield Problem((*where, "limits"), f"lower must not exceed upper, got {bounds}")
        if friction is not None:
            checked += [
                (("friction", "viscous"), friction.viscous, viscous),
                (("friction", "coulomb"), friction.coulomb, effort),
                (("friction", "smoothing"), friction.smoothing, rate),
            ]
        for key, value, units in checked:
            yield from unit_rules(value, units, (*where, *key), f"of a {link.joint} joint")


def unit_rules(value: Any, units: tuple[str, ...], at: Path, what: str) -> Iterator[Problem]:
    """A number whose unit depends on another field; `what` names that."""
    values = value if isinstance(value, tuple) else (value,)
    allowed = [parse_unit(unit).dimension for unit in units]
    for entry in values:
        if isinstance(entry, Measured) and entry.dimension not in (None, *allowed):
            given = in_words(entry.dimension)  # type: ignore[arg-type]
            unit = " or ".join(units)
            yield Problem(at, f"{what} must be in {unit}, got {float(entry):g}, which is {given}")


# --- the target -----------------------------------------------------------------------------


def target_rules(scenario: Scenario) -> Iterator[Problem]:
    """A body or an object, touched somewhere, and placed by the contact or by its position."""
    at: Path = ("target",)
    target = scenario.target
    if target is None:
        if scenario.impact.closure != "pulse" or scenario.approach is not None:
            need = "approach" if scenario.approach else f"closure {scenario.impact.closure}"
            yield Problem(at, f"is missing: {need} needs a target with mass, contact, velocity")
        return
    if target.object is None:
        yield from body_rules(target, at, ("disk", "box", "cylinder", "sphere"))
        if target.contact is None:
            yield Problem(
                (*at, "contact"),
                "is missing. Give contact: a point in m from the centre of mass in the target "
                "frame, or {angle: …} on the rim of a disk",
            )
    else:
        yield from _object_rules(target, at)
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


def _object_rules(target: Target, at: Path) -> Iterator[Problem]:
    yield from library_rules(target.object, "target", (*at, "object"))
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


def _short(value: Any) -> Any:
    return value.model_dump(exclude_unset=True) if isinstance(value, (Base, Arm)) else value
