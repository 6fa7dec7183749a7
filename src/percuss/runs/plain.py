"""Numbers as plain data: flat lists, two entries in the plane and three in space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3


def flat_list(values: Any) -> list[float]:
    """Floats without negative zeros, which nobody wants to read."""
    return [float(x) + 0.0 for x in np.asarray(values, float)]


def vector(values: Any, planar: bool) -> list[float]:
    """Two entries in the plane, three in space."""
    return flat_list(_array(values)[: 2 if planar else 3])


def turning(values: Any, planar: bool) -> float | list[float]:
    """An axial vector: one number in the plane."""
    array = _array(values)
    return float(array[2]) + 0.0 if planar else flat_list(array)


def _array(values: Any) -> np.ndarray:
    return np.asarray(values.array() if isinstance(values, Vector3) else values, float)


def plain(value: Any) -> Any:
    """Data of a document as JSON has them: what is not finite (a limit without one) as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
