"""One mass against a compliant contact, in closed form: restitution, duration, greatest force.

With ω = √(k/m) and the damping ratio ζ = c/(2√(k m)), a mass that touches at speed v leaves a
linear contact, when the force F = k δ + c δ̇ has fallen to zero, after t = A(ζ) 2/ω at e v,

    e = exp(-2 ζ A(ζ)),    A(ζ) = acos ζ/√(1 - ζ²),  beyond ζ = 1 acosh ζ/√(ζ² - 1),

and a bilateral one, when the spring has its length again, after π/(ω √(1 - ζ²)) with
e = exp(-π ζ/√(1 - ζ²)), ζ < 1. Hunt and Crossley's law, m δ̈ = -k δ^1.5 (1 + a δ̇) with
a = c/k, separates in the speed u = δ̇, m u du/(1 + a u) = -k δ^1.5 dδ, and back at δ = 0

    a v (1 + e) = ln((1 + a v)/(1 - a e v)).

The mass is the effective one of two systems, 1/(nᵀ W n), see `bounce`. Each argument is a number
or a NumPy batch; batches go together, last axis the batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.impact.compliance import UNITS, check_law
from percuss.impact.compliant_hunt_crossley import (
    drop_of_restitution,
    duration,
    peak_force,
    restitution_of_drop,
)
from percuss.model.checks import is_not_negative, is_positive, known, shown, values
from percuss.model.errors import ModelError


def damping_for(law: str, restitution: Any, stiffness: Any, mass: Any, speed: Any) -> Any:
    """The damping with which one mass that touches at a speed rebounds with a restitution.

    Args:
        restitution: e, 0 < e ≤ 1. A contact that only pushes reaches 0 only with infinite damping
            and refuses it; "bilateral" takes 0 as critical damping, which never swings back.
        stiffness: k > 0, N/m, under "hunt-crossley" N/m^1.5.
        mass: the effective mass m > 0 (kg).
        speed: v > 0 (m/s) at which they touch; only "hunt-crossley" depends on it.

    Returns:
        c ≥ 0, N s/m, under "hunt-crossley" N s/m^2.5.
    """
    check_law(law)
    _check(law, stiffness=stiffness, mass=mass, speed=speed)
    _refuse_unless_known("restitution", restitution)
    e = values(restitution)
    if not np.all(np.isfinite(e) & (e >= 0.0) & (e <= 1.0)):
        raise ModelError(f"restitution must be from 0 to 1, got {shown(restitution)}")
    if law != "bilateral" and np.any(e == 0.0):
        raise ModelError(
            f"restitution must be > 0 under the law {law!r}, got {shown(restitution)}: a contact "
            "that only pushes needs infinite damping to keep what touches it; give a small one, "
            "such as 0.01, or use a plastic closure (pin, weld)"
        )
    if law == "hunt-crossley":
        return _each(lambda e, k, v: k / v * drop_of_restitution(e), restitution, stiffness, speed)
    ratio = _linear_ratio if law == "linear" else _bilateral_ratio
    return _each(lambda e, k, m: 2.0 * math.sqrt(k * m) * ratio(e), restitution, stiffness, mass)


def restitution_of(law: str, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
    """e, the speed at which one mass leaves over the speed v at which it touched."""
    _check(law, stiffness=stiffness, mass=mass, speed=speed, damping=damping)
    if law == "hunt-crossley":
        return _each(lambda k, c, v: restitution_of_drop(c / k * v), stiffness, damping, speed)

    def found(k: float, c: float, m: float) -> float:
        ratio = c / (2.0 * math.sqrt(k * m))
        if law == "linear":
            return math.exp(-2.0 * ratio * _quarter(ratio))
        _refuse_overdamped(ratio)
        return math.exp(-math.pi * ratio / math.sqrt((1.0 - ratio) * (1.0 + ratio)))

    return _each(found, stiffness, damping, mass)


def duration_of(law: str, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
    """How long one mass that touches at speed v is in contact (s).

    Closed form for the linear laws; by quadrature, to about 1e-12, for "hunt-crossley".
    """
    _check(law, stiffness=stiffness, mass=mass, speed=speed, damping=damping)

    def found(k: float, c: float, m: float, v: float) -> float:
        if law == "hunt-crossley":
            return duration(k, c / k * v, m, v)
        frequency = math.sqrt(k / m)
        ratio = c / (2.0 * math.sqrt(k * m))
        if law == "linear":
            return 2.0 * _quarter(ratio) / frequency
        _refuse_overdamped(ratio)
        return math.pi / (frequency * math.sqrt((1.0 - ratio) * (1.0 + ratio)))

    return _each(found, stiffness, damping, mass, speed)


def peak_force_of(law: str, stiffness: Any, damping: Any, mass: Any, speed: Any) -> Any:
    """The greatest force on one mass that touches at speed v (N).

    Linear and bilateral: m v ω exp(-ζ (3β - π)/sin β) with ζ = cos β below ζ = ½, c v (at once)
    above. "hunt-crossley": from an equation for the speed at which it occurs.
    """
    _check(law, stiffness=stiffness, mass=mass, speed=speed, damping=damping)

    def found(k: float, c: float, m: float, v: float) -> float:
        if law == "hunt-crossley":
            return peak_force(k, c / k * v, m, v)
        ratio = c / (2.0 * math.sqrt(k * m))
        if ratio >= 0.5:
            return c * v
        angle = math.acos(ratio)
        return m * v * math.sqrt(k / m) * math.exp(-ratio * (3 * angle - math.pi) / math.sin(angle))

    return _each(found, stiffness, damping, mass, speed)


# --- linear ---------------------------------------------------------------------------------


def _quarter(ratio: float) -> float:
    """A(ζ) = acos ζ/√(1 - ζ²), smooth through ζ = 1: half the contact's duration times ω."""
    # With w = (1 - ζ)/(1 + ζ), A = 2 atan(√w)/√w/(1 + ζ), an even function of √w.
    w = (1.0 - ratio) / (1.0 + ratio)
    if abs(w) < 0.01:
        even = sum((-w) ** k / (2 * k + 1) for k in range(9))
        return 2.0 * even / (1.0 + ratio)
    root = math.sqrt(abs(1.0 - ratio) * (1.0 + ratio))
    return (math.acos(ratio) if ratio < 1.0 else math.acosh(ratio)) / root


def _linear_ratio(restitution: float) -> float:
    """ζ with 2 ζ A(ζ) = -ln e; the left side grows from 0 without end, so that there is one."""
    wanted = -math.log(restitution)
    # In y with ζ = sinh y the left side is nearly straight, its slope falling from π to 2:
    # Newton's steps from the left never overshoot.
    y = wanted / math.pi
    for _ in range(50):
        ratio = math.sinh(y)
        quarter = _quarter(ratio)
        slope = 2.0 * (quarter + ratio * _quarter_slope(ratio, quarter)) * math.cosh(y)
        step = (wanted - 2.0 * ratio * quarter) / slope
        y += step
        if abs(step) <= 2e-16 * y:
            break
    return math.sinh(y)


def _quarter_slope(ratio: float, quarter: float) -> float:
    """A'(ζ) = (ζ A - 1)/(1 - ζ²), whose limit at ζ = 1 is -1/3."""
    gap = (1.0 - ratio) * (1.0 + ratio)
    if abs(gap) < 1e-4:
        return -1.0 / 3.0 + 4.0 / 15.0 * (ratio - 1.0)
    return (ratio * quarter - 1.0) / gap


def _bilateral_ratio(restitution: float) -> float:
    if restitution == 0.0:
        return 1.0
    wanted = -math.log(restitution)
    return wanted / math.hypot(math.pi, wanted)


def _refuse_overdamped(ratio: float) -> None:
    if ratio >= 1.0:
        raise ModelError(
            f"damping is {ratio:.6g} of the critical one: a bilateral spring with 1 or more never "
            "has its length again, so that there is neither restitution nor duration"
        )


# --- arguments ------------------------------------------------------------------------------


def _each(formula: Callable[..., float], *arguments: Any) -> Any:
    """The formula for numbers, or for each of a batch."""
    arrays = np.broadcast_arrays(*(values(x) for x in arguments))
    if arrays[0].ndim == 0:
        return formula(*(float(x) for x in arrays))
    found = [
        formula(*(float(x) for x in case)) for case in zip(*map(np.ravel, arrays), strict=True)
    ]
    return np.array(found).reshape(arrays[0].shape)


def _check(law: str, **given: Any) -> None:
    check_law(law)
    units = {"stiffness": UNITS[law][0], "damping": UNITS[law][1], "mass": "kg", "speed": "m/s"}
    for name, value in given.items():
        _refuse_unless_known(name, value)
        allowed, words = (is_not_negative, "≥ 0") if name == "damping" else (is_positive, "> 0")
        if not np.all(allowed(values(value))):
            raise ModelError(f"{name} must be finite and {words} {units[name]}, got {shown(value)}")


def _refuse_unless_known(name: str, value: Any) -> None:
    if not known(value):
        raise ModelError(
            f"{name} must be a number or a NumPy batch, got {value!r}: damping and restitution "
            "are related by an equation that has to be solved for each case"
        )
