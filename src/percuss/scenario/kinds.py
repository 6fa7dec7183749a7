"""Planar or spatial: every part must be what the chaser is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from percuss.encounter.errors import Path, shown
from percuss.scenario.chaser import Chaser
from percuss.scenario.chaser_rules import is_composed
from percuss.scenario.control import WithGoal
from percuss.scenario.errors import Problem
from percuss.scenario.from_library import name_of, system_of
from percuss.scenario.impact import (
    BounceBlock,
    CompliantBlock,
    ImpactBlock,
    PublishedBlock,
    PulseBlock,
)
from percuss.scenario.models import Models
from percuss.scenario.target import Target

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

Evidence = tuple[Path, str, str]
"""Where, "planar" or "spatial", and why."""


def chaser_kind(chaser: Chaser, models: Models) -> tuple[str, str]:
    """ "planar" or "spatial", and the part that says so.

    A saved system or a robot of the library is planar if it cannot leave the plane; a URDF or
    MJCF file only if a body in it has nothing but its moment about z.
    """
    if is_composed(chaser):
        return "spatial", "the models of chaser.arms"
    if chaser.arm is not None or chaser.arms is not None:
        return "planar", "chaser.arm" if chaser.arm is not None else "chaser.arms"
    (key,) = chaser.models
    whole = models.whole
    assert whole is not None, "a chaser that is no composition of arms is one model"
    if key in ("urdf", "mjcf"):
        flat = any(body.planar_only for body in whole.bodies)
        return "planar" if flat else "spatial", f"chaser.{key}"
    named = f"chaser.{key} {name_of(getattr(chaser, key))}"
    return "planar" if whole.is_planar else "spatial", named


def mixing(scenario: Scenario, wanted: str, source: str) -> Iterator[Problem]:
    """The parts that are not what the chaser is: `wanted`, because of `source`."""
    for path, kind, why in evidence(scenario):
        if kind != wanted:
            yield Problem(
                path,
                f"is {kind} ({why}), but the scenario is {wanted} because of {source}: "
                "planar and spatial parts do not mix",
            )


def evidence(scenario: Scenario) -> Iterator[Evidence]:
    """Every part that is clearly planar or clearly spatial."""
    chaser = scenario.chaser
    yield from _vector(("chaser", "position"), chaser.position)
    yield from _turn(("chaser",), chaser)
    yield from _velocity(("chaser", "velocity"), chaser.velocity)
    if chaser.base is not None:
        yield from _vector(("chaser", "base", "size"), chaser.base.size)
        yield from _vector(("chaser", "base", "com"), chaser.base.com)
        yield from _inertia(("chaser", "base", "inertia"), chaser.base.inertia)
    if chaser.tool is not None and isinstance(chaser.tool.at, tuple):
        yield from _vector(("chaser", "tool", "at"), chaser.tool.at)
    if scenario.target is not None:
        yield from _target(scenario.target)
    yield from _impact(scenario.impact)
    yield from _vector(("gravity",), scenario.gravity)
    for at, control in scenario.controls.items():
        if isinstance(control, WithGoal):
            yield from _vector((*at, "goal", "position"), control.goal.position)
            yield from _turn((*at, "goal"), control.goal)


def _target(target: Target) -> Iterator[Evidence]:
    at: Path = ("target",)
    if target.object is not None:
        kind = "planar" if system_of(target.object).is_planar else "spatial"
        yield (*at, "object"), kind, f"the object {name_of(target.object)}"
    if target.shape in ("disk", "cylinder", "sphere"):
        kind = "planar" if target.shape == "disk" else "spatial"
        yield (*at, "shape"), kind, f"a {target.shape}"
    yield from _vector((*at, "size"), target.size)
    yield from _inertia((*at, "inertia"), target.inertia)
    if target.contact is not None:
        yield from _vector((*at, "contact"), target.contact.point)
        if target.contact.angle is not None:
            yield (*at, "contact"), "planar", "an angle on the rim"
    yield from _vector((*at, "position"), target.position)
    yield from _turn(at, target)
    yield from _velocity((*at, "velocity"), target.velocity)


def _impact(impact: ImpactBlock) -> Iterator[Evidence]:
    match impact:
        case BounceBlock() | CompliantBlock():
            yield from _vector(("impact", "normal"), impact.normal)
        case PulseBlock():
            yield from _vector(("impact", "force"), impact.force)
        case PublishedBlock():
            yield ("impact", "closure"), "planar", "closure published exists in the plane only"
        case _:
            pass


def _vector(path: Path, vector: Any) -> Iterator[Evidence]:
    if isinstance(vector, tuple):
        kind = "planar" if len(vector) == 2 else "spatial"
        yield path, kind, f"{len(vector)} entries, got {shown([float(x) for x in vector])}"


def _turn(path: Path, block: Any) -> Iterator[Evidence]:
    if block.angle is not None:
        yield (*path, "angle"), "planar", f"one angle, got {block.angle:g} rad"
    if block.orientation is not None:
        yield (*path, "orientation"), "spatial", "an orientation in space"


def _velocity(path: Path, velocity: Any) -> Iterator[Evidence]:
    yield from _vector((*path, "linear"), velocity.linear)
    angular = velocity.angular
    if angular is not None:
        kind = "spatial" if isinstance(angular, tuple) else "planar"
        given = shown([float(x) for x in angular]) if isinstance(angular, tuple) else f"{angular:g}"
        yield (*path, "angular"), kind, f"got {given}"


def _inertia(path: Path, inertia: Any) -> Iterator[Evidence]:
    if inertia is not None:
        one = inertia.is_planar
        yield path, "planar" if one else "spatial", "one moment" if one else "a tensor"
