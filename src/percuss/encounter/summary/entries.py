"""Numbers of a simulation as the entries of records: two in the plane, three in space."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.encounter.records.control import Setting
from percuss.encounter.records.impact import Axial, Vector


def flat(values: Any) -> Vector:
    """Floats without negative zeros, which nobody wants to read."""
    return tuple(float(x) + 0.0 for x in np.asarray(values, float))


def vector(values: Any, planar: bool) -> Vector:
    """A vector: two entries in the plane, three in space."""
    return flat(_array(values)[: 2 if planar else 3])


def axial(values: Any, planar: bool) -> Axial:
    """An axial vector: one number in the plane, three in space."""
    array = _array(values)
    return float(array[2]) + 0.0 if planar else flat(array)


def length(values: Any) -> float:
    """The Euclidean length of a vector."""
    return float(np.linalg.norm(np.asarray(values, float)))


def _array(values: Any) -> np.ndarray:
    return np.asarray(values.array() if isinstance(values, Vector3) else values, float)


def settings(block: Mapping[Any, Any]) -> dict[str, Setting]:
    """A block of a scenario document as JSON has it."""
    return {str(key): _setting(value) for key, value in block.items()}


def _setting(value: Any) -> Setting:
    """A value of a document: what is not finite (a limit without one) as text."""
    if isinstance(value, Mapping):
        return settings(value)
    if isinstance(value, (list, tuple)):
        return [_setting(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
