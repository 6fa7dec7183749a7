"""Polynomial trajectories: cubic, quintic, through states, and splines through via points."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.arrays import Accelerations, Coordinates, Rates
from percuss.algebra.scalars import Scalar, add, formula
from percuss.kinematics.trajectories import (
    Piece,
    Trajectory,
    checked_times,
    ends_of,
    vector_of,
)
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars


def cubic(
    q0: Any, q1: Any, duration: Scalar, *, v0: Any = None, v1: Any = None, start: Scalar = 0.0
) -> Trajectory:
    """q0 + v0 t + a2 t² + a3 t³: coordinates and rates given at both ends, default at rest.

    a2 = (3 D - (2 v0 + v1) T) / T², a3 = ((v0 + v1) T - 2 D) / T³ with D = q1 - q0. Its
    acceleration jumps at both ends.
    """
    first, last, length, begin = ends_of(q0, q1, duration, start)
    rates0, rates1 = _rates(v0, first, "v0"), _rates(v1, first, "v1")
    piece = _cubic_piece(first, last, rates0, rates1, length)
    return Trajectory((begin, add(begin, length)), (piece,))


def quintic(
    q0: Any,
    q1: Any,
    duration: Scalar,
    *,
    v0: Any = None,
    v1: Any = None,
    a0: Any = None,
    a1: Any = None,
    start: Scalar = 0.0,
) -> Trajectory:
    """The polynomial of degree five with coordinates, rates and accelerations given at both ends.

    Rates and accelerations are zero by default: it then starts and stops without a jerk in force.
    """
    first, last, length, begin = ends_of(q0, q1, duration, start)
    rates = _rates(v0, first, "v0"), _rates(v1, first, "v1")
    changes = _rates(a0, first, "a0"), _rates(a1, first, "a1")
    piece = _hermite(first, last, *rates, *changes, length)
    return Trajectory((begin, add(begin, length)), (piece,))


def through_states(times: Any, q: Coordinates, v: Rates, a: Accelerations) -> Trajectory:
    """A trajectory through coordinates, rates and accelerations at times (s): quintic pieces.

    Shapes (n,) and (n, size). Whatever passes exactly through the states is between them met to
    the sixth order of the spacing.
    """
    when = checked_times(times)
    states = [np.asarray(part, float) for part in (q, v, a)]
    for name, part in zip(("q", "v", "a"), states, strict=True):
        if part.ndim != 2 or len(part) != len(when) or not np.isfinite(part).all():
            raise ModelError(
                f"{name} must be finite with one row for each of the {len(when)} times, "
                f"got shape {part.shape}"
            )
    rows = [[tuple(float(x) for x in row) for row in part] for part in states]
    pieces = tuple(
        _hermite(
            rows[0][k], rows[0][k + 1], rows[1][k], rows[1][k + 1], rows[2][k], rows[2][k + 1], h
        )
        for k, h in enumerate(np.diff(when).tolist())
    )
    return Trajectory(tuple(when.tolist()), pieces)


def spline(times: Any, knots: Any, *, v0: Any = None, v1: Any = None) -> Trajectory:
    """A trajectory through knots (n, size) at times (n,), s.

    It consists of cubic pieces with continuous accelerations.

    Rates at the first and last time are v0 and v1, default at rest. Numbers only.
    """
    from scipy.interpolate import CubicSpline

    when = checked_times(times)
    places = np.asarray(knots, float)
    if places.ndim != 2 or len(places) != len(when) or not np.isfinite(places).all():
        raise ModelError(
            f"knots must be finite with one row for each of the {len(when)} times, "
            f"got shape {places.shape}"
        )
    first = tuple(places[0].tolist())
    ends = [np.array(_rates(v, first, name), float) for v, name in ((v0, "v0"), (v1, "v1"))]
    slopes: Any = ((1, ends[0]), (1, ends[1]))
    found = CubicSpline(when, places, bc_type=slopes)
    pieces = tuple(
        tuple(tuple(float(x) for x in found.c[::-1, k, joint]) for joint in range(len(first)))
        for k in range(len(when) - 1)
    )
    return Trajectory(tuple(when.tolist()), pieces)


@formula
def _cubic_piece(q0: Scalars, q1: Scalars, v0: Scalars, v1: Scalars, length: Scalar) -> Piece:
    """The cubic with given value and slope at 0 and at `length`."""
    T = length
    squared = T * T
    piece: list[Scalars] = []
    for a, b, u, w in zip(q0, q1, v0, v1, strict=True):
        way = b - a
        second = (3.0 * way - (2.0 * u + w) * T) / squared
        third = ((u + w) * T - 2.0 * way) / (squared * T)
        piece.append((a, u, second, third))
    return tuple(piece)


@formula
def _hermite(
    q0: Scalars,
    q1: Scalars,
    v0: Scalars,
    v1: Scalars,
    a0: Scalars,
    a1: Scalars,
    length: Scalar,
) -> Piece:
    """The quintic with given value, slope and curvature at 0 and at `length`."""
    T = length
    squared = T * T
    cubed = squared * T
    piece: list[Scalars] = []
    for p, r, u, w, b, c in zip(q0, q1, v0, v1, a0, a1, strict=True):
        # What the first three terms leave over at the end: value, T slope, T² curvature.
        way = r - p - (u * T + 0.5 * (b * squared))
        slope = (w - u - b * T) * T
        bend = (c - b) * squared
        third = 10.0 * way - 4.0 * slope + 0.5 * bend
        fourth = 7.0 * slope - 15.0 * way - bend
        fifth = 6.0 * way - 3.0 * slope + 0.5 * bend
        high = third / cubed, fourth / (cubed * T), fifth / (cubed * squared)
        piece.append((p, u, 0.5 * b, *high))
    return tuple(piece)


def _rates(values: Any, like: Scalars, what: str) -> Scalars:
    return (0.0,) * len(like) if values is None else vector_of(values, len(like), what)
