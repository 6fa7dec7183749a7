"""What of a control law makes a motion hard to integrate: which actuator, and which gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from percuss.control.gains import felt_inertias
from percuss.encounter.equations import Equations
from percuss.encounter.fastest import Rate, command_jacobian, fastest, jacobian
from percuss.encounter.parts import FALLS, without_limits

_CLIPPED = 1e-9
"""Share of what a law asks for that must be missing for an actuator to be at its limit."""


_APART = 10.0
"""How much more inertia an actuator must feel alone than among others for that to be told."""


@dataclass(frozen=True)
class BlamedLaw:
    """A law in sentences: the field with its numbers, such as "control (law pd, kp 1e9)", and what
    to change in it."""

    words: str
    remedy: str

    def sampled(self, period: float) -> BlamedLaw:
        """This law when it is sampled once a period (s)."""
        return BlamedLaw(f"{self.words}, sampled every {period:g} s", self.remedy)


def of_control(equations: Equations, t: float, x: np.ndarray, law: BlamedLaw, *, rate: Rate) -> str:
    """A sentence on a law that carries the fastest rate: its limits, or one actuator's gain."""
    free = without_limits(equations)
    if free is not None and fastest(jacobian(free, t, x)).size < FALLS * rate.size:
        limited = limits_reached(equations, t, x)
        if limited is not None:
            return (
                f"It comes from {law.words}, {limited} With all that it asks for that rate would "
                "not be there: raise the limits (control.limits, torque of a joint), or ask for "
                "less of them (slower or lighter bodies)."
            )
    return f"It comes from {law.words}{_gain(equations, t, x, rate)}. {law.remedy}."


def limits_reached(equations: Equations, t: float, x: np.ndarray) -> str | None:
    """Which actuator is furthest beyond its limit, as the end of a sentence; None if none is."""
    free = without_limits(equations)
    if free is None:
        return None
    given, asked = (np.asarray(some.compiled(t, x)[1], float) for some in (equations, free))
    missing = np.abs(asked - given)
    clipped = np.flatnonzero(missing > _CLIPPED * np.abs(asked))
    if not len(clipped):
        return None
    with np.errstate(all="ignore"):
        k = int(clipped[np.argmax(np.abs(asked[clipped]) / np.abs(given[clipped]))])
    others = f", {len(clipped) - 1} more beyond theirs" if len(clipped) > 1 else ""
    return (
        f"whose actuators are at their limits: that of {_name(equations, k)} gives "
        f"{abs(given[k]):.3g} {_units(equations, k)[0]} where the law asks for "
        f"{abs(asked[k]):.3g}{others}."
    )


def _gain(equations: Equations, t: float, x: np.ndarray, rate: Rate) -> str:
    """The actuator that carries most of the rate, its gain and the inertia that it acts on.

    λ = wᵀ (∂ẋ/∂x) r / wᵀ r: each command u_k has the share (wᵀ ∂ẋ/∂u_k) (∂u_k/∂x r) in it.
    """
    answers = _answers(equations, t, x)
    table = command_jacobian(equations, t, x)
    count = table.shape[1]
    shares = np.abs((rate.left @ answers[:count]) * (table @ rate.right))
    if not shares.any():
        return ""
    k = int(np.argmax(shares))
    rates, coordinates = equations.slices["v"], equations.slices["q"]
    by_rates = abs(table[k, rates] @ rate.right[rates])
    by_coordinates = abs(table[k, coordinates] @ rate.right[coordinates])
    own = rates.start + k
    answer = answers[own, k]
    _, on_rate, on_coordinate, inertia = _units(equations, k)
    said = f", most of it from the actuator of {_name(equations, k)}"
    if not answer > 0.0:
        return said
    if by_rates >= by_coordinates:
        gain = f"{abs(table[k, own]):.3g} {on_rate} on its rate"
    else:
        gain = f"{np.max(np.abs(table[k, coordinates])):.3g} {on_coordinate} on the coordinates"
    said += f": a gain of {gain} against an inertia of {1.0 / answer:.3g} {inertia}"
    held = _inertia_alone(equations, x, k)
    if held * answer > _APART:
        said += f" ({held:.3g} {inertia} with the other actuators held)"
    return said


def _inertia_alone(equations: Equations, x: np.ndarray, k: int) -> float:
    """What the actuator of a rate feels while the others are held, kg or kg m²."""
    felt = felt_inertias(equations.assembly.plant, equations.state(x)[0])
    return float(np.asarray(felt[k]))


def _answers(equations: Equations, t: float, x: np.ndarray) -> np.ndarray:
    """∂ẋ/∂u at a flat state, shape (entries, own rates): the equations are linear in u."""
    own = equations.assembly.plant.own_rates
    without = np.asarray(equations.driven(t, x, np.zeros(own)), float)
    # Forces as large as those that act: what they change is not lost beside the rest.
    size = max(1.0, float(np.max(np.abs(without), initial=0.0)))
    columns = [
        (np.asarray(equations.driven(t, x, size * np.eye(own)[k]), float) - without) / size
        for k in range(own)
    ]
    return np.stack(columns, axis=1)


def _name(equations: Equations, k: int) -> str:
    return repr(equations.assembly.chaser.rate_names[k])


def _units(equations: Equations, k: int) -> tuple[str, str, str, str]:
    """Units of force, of gains on rate and coordinate, and of inertia, of a rate."""
    if equations.assembly.chaser.rate_units[k] == "m/s":
        return "N", "N s/m", "N/m", "kg"
    return "N m", "N m s/rad", "N m/rad", "kg m²"
