"""An independent integration of Euler's equations: Taylor series in extended precision.

Euler's equations and q̇ = ½ q ⊗ ω are quadratic, so that the Taylor coefficients of a step follow
from Cauchy products. With 22 of them and steps of a quarter of a radian what is left is rounding,
of a number format with eleven more bits than the code under test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Extended = np.longdouble
PRECISE = np.finfo(Extended).eps < 1e-18
"""Whether this machine has the format at all."""

_ORDER = 22


def integrate(
    moments: Any, attitude: Any, rates: Any, times: Sequence[float], step: float
) -> tuple[Any, Any]:
    """Quaternions (4, n, times) and angular velocities in principal axes (3, n, times).

    `moments` (3, n) in kg m², `attitude` (4, n) world ← principal axes, `rates` (3, n) in rad/s
    in principal axes, at time 0; `times` increase.
    """
    a, b, c = np.asarray(moments, Extended)
    factors = np.stack([(b - c) / a, (c - a) / b, (a - b) / c])
    q, w = np.asarray(attitude, Extended), np.asarray(rates, Extended)
    found, now = [], 0.0
    for time in times:
        count = max(1, int(np.ceil((time - now) / step)))
        h = (Extended(time) - Extended(now)) / count
        for _ in range(count):
            q, w = _step(factors, q, w, h)
        now = time
        found.append((q, w))
    return np.stack([q for q, _ in found], -1), np.stack([w for _, w in found], -1)


def _step(factors: Any, q: Any, w: Any, h: Any) -> tuple[Any, Any]:
    Q = np.zeros((_ORDER + 1, *q.shape), Extended)
    W = np.zeros((_ORDER + 1, *w.shape), Extended)
    Q[0], W[0] = q, w
    for k in range(_ORDER):
        left, right = W[: k + 1], W[k::-1]
        products = [(left[:, i] * right[:, j]).sum(0) for i, j in ((1, 2), (2, 0), (0, 1))]
        W[k + 1] = factors * np.stack(products) / (k + 1)
        s, v = Q[: k + 1, 0], Q[: k + 1, 1:]
        scalar = -(v * right).sum((0, 1))
        vector = (s[:, None] * right + np.cross(v, right, axis=1)).sum(0)
        Q[k + 1] = np.concatenate([scalar[None], vector]) / (2 * Extended(k + 1))
    q, w = Q[_ORDER], W[_ORDER]
    for k in range(_ORDER - 1, -1, -1):
        q, w = q * h + Q[k], w * h + W[k]
    return q, w
