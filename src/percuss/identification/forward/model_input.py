"""What a forward model is told, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.identification.data.channels import all_kinds
from percuss.model.errors import ModelError, closest


def rising(times: Any) -> np.ndarray:
    """Times of samples (s), checked."""
    array = np.asarray(times, float)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise ModelError(f"times must be finite seconds after the impact, got shape {array.shape}")
    if (np.diff(array) <= 0).any():
        place = int(np.flatnonzero(np.diff(array) <= 0)[0])
        raise ModelError(
            f"times must rise, but {array[place + 1]:g} s follows {array[place]:g} s at entry "
            f"{place + 1}"
        )
    return array


def batch_of(theta: Any, names: Sequence[str]) -> tuple[np.ndarray, bool]:
    """θ (n, batch), checked, and whether it was given as (n,)."""
    array = np.asarray(theta, float)
    if array.ndim not in (1, 2) or array.shape[0] != len(names):
        raise ModelError(
            f"theta must have the shape ({len(names)},) or ({len(names)}, batch), for "
            f"{', '.join(names)}; got {array.shape}"
        )
    return (array[:, None], True) if array.ndim == 1 else (array, False)


def by_kind(values: Mapping[str, float], what: str, unit: str) -> dict[str, float]:
    """Numbers by kind of measurement, checked."""
    for kind, value in values.items():
        if kind not in all_kinds():
            raise ModelError(
                f"{what}: there is no kind of measurement {kind!r}."
                f"{closest(kind, all_kinds())} There are: {', '.join(all_kinds())}"
            )
        if not math.isfinite(value):
            raise ModelError(f"{what}: {kind} must be finite ({unit}), got {value!r}")
    return dict(values)


def marker_point(name: str, at: Any) -> Vector3:
    """Where a marker sits on the target (m), checked."""
    entries = [float(x) for x in at]
    if len(entries) not in (2, 3) or not all(math.isfinite(x) for x in entries):
        raise ModelError(f"markers: {name} must be two or three finite numbers (m), got {at!r}")
    return Vector3(*[*entries, 0.0][:3])
