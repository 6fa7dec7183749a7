"""Turns over time, as vectors that do not jump."""

from __future__ import annotations

import numpy as np

_FULL = 2.0 * np.pi


def turned(quaternions: np.ndarray) -> np.ndarray:
    """Rotation vectors (time, 3), rad, from the first attitude to each, world axes, unwrapped.

    `quaternions` (time, 4) are world ← body. At each time φ and φ (1 - 2π/|φ|) describe the
    same turn; the one closer to the turn before is taken, so that a spin goes on past π.
    """
    q = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    w, xyz = _times_conjugate(q, q[0])
    sine = np.linalg.norm(xyz, axis=1)
    angle = 2.0 * np.arctan2(sine, w)
    axis = np.divide(xyz, sine[:, None], out=np.zeros_like(xyz), where=sine[:, None] > 0)
    vectors: list[tuple[float, float, float]] = []
    x, y, z = 0.0, 0.0, 0.0
    # One after the other, in numbers of Python: those of NumPy take ten times as long.
    for (a, b, c), turn, turns_at_all in zip(
        axis.tolist(), angle.tolist(), (sine > 0).tolist(), strict=True
    ):
        size = 0.0
        if turns_at_all:
            # Full turns along the axis that bring this vector closest to the last one.
            size = turn + _FULL * round((x * a + y * b + z * c - turn) / _FULL)
        x, y, z = size * a, size * b, size * c
        vectors.append((x, y, z))
    return np.array(vectors)


def _times_conjugate(q: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q ⊗ first*: the turn from the first attitude, world axes, as (w, xyz)."""
    w0, v0 = first[0], -first[1:]
    w, v = q[:, 0], q[:, 1:]
    return w * w0 - v @ v0, w[:, None] * v0 + w0 * v + np.cross(v, v0)
