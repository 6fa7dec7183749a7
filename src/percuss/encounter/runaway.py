"""Motions whose rates grow without end: what does the work."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.scalars import total
from percuss.dynamics.energy import kinetic_energy
from percuss.encounter.equations import Equations
from percuss.encounter.failure import Halt
from percuss.encounter.law_causes import BlamedLaw, limits_reached
from percuss.encounter.loads import Touch
from percuss.encounter.state_names import largest_rate

_AWAY = 1e3
"""Times the fastest rate of the start, or 1 rad/s, from which on a motion runs away."""
_SHARE = 0.1
"""Of the energy gained that something must have given to be named."""


def runs_away(equations: Equations, halt: Halt) -> bool:
    """Whether rates have grown far beyond those of the start."""
    rates = equations.slices["v"]
    before, now = (float(np.max(np.abs(x[rates]))) for x in (equations.start, halt.state))
    return now > _AWAY * max(1.0, before)


def away(equations: Equations, halt: Halt, law: BlamedLaw) -> str:
    """A motion whose rates grow without end, what drives it, and what to change."""
    name, value, unit = largest_rate(equations, halt.state)
    said = [
        f"What makes it so: the motion runs away; {name} is {value:.3g} {unit} by then.",
        *_driven_by(equations, halt, law),
        "integration {method: rk4, step: …} goes on regardless.",
    ]
    return " ".join(said)


def _driven_by(equations: Equations, halt: Halt, law: BlamedLaw) -> list[str]:
    """Sentences on what has given the energy that the motion has gained."""
    givers = _givers(equations, halt)
    said: list[str] = []
    if "control" in givers:
        limited = None
        if equations.law.period is None:
            limited = limits_reached(equations, halt.time, halt.state)
        if limited is None:
            said.append(f"It is driven by {law.words}. {law.remedy}.")
        else:
            said.append(
                f"It is driven by {law.words}, {limited} Some actuators at their limits while "
                "others go on do that: limit all of them alike, raise the limits (control.limits, "
                "torque of a joint), or let the bodies be slower or lighter."
            )
    if "load" in givers:
        touching = isinstance(equations.load, Touch)
        what = "the contact (impact.stiffness, damping)" if touching else "impact.force"
        said.append(f"It is driven by {what}: lower it.")
    if "gravity" in givers:
        size = float(np.asarray(equations.system.gravity.norm()))
        said.append(f"It is driven by gravity, {size:.3g} m/s²: lower it.")
    if not givers:
        said.append(
            "Nothing has done that much work on it: light bodies take up the motion of heavy or "
            "fast ones. Let masses differ less, or velocities (target.velocity, chaser.velocity) "
            "be lower."
        )
    return said


def _givers(equations: Equations, halt: Halt) -> list[str]:
    """Who has given the energy gained since the start, the one that gave most first.

    The equations integrate the work of all forces but gravity; what it has given is the rest.
    """
    start, now = equations.start, halt.state
    with np.errstate(all="ignore"):
        before, after = (float(np.asarray(_kinetic_energy(equations, x))) for x in (start, now))
        slices = equations.slices
        work = float(now[slices["work"]][0] - start[slices["work"]][0])
        load = float(np.sum(now[slices["load_work"]] - start[slices["load_work"]]))
        gained = after - before
        given = {"control": work - load, "load": load, "gravity": gained - work}
    if equations.law.idle:
        del given["control"]
    if not np.asarray(equations.system.gravity.norm()) > 0.0:
        del given["gravity"]
    if not gained > before:
        return []
    named = [name for name, energy in given.items() if energy > _SHARE * gained]
    return sorted(named, key=lambda name: -given[name])


def _kinetic_energy(equations: Equations, x: np.ndarray) -> Any:
    """The kinetic energy of all bodies at a flat state, J."""
    q, v = equations.state(x)
    own = kinetic_energy(equations.system, q, v)
    riding = [kinetic_energy(p.system, *p.state(q, v)) for p in equations.assembly.plant.passengers]
    return total([own, *riding])
