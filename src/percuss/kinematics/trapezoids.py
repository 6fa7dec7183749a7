"""The trajectory of constant acceleration, constant speed and constant deceleration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from percuss.algebra.scalars import is_constant
from percuss.kinematics.trajectories import Trajectory, ends_of
from percuss.model.errors import ModelError


def trapezoidal(
    q0: Any,
    q1: Any,
    *,
    speed: Any,
    acceleration: Any,
    duration: float | None = None,
    start: float = 0.0,
) -> Trajectory:
    """A trajectory from rest to rest: constant acceleration, constant speed, constant deceleration.

    All coordinates move together along a straight line, so that each keeps within its limits and
    one of them is at it. A way too short to reach the speed is a triangle.

    Args:
        speed: most of each coordinate (rad/s or m/s), a number or one for each.
        acceleration: most of each coordinate (rad/s² or m/s²), likewise.
        duration: longer than the shortest possible, which is the default (s).
    """
    first, last, _, begin = ends_of(q0, q1, 1.0, start)
    if not all(is_constant(x) for x in (*first, *last, begin)):
        raise ModelError("a trapezoidal trajectory needs numbers; cubic and quintic take symbols")
    way = np.array(last, float) - np.array(first, float)
    fastest, strongest = _limits(speed, way, "speed"), _limits(acceleration, way, "acceleration")
    if not way.any():
        raise ModelError("q0 and q1 are the same: there is no way to go")
    moving = way != 0
    rate = float(np.min(fastest[moving] / np.abs(way[moving])))  # of s from 0 to 1
    change = float(np.min(strongest[moving] / np.abs(way[moving])))
    rate = min(rate, math.sqrt(change))
    shortest = 1 / rate + rate / change
    if duration is not None:
        if not (math.isfinite(duration) and duration >= shortest * (1 - 1e-12)):
            raise ModelError(
                f"duration must be at least {shortest:.6g} s with these limits, got {duration!r}"
            )
        # 1 / r + r / change = duration: the slower of the two rates.
        root = math.sqrt(max(0.0, (change * duration) ** 2 - 4 * change))
        rate = min(rate, 2.0 / (duration + root / change))
    rise = rate / change
    flat = 1 / rate - rise
    s1 = 0.5 * change * rise**2
    shapes = [(0.0, 0.0, change / 2), (s1, rate, 0.0), (1 - s1, rate, -change / 2)]
    spans = [rise, flat, rise]
    if flat <= 1e-12 * rise:
        del shapes[1], spans[1]
    breaks = [float(begin), *(float(begin) + np.cumsum(spans)).tolist()]  # type: ignore[arg-type]
    pieces = tuple(
        tuple((a + s * d, r * d, c * d) for a, d in zip(first, way.tolist(), strict=True))
        for s, r, c in shapes
    )
    return Trajectory(tuple(breaks), pieces)


def _limits(values: Any, way: np.ndarray, what: str) -> np.ndarray:
    limits = np.asarray(values, float)
    if limits.shape not in ((), way.shape) or not (np.isfinite(limits) & (limits > 0)).all():
        raise ModelError(
            f"{what} must be > 0 and finite, one number or {len(way)} of them, got {values!r}"
        )
    return np.broadcast_to(limits, way.shape)
