"""The cubic spline through evenly spaced values, and where it is lowest."""

from __future__ import annotations

from functools import cache

import numpy as np


def spline_slopes(values: np.ndarray) -> np.ndarray:
    """Slopes of the cubic spline at its knots, change per spacing; shape (n,), n of four or more.

    The first two pieces are one cubic, and so are the last two: nothing is known of the ends but
    the values.
    """
    changes = np.diff(values)
    given = np.empty_like(values)
    given[1:-1] = 3.0 * (changes[1:] + changes[:-1])
    given[0], given[-1] = (5.0 * a + b for a, b in (changes[:2], changes[:-3:-1]))
    return np.linalg.solve(_continuity(len(values)), given)


@cache
def _continuity(count: int) -> np.ndarray:
    """What slopes at the knots obey for curvatures, at the ends their rates, to be continuous."""
    rows = 4.0 * np.eye(count) + np.eye(count, k=1) + np.eye(count, k=-1)
    rows[0, :2] = rows[-1, :-3:-1] = 2.0, 4.0
    return rows


def spline_lowest(values: np.ndarray) -> tuple[float, float]:
    """The lowest value between the first knot and the last, and where, in spacings from the first.

    Of two that are equally low it is the first.
    """
    slopes = spline_slopes(values)
    before, after, change = slopes[:-1], slopes[1:], np.diff(values)
    bend, skew = 3.0 * change - 2.0 * before - after, before + after - 2.0 * change
    # The slope along a piece is before + 2 bend s + 3 skew s², for s from 0 to 1.
    with np.errstate(divide="ignore", invalid="ignore"):
        larger = -(bend + np.copysign(np.sqrt(bend * bend - 3.0 * skew * before), bend))
        level = np.stack([larger / (3.0 * skew), before / larger])
    # A piece without a level place has none that is a number between 0 and 1.
    s = np.where((level >= 0.0) & (level <= 1.0), level, 0.0)
    heights = values[:-1] + s * (before + s * (bend + s * skew))
    piece, place = np.tile(np.arange(len(change)), 2), s.ravel()
    found = np.append(heights.ravel(), values[-1])
    where = np.append(piece + place, len(change))
    k = int(np.lexsort((where, found))[0])
    return float(found[k]), float(where[k])
