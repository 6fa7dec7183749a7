"""The probability that intervals are stated for, and what follows from it."""

from __future__ import annotations

from functools import cache

import numpy as np

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


def covering_sigmas(gaps: np.ndarray, rise: np.ndarray, tail: float) -> np.ndarray:
    """Standard deviations (n,) that cover quantities which are elsewhere by gaps (n, places).

    A place where χ² rises by r is √r standard deviations off; `tail` more are let pass.
    """
    far = np.sqrt(np.maximum(rise, 0.0)) + tail
    return (np.abs(gaps) / far).max(axis=1, initial=0.0)
