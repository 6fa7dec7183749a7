"""What the impact block asks of its keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from percuss.encounter.errors import Path, shown
from percuss.scenario.block import dashed
from percuss.scenario.control import PLANNED_LAWS
from percuss.scenario.errors import Problem
from percuss.scenario.fields import Measured
from percuss.scenario.impact import CLOSURE_KINDS, Approach, Impact, closures_of
from percuss.scenario.units import parse_unit

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


def impact_rules(scenario: Scenario) -> Iterator[Problem]:
    """Keys that belong to the closure, all that it needs, and units that fit its law."""
    impact = scenario.impact
    at: Path = ("impact",)
    for key in map(dashed, Impact.model_fields):
        closures = closures_of(key)
        if closures and impact.given(key) and impact.closure not in closures:
            value = getattr(impact, key.replace("-", "_"))
            value = value.model_dump() if hasattr(value, "model_dump") else value
            yield Problem(
                (*at, key),
                f"is for closure {' or '.join(closures)}, not for {impact.closure}, "
                f"got {shown(value)}",
            )
    for key, what in CLOSURE_KINDS[impact.closure].needs.items():
        if not impact.given(key):
            yield Problem((*at, key), f"is missing: closure {impact.closure} needs {what}")
    if impact.normal is not None and sum(x * x for x in impact.normal) < 1e-12:
        yield Problem(
            (*at, "normal"), f"must not be zero, got {shown(list(impact.normal))}; any length else"
        )
    if impact.closure == "compliant":
        yield from _compliant_rules(impact, at)


def approach_rules(scenario: Scenario) -> Iterator[Problem]:
    """How contact is found, and a meeting that can be kept."""
    approach, at = scenario.approach, ("approach",)
    if approach is None:
        return
    closure = scenario.impact.closure
    if closure in ("pulse", "published"):
        allowed = "pin, weld, bounce or compliant"
        yield Problem(("impact", "closure"), f"with approach must be {allowed}, got {closure!r}")
    radius = approach.capture_radius
    if approach.contact == "point" and radius is None:
        message = "is missing: how close in m the tool must come to the contact point, such as 2 cm"
        yield Problem((*at, "capture-radius"), f"{message}; or contact: surface")
    if approach.contact == "surface" and scenario.impact.normal is not None:
        got = shown(list(scenario.impact.normal))
        message = "does not go with approach.contact surface, whose shape has its own normals"
        yield Problem(("impact", "normal"), f"{message}, got {got}")
    if approach.contact == "surface" and radius is not None:
        yield Problem((*at, "capture-radius"), f"is for contact point, got {radius:g}")
    if approach.observe is not None and approach.observe >= approach.timeout:
        limits = f"less than the timeout, {approach.timeout:g} s"
        yield Problem((*at, "observe"), f"must be {limits}, got {approach.observe:g}")
    yield from _meeting_rules(approach, (*at, "meet"))
    law = approach.control.law
    if law == "match" and approach.meet is None:
        yield Problem((*at, "meet"), "is missing: law match needs the time of meeting, {at: 30 s}")
    if approach.control.dump is not None:
        yield Problem((*at, "control", "dump"), "is for after the grasp: use it in control")
    if law == "detumble":
        yield Problem(
            (*at, "control", "law"), "'detumble' is for after the grasp: use it in control"
        )


def _meeting_rules(approach: Approach, at: Path) -> Iterator[Problem]:
    meet, control = approach.meet, approach.control
    if meet is None:
        return
    go = approach.observe or 0.0
    if not go < meet.at < approach.timeout:
        limits = f"after {go:g} s (observe) and before the timeout, {approach.timeout:g} s"
        yield Problem((*at, "at"), f"must be {limits}, got {meet.at:g}")
    if control.law not in ("match", *PLANNED_LAWS):
        yield Problem(
            at, f"is for approach.control.law match, pd or computed-torque, not for {control.law}"
        )
    if control.law in PLANNED_LAWS and control.given("goal"):
        where = ("approach", "control", "goal")
        yield Problem(where, "does not go with approach.meet, which says where to go")
    if meet.given("base") and control.law == "match":
        message = "is for laws pd and computed-torque; with match the base is held"
        yield Problem((*at, "base"), f"{message}, got {meet.base!r}")


def _compliant_rules(impact: Impact, at: Path) -> Iterator[Problem]:
    if (impact.damping is None) == (impact.restitution is None):
        got = "got both" if impact.damping is not None else "got neither"
        yield Problem(at, f"closure compliant needs damping or restitution, {got}")
    law = impact.contact_law
    if not law.only_pushes:
        for key in ("friction", "normal", "slip-speed", "restitution"):
            if impact.given(key):
                value = shown(getattr(impact, key.replace("-", "_")))
                yield Problem((*at, key), f"does not go with law {law.name}, got {value}")
    elif impact.slip_speed is not None and not impact.friction:
        yield Problem((*at, "slip-speed"), f"goes with friction > 0, got {impact.slip_speed:g}")
    for key, unit in (("stiffness", law.stiffness_unit), ("damping", law.damping_unit)):
        value = getattr(impact, key)
        if isinstance(value, Measured) and value.dimension not in (
            None,
            parse_unit(unit).dimension,
        ):
            yield Problem((*at, key), f"of law {law.name} must be in {unit}, got {float(value):g}")
