"""Which bodies can exist, of many at once."""

from __future__ import annotations

import numpy as np

from percuss.model.bodies import MOMENT_SLACK
from percuss.model.checks import LARGEST, is_positive

_NARROW = 1e-6
"""Share of the largest moment within which the closed form may be wrong: it is to about 1e-8."""
_REAL = f"finite, at most {LARGEST:g}"


def unphysical(mass: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Why bodies cannot exist, (cases,) of text; empty where a body can.

    A `Body` of the same numbers is refused in the same cases, but for one without any mass and
    inertia, which is a place between joints and no body of its own.

    Args:
        mass: kg, (cases,).
        inertia: xx, yy, zz, xy, xz, yz about the centre of mass, kg m², (6, cases).
    """
    mass, inertia = np.asarray(mass, float), np.asarray(inertia, float)
    reasons = np.full(mass.shape, "", dtype=object)
    heavy = is_positive(mass) & (mass <= LARGEST)
    finite = np.isfinite(inertia).all(axis=0)
    finite &= (np.abs(np.where(np.isfinite(inertia), inertia, 0.0)) <= LARGEST).all(axis=0)
    moments = principal(np.where(finite, inertia, 0.0))
    low, middle, high = moments
    slack = MOMENT_SLACK * np.maximum(np.abs(low), np.abs(high))
    negative = finite & (low < -slack)
    long = finite & ~negative & (high > low + middle + slack)
    for k in np.flatnonzero(long | negative):
        a, b, c = (f"{x:.6g}" for x in moments[:, k])
        why = f"{a} is negative" if negative[k] else f"{c} exceeds the sum of the others"
        reasons[k] = f"principal moments {a}, {b}, {c} kg m²: {why}"
    for k in np.flatnonzero(~finite):
        reasons[k] = f"inertia entries must be {_REAL} kg m², got {inertia[:, k].tolist()}"
    for k in np.flatnonzero(~heavy):
        reasons[k] = f"mass must be > 0 kg and {_REAL}, got {mass[k]:g}"
    return reasons


def principal(inertia: np.ndarray) -> np.ndarray:
    """Principal moments, ascending (3, cases), of tensors (6, cases) in kg m².

    In closed form (O. K. Smith, Commun. ACM 4, 168, 1961), which is a tenth of the time of a
    general solver but loses half of the digits where moments are nearly alike; so those that are
    close to what no body has are found again.
    """
    xx, yy, zz, xy, xz, yz = inertia
    if not np.any([xy, xz, yz]):
        return np.sort([xx, yy, zz], axis=0)
    mean = (xx + yy + zz) / 3.0
    a, b, c = xx - mean, yy - mean, zz - mean
    size = np.sqrt((a * a + b * b + c * c + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0)
    determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        angle = np.arccos(np.clip(0.5 * determinant / size**3, -1.0, 1.0)) / 3.0
    high = mean + 2.0 * size * np.cos(angle)
    low = mean + 2.0 * size * np.cos(angle + 2.0 * np.pi / 3.0)
    moments = np.stack([low, 3.0 * mean - high - low, high])
    narrow = _NARROW * np.maximum(np.abs(low), np.abs(high))
    # Also where nothing was found: of three moments that are alike, or too small to be cubed.
    near = ~((moments[0] >= narrow) & (moments[0] + moments[1] - high >= narrow))
    if near.any():
        rows = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1)[near]
        moments[:, near] = np.linalg.eigvalsh(rows.reshape(-1, 3, 3)).T
    return moments
