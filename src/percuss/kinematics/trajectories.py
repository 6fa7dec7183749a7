"""Trajectories of joint coordinates: polynomials in time, piece after piece.

A trajectory is called with a time t (s) and returns (q, v, a), as a control goal does. Evaluation
is written for any scalar, so it can be traced and compiled; before the first time and after the
last it rests where it begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.scalars import (
    Scalar,
    formula,
    is_symbolic_matrix,
    pack,
    sub,
    to_scalar,
    unpack,
    where,
)
from percuss.model.checks import is_finite, is_positive, shown, violates
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars

Piece = tuple[Scalars, ...]
"""For each coordinate its polynomial in the time since the piece began, constant first."""


@dataclass(frozen=True)
class Trajectory:
    """Coordinates as piecewise polynomials of time; t → (q, v, a)."""

    breaks: Scalars
    """When the pieces begin, and when the last ends (s): one more than the pieces."""
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """How many coordinates."""
        return len(self.pieces[0])

    @property
    def start(self) -> Scalar:
        """When it begins (s)."""
        return self.breaks[0]

    @property
    def end(self) -> Scalar:
        """When it ends (s)."""
        return self.breaks[-1]

    @property
    def duration(self) -> Scalar:
        """How long it moves (s)."""
        return sub(self.end, self.start)

    def __call__(self, t: Any) -> tuple[Any, Any, Any]:
        """(q, v, a) at time t (s), each of shape (size,): rad or m, and per second."""
        time = to_scalar(t)
        before, after = time < self.start, time > self.end
        kept = where(before, self.start, where(after, self.end, time))
        chosen, begun = self.pieces[0], self.start
        for piece, begin in zip(self.pieces[1:], self.breaks[1:-1], strict=True):
            later = kept >= begin
            begun = where(later, begin, begun)
            chosen = tuple(
                tuple(where(later, new, old) for new, old in zip(one, other, strict=True))
                for one, other in zip(piece, chosen, strict=True)
            )
        local = sub(kept, begun)
        rest = _either(before, after)
        found = [_evaluated(polynomial, local) for polynomial in chosen]
        place, speed, change = zip(*found, strict=True)
        return (
            pack(place),
            pack(where(rest, 0.0, x) for x in speed),
            pack(where(rest, 0.0, x) for x in change),
        )

    def sample(self, times: Any) -> tuple[Any, Any, Any]:
        """(q, v, a) at many times, each of shape (size, times)."""
        when = np.asarray(times, float)
        return tuple(  # type: ignore[return-value]
            np.broadcast_to(part if part.ndim > 1 else part[:, None], (self.size, when.size))
            for part in self(when)
        )


# --- parts --------------------------------------------------------------------------------------


@formula
def _evaluated(polynomial: Scalars, x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Value, first and second derivative, by Horner's scheme."""
    value: Scalar = 0.0
    slope: Scalar = 0.0
    bend: Scalar = 0.0
    for coefficient in reversed(polynomial):
        bend = bend * x + slope
        slope = slope * x + value
        value = value * x + coefficient
    return value, slope, 2.0 * bend


def _either(one: Any, other: Any) -> Any:
    """Whether one of two conditions holds, for any kind of condition."""
    if isinstance(one, bool):
        return one or other
    return where(one, 1.0, where(other, 1.0, 0.0)) > 0.5


def ends_of(
    q0: Any, q1: Any, duration: Scalar, start: Scalar
) -> tuple[Scalars, Scalars, Scalar, Scalar]:
    """Start, end, duration and beginning as scalars; numbers are checked."""
    first = vector_of(q0, None, "q0")
    last = vector_of(q1, len(first), "q1")
    length, begin = to_scalar(duration), to_scalar(start)
    if violates(length, is_positive):
        raise ModelError(f"duration must be finite and > 0 s, got {shown(length)}")
    if violates(begin, is_finite):
        raise ModelError(f"start must be finite (s), got {shown(begin)}")
    return first, last, length, begin


def vector_of(values: Any, size: int | None, what: str) -> Scalars:
    """Coordinates as scalars, any number of them unless `size` is given; numbers are checked."""
    count = size
    if count is None:
        if not (hasattr(values, "__len__") or is_symbolic_matrix(values)) or not len(values):
            raise ModelError(f"{what} must be a sequence of coordinates, got {values!r}")
        count = len(values)
    try:
        entries = unpack(values, count, what)
    except (TypeError, ValueError) as error:
        raise ModelError(str(error)) from error
    for k, entry in enumerate(entries):
        if violates(entry, is_finite):
            raise ModelError(f"{what}: entry {k} must be finite, got {shown(entry)}")
    return entries


def checked_times(times: Any) -> np.ndarray:
    """Two or more times, finite and increasing (s), shape (n,)."""
    when = np.asarray(times, float)
    if when.ndim != 1 or len(when) < 2 or not np.isfinite(when).all() or (np.diff(when) <= 0).any():
        raise ModelError(f"times must be two or more, finite and increasing (s), got {times}")
    return when
