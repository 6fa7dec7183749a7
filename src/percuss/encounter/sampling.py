"""Times and indices in order, each once."""

from __future__ import annotations

import numpy as np


def distinct(*values: np.ndarray) -> np.ndarray:
    """All the values, none of which is NaN, in order and each once: one axis.

    As `np.unique` does it, which loads the masked arrays of NumPy first: that takes longer than
    everything that a run looks up in this way.
    """
    every = np.sort(np.concatenate([np.ravel(part) for part in values]))
    return every[np.append(True, every[1:] != every[:-1])] if every.size else every
