"""What makes a motion slow to integrate: the part of its equations that is fastest."""

from __future__ import annotations

import numpy as np

from percuss.encounter.equations import Equations
from percuss.encounter.failure import Halt
from percuss.encounter.fastest import Rate, fastest, jacobian, rounding
from percuss.encounter.law_causes import BlamedLaw, of_control
from percuss.encounter.loads import Touch
from percuss.encounter.method import BETWEEN, Integration
from percuss.encounter.parts import (
    FALLS,
    PartOfEquations,
    carried_by,
    with_compliance,
    without_control,
    without_friction,
)
from percuss.encounter.runaway import away, runs_away
from percuss.encounter.state_names import entry_name, largest_rate

_BOUND = 0.001
"""Step times fastest rate from which on the rate bounds the step: explicit methods of order 8 take
from some thousandths (small entries kept to 1e-14, near what rounding allows, and steps that are
tried twice) to six, where they become unstable."""
_STABLE = 2.785
"""Step times rate up to which classical RK4 is stable, on the negative real axis."""
_NOISY = 0.1
"""Share of the error allowed in a step from which on rounding makes steps fail."""


def cause_of(
    equations: Equations, halt: Halt, integration: Integration, law: BlamedLaw, *, lasting: str
) -> str:
    """What bounds the steps where an integration gave up, and what to change, in sentences.

    Args:
        law: the law that acts, in words.
        lasting: the field that says how long the motion is to last.
    """
    if equations.law.period is not None:
        # Its command is held between samples: what it does is no rate of the equations.
        sampled = law.sampled(equations.law.period)
        if runs_away(equations, halt):
            return away(equations, halt, sampled)
        return cause_of(without_control(equations), halt, integration, sampled, lasting=lasting)
    x, t = halt.state, halt.time
    if integration.method == "rk4":
        x, t = equations.start, 0.0
    rate = fastest(jacobian(equations, t, x))
    is_away = runs_away(equations, halt)
    if integration.step is None and not is_away and rate.size * halt.step < _BOUND:
        return _not_by_rate(equations, halt, integration, rate, law=law)
    found, still = carried_by(equations, lambda some: fastest(jacobian(some, t, x)).size)
    said = [_sentence(part, equations, t, x, law=law, rate=rate) for part in found]
    if not said or still > FALLS * rate.size:
        said.append(_turning(equations, x))
    if integration.step is not None and rate.size * integration.step > _STABLE:
        return (
            f"What makes it so: a step of {integration.step:g} s is too long for a rate of "
            f"{rate.size:.3g} 1/s, of {entry_name(equations, rate.entry)}. {' '.join(said)} Or "
            f"take steps below {_STABLE / rate.size:.2g} s (integration.step)."
        )
    if is_away:
        return away(equations, halt, law)
    return (
        f"What makes it so: {entry_name(equations, rate.entry)} changes at {rate.size:.3g} 1/s, "
        f"which no step can be much longer than. {' '.join(said)} Or ask for less: a shorter "
        f"{lasting}, a larger integration.relative-tolerance."
    )


# --- sentences ----------------------------------------------------------------------------------


def _sentence(
    part: PartOfEquations,
    equations: Equations,
    t: float,
    x: np.ndarray,
    *,
    law: BlamedLaw,
    rate: Rate,
) -> str:
    if part.name == "friction":
        return _of_friction(equations, t, x)
    if part.name == "contact":
        return _of_contact(equations, t, x)
    if part.name == "gravity":
        size = float(np.asarray(equations.system.gravity.norm()))
        return f"It comes from gravity, {size:.3g} m/s²: lower it."
    return of_control(equations, t, x, law, rate=rate)


def _of_friction(equations: Equations, t: float, x: np.ndarray) -> str:
    """The joint whose friction acts fastest, beside the inertia that it acts on."""
    tree, rates = equations.system, equations.slices["v"]
    taken = jacobian(equations, t, x) - jacobian(without_friction(equations), t, x)
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
    slower = ", let it change sign over a wider range of rates (smoothing)" if smooth else ""
    return (
        f"It comes from the friction of joint {name!r} ({', '.join(given)}{smooth}), which brakes "
        f"what the joint moves at {own[name]:.3g} 1/s: lower the friction{slower}, or make what "
        "the joint moves heavier."
    )


def _of_contact(equations: Equations, t: float, x: np.ndarray) -> str:
    """Whether it is the friction, the damping or the stiffness of a compliant contact."""
    assert isinstance(equations.load, Touch)
    law = equations.load.compliance
    whole = fastest(jacobian(equations, t, x)).size
    for key, value, remedy in (
        ("friction", law.friction, "lower it, or raise impact.slip-speed"),
        ("damping", law.damping, "lower it, or give impact.restitution instead"),
    ):
        if float(np.asarray(value)) == 0.0:
            continue
        without = fastest(jacobian(with_compliance(equations, **{key: 0.0}), t, x)).size
        if without < FALLS * whole:
            given = f"impact.{key} {float(np.asarray(value)):.4g}"
            return f"It comes from the contact's {key}, {given}: {remedy}."
    stiffness = float(np.asarray(law.stiffness))
    return (
        f"It comes from the contact's stiffness, impact.stiffness {stiffness:.4g}, against the "
        "masses that it pushes: lower it."
    )


def _turning(equations: Equations, x: np.ndarray) -> str:
    """The bodies' own motion: who turns or moves fastest."""
    name, value, unit = largest_rate(equations, x)
    return (
        f"It comes from the motion itself: {name} is {value:.3g} {unit}. Slower velocities "
        "(target.velocity, chaser.velocity), or bodies whose masses differ less, take longer steps."
    )


def _not_by_rate(
    equations: Equations, halt: Halt, integration: Integration, rate: Rate, *, law: BlamedLaw
) -> str:
    """Steps that are far shorter than any rate asks for: rounding, or something that switches."""
    x, t = halt.state, halt.time
    scatter = rounding(equations, t, x)
    allowed = integration.absolute_tolerance + integration.relative_tolerance * np.abs(x)
    share = halt.step * scatter / (BETWEEN * allowed[: len(scatter)])
    k = int(np.argmax(share))
    if not share[k] > _NOISY:
        name, value, unit = largest_rate(equations, x)
        return (
            f"What makes it so is no single rate of the equations: the fastest is {rate.size:.3g} "
            f"1/s, while steps are {halt.step:.2g} s long. Either something switches again and "
            "again, as an actuator at its limit does (control.limits, torque of a joint), or "
            "numbers of very different sizes are to be kept to this accuracy: "
            f"{name} is {value:.3g} {unit}. A larger integration.relative-tolerance takes longer "
            "steps; integration {method: rk4, step: …} goes on regardless."
        )
    found, still = carried_by(equations, lambda some: float(rounding(some, t, x)[k]))
    said = [
        _commands(equations, t, x, law)
        if part.name == "control"
        else _sentence(part, equations, t, x, law=law, rate=rate)
        for part in found
    ]
    if not said or still > FALLS * scatter[k] or any(part.name == "control" for part in found):
        said.append(_masses(equations))
    return (
        f"What makes it so: rounding. The rate of change of {entry_name(equations, k)} is known "
        f"only to {scatter[k]:.2g}, less than this accuracy asks for. {' '.join(said)} Or ask for "
        "less: a larger integration.relative-tolerance."
    )


def _commands(equations: Equations, t: float, x: np.ndarray, law: BlamedLaw) -> str:
    """Commands so large that their rounding counts."""
    largest = float(np.max(np.abs(equations.compiled(t, x)[1]), initial=0.0))
    return f"It comes from the forces of {law.words}, up to {largest:.3g} (N or N m)."


def _masses(equations: Equations) -> str:
    """Between which masses the equations weigh."""
    masses = {body.name: float(np.asarray(body.mass)) for body in equations.system.bodies}
    light, heavy = min(masses, key=masses.__getitem__), max(masses, key=masses.__getitem__)
    return (
        "Large numbers nearly cancel: masses reach from "
        f"{masses[light]:.3g} kg ({light!r}) to {masses[heavy]:.3g} kg ({heavy!r}). Let sizes, "
        "masses and speeds differ less."
    )
