"""Inertias that are physical whatever the numbers: a positive second moment of mass, by its root.

A mass distribution exists exactly when Σ = ∫ P Pᵀ dm about the centre of mass is positive
semidefinite; the inertia tensor is I = tr(Σ) 1 - Σ. With Σ = L Lᵀ, L lower triangular and its
diagonal written as exponentials, any six numbers make such an inertia.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from percuss.algebra.scalars import Scalar, is_constant, namespace
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3

_THINNEST = 1e-3
"""Least spread of mass along an axis, as a share of the largest, that a start is given."""


def exp(x: Scalar) -> Scalar:
    """eˣ of any scalar."""
    return math.exp(x) if is_constant(x) else namespace(x).exp(x)


def root_of(inertia: np.ndarray) -> np.ndarray:
    """The six numbers (log L11, log L22, log L33, L21, L31, L32) of a tensor, kg m², shape (3, 3).

    A body without thickness, whose numbers would be infinite, is given a little.
    """
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    spread, axes = np.linalg.eigh(second)
    spread = np.maximum(spread, _THINNEST * spread[-1])
    L = np.linalg.cholesky(axes @ np.diag(spread) @ axes.T)
    return np.array([*np.log(np.diag(L)), L[1, 0], L[2, 0], L[2, 1]])


def inertia_of(root: Sequence[Scalar]) -> Symmetric3:
    """The inertia tensor about the centre of mass (kg m²) of six numbers."""
    a, b, c = (exp(x) for x in root[:3])
    d, e, f = root[3:]
    rows = Matrix3(Vector3(a, 0.0, 0.0), Vector3(d, b, 0.0), Vector3(e, f, c))
    second = Symmetric3.of(rows @ rows.transpose())
    return Symmetric3.scaled_identity(second.trace()) - second
