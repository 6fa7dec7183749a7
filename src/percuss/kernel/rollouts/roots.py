"""Roots by a fixed number of rounds, the same for every case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel.tracing.closures import Repeated
from percuss.kernel.tracing.derivatives import hold

Array = Any


class Bracket(NamedTuple):
    """What is known of a sign change after the rounds: it lies between `low` and `high`."""

    guess: Array
    low: Array
    high: Array
    least: Array
    """Smallest |value| seen: near zero where the function is continuous."""


def bracketed(
    function: Callable[[Array], Array],
    low: Array,
    high: Array,
    rounds: int,
    *,
    begin: Array | float = 0.0,
    end: Array | float = 1.0,
    halve: Array | bool = False,
) -> Bracket:
    """Narrows down a sign change in [begin, end], given values `low` and `high` there.

    The Illinois variant of regula falsi, every fourth round a bisection: superlinear on smooth
    functions, and never worse than a slow bisection on others. Where `halve` is true every round
    is a bisection, the best there is for a function that jumps. Where `low` and `high` have the
    same sign the result has no meaning, but stays in [begin, end].
    """
    side, zeros = np.sign(low), np.zeros_like(low)
    halving = np.where(halve, 1.0, 0.0)

    def narrowed(
        a: Array, b: Array, at_a: Array, at_b: Array, least: Array, moved: Array, halves: Array
    ) -> tuple[Array, ...]:
        """One round; `moved` is which end did so in the last one: 1 for a, -1 for b, 0 none."""
        share = np.where(halves > 0.0, 0.5, _secant_share(at_a, at_b))
        middle = a + (b - a) * share
        value = function(middle)
        left = side * value > 0.0
        # The end that stays a second time counts half, so that the next secant crosses over.
        at_a, at_b = np.where(moved < 0.0, 0.5, 1.0) * at_a, np.where(moved > 0.0, 0.5, 1.0) * at_b
        return (
            np.where(left, middle, a),
            np.where(left, b, middle),
            np.where(left, value, at_a),
            np.where(left, at_b, value),
            np.minimum(least, np.abs(value)),
            np.where(left, 1.0, -1.0),
        )

    once = Repeated(narrowed, rounds)
    found: tuple[Array, ...] = (zeros + begin, zeros + end, low, high, zeros + np.inf, zeros)
    for k in range(rounds):
        found = once(*found, np.ones(()) if k % 4 == 3 else halving)
    a, b, at_a, at_b, least, _ = found
    return Bracket(a + (b - a) * _secant_share(at_a, at_b), a, b, least)


def bracketed_root(
    function: Callable[[Array], Array], low: Array, high: Array, rounds: int
) -> Array:
    """θ in [0, 1] where the function changes sign, given values `low` at 0 and `high` at 1."""
    return bracketed(function, low, high, rounds).guess


def _secant_share(at_a: Array, at_b: Array) -> Array:
    """Where the chord crosses zero, from 0 at a to 1 at b; kept between, 0 where it has no place.

    The values have different signs wherever the answer matters, so that the chord is not flat.
    """
    share = at_a / (at_a - at_b)
    return np.where(share > 0.0, np.where(share < 1.0, share, 1.0), 0.0)


def hermite_value(
    theta: Array | float, h: Array, g0: Array, slope0: Array, g1: Array, slope1: Array
) -> Array:
    """The cubic through both values and slopes, at the share θ of a step of length h."""
    return _at(theta, _cubic(h, g0, slope0, g1, slope1))


def hermite_crossing(
    t: Array, h: Array, g0: Array, slope0: Array, g1: Array, slope1: Array, rounds: int = 12
) -> Array:
    """Time of the sign change of the cubic through both values and slopes (per second).

    The rounds are not differentiated; a last Newton step carries the derivative of the time
    with respect to the values, which is what the implicit function theorem gives.
    """
    coefficients = _cubic(h, g0, slope0, g1, slope1)
    fixed = tuple(map(hold, coefficients))
    theta = _root(fixed, hold(g0), hold(g1), rounds)
    slope = fixed[1] + theta * (2.0 * fixed[2] + theta * 3.0 * fixed[3])
    return t + h * (theta + newton_shift(_at(theta, coefficients), slope, 0.1))


def hermite_root(
    h: Array, g0: Array, slope0: Array, g1: Array, slope1: Array, rounds: int = 12
) -> Array:
    """Place θ of that sign change, for values that are not differentiated."""
    return _root(_cubic(h, g0, slope0, g1, slope1), g0, g1, rounds)


def _root(c: tuple[Array, ...], g0: Array, g1: Array, rounds: int) -> Array:
    return bracketed_root(lambda x: _at(x, c), g0, g1, rounds)


def _cubic(h: Array, g0: Array, slope0: Array, g1: Array, slope1: Array) -> tuple[Array, ...]:
    """Coefficients of 1, θ, θ², θ³ of the cubic through both values and slopes."""
    m0, change = h * slope0, g1 - g0
    cubic = m0 + h * slope1 - 2.0 * change
    return g0, m0, change - m0 - cubic, cubic


def _at(theta: Array | float, c: tuple[Array, ...]) -> Array:
    return c[0] + theta * (c[1] + theta * (c[2] + theta * c[3]))


def hermite_maximum(h: Array, g0: Array, slope0: Array, g1: Array, slope1: Array) -> Array:
    """Largest value of the cubic where it rises at the start and falls at the end, else g1.

    The place of the maximum is not differentiated: the value does not change with it.
    """
    coefficients = _cubic(h, g0, slope0, g1, slope1)
    inside = (slope0 > 0.0) & (slope1 < 0.0)
    theta = _top(hold(coefficients), inside)
    return np.where(inside, _at(theta, coefficients), g1)


def hermite_top(h: Array, g0: Array, slope0: Array, g1: Array, slope1: Array) -> Array:
    """Place θ of that maximum; 1 where there is none."""
    inside = (slope0 > 0.0) & (slope1 < 0.0)
    return _top(_cubic(h, g0, slope0, g1, slope1), inside)


def _top(c: tuple[Array, ...], inside: Array) -> Array:
    """c1 + 2 c2 θ + 3 c3 θ² = 0, its falling root in the form that does not cancel."""
    square = np.maximum(c[2] * c[2] - 3.0 * c[1] * c[3], 0.0)
    return np.where(inside, c[1] / (np.sqrt(square) - c[2]), 1.0)


def newton_shift(value: Array, slope: Array, most: Array | float) -> Array:
    """-value / slope, or nothing where the slope vanishes or the shift would exceed `most`."""
    flat = slope == 0.0
    shift = -value / np.where(flat, 1.0, slope)
    usable = ~flat & (np.abs(shift) <= most)
    return np.where(usable, shift, 0.0)


def is_crossing(before: Array, after: Array, direction: int) -> Array:
    """Whether the sign changes: direction +1 rising, -1 falling, 0 either. NaN never crosses."""
    rising = (before < 0.0) & (after >= 0.0)
    falling = (before > 0.0) & (after <= 0.0)
    if direction == 0:
        return rising | falling
    return rising if direction > 0 else falling
