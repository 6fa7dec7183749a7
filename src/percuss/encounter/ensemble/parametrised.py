"""Values of plain data of which some numbers differ from case to case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from percuss.kernel.duals import Dual

Place = tuple[str | int, ...]
"""Names of fields and positions in tuples, from the outside in."""


def numbers_that(value: Any, differ: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Places and numbers of a value (dataclasses and tuples of them) for which `differ` holds."""
    if is_dataclass(value):
        for field in fields(value):
            yield from numbers_that(getattr(value, field.name), differ, (*at, field.name))
    elif isinstance(value, tuple):
        for k, entry in enumerate(value):
            yield from numbers_that(entry, differ, (*at, k))
    elif differ(value):
        yield at, value


def is_batch(value: Any) -> bool:
    """Whether a value holds numbers of many cases."""
    return isinstance(value, (np.ndarray, Dual)) and value.ndim == 1


def with_numbers(value: Any, numbers: Mapping[Place, Any]) -> Any:
    """A value with other numbers in some places."""
    if () in numbers:
        return numbers[()]
    inside: dict[str | int, dict[Place, Any]] = {}
    for place, number in numbers.items():
        inside.setdefault(place[0], {})[place[1:]] = number
    if isinstance(value, tuple):
        return tuple(
            with_numbers(entry, inside[k]) if k in inside else entry
            for k, entry in enumerate(value)
        )
    changed = {
        str(name): with_numbers(getattr(value, str(name)), more) for name, more in inside.items()
    }
    return replace(value, **changed) if changed else value


@dataclass(frozen=True)
class Parametrised:
    """A value as a program is compiled for it: some of its numbers are inputs.

    Attributes:
        value: with ones in the places of the inputs, which stiffnesses and times may be.
        places: of the inputs.
    """

    value: Any
    places: tuple[Place, ...]

    @staticmethod
    def of(value: Any) -> Parametrised:
        """The numbers of many cases become inputs."""
        places = tuple(place for place, _ in numbers_that(value, is_batch))
        return Parametrised(
            with_numbers(value, dict.fromkeys(places, 1.0)) if places else value, places
        )

    @property
    def like(self) -> dict[str, Any]:
        """Parameters of one case, an example."""
        return {"parametrised": np.ones(len(self.places))} if self.places else {}

    def numbers(self, value: Any, some: np.ndarray) -> dict[str, Any]:
        """Parameters of some cases, from the value whose numbers differ from case to case."""
        if not self.places:
            return {}
        found = dict(numbers_that(value, is_batch))
        return {"parametrised": np.stack([found[place][some] for place in self.places])}

    def at(self, p: Mapping[str, Any]) -> Any:
        """The value of a case, from its parameters."""
        if not self.places:
            return self.value
        return with_numbers(
            self.value, {place: p["parametrised"][k] for k, place in enumerate(self.places)}
        )
