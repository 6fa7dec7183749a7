"""One mass against a surface of Hunt and Crossley's law, in closed form as far as it goes.

m δ̈ = -k δ^1.5 (1 + a δ̇) with a = c/k, touching at speed v. In w = ln(1 + a δ̇), which falls from
W = ln(1 + a v) to -Z, the equation of motion separates: with P(w) = exp(w) - 1 - w

    δ^2.5 = 5 m/(2 k a²) (P(W) - P(w)),    dt = -m dw/(a k δ^1.5),    P(-Z) = P(W),

so that back at δ = 0 the mass has the speed e v with a v (1 + e) = ln((1 + a v)/(1 - a e v)).

All functions are of plain numbers; x = a v has no unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_SERIES_BELOW = 0.2
_SERIES_TERMS = 26
"""At `_SERIES_BELOW` the first term left out of a logarithm's series is below rounding."""
_ELASTIC_BELOW = 1e-12
"""Of x: there duration and force differ from those without damping by less than rounding."""


def restitution_of_drop(x: float) -> float:
    """e with x (1 + e) = ln((1 + x)/(1 - e x)): it falls from 1 at x = 0 as 1/x in the end."""
    return -math.expm1(-_last(x)) / x if x > 1e-150 else 1.0


def drop_of_restitution(restitution: float) -> float:
    """x with x (1 + e) = ln((1 + x)/(1 - e x)), for 0 < e ≤ 1."""
    if restitution == 1.0:
        return 0.0
    # 1 - x < e(x) < 1/x: e falls from 1 with the slope -2/3, and e x < 1.
    return _zero(
        lambda x: restitution_of_drop(x) - restitution, 1.0 - restitution, 1.0 / restitution
    )


def peak_force(stiffness: float, drop: float, mass: float, speed: float) -> float:
    """The greatest force (N): where P(W) - P(w) = 0.6 (exp(w) - 1), before the greatest depth."""
    if drop < _ELASTIC_BELOW:
        return stiffness * _elastic_depth(stiffness, mass, speed) ** 1.5
    first = math.log1p(drop)
    back = _zero(lambda h: 0.6 * math.expm1(first - h) - _fallen(first, h), 0.0, first)
    depth = _depth(stiffness, drop, mass, speed, fallen=_fallen(first, back))
    return stiffness * depth**1.5 * math.exp(first - back)


def duration(stiffness: float, drop: float, mass: float, speed: float) -> float:
    """How long the contact lasts (s), by quadrature to about 1e-12."""
    if drop < _ELASTIC_BELOW:
        # ∫ dy/√(1 - y^2.5) from 0 to 1, there and back.
        whole = 2.0 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9)
        return whole * _elastic_depth(stiffness, mass, speed) / speed
    from scipy.integrate import quad

    def side(end: float) -> float:
        # Near the end δ^1.5 ~ h^0.6 with h = |end - w|: in s with h = |end| s^2.5 it is smooth.
        def integrand(s: float) -> float:
            fallen = _fallen(end, end * s**2.5)
            return 2.5 * s**1.5 / _depth(stiffness, drop, mass, speed, fallen=fallen) ** 1.5

        found = quad(integrand, 0.0, 1.0, epsabs=0.0, epsrel=1e-12, limit=500)[0]
        return abs(end) * mass * speed / (drop * stiffness) * found

    return side(math.log1p(drop)) + side(-_last(drop))


def _last(x: float) -> float:
    """Z > 0 with Z - 1 + exp(-Z) = x - ln(1 + x): where the contact ends."""
    wanted = _below_itself(x)
    # The left side is convex, and the start is right of the root: Newton never overshoots.
    z = wanted + min(1.0, math.sqrt(2.0 * wanted))
    for _ in range(60):
        step = (_above_line(z) - wanted) / -math.expm1(-z)
        z -= step
        if abs(step) <= 2e-16 * z:
            break
    return z


def _fallen(end: float, h: float) -> float:
    """P(end) - P(end - h), h having the sign of `end`, without cancellation for |h| ≤ |end|."""
    if end < 0.0 and h < -_SERIES_BELOW:
        # exp(-h) may overflow; exp(end - h) does not.
        return (math.exp(end) - math.exp(end - h)) - h
    return math.expm1(end) * h - math.exp(end) * _above_line(h)


def _depth(stiffness: float, drop: float, mass: float, speed: float, *, fallen: float) -> float:
    return (2.5 * mass * speed**2 / stiffness * (fallen / drop**2)) ** 0.4


def _elastic_depth(stiffness: float, mass: float, speed: float) -> float:
    """½ m v² = 0.4 k δ^2.5."""
    return (1.25 * mass * speed**2 / stiffness) ** 0.4


def _below_itself(x: float) -> float:
    """x - ln(1 + x), to rounding also near 0."""
    if x >= _SERIES_BELOW:
        return x - math.log1p(x)
    return sum((-x) ** k / k for k in range(_SERIES_TERMS, 1, -1))


def _above_line(z: float) -> float:
    """exp(-z) - (1 - z), to rounding also near 0, for either sign."""
    if abs(z) >= _SERIES_BELOW:
        return z + math.expm1(-z)
    return sum((-z) ** k / math.factorial(k) for k in range(15, 1, -1))


def _zero(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls, or one that rises, is zero; low and high bracket it."""
    from scipy.optimize import brentq

    found: object = brentq(falling, low, high, xtol=1e-300, maxiter=1000)
    assert isinstance(found, float)  # brentq without full_output
    return found
