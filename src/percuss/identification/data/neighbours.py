"""How far each sample of a record is from what its neighbours let expect.

What has mass moves smoothly, so a sample lies near a parabola through the samples about it, and
near a straight line through those before it or through those after it. Lines and parabolas are
those of least median of squares (Rousseeuw): of all that pass through two or three neighbours the
one from which the median of the neighbours is least away, so that other bad samples nearby do
no harm. A sample is judged by the nearest of the three predictions; a corner or a leap of the
whole record is therefore no bad sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from percuss.identification.options import DEFAULT
from percuss.identification.options.records import OutlierOptions

_AT_ONCE = 160
"""Samples that are judged together: the triples of their neighbours should fit in a cache."""


@dataclass(frozen=True)
class Deviations:
    """Samples of one column against their neighbours, n of them.

    Attributes:
        size: (n,) distance from the nearest prediction, in the unit of the column.
        spread: what such a distance is: the stated noise, or if that is larger the standard
            deviation that the median of all distances tells (Hampel's identifier).
        before: (n,) less the line through the samples before it, NaN where there are too few.
        after: (n,) the same for the samples after it.
        pace: (n,) how far the column moves from a sample to the next, by the lines on both sides.
        options: by which they are judged.
    """

    size: np.ndarray
    spread: float
    before: np.ndarray
    after: np.ndarray
    pace: np.ndarray
    options: OutlierOptions = DEFAULT.outliers

    @property
    def relative(self) -> np.ndarray:
        """Distances in units of the spread (n,)."""
        return self.size / self.spread

    def beyond(self, spreads: float) -> np.ndarray:
        """Which samples (n,) are farther than so many spreads; at the ends farther than `ends`
        times as many."""
        side, doubt = self.options.side, np.ones(len(self.size))
        doubt[:side] = doubt[-side:] = self.options.ends
        return self.relative > spreads * doubt


def deviations(
    times: np.ndarray,
    values: np.ndarray,
    noise: float,
    options: OutlierOptions = DEFAULT.outliers,
) -> Deviations | None:
    """How samples (n,) at rising times (n,) deviate from their neighbours; None for too few."""
    count, side = len(values), options.side
    if count < 2 * side + 1:
        return None
    with np.errstate(all="ignore"):
        before, slow = _line(times, values, np.arange(-side, 0))
        after, fast = _line(times, values, np.arange(1, side + 1))
        both = _parabola(times, values, side)
        size = np.fmin(np.fmin(np.abs(before), np.abs(after)), both)
        step = np.gradient(times)
        pace = np.fmax(np.abs(slow), np.abs(fast)) * step
    # Numbers that overflow are as far away as can be.
    size = np.nan_to_num(size, nan=np.inf)
    spread = max(noise, _normal() * float(np.median(size)))
    return Deviations(
        size=size, spread=spread, before=before, after=after, pace=pace, options=options
    )


@cache
def _normal() -> float:
    """Standard deviation of a normal distribution over its median absolute deviation, 1.4826."""
    from scipy.special import ndtri

    return 1.0 / float(ndtri(0.75))


def _line(
    times: np.ndarray, values: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Values less their line through the neighbours at these offsets, and its slope (n,)."""
    count = len(values)
    at = np.arange(count) + offsets[:, None]
    whole = ((at >= 0) & (at < count)).all(axis=0)
    at = np.clip(at, 0, count - 1)
    t, x = times[at] - times, values[at]
    i, j = np.array([*combinations(range(len(offsets)), 2)]).T
    slopes = (x[j] - x[i]) / (t[j] - t[i])
    starts = x[i] - slopes * t[i]
    off = _median([np.abs(own - starts - slopes * there) for own, there in zip(x, t, strict=True)])
    away, slope = _least(off, values - starts, slopes)
    return np.where(whole, away, np.nan), np.where(whole, slope, np.nan)


def _parabola(times: np.ndarray, values: np.ndarray, side: int) -> np.ndarray:
    """Distances (n,) from the parabola through the neighbours on both sides."""
    count, near = len(values), 2 * side
    i, j, k = np.array([*combinations(range(near), 3)]).T
    found = np.empty(count)
    for first in range(0, count, _AT_ONCE):
        here = np.arange(first, min(first + _AT_ONCE, count))
        begin = np.clip(here - side, 0, count - near - 1)
        at = begin + np.arange(near)[:, None]
        at = at + (at >= here)  # all but the sample itself
        t = times[at] - times[here]
        x = values[at]
        # Newton's form, at all neighbours and at the sample itself (t = 0).
        ti, tj, xi = t[i], t[j], x[i]
        first_slope = (x[j] - xi) / (tj - ti)
        bend = ((x[k] - x[j]) / (t[k] - tj) - first_slope) / (t[k] - ti)
        off = _median(
            [
                np.abs(own - (xi + first_slope * (there - ti) + bend * (there - ti) * (there - tj)))
                for own, there in zip(x, t, strict=True)
            ]
        )
        centre = xi - first_slope * ti + bend * ti * tj
        (found[here],) = _least(off, np.abs(values[here] - centre))
    return found


def _median(rows: list[np.ndarray]) -> np.ndarray:
    """The median of rows, entry by entry.

    They are sorted by exchanges of neighbours: of a few rows that is many times as quick as a
    search for the median of each column.
    """
    rows = list(rows)
    for turn in range(len(rows)):
        for k in range(turn % 2, len(rows) - 1, 2):
            rows[k : k + 2] = np.minimum(*rows[k : k + 2]), np.maximum(*rows[k : k + 2])
    half = len(rows) // 2
    return rows[half] if len(rows) % 2 else (rows[half - 1] + rows[half]) / 2.0


def _least(off: np.ndarray, *found: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each column (n,) what was found (choices, n) where it is `off` least (choices, n); inf
    where it is no number anywhere."""
    off = np.nan_to_num(off, nan=np.inf, posinf=np.inf)
    best = np.argmin(off, axis=0), np.arange(off.shape[1])
    known = off[best] < np.inf
    return tuple(np.where(known, one[best], np.inf) for one in found)
