"""The cubic through the states and rates at both ends of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Array = Any


def hermite(
    z0: Array, k0: Array, z1: Array, k1: Array, h: Array
) -> tuple[Callable[[Array], Array], Callable[[], Array]]:
    """The cubic through both states and rates, by θ in [0, 1], and its bend at θ = 0."""
    change = z1 - z0
    c1 = h * k0
    c2 = 3.0 * change - h * (2.0 * k0 + k1)
    c3 = h * (k0 + k1) - 2.0 * change
    return lambda theta: z0 + theta * (c1 + theta * (c2 + theta * c3)), lambda: 2.0 * c2
