"""Where the numbers of an encounter are: their names, and the leaves of the data they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.rotations import Quaternion, Rotation
from percuss.algebra.scalars import Scalar, is_constant, to_scalar, unpack
from percuss.encounter.bounds import Bound
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.number import Number

Key = tuple[str | int, ...]
"""The way to one scalar in an encounter: attributes, names and positions."""
Scalars = tuple[Scalar, ...]


@dataclass(frozen=True)
class Entry:
    """A number, and where its scalars go.

    Attributes:
        value: its scalar, or a tuple of them.
        unit: SI; empty for a pure number.
        bound: what it may be.
        keys: the leaves that it stands for.
        spread: its scalars as those of the leaves; None: they are the same.
    """

    value: Any
    unit: str
    bound: Bound
    keys: tuple[Key, ...]
    spread: Callable[[Scalars], Scalars] | None = None

    @property
    def count(self) -> int | None:
        """How many entries a vector has; None for a scalar."""
        return len(self.value) if isinstance(self.value, tuple) else None

    def number(self, name: str) -> Number:
        """The number under a name; EncounterError where its own value is not known."""
        scalars = self.value if isinstance(self.value, tuple) else (self.value,)
        if not all(is_constant(x) for x in scalars):
            raise EncounterError(path_of(name), f"has no value yet, got {shown(self.value)}")
        count = self.count
        return Number(
            name=name,
            value=np.asarray(self.value, float),
            unit=self.unit,
            words=self.bound.described(self.unit, count),
            allowed=lambda values: self.bound.allowed(values, count),
        )

    def leaves(self, name: str, value: Any) -> dict[Key, Scalar]:
        """The leaves with another value, scalars of any kind."""
        try:
            if self.count is None:
                scalars: Scalars = (to_scalar(value),)
            else:
                scalars = unpack(value, self.count, name)
        except (TypeError, ValueError):
            allowed = self.bound.described(self.unit, self.count)
            raise EncounterError(path_of(name), f"must be {allowed}, got {shown(value)}") from None
        if self.spread is not None:
            scalars = self.spread(scalars)
        return dict(zip(self.keys, scalars, strict=True))


@dataclass(frozen=True)
class Entries:
    """Numbers by name, and by name why others that exist cannot vary."""

    numbers: dict[str, Entry]
    refused: dict[str, str]

    @staticmethod
    def none() -> Entries:
        """No numbers yet."""
        return Entries({}, {})

    def add(self, other: Entries) -> None:
        """Take in the numbers of another part."""
        self.numbers.update(other.numbers)
        self.refused.update(other.refused)


def path_of(name: str) -> tuple[str, ...]:
    """The path of a dotted name."""
    return tuple(name.split("."))


def indexed(key: Key, count: int) -> tuple[Key, ...]:
    """The keys of the entries of a vector."""
    return tuple((*key, k) for k in range(count))


def updated(part: Any, changes: Mapping[Key, Scalar]) -> Any:
    """A part with leaves replaced: a dataclass, mapping, sequence or rotation, as deep as need be.

    A part in which nothing changes is the same object.
    """
    if not changes:
        return part
    if () in changes:
        return changes[()]
    inner: dict[str | int, dict[Key, Scalar]] = {}
    for key, value in changes.items():
        inner.setdefault(key[0], {})[key[1:]] = value
    if isinstance(part, Rotation):
        return Quaternion(*(changes[(k,)] for k in range(4))).to_rotation()
    if isinstance(part, Mapping):
        return {name: updated(value, inner.get(name, {})) for name, value in part.items()}
    if is_part(part):
        own = {field.name: getattr(part, field.name) for field in fields(part)}
        return replace(part, **{str(k): updated(own[str(k)], new) for k, new in inner.items()})
    entries = [updated(value, inner.get(k, {})) for k, value in enumerate(part)]
    return entries if isinstance(part, list) else tuple(entries)


def is_part(value: Any) -> bool:
    """Whether a value is data with fields of its own."""
    return is_dataclass(value) and not isinstance(value, type)
