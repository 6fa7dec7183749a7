"""Places of numbers in the blocks of a scenario: what stands there, and the scenario with another.

A `Route` leads from a scenario to a value by the names of fields in Python, positions in lists and
keys of mappings. Blocks do not change; what is put in a place gives copies of all blocks around it,
which are not read anew: the value may be a scalar of any kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.encounter.physical import unphysical
from percuss.scenario.block import Block, Inertia
from percuss.scenario.fields import Quantity
from percuss.scenario.lists import FrozenDict

Route = tuple[str | int, ...]
"""Fields by their names in Python, positions in lists from 0, keys of mappings."""

Check = Callable[[np.ndarray], np.ndarray]
"""Truth values (cases,) of values (entries, cases)."""

TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Place:
    """A number of a scenario, or a vector of them.

    Attributes:
        value: in SI units, as the scenario has it; a tuple of a vector.
        quantity: what each of the numbers is.
        get: what stands there in a scenario, of the form of `value`; None where nothing does.
        put: the scenario with scalars of any kind there, one or a tuple.
        check: what a vector must fulfil as a whole.
        more: the same in words.
    """

    value: Any
    quantity: Quantity
    get: Callable[[Any], Any]
    put: Callable[[Any, Any], Any]
    check: Check | None = None
    more: str = ""

    @property
    def is_vector(self) -> bool:
        return isinstance(self.value, tuple)

    def entry(self, k: int) -> Place:
        """One entry of a vector, counted from 0."""

        def now(scenario: Any) -> tuple[Any, ...]:
            found = self.get(scenario)
            return self.value if found is None else tuple(found)

        def put(scenario: Any, value: Any) -> Any:
            entries = now(scenario)
            return self.put(scenario, (*entries[:k], value, *entries[k + 1 :]))

        return Place(self.value[k], self.quantity, lambda scenario: now(scenario)[k], put)

    def words(self) -> str:
        """What is allowed: "a number in kg > 0", "a list of 3 numbers in m"."""
        text = self.quantity.words()
        if self.is_vector:
            text = f"a list of {len(self.value)} numbers{text.removeprefix('a number')}"
        return f"{text}{self.more}"

    def allows(self, values: np.ndarray) -> np.ndarray:
        """Truth values (cases,) of values (cases,), of a vector (entries, cases)."""
        values = np.asarray(values, float)
        allowed = self.quantity.allows(values)
        if self.is_vector:
            allowed = np.all(allowed, axis=0)
        return allowed if self.check is None else allowed & self.check(values)


def at(holder: Any, route: Route) -> Any:
    """What a route leads to; None where it ends before."""
    for part in route:
        if holder is None:
            return None
        if isinstance(holder, Mapping):
            holder = holder.get(part)
        else:
            holder = holder[part] if isinstance(part, int) else getattr(holder, part)
    return holder


def replaced(holder: Any, route: Route, value: Any) -> Any:
    """The same holder with another value where a route leads; mappings begin where none was."""
    if not route:
        return value
    part, rest = route[0], route[1:]
    if isinstance(holder, Block):
        name = str(part)
        return holder.model_copy(update={name: replaced(getattr(holder, name), rest, value)})
    if isinstance(holder, tuple) and isinstance(part, int):
        return (*holder[:part], replaced(holder[part], rest, value), *holder[part + 1 :])
    mapping: dict[str, Any] = {} if holder is None else dict(holder)
    return FrozenDict({**mapping, str(part): replaced(mapping.get(str(part)), rest, value)})


def field_place(route: Route, value: Any, quantity: Quantity) -> Place:
    """The value of a field, or what is at a position or a key of it."""
    return Place(
        value,
        quantity,
        lambda scenario: at(scenario, route),
        lambda scenario, new: replaced(scenario, route, new),
    )


def only_place(
    route: Route, field: str, kind: type[Block], value: Any, *, quantity: Quantity
) -> Place:
    """The one field of a block that stands for all of it: a quaternion, a point."""
    return Place(
        value,
        quantity,
        lambda scenario: at(scenario, (*route, field)),
        lambda scenario, new: replaced(scenario, route, kind.model_construct(**{field: new})),
    )


def several(routes: Sequence[Route], value: tuple[float, ...], quantity: Quantity) -> Place:
    """Numbers that stand apart, as a vector."""

    def put(scenario: Any, new: Any) -> Any:
        for route, entry in zip(routes, new, strict=True):
            scenario = replaced(scenario, route, entry)
        return scenario

    def get(scenario: Any) -> tuple[Any, ...]:
        return tuple(at(scenario, route) for route in routes)

    return Place(value, quantity, get, put)


def tensor_place(route: Route, value: tuple[float, ...]) -> Place:
    """An inertia tensor about the centre of mass (kg m²): xx, yy, zz, xy, xz, yz."""

    def get(scenario: Any) -> tuple[Any, ...] | None:
        inertia = at(scenario, route)
        return None if inertia is None else tuple(getattr(inertia, key) for key in TENSOR)

    def put(scenario: Any, new: Any) -> Any:
        inertia = Inertia.model_construct(**dict(zip(TENSOR, new, strict=True)))
        return replaced(scenario, route, inertia)

    more = ": xx, yy, zz, xy, xz, yz of the tensor of a body that can exist"
    return Place(
        value=value, quantity=Quantity("kg m^2"), get=get, put=put, check=is_tensor, more=more
    )


def is_not_zero(vectors: np.ndarray) -> np.ndarray:
    """Whether vectors (entries, cases) are longer than 1e-6."""
    return np.sum(vectors * vectors, axis=0) >= 1e-12


def is_tensor(entries: np.ndarray) -> np.ndarray:
    """Whether inertia tensors (6, cases) are those of bodies: see `percuss.Body`."""
    positive = np.all(entries[:3] > 0.0, axis=0)
    return positive & (unphysical(np.ones(entries.shape[1:]), entries) == "")
