"""The physical inertia tensor nearest to one that no mass can have."""

from __future__ import annotations

import itertools

import numpy as np

from percuss.algebra.vectors import Symmetric3


def nearest_physical_inertia(inertia: Symmetric3) -> Symmetric3:
    """The tensor in the physical cone that is nearest in the Frobenius norm.

    Principal moments J are physical if J = Σσ - σ with σ ≥ 0, the second moments of mass along
    the principal axes: then none is negative and none exceeds the sum of the others. Because
    the cone is one of eigenvalues, the nearest tensor has the same principal axes, and its
    moments solve min |J' - J| over σ ≥ 0.

    Args:
        inertia: any symmetric tensor of plain finite numbers, kg m².
    """
    moments, axes = np.linalg.eigh(inertia.array())
    tensor = (axes * _nearest_moments(moments)) @ axes.T
    return Symmetric3.of((tensor + tensor.T) / 2)


def principal_moments(inertia: Symmetric3) -> tuple[float, float, float]:
    """The principal moments of a tensor of plain numbers, ascending, kg m²."""
    a, b, c = np.linalg.eigvalsh(inertia.array()).tolist()
    return a, b, c


def relative_change(before: Symmetric3, after: Symmetric3) -> float:
    """|after - before| / |before| in the Frobenius norm; 0 where both are zero."""
    size = float(np.linalg.norm(before.array()))
    return float(np.linalg.norm(after.array() - before.array())) / size if size else 0.0


def _nearest_moments(moments: np.ndarray) -> np.ndarray:
    # Three non-negative unknowns: each subset that is not zero is tried, which is exact.
    spread = np.ones((3, 3)) - np.eye(3)
    best = np.zeros(3)
    for count in (1, 2, 3):
        for free in itertools.combinations(range(3), count):
            columns = spread[:, free]
            seconds = np.linalg.lstsq(columns, moments, rcond=None)[0]
            candidate = columns @ np.maximum(seconds, 0.0)
            if np.sum((candidate - moments) ** 2) < np.sum((best - moments) ** 2):
                best = candidate
    return best
