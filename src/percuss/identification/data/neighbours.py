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

_AT_ONCE = 4096
"""Samples that are judged together: their triples of neighbours must fit in memory."""


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
    at = np.arange(count)[:, None] + offsets
    whole = ((at >= 0) & (at < count)).all(axis=1)
    at = np.clip(at, 0, count - 1)
    t, x = times[at] - times[:, None], values[at]
    best, away, slope = np.full((3, count), np.inf)
    for i, j in combinations(range(len(offsets)), 2):
        own = (x[:, j] - x[:, i]) / (t[:, j] - t[:, i])
        start = x[:, i] - own * t[:, i]
        off = np.median(np.abs(x - start[:, None] - own[:, None] * t), axis=1)
        better = off < best
        best = np.where(better, off, best)
        away = np.where(better, values - start, away)
        slope = np.where(better, own, slope)
    return np.where(whole, away, np.nan), np.where(whole, slope, np.nan)


def _parabola(times: np.ndarray, values: np.ndarray, side: int) -> np.ndarray:
    """Distances (n,) from the parabola through the neighbours on both sides."""
    count, near = len(values), 2 * side
    found = np.empty(count)
    for first in range(0, count, _AT_ONCE):
        here = np.arange(first, min(first + _AT_ONCE, count))
        begin = np.clip(here - side, 0, count - near - 1)
        at = begin[:, None] + np.arange(near)
        at = at + (at >= here[:, None])  # all but the sample itself
        t = times[at] - times[here, None]
        x = values[at]
        best, away = np.full((2, len(here)), np.inf)
        for i, j, k in combinations(range(near), 3):
            # Newton's form, at the sample itself (t = 0) and at all neighbours.
            first_slope = (x[:, j] - x[:, i]) / (t[:, j] - t[:, i])
            second = (x[:, k] - x[:, j]) / (t[:, k] - t[:, j])
            bend = (second - first_slope) / (t[:, k] - t[:, i])
            ti, tj = t[:, i, None], t[:, j, None]
            shown = x[:, i, None] + first_slope[:, None] * (t - ti)
            shown = shown + bend[:, None] * (t - ti) * (t - tj)
            off = np.median(np.abs(x - shown), axis=1)
            centre = x[:, i] - first_slope * t[:, i] + bend * t[:, i] * t[:, j]
            better = off < best
            best = np.where(better, off, best)
            away = np.where(better, np.abs(values[here] - centre), away)
        found[here] = away
    return found
