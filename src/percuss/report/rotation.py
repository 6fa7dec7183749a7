"""Turns over time, as vectors that do not jump."""

from __future__ import annotations

import numpy as np


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
    vectors = np.zeros_like(xyz)
    last = np.zeros(3)
    for k in range(len(q)):
        # Full turns along the axis that bring this vector closest to the last one.
        turns = np.round((last @ axis[k] - angle[k]) / (2.0 * np.pi))
        last = (angle[k] + 2.0 * np.pi * turns) * axis[k] if sine[k] > 0 else last * 0.0
        vectors[k] = last
    return vectors


def _times_conjugate(q: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q ⊗ first*: the turn from the first attitude, world axes, as (w, xyz)."""
    w0, v0 = first[0], -first[1:]
    w, v = q[:, 0], q[:, 1:]
    return w * w0 - v @ v0, w[:, None] * v0 + w0 * v + np.cross(v, v0)
