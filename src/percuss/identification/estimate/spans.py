"""Spaces of directions, and which members of a family lie in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from percuss.identification.estimate.information import sparse_basis

Array = NDArray[np.float64]


def span(columns: Array, least: float = 1e-9) -> Array:
    """An orthonormal basis (n, k); parts below `least` of the largest are rounding."""
    if not columns.shape[1]:
        return columns
    u, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return u[:, sizes > least * sizes[0]]


def beyond(columns: Array, said: Array, new: float) -> Array:
    """A basis of what columns have beyond what has been said, by more than the sine `new`."""
    rest = span(columns)
    rest = rest - said @ (said.T @ rest)
    u, sizes, _ = np.linalg.svd(rest, full_matrices=False)
    return sparse_basis(u[:, sizes > new])


def members(basis: Array, outside: Callable[[Array], Array], aligned: float) -> list[Array]:
    """Numbers a with basis · a within a space, `outside` giving what lies out of it.

    Within is what is nearer to it than the sine `aligned`.

    All of a family are its unit members; of a part of it the axis itself.
    """
    u, sizes, rows = np.linalg.svd(basis, full_matrices=False)
    kept = sizes > 1e-9 * max(float(sizes[0]), 1e-300)
    if not kept.any():
        return []
    u, back = u[:, kept], rows[kept].T / sizes[kept]
    _, out, inner = np.linalg.svd(outside(u), full_matrices=True)
    full = np.zeros(u.shape[1])
    full[: len(out)] = out
    inside = inner[full < aligned].T
    if not inside.shape[1]:
        return []
    if inside.shape[1] == basis.shape[1]:
        return list(np.eye(basis.shape[1]))
    return list(sparse_basis(back @ inside).T)
