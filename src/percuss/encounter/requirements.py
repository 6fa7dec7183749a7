"""What the parts of an encounter ask of their numbers, told by field, value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from percuss.algebra.scalars import to_scalar
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.model.checks import is_finite, violates


def require(path: Path, value: Any, allowed: Any, what: str) -> None:
    """EncounterError unless a number that is known is allowed; `what` says which are."""
    try:
        refused = violates(to_scalar(value), allowed)
    except TypeError:
        refused = True
    if refused:
        raise EncounterError(path, f"must be {what}, got {shown(value)}")


def require_each(path: Path, value: Any, allowed: Any, what: str) -> None:
    """EncounterError unless one number, or each of a sequence of them, is allowed."""
    if not is_sequence(value):
        require(path, value, allowed, what)
        return
    for k, entry in enumerate(value):
        require((*path, k), entry, allowed, what)


def require_vector(path: Path, value: Any, what: str) -> None:
    """EncounterError unless a vector has two or three entries, all finite."""
    if not is_sequence(value) or len(value) not in (2, 3):
        raise EncounterError(path, f"must be two or three {what}, got {shown(value)}")
    for entry in value:
        require(path, entry, is_finite, f"made of finite {what}")


def require_choice(path: Path, value: Any, choices: Iterable[str]) -> None:
    """EncounterError unless a word is one of those that are known."""
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise EncounterError(path, f"must be one of {', '.join(known)}, got {shown(value)}")


def require_count(path: Path, value: Any, least: int) -> None:
    """EncounterError unless a value is a whole number, `least` or more."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole:
        raise EncounterError(path, f"must be a whole number, {least} or more, got {shown(value)}")
    if value < least:
        raise EncounterError(path, f"must be {least} or more, got {shown(value)}")


def require_kind(path: Path, value: Any, kind: type | tuple[type, ...], what: str) -> None:
    """EncounterError unless a part is of its kind."""
    if not isinstance(value, kind):
        raise EncounterError(path, f"must be {what}, got {shown(value)}")


def require_joints(path: Path, value: Any) -> None:
    """EncounterError unless joint coordinates, by name or in order, are finite numbers."""
    if isinstance(value, Mapping):
        entries = [((*path, str(name)), entry) for name, entry in value.items()]
    elif is_sequence(value):
        entries = [((*path, k), entry) for k, entry in enumerate(value)]
    else:
        what = "coordinates by joint name, or all of them in order"
        raise EncounterError(path, f"must be {what}, got {shown(value)}")
    for at, entry in entries:
        require(at, entry, is_finite, "a finite number in rad or m")


def is_sequence(value: Any) -> bool:
    """Whether a value has entries: a list, a tuple, an array of one axis or more."""
    if isinstance(value, (str, bytes, Mapping)):
        return False
    return isinstance(value, (Sized, Sequence)) and getattr(value, "ndim", 1) > 0
