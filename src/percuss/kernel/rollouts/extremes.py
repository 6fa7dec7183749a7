"""All extremes that a rollout looks for, as one vector: their quantities are one function."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from percuss.kernel.rollouts.statistics import Maximum, Minimum, Statistic
from percuss.kernel.tracing.parts import Part
from percuss.kernel.tracing.writing import real

Array = Any
State = dict[str, Any]


class Extremes:
    """Maxima and minima by name, side by side in a vector in which minima are turned over.

    `call` evaluates a quantity at a point (t, z, held, memory, p) of the time loop.
    """

    def __init__(
        self,
        statistics: Mapping[str, Statistic],
        shapes: Mapping[str, tuple[int, ...]],
        call: Callable[..., Array],
    ) -> None:
        chosen = {n: s for n, s in statistics.items() if isinstance(s, (Maximum, Minimum))}
        self._statistics: dict[str, Maximum | Minimum] = chosen
        self._shapes = shapes
        self._call = call
        self._values = Part(self._values_at, whole=True)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._statistics)

    def values(self, *point: Any) -> Array:
        """The quantities at a point: in the machine code once, results in a row."""
        return self._values(*point)

    def _values_at(self, *point: Any) -> Array:
        return self._joined([self._call(s.value, *point) for s in self._statistics.values()])

    def best(self, kept: State) -> Array:
        """The largest so far, from what is kept of all statistics."""
        return self._joined([kept[name]["best"] for name in self._statistics])

    def _joined(self, values: Sequence[Array]) -> Array:
        turned = zip(self._statistics.values(), map(real, values), strict=True)
        return np.concatenate(
            [np.ravel(-value if isinstance(s, Minimum) else value) for s, value in turned]
        )

    def apart(self, best: Array) -> dict[str, Array]:
        """Each by its name, in its shape."""
        found: dict[str, Array] = {}
        at = 0
        for name, statistic in self._statistics.items():
            size = math.prod(self._shapes[name])
            part = np.reshape(best[at : at + size], self._shapes[name])
            found[name] = -part if isinstance(statistic, Minimum) else part
            at += size
        return found
