"""How close an approach came, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from percuss.impact.surfaces import Surface
from percuss.simulate.leg import Leg
from percuss.simulate.touching import distance_of, gap_of

_AROUND = 12
"""Samples on either side of the closest one through which a spline is laid."""


@dataclass(frozen=True)
class Nearest:
    """The smallest distance of the tool from what it is to touch (m), and when (s)."""

    distance: float
    time: float


def nearest(legs: Sequence[Leg], surface: Surface | None = None) -> Nearest:
    """Over the stretches of an approach: from the contact point, or from the surface."""
    found = [_nearest(leg, surface) for leg in legs]
    return min(found, key=lambda one: one.distance)


def _nearest(leg: Leg, surface: Surface | None) -> Nearest:
    from scipy.interpolate import CubicSpline

    seen, stage = leg.seen, leg.seen.stage
    time = seen.time
    if surface is not None:
        values = np.asarray(gap_of(stage, surface, seen.q), float)
    else:
        assert stage.grip is not None
        # The square is smooth where the points meet.
        apart = distance_of(stage, stage.grip, seen.q)
        values = sum((np.asarray(x, float) ** 2 for x in apart), np.zeros(len(time)))
    values = np.broadcast_to(values, time.shape)
    k = int(np.argmin(values))
    best, when = float(values[k]), float(time[k])
    if 0 < k < len(time) - 1:
        part = slice(max(0, k - _AROUND), k + _AROUND + 1)
        curve = CubicSpline(time[part], values[part])
        for root in curve.derivative().roots(extrapolate=False):
            if time[k - 1] <= root <= time[k + 1] and float(curve(root)) < best:
                best, when = float(curve(root)), float(root)
    return Nearest(best if surface is not None else float(np.sqrt(max(best, 0.0))), when)
