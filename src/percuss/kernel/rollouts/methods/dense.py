"""Polynomials between the ends of a step, as coefficients of θ, θ², … for θ from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from percuss.kernel.tracing.elementwise import elementwise

Array = Any
Powers = tuple[Array, ...]
"""Coefficients c of start + c₀·θ + c₁·θ² + …, each shaped like z."""

_FACTORS = {"θ": (0.0, 1.0), "1-θ": (1.0, -1.0)}


def on_polynomial(start: Array, powers: Sequence[Array], theta: Array) -> Array:
    """start + c₀·θ + c₁·θ² + …"""

    def entry(start: Array, *given: Array) -> Array:
        *powers, theta = given
        return _entry_at(theta, start, powers)

    return elementwise(entry, start, *powers, shared=(theta,))


def at_places(start: Array, powers: Sequence[Array], shares: Sequence[float]) -> list[Array]:
    """start + c₀·θ + c₁·θ² + … at several known shares θ: the coefficients are read once."""

    def entry(start: Array, *powers: Array) -> list[Array]:
        return [_entry_at(share, start, powers) for share in shares]

    return elementwise(entry, start, *powers)


def _entry_at(theta: Array | float, start: Array, powers: Sequence[Array]) -> Array:
    inner = powers[-1]
    for power in powers[-2::-1]:
        inner = power + theta * inner
    return start + theta * inner


def hermite(z0: Array, k0: Array, z1: Array, k1: Array, h: Array) -> Powers:
    """The cubic through the states and rates at both ends of a step of length h."""
    change = z1 - z0
    return h * k0, 3.0 * change - h * (2.0 * k0 + k1), h * (k0 + k1) - 2.0 * change


def expanded(terms: Sequence[Array], factors: Sequence[Literal["θ", "1-θ"]]) -> Powers:
    """Coefficients of f₀·(t₀ + f₁·(t₁ + f₂·(t₂ + …))) with factors f, the first of which is θ.

    That is how E. Hairer's programs write their interpolations: both ends are met whatever the
    last terms are.
    """
    product = np.ones(1)
    table = np.zeros((len(terms), len(terms) + 1))
    for row, factor in zip(table, factors, strict=True):
        product = np.convolve(product, _FACTORS[factor])
        row[: len(product)] = product
    return tuple(weighted(column, terms) for column in table.T[1:].tolist())


def weighted(weights: Sequence[float], vectors: Sequence[Array]) -> Array:
    """Sum of weight times vector, leaving zero weights out."""
    total = None
    for weight, vector in zip(weights, vectors, strict=True):
        if weight != 0.0:
            term = weight * vector
            total = term if total is None else total + term
    return total


def advanced(z: Array, h: Array, weights: Sequence[float], stages: Sequence[Array]) -> Array:
    """The state z after a step h along the weighted rates of some stages."""

    def entry(z: Array, *rest: Array) -> Array:
        *rates, h = rest
        return z + h * weighted(weights, rates)

    return elementwise(entry, z, *stages, shared=(h,))
