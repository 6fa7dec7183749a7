"""What a method is given to make a step, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel.rollouts.methods.dense import Powers, on_polynomial
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
    """A step not yet accepted.

    Attributes:
        start: z at the beginning.
        z: at the end, not projected.
        rates: dz/dt at the end.
        error: the estimated error as a share of the tolerance, from the norm to measure it by.
        powers: coefficients c of the dense output start + c₀·θ + c₁·θ² + … for θ from 0 to 1; it
            begins with the slope c₀ = h·k1. What they cost is spent when they are asked for.
    """

    start: Array
    z: Array
    rates: Array
    error: Callable[[Size], Array]
    powers: Callable[[], Powers]

    def dense(self, theta: Array) -> Array:
        """The state at the share θ of the step."""
        return on_polynomial(self.start, self.powers(), theta)

    def bend(self) -> Array:
        """Second derivative of the dense output by θ at the beginning."""
        return 2.0 * self.powers()[1]
