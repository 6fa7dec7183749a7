"""What the parts of a model ask of their values: scalars that are known can be checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from percuss.algebra.scalars import Scalar, is_constant, is_symbolic, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.model.errors import ModelError

Link = TypeVar("Link")

LARGEST = 1e15
"""No quantity of a robot or a capture is larger in SI units; beyond it a value is a slip, and
products of such values lose the digits of all others."""
LARGEST_LENGTH = 1e9
"""Nor is a length (m), which is squared in moments of inertia."""


def known(x: Any) -> bool:
    """Whether x has values to check: a number, a NumPy batch or a SymPy number.

    Symbols and JAX values, which may be tracers, are trusted.
    """
    if is_symbolic(x):
        return bool(x.is_number) and x.is_extended_real is not False
    return isinstance(x, (float, int, np.ndarray, np.generic))


def values(x: Any) -> Any:
    """Known values as floats: an array of the batch's shape."""
    return np.asarray(x, float)


def violates(x: Scalar, allowed: Callable[[Any], Any]) -> bool:
    """Whether x is known and some of it is not allowed."""
    if type(x) is float:  # by far the commonest case, kept quick
        return not allowed(x)
    return known(x) and not np.all(allowed(values(x)))


def is_finite(x: Any) -> Any:
    """Neither NaN nor infinite."""
    return np.isfinite(x)


def beyond(x: Scalar, largest: float = LARGEST) -> str:
    """ ", at most 1e+15" for a message where some of x is known and larger, else empty."""
    is_large = violates(x, lambda a: ~np.isfinite(a) | (abs(a) <= largest))
    return f", at most {largest:g}" if is_large else ""


def is_positive(x: Any) -> Any:
    """Finite and > 0."""
    return np.isfinite(x) & (x > 0)


def is_not_negative(x: Any) -> Any:
    """Finite and ≥ 0."""
    return np.isfinite(x) & (x >= 0)


def shown(x: Any) -> str:
    """A value for a message."""
    return f"{x:g}" if is_constant(x) else str(x)


def as_scalar(x: Any, what: str) -> Scalar:
    """x as a scalar; `what` names it when it is none."""
    try:
        return to_scalar(x)
    except TypeError as error:
        raise ModelError(f"{what} must be a scalar, got {x!r}: {error}") from error


def padded(vector: Any, what: str) -> Vector3:
    """Three scalars; two lie in the plane z = 0."""
    if isinstance(vector, Vector3):
        return vector
    try:
        entries = tuple(vector)
    except TypeError:
        raise TypeError(f"{what} must be two or three scalars, got {vector!r}") from None
    return Vector3.of((*entries, 0.0) if len(entries) == 2 else entries, what)


def check_links(links: Any, kind: type[Link], named: str) -> Sequence[Link]:
    """The links; ModelError where there is none, or one of another kind."""
    if not isinstance(links, Sequence):
        raise ModelError(f"{named}: links must be a list of {kind.__name__}, got {links!r}")
    if not links:
        raise ModelError(f"{named} is empty; give at least one link")
    for k, link in enumerate(links, start=1):
        if not isinstance(link, kind):
            raise ModelError(f"{named}: link {k} must be a {kind.__name__}, got {link!r}")
    return links
