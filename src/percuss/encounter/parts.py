"""The parts of equations of motion, and the equations without one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.control.laws import no_control
from percuss.encounter.equations import Equations
from percuss.encounter.loads import Touch
from percuss.model.systems import Friction, System

FALLS = 0.5
"""Share of what is measured below which it must fall without parts for these to carry it."""
_MATTERS = 0.95
"""A part without which more than that share is left does not matter."""


@dataclass(frozen=True)
class PartOfEquations:
    """A part of the equations: its name in sentences, and the equations without it."""

    name: str
    without: Callable[[Equations], Equations]


def carried_by(
    equations: Equations, measure: Callable[[Equations], float]
) -> tuple[list[PartOfEquations], float]:
    """The parts without which what is measured falls, the one that matters most first.

    They are left out one after the other until little remains; also returned is what does.
    """
    whole = measure(equations)
    left, found, size, now = list(parts_of(equations)), [], whole, equations
    while left and size > FALLS * whole:
        sizes = [measure(part.without(now)) for part in left]
        k = int(np.argmin(sizes))
        if sizes[k] > _MATTERS * size:
            break
        size, part = sizes[k], left.pop(k)
        found.append(part)
        now = part.without(now)
    return found, size


def parts_of(equations: Equations) -> list[PartOfEquations]:
    """What can be left out of the equations of a motion."""
    found = []
    if any(joint.friction != Friction() for joint in equations.system.joints):
        found.append(PartOfEquations("friction", without_friction))
    if not equations.law.idle:
        found.append(PartOfEquations("control", without_control))
    if isinstance(equations.load, Touch) and equations.load.made is not False:
        found.append(PartOfEquations("contact", _without_contact))
    if any(float(np.asarray(x)) != 0.0 for x in equations.system.gravity):
        found.append(PartOfEquations("gravity", _without_gravity))
    return found


# --- equations with a part left out -------------------------------------------------------------


def _like(equations: Equations, **changes: Any) -> Equations:
    made = {"assembly": equations.assembly, "law": equations.law, "load": equations.load, **changes}
    return Equations(
        assembly=made["assembly"],
        law=made["law"],
        load=made["load"],
        wheels=equations.wheels,
        orbit=equations.orbit,
    ).begun_with(made["assembly"], None, orbit_angle=equations.begin.orbit_angle)


def _with_systems(equations: Equations, change: Callable[[System], System]) -> Equations:
    assembly, load = equations.assembly.with_systems(change), equations.load
    load = replace(load, system=assembly.tree) if isinstance(load, Touch) else load
    return _like(equations, assembly=assembly, load=load)


def without_friction(equations: Equations) -> Equations:
    def smooth(system: System) -> System:
        joints = tuple(replace(joint, friction=Friction()) for joint in system.joints)
        return replace(system, joints=joints)

    return _with_systems(equations, smooth)


def _without_gravity(equations: Equations) -> Equations:
    return _with_systems(equations, lambda system: replace(system, gravity=Vector3.zero()))


def without_control(equations: Equations) -> Equations:
    return _like(equations, law=no_control(equations.assembly.plant))


def without_limits(equations: Equations) -> Equations | None:
    """The equations with actuators that give all that the law asks for.

    None where they do already.
    """
    unlimited = equations.law.unlimited
    return None if unlimited is None else _like(equations, law=unlimited)


def _without_contact(equations: Equations) -> Equations:
    assert isinstance(equations.load, Touch)
    return _like(equations, load=replace(equations.load, made=False))


def with_compliance(equations: Equations, **changes: float) -> Equations:
    assert isinstance(equations.load, Touch)
    compliance = replace(equations.load.compliance, **changes)
    return _like(equations, load=replace(equations.load, compliance=compliance))
