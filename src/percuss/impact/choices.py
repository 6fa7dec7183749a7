"""Conditions on any scalar: a plain truth, or one for each case of a batch or trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.algebra.scalars import Scalar, dot, is_constant, plain, sqrt, where

Condition = Any
"""A bool, an array of truths or a traced one: combine with & and |."""


def not_(condition: Condition) -> Condition:
    return not condition if isinstance(condition, (bool, np.bool_)) else ~condition


def everywhere(condition: Condition) -> bool:
    """Whether a condition that is known holds in every case."""
    return bool(np.all(condition))


def largest(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two; not a number where a is not."""
    return where(a < b, b, a)


def size_of(entries: Sequence[Scalar]) -> Scalar:
    """The length of a vector, with the derivative 0 where it is 0."""
    entries = plain(list(entries))
    if all(is_constant(x) for x in entries):
        return math.hypot(*entries)  # type: ignore[arg-type]
    square = dot(entries, entries)
    nothing = square <= 0.0
    return where(nothing, 0.0, sqrt(where(nothing, 1.0, square)))
