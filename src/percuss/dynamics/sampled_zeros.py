"""Zeros of a smooth function of one variable that was sampled at increasing points."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Function = Callable[[float], float]

_VANISHING = 1e-7
"""Part of the largest value below which a minimum of |f| with a kink, known to the accuracy of
its place only, is taken for zero."""
_LOW = 0.5
"""Part of the largest value that samples beside a zero stay below."""


def crossings(points: Array, values: Array, function: Function, zero: float) -> Array:
    """Where a function changes its sign or touches zero, both ends included, sorted.

    Values of at most `zero` are rounding. A run of them is one zero, whose sign change, if there
    is one, is refined between the samples beside the run.
    """
    from scipy.optimize import brentq

    found: list[float] = []
    sizes = np.abs(values)
    clear = np.flatnonzero(sizes > zero)
    edges = [-1, *clear.tolist(), len(points)]
    for left, right in pairwise(edges):
        run = np.arange(left + 1, right)
        candidates = [(float(sizes[k]), float(points[k])) for k in run]
        inside = left >= 0 and right < len(points)
        if inside and values[left] * values[right] < 0:
            root: Any = brentq(function, points[left], points[right], xtol=1e-15)
            candidates.append((abs(function(float(root))), float(root)))
        if candidates:
            found.append(min(candidates)[1])
    for k in _dips(sizes):
        around = slice(max(k - 1, 0), k + 2)
        one_sign = (values[around] > zero).all() or (values[around] < -zero).all()
        if one_sign:
            size, place = _least(points[around], lambda x: abs(function(x)))
            if size <= zero:
                found.append(place)
    return np.sort(np.array(found, float))


def touchings(points: Array, values: Array, function: Function, zero: float) -> Array:
    """Where a function that is never negative vanishes, both ends included, sorted.

    Singular values have kinks there, so the places are those of minima: to about 1e-9 of the
    distance between samples.
    """
    allowed = max(zero, _VANISHING * float(values.max()))
    found: list[tuple[float, float]] = []
    for k in _dips(values):
        least = _least(points[max(k - 1, 0) : k + 2], function)
        found.append(min((float(values[k]), float(points[k])), least))
    places = sorted(place for size, place in found if size <= allowed)
    # Two samples beside one zero may both be lowest, and lead to it.
    apart = 1e-3 * (points[1] - points[0])
    kept = [x for k, x in enumerate(places) if k == 0 or x - places[k - 1] > apart]
    return np.array(kept, float)


def _dips(values: Array) -> list[int]:
    """Samples, the first and the last among them, that no neighbour lies below."""
    padded = np.concatenate([[np.inf], values, [np.inf]])
    lowest = (values <= padded[:-2]) & (values <= padded[2:])
    return np.flatnonzero(lowest & (values <= _LOW * values.max())).tolist()


def _least(around: Array, function: Function) -> tuple[float, float]:
    """The least value between the first and the last of these points, and where it is."""
    from scipy.optimize import minimize_scalar

    # Steps are relative to the variable, so it counts from the point, not from a far-off zero.
    origin = float(around[len(around) // 2])
    least: Any = minimize_scalar(
        lambda x: function(origin + x),
        bounds=(around[0] - origin, around[-1] - origin),
        options={"xatol": 1e-13},
        method="bounded",
    )
    return float(least.fun), origin + float(least.x)
