"""What a method is given to make a step, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel.tracing.derivatives import jvp

Array = Any
Rates = Callable[[Array, Array], Array]
"""(t, z) → dz/dt, the command, memory and parameters being bound."""
Size = Callable[[Array], Array]
"""Vector shaped like z → its norm, in which 1 is just within tolerance."""


class Linearised(NamedTuple):
    """The rates near a point (t, z): dz/dt ≈ rates + by_time·δt + by_state·δz."""

    rates: Array
    """dz/dt, shape (n,)."""
    by_time: Array
    """Its partial derivative by t, shape (n,)."""
    by_state: Array
    """Its Jacobian, shape (n, n): row i, column j is ∂(dz_i/dt)/∂z_j."""


@dataclass(frozen=True)
class Motion:
    """The equation dz/dt = rates(t, z) of one case during one step."""

    rates: Rates

    def linearised(self, t: Array, z: Array) -> Linearised:
        """The rates and all their derivatives, for methods that solve linear equations.

        Exact derivatives, one direction at a time; what the directions share is computed once.
        """
        none, rest = np.zeros(()), np.zeros(z.shape)
        k, by_time = jvp(self.rates, (t, z), (np.ones(()), rest))
        columns = [jvp(self.rates, (t, z), (none, unit))[1] for unit in np.eye(len(z))]
        return Linearised(k, by_time, np.stack(columns, axis=1))


@dataclass(frozen=True)
class Trial:
    """A step not yet accepted: z, at the end, is not projected, `rates` are those at the end."""

    z: Array
    rates: Array
    error: Callable[[Size], Array]
    """The estimated error as a share of the tolerance, from the norm to measure it by."""
    dense: Callable[[Array], Array]
    """The state by θ in [0, 1]; it begins with the slope h·k1."""
    bend: Callable[[], Array]
    """Its second derivative by θ at the beginning."""


def weighted(weights: Sequence[float], vectors: Sequence[Array]) -> Array:
    """Sum of weight times vector, leaving zero weights out."""
    total = None
    for weight, vector in zip(weights, vectors, strict=True):
        if weight != 0.0:
            term = weight * vector
            total = term if total is None else total + term
    return total
