"""One mass against a linear spring and damper, in closed form.

With ω = √(k/m) and the damping ratio ζ = c/(2√(k m)), a mass that touches at speed v leaves a
contact that only pushes, when F = k δ + c δ̇ has fallen to zero, after t = A(ζ) 2/ω at e v,

    e = exp(-2 ζ A(ζ)),    A(ζ) = acos ζ/√(1 - ζ²),  beyond ζ = 1 acosh ζ/√(ζ² - 1),

and one that also pulls, when the spring has its length again, after π/(ω √(1 - ζ²)) with
e = exp(-π ζ/√(1 - ζ²)), ζ < 1. All functions are of plain numbers.
"""

from __future__ import annotations

import math

from percuss.model.errors import ModelError


def damping_ratio(stiffness: float, damping: float, mass: float) -> float:
    """ζ = c/(2√(k m)), without a unit."""
    return damping / (2.0 * math.sqrt(stiffness * mass))


def damping_of_ratio(ratio: float, stiffness: float, mass: float) -> float:
    """c = 2√(k m) ζ (N s/m)."""
    return 2.0 * math.sqrt(stiffness * mass) * ratio


def peak_force(stiffness: float, damping: float, mass: float, speed: float) -> float:
    """The greatest force (N).

    It is m v ω exp(-ζ (3β - π)/sin β) with ζ = cos β below ζ = ½, and c v (at once) above.
    """
    ratio = damping_ratio(stiffness, damping, mass)
    if ratio >= 0.5:
        return damping * speed
    angle = math.acos(ratio)
    swing = math.exp(-ratio * (3 * angle - math.pi) / math.sin(angle))
    return mass * speed * math.sqrt(stiffness / mass) * swing


# --- a contact that only pushes -------------------------------------------------------------


def pushed_restitution(ratio: float) -> float:
    """e = exp(-2 ζ A(ζ)) of a contact that ends where it would begin to pull."""
    return math.exp(-2.0 * ratio * _quarter(ratio))


def pushed_duration(stiffness: float, damping: float, mass: float) -> float:
    """How long a contact lasts that ends where it would begin to pull (s): 2 A(ζ)/ω."""
    frequency = math.sqrt(stiffness / mass)
    return 2.0 * _quarter(damping_ratio(stiffness, damping, mass)) / frequency


def pushed_ratio(restitution: float) -> float:
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


def _quarter(ratio: float) -> float:
    """A(ζ) = acos ζ/√(1 - ζ²), smooth through ζ = 1: half the contact's duration times ω."""
    # With w = (1 - ζ)/(1 + ζ), A = 2 atan(√w)/√w/(1 + ζ), an even function of √w.
    w = (1.0 - ratio) / (1.0 + ratio)
    if abs(w) < 0.01:
        even = sum((-w) ** k / (2 * k + 1) for k in range(9))
        return 2.0 * even / (1.0 + ratio)
    root = math.sqrt(abs(1.0 - ratio) * (1.0 + ratio))
    return (math.acos(ratio) if ratio < 1.0 else math.acosh(ratio)) / root


def _quarter_slope(ratio: float, quarter: float) -> float:
    """A'(ζ) = (ζ A - 1)/(1 - ζ²), whose limit at ζ = 1 is -1/3."""
    gap = (1.0 - ratio) * (1.0 + ratio)
    if abs(gap) < 1e-4:
        return -1.0 / 3.0 + 4.0 / 15.0 * (ratio - 1.0)
    return (ratio * quarter - 1.0) / gap


# --- a spring that also pulls ---------------------------------------------------------------


def swung_restitution(ratio: float) -> float:
    """e = exp(-π ζ/√(1 - ζ²)) where the spring has its length again, ζ < 1."""
    _refuse_overdamped(ratio)
    return math.exp(-math.pi * ratio / math.sqrt((1.0 - ratio) * (1.0 + ratio)))


def swung_duration(stiffness: float, damping: float, mass: float) -> float:
    """When the spring has its length again (s): π/(ω √(1 - ζ²)), ζ < 1."""
    frequency = math.sqrt(stiffness / mass)
    ratio = damping_ratio(stiffness, damping, mass)
    _refuse_overdamped(ratio)
    return math.pi / (frequency * math.sqrt((1.0 - ratio) * (1.0 + ratio)))


def swung_ratio(restitution: float) -> float:
    """ζ of a spring that swings back with e; critical damping, 1, for e = 0."""
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
