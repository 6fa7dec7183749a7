"""A quantity along a curve through a point of the motion, with two derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.kernel.tracing.derivatives import jvp

Array = Any


def jet(
    value: Callable[[Array, Array], Array],
    t: Array,
    z: Array,
    motion: tuple[Array, Array],
    bend: Array,
) -> tuple[Array, Array, Array]:
    """A quantity (t, z) → number with its first and second derivative by θ, at θ = 0.

    Along t + θ·motion[0] and z + θ·motion[1] + ½ θ²·bend.
    """

    def slope(point: Any, motion: Any) -> tuple[Array, Array]:
        at, change = jvp(value, point, motion)
        return change, at

    bends = (np.zeros(()), bend)
    first, second, at = jvp(slope, ((t, z), motion), (motion, bends), has_aux=True)
    return at, first, second
