"""How large the error of a step is, measured by the tolerances."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.tracing.elementwise import elementwise

Array = Any


class ErrorNorm:
    """Root mean square of errors relative to the tolerances, quaternions in the tangent space."""

    def __init__(
        self,
        relative: float,
        absolute: float | Sequence[float],
        size: int,
        quaternions: Sequence[int],
    ) -> None:
        tolerances = np.ravel(np.asarray(absolute, float))
        if tolerances.size not in (1, size):
            raise KernelError(
                f"`absolute` has {tolerances.size} tolerances but the flat state has {size} "
                "entries; give one number, or one per entry"
            )
        self._absolute = np.broadcast_to(tolerances, size)
        self._relative = relative
        self._quaternions = tuple(quaternions)
        inside = {offset + k for offset in quaternions for k in range(4)}
        self._others = [k for k in range(size) if k not in inside]

    def scale(self, *states: Array) -> Array:
        """Tolerance of each entry."""

        def entry(absolute: Array, *states: Array) -> Array:
            size = np.abs(states[0])
            for other in states[1:]:
                size = np.maximum(size, np.abs(other))
            return absolute + self._relative * size

        first = float(self._absolute[0])
        if np.all(self._absolute == first):
            return elementwise(functools.partial(entry, first), *states)
        return elementwise(entry, self._absolute, *states)

    def __call__(self, vectors: Sequence[Array], state: Array, scale: Array) -> list[Array]:
        """Norms of vectors (errors or rates) at a state; 1 is just within tolerance."""
        squares = elementwise(_squares_of_ratios, scale, *vectors)
        return [self._norm(*pair, state) for pair in zip(vectors, squares, strict=True)]

    def _norm(self, vector: Array, squares: Array, state: Array) -> Array:
        """The norm of one vector, from the squares of its ratios to the tolerances."""
        terms = [squares[k] for k in self._others]
        for offset in self._quaternions:
            q, e = state[offset : offset + 4], vector[offset : offset + 4]
            tangent = 2.0 * (e - q * np.sum(q * e))  # an angle: δq = ½ q ∘ δφ
            allowed = float(np.min(self._absolute[offset : offset + 4])) + self._relative
            terms.append(np.sum(tangent * tangent) * (1.0 / allowed**2))
        count = len(self._others) + 3 * len(self._quaternions)
        return np.sqrt(np.sum(np.stack(terms)) * (1.0 / count))


def _squares_of_ratios(scale: Array, *values: Array) -> list[Array]:
    if len(values) == 1:
        return [(values[0] / scale) ** 2]
    inverse = 1.0 / scale
    return [(value * inverse) ** 2 for value in values]
