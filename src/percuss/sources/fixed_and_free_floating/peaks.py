"""The largest value of a function of time, between samples too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray

SAMPLES = 401
"""Points at which maxima are looked for before they are refined."""

_POINTS = 17
_PASSES = 7


def largest(function: Callable[[Array], Array], end: float, samples: int = SAMPLES) -> Array:
    """The largest value of each row over 0 ≤ t ≤ end, shape (k,), of times (n,) → values (k, n).

    Every sample that its neighbours do not exceed is refined: the stretch between them is sampled
    again, and what is around the best point again, eight times shorter each time. The seventh
    stretch is 8⁻⁷ of the first, and at a smooth maximum the value is off by the square of that:
    less than rounding. A maximum narrower than two samples may be missed.
    """
    times = np.linspace(0.0, end, samples)
    values = np.asarray(function(times), float)
    edge = np.full((len(values), 1), -np.inf)
    before, after = np.hstack([edge, values[:, :-1]]), np.hstack([values[:, 1:], edge])
    rows, places = np.nonzero((values >= before) & (values >= after))
    found = values.max(axis=1)
    low, high = times[np.maximum(places - 1, 0)], times[np.minimum(places + 1, samples - 1)]
    each = np.arange(len(rows))
    for _ in range(_PASSES):
        finer = np.linspace(low, high, _POINTS)  # (points, stretches)
        shown = np.asarray(function(finer.ravel()), float).reshape(len(values), *finer.shape)
        along = shown[rows, :, each]
        best = along.argmax(axis=1)
        np.maximum.at(found, rows, along[each, best])
        low = finer[np.maximum(best - 1, 0), each]
        high = finer[np.minimum(best + 1, _POINTS - 1), each]
    return found
