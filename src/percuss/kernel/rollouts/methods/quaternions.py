"""Unit quaternions within a flat vector, each four consecutive entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = Any


def projected(z: Array, offsets: Sequence[int]) -> Array:
    """z with unit quaternions, to rounding."""
    return _on_quaternions(z, offsets, lambda q: q * (1.0 / np.sqrt(np.sum(q * q))))


def nearly_unit(z: Array, offsets: Sequence[int]) -> Array:
    """z with quaternions that are unit to second order in their deviation.

    One Newton correction, without root or division: within a step a quaternion leaves the
    sphere by the square of the angle turned, and the fourth power of that is below any error
    of the step.
    """
    return _on_quaternions(z, offsets, lambda q: q * (1.5 - 0.5 * np.sum(q * q)))


def _on_quaternions(z: Array, offsets: Sequence[int], change: Callable[[Array], Array]) -> Array:
    """z with each quaternion replaced by change(quaternion)."""
    if not offsets:
        return z
    parts, at = [], 0
    for offset in offsets:
        parts += [z[at:offset], change(z[offset : offset + 4])]
        at = offset + 4
    return np.concatenate([*parts, z[at:]])
