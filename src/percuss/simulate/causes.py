"""What makes a motion slow to integrate: the part of its equations that is fastest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.control import TreePlant, no_control
from percuss.model.systems import Friction, System
from percuss.simulate.equations import Equations
from percuss.simulate.failure import Halt
from percuss.simulate.fastest import Rate, fastest, jacobian, rounding
from percuss.simulate.loads import Touch
from percuss.simulate.method import BETWEEN, Integration
from percuss.simulate.stage import Stage

_FALLS = 0.5
"""Share of the fastest rate below which it must fall without a part for that part to carry it."""
_BOUND = 0.02
"""Step times fastest rate from which on the rate bounds the step: explicit methods of order 8 take
between a few hundredths (to 1e-14) and six (where they become unstable)."""
_NOISY = 0.1
"""Share of the error allowed in a step from which on rounding makes steps fail."""


@dataclass(frozen=True)
class Part:
    """A part of the equations: its name in sentences, and the equations without it."""

    name: str
    without: Callable[[Equations], Equations]


def cause_of(
    equations: Equations, halt: Halt, integration: Integration, control: str, lasting: str
) -> str:
    """What bounds the steps where an integration gave up, and what to change, in sentences.

    Args:
        control: the field of the law that acts, with its numbers, such as
            "control (law pd, kp 1e9)".
        lasting: the field that says how long the motion is to last.
    """
    x, t = halt.state, halt.time
    rate = fastest(jacobian(equations, t, x))
    if rate.size * halt.step < _BOUND:
        return _not_by_rate(equations, halt, integration, rate, control)
    found, still = _carried_by(equations, lambda some: fastest(jacobian(some, t, x)).size)
    said = [_sentence(part, equations, t, x, control) for part in found]
    if not said or still > _FALLS * rate.size:
        said.append(_turning(equations, x))
    kind = "grows" if rate.is_growing else "changes"
    who = _entry_name(equations, rate.entry)
    return (
        f"What makes it so: {who} {kind} at {rate.size:.3g} 1/s, which no step can be much longer "
        f"than. {' '.join(said)} Or ask for less: a shorter {lasting}, a larger "
        "integration.relative-tolerance."
    )


def _carried_by(
    equations: Equations, measure: Callable[[Equations], float]
) -> tuple[list[Part], float]:
    """The parts without which what is measured falls, the one that matters most first.

    They are left out one after the other until little remains; also returned is what does.
    """
    whole = measure(equations)
    left, found, size, now = list(_parts(equations)), [], whole, equations
    while left and size > _FALLS * whole:
        sizes = [measure(part.without(now)) for part in left]
        k = int(np.argmin(sizes))
        if sizes[k] > 0.95 * size:
            break
        size, part = sizes[k], left.pop(k)
        found.append(part)
        now = part.without(now)
    return found, size


def _parts(equations: Equations) -> list[Part]:
    """What can be left out of the equations of a motion."""
    found = []
    if any(joint.friction != Friction() for joint in equations.system.joints):
        found.append(Part("friction", _without_friction))
    if not (equations.law.key or "").startswith("no control"):
        found.append(Part("control", _without_control))
    if isinstance(equations.load, Touch) and equations.load.made is not False:
        found.append(Part("contact", _without_contact))
    if any(float(np.asarray(x)) != 0.0 for x in equations.system.gravity):
        found.append(Part("gravity", _without_gravity))
    return [part for part in found if equations.stage.tree is not None or part.name == "control"]


# --- equations with a part left out -------------------------------------------------------------


def _like(equations: Equations, **changes: Any) -> Equations:
    made = {"stage": equations.stage, "law": equations.law, "load": equations.load, **changes}
    return Equations(made["stage"], made["law"], made["load"], equations.wheels)


def _with_tree(equations: Equations, tree: System) -> Equations:
    stage: Stage = equations.stage
    plant = TreePlant(tree, stage.plant.own_rates)
    load = equations.load
    load = replace(load, system=tree) if isinstance(load, Touch) else load
    return _like(equations, stage=replace(stage, tree=tree, plant=plant), load=load)


def _without_friction(equations: Equations) -> Equations:
    tree = equations.system
    joints = tuple(replace(joint, friction=Friction()) for joint in tree.joints)
    return _with_tree(equations, replace(tree, joints=joints))


def _without_gravity(equations: Equations) -> Equations:
    return _with_tree(equations, replace(equations.system, gravity=Vector3.zero()))


def _without_control(equations: Equations) -> Equations:
    return _like(equations, law=no_control(equations.stage.plant))


def _without_contact(equations: Equations) -> Equations:
    assert isinstance(equations.load, Touch)
    return _like(equations, load=replace(equations.load, made=False))


def _with_compliance(equations: Equations, **changes: float) -> Equations:
    assert isinstance(equations.load, Touch)
    compliance = replace(equations.load.compliance, **changes)
    return _like(equations, load=replace(equations.load, compliance=compliance))


# --- sentences ----------------------------------------------------------------------------------


def _sentence(part: Part, equations: Equations, t: float, x: np.ndarray, control: str) -> str:
    if part.name == "friction":
        return _of_friction(equations, t, x)
    if part.name == "contact":
        return _of_contact(equations, t, x)
    if part.name == "gravity":
        size = float(np.asarray(equations.system.gravity.norm()))
        return f"It comes from gravity, {size:.3g} m/s²: lower it."
    return (
        f"It comes from {control}: the gains are far above what the bodies' inertia asks for. "
        "Lower them."
    )


def _of_friction(equations: Equations, t: float, x: np.ndarray) -> str:
    """The joint whose friction acts fastest, beside the inertia that it acts on."""
    tree, rates = equations.system, equations.slices["v"]
    taken = jacobian(equations, t, x) - jacobian(_without_friction(equations), t, x)
    # Of -(M⁻¹)ₖₖ dₖ, friction dₖ of the joint's rate k, and its inertia 1 / (M⁻¹)ₖₖ.
    own = {
        node.joint.name: float(np.max(-np.diag(taken)[rates][node.rates], initial=0.0))
        for node in tree.independent
    }
    name = max(own, key=lambda joint: own[joint])
    joint = next(j for j in tree.joints if j.name == name)
    friction = joint.friction
    given = [
        f"{key} {float(np.asarray(value)):.4g} {unit}"
        for key, value, unit in (
            ("viscous", friction.viscous, "N m s/rad"),
            ("coulomb", friction.coulomb, "N m"),
        )
        if float(np.asarray(value)) != 0.0
    ]
    units = joint.motion.rate_units
    if units and units[0] == "m/s":
        given = [text.replace("N m s/rad", "N s/m").replace("N m", "N") for text in given]
    smooth = (
        f", which changes sign within {float(np.asarray(friction.smoothing)):.3g} {units[0]}"
        if float(np.asarray(friction.coulomb)) != 0.0
        else ""
    )
    return (
        f"It comes from the friction of joint {name!r} ({', '.join(given)}{smooth}), which brakes "
        f"what the joint moves at {own[name]:.3g} 1/s: lower the friction, or make what the joint "
        "moves heavier."
    )


def _of_contact(equations: Equations, t: float, x: np.ndarray) -> str:
    """Whether it is the friction, the damping or the stiffness of a compliant contact."""
    assert isinstance(equations.load, Touch)
    law = equations.load.compliance
    whole = fastest(jacobian(equations, t, x)).size
    for key, value, unit, remedy in (
        ("friction", law.friction, "", "lower it, or raise impact.slip-speed"),
        ("damping", law.damping, "", "lower it, or give impact.restitution instead"),
    ):
        if float(np.asarray(value)) == 0.0:
            continue
        without = fastest(jacobian(_with_compliance(equations, **{key: 0.0}), t, x)).size
        if without < _FALLS * whole:
            given = f"impact.{key} {float(np.asarray(value)):.4g}{unit}"
            return f"It comes from the contact's {key}, {given}: {remedy}."
    stiffness = float(np.asarray(law.stiffness))
    return (
        f"It comes from the contact's stiffness, impact.stiffness {stiffness:.4g}, against the "
        "masses that it pushes: lower it."
    )


def _turning(equations: Equations, x: np.ndarray) -> str:
    """The bodies' own motion: who turns or moves fastest."""
    rates = x[equations.slices["v"]]
    k = int(np.argmax(np.abs(rates)))
    unit = equations.system.rate_units[k] if equations.stage.tree is not None else "rad/s"
    name = _entry_name(equations, equations.slices["v"].start + k)
    return (
        f"It comes from the motion itself: {name} is {rates[k]:.3g} {unit}. Slower velocities "
        "(target.velocity, chaser.velocity), or bodies whose masses differ less, take longer steps."
    )


def _not_by_rate(
    equations: Equations, halt: Halt, integration: Integration, rate: Rate, control: str
) -> str:
    """Steps that are far shorter than any rate asks for: rounding, or something that switches."""
    x, t = halt.state, halt.time
    scatter = rounding(equations, t, x)
    allowed = integration.absolute_tolerance + integration.relative_tolerance * np.abs(x)
    share = halt.step * scatter / (BETWEEN * allowed[: len(scatter)])
    k = int(np.argmax(share))
    if not share[k] > _NOISY:
        return (
            f"What makes it so is no rate of the equations (the fastest is {rate.size:.3g} 1/s, "
            f"while steps are {halt.step:.2g} s long): something switches again and again, as an "
            "actuator at its limit does (control.limits, or torque of a joint). Lower the gains "
            "or raise the limits; integration {method: rk4, step: …} goes on regardless."
        )
    found, still = _carried_by(equations, lambda some: float(rounding(some, t, x)[k]))
    said = [_sentence(part, equations, t, x, control) for part in found]
    if not said or still > _FALLS * scatter[k]:
        said.append(_masses(equations))
    return (
        f"What makes it so: rounding. The rate of change of {_entry_name(equations, k)} is known "
        f"only to {scatter[k]:.2g}, less than this accuracy asks for. {' '.join(said)} Or ask for "
        "less: a larger integration.relative-tolerance."
    )


def _masses(equations: Equations) -> str:
    """Between which masses the equations weigh."""
    masses = {body.name: float(np.asarray(body.mass)) for body in equations.system.bodies}
    light, heavy = min(masses, key=masses.__getitem__), max(masses, key=masses.__getitem__)
    return (
        "It comes from large numbers that nearly cancel: masses reach from "
        f"{masses[light]:.3g} kg ({light!r}) to {masses[heavy]:.3g} kg ({heavy!r}). Let sizes, "
        "masses and speeds differ less."
    )


def _entry_name(equations: Equations, entry: int) -> str:
    """A coordinate or rate of the flat state in words."""
    tree, rates = equations.system, equations.slices["v"]
    if equations.stage.tree is None:
        return f"entry {entry + 1} of the state"
    if entry < rates.start:
        return f"coordinate {tree.coordinate_names[entry]!r}"
    if entry < rates.stop:
        return f"rate {tree.rate_names[entry - rates.start]!r}"
    return "the momentum in the wheels"
