"""The probability that intervals are stated for, and what follows from it."""

from __future__ import annotations

from functools import cache

LEVEL = 0.95
"""With which a quantity lies in its interval: what documents and files say of every interval."""


@cache
def normal_reach() -> float:
    """Standard deviations to either side that hold it of a normal distribution, 1.96."""
    from scipy.special import ndtri

    return float(ndtri(0.5 * (1.0 + LEVEL)))


@cache
def chi_square_rise() -> float:
    """The rise of χ² at the ends of an interval of 95 %: 3.84, by χ² of one degree of freedom."""
    from scipy.special import chdtri

    return float(chdtri(1.0, 1.0 - LEVEL))


def tails() -> tuple[float, float]:
    """The shares below the ends of an interval."""
    return 0.5 * (1.0 - LEVEL), 0.5 * (1.0 + LEVEL)
