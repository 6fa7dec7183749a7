"""Comparing quantities: relative to their size, with messages in physical terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.algebra import Pose


def assert_same(
    ours: Any, theirs: Any, what: str, tolerance: float = 1e-13, scale: float = 0.0
) -> None:
    """No entry of `ours` differs by more than `tolerance` times the norm of `theirs`.

    `scale` is the size of what was added up to get here, where the sum may be much smaller.
    """
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    assert a.shape == b.shape, f"{what}: shape {a.shape}, expected {b.shape}"
    if a.size == 0:
        return
    size = max(float(np.linalg.norm(b)), scale, 1e-3)
    error = np.abs(a - b)
    worst = np.unravel_index(int(np.argmax(np.nan_to_num(error, nan=np.inf))), a.shape)
    assert error[worst] <= tolerance * size, (
        f"{what} differs at {tuple(int(i) for i in worst)}: {a[worst]!r}, expected {b[worst]!r} "
        f"(error {error[worst] / size:.2e} of its size {size:.3g}, allowed {tolerance:.0e})"
    )


def pose_matrix(pose: Pose) -> Any:
    """Shape (4, 4)."""
    return np.asarray(pose.matrix(), float)


def derivative(function: Callable[[float], Any], step: float = 2e-3) -> Any:
    """d/dt at 0 by central differences of order six: exact to about 1e-12 for smooth motion."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    total = sum(
        w * (np.asarray(function(k * step), float) - np.asarray(function(-k * step), float))
        for k, w in weights.items()
    )
    return total / (60 * step)
