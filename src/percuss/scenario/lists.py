"""Readers of several quantities: vectors, one or more, and values by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from percuss.encounter.errors import shown
from percuss.scenario.errors import RefusedError
from percuss.scenario.fields import Quantity, Reader


class FrozenDict(dict[str, Any]):
    """A mapping that does not change."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a scenario does not change; make another with with_overrides")

    __setitem__ = __delitem__ = clear = pop = popitem = __ior__ = _refuse
    setdefault = update = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))

    def __reduce__(self) -> Any:
        return FrozenDict, (dict(self),)

    def __fingerprint__(self) -> Any:
        """What it holds."""
        return dict(self)


@dataclass(frozen=True)
class Vector(Reader):
    """A list of quantities; `sizes` are the lengths allowed, all if empty."""

    entry: Quantity
    sizes: tuple[int, ...] = (2, 3)

    @property
    def unit(self) -> str:
        return self.entry.unit

    @property
    def quantity(self) -> Quantity:
        return self.entry

    def words(self) -> str:
        count = " or ".join(map(str, self.sizes)) + " numbers" if self.sizes else "numbers"
        unit = f" in {self.unit}" if self.unit else ""
        return f"a list of {count}{unit}"

    def read(self, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or (self.sizes and len(value) not in self.sizes):
            raise RefusedError(f"must be {self.words()}, got {shown(value)}")
        return tuple(_entries(value, self.entry))

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "array", "items": self.entry.schema()}
        if self.sizes:
            schema |= {"minItems": min(self.sizes), "maxItems": max(self.sizes)}
        return schema


@dataclass(frozen=True)
class OneOrMore(Reader):
    """One quantity, or a list of them."""

    entry: Quantity
    sizes: tuple[int, ...] = ()

    @property
    def unit(self) -> str:
        return self.entry.unit

    @property
    def quantity(self) -> Quantity:
        return self.entry

    def read(self, value: Any) -> float | tuple[float, ...]:
        if isinstance(value, list):
            return Vector(self.entry, self.sizes).read(value)
        if isinstance(value, dict):
            listed = Vector(self.entry, self.sizes).words()
            raise RefusedError(f"must be {self.entry.words()}, or {listed}, got {shown(value)}")
        return self.entry.read(value)

    def schema(self) -> dict[str, Any]:
        vector = Vector(self.entry, self.sizes).schema()
        return {"anyOf": [*self.entry.schema()["anyOf"], vector]}


@dataclass(frozen=True)
class ByName(Reader):
    """A mapping from names to quantities or, if `listed`, a list in the order of the joints."""

    entry: Quantity
    listed: bool = True

    @property
    def unit(self) -> str:
        return self.entry.unit

    @property
    def quantity(self) -> Quantity:
        return self.entry

    def read(self, value: Any) -> FrozenDict | tuple[float, ...]:
        if isinstance(value, Mapping):
            numbers = _entries(list(value.values()), self.entry, list(value))
            return FrozenDict(zip(value, numbers, strict=True))
        if self.listed and isinstance(value, list):
            return tuple(_entries(value, self.entry))
        kind = "a list, or a mapping by joint name" if self.listed else "a mapping by name"
        unit = f" in {self.unit}" if self.unit else ""
        raise RefusedError(f"must be {kind}, of numbers{unit}, got {shown(value)}")

    def schema(self) -> dict[str, Any]:
        mapping = {"type": "object", "additionalProperties": self.entry.schema()}
        if not self.listed:
            return mapping
        return {"anyOf": [{"type": "array", "items": self.entry.schema()}, mapping]}


@dataclass(frozen=True)
class Names(Reader):
    """A list of names that differ."""

    def read(self, value: Any) -> tuple[str, ...]:
        texts = isinstance(value, list) and all(isinstance(v, str) and v.strip() for v in value)
        if not texts or len(set(value)) < len(value):
            raise RefusedError(f"must be a list of different names, got {shown(value)}")
        return tuple(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "minLength": 1}}


def _entries(values: list[Any], entry: Quantity, names: list[str] | None = None) -> Iterator[float]:
    for k, value in enumerate(values):
        try:
            yield entry.read(value)
        except RefusedError as error:
            which = f"entry {k + 1}" if names is None else repr(names[k])
            raise RefusedError(f"{which} {error}") from None
