"""Linear equations with symmetric tables that may be singular, many cases at once."""

from __future__ import annotations

import numpy as np

_ROUNDING = 1e-15
"""Share of the largest eigenvalue below which one is rounding, not information."""


def solve_semidefinite(tables: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Solutions x (b, n, k) of A x = y for tables A (b, n, n), not negative, and y (b, n, k).

    Where motion runs away one direction may outweigh the others by more digits than numbers have.
    Such a table is singular to a computer: along what has drowned in its rounding x is zero, and
    the rest is solved as it is.
    """
    try:
        return np.linalg.solve(tables, np.broadcast_to(sides, (*tables.shape[:2], sides.shape[2])))
    except np.linalg.LinAlgError:
        sizes, axes = np.linalg.eigh(tables)
    least = _ROUNDING * np.maximum(sizes[:, -1:], 0.0)
    inverse = np.where(sizes > least, 1.0 / np.where(sizes > least, sizes, 1.0), 0.0)
    along = np.swapaxes(axes, 1, 2) @ sides
    return axes @ (inverse[..., None] * along)
