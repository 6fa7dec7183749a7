"""What a method is given to make a step, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.kernel.rollouts.methods.dense import Powers, at_places, on_polynomial
from percuss.kernel.rollouts.methods.linearisation import Linearised

Array = Any
Rates = Callable[[Array, Array], Array]
"""(t, z) → dz/dt, the command, memory and parameters being bound."""
Sizes = Callable[..., list[Array]]
"""Vectors shaped like z → their norms, in which 1 is just within tolerance."""


@dataclass(frozen=True)
class StepEquation:
    """The equation dz/dt = rates(t, z) of one case during one step."""

    rates: Rates
    linearised: Callable[[Array, Array], Linearised]
    """(t, z) → the derivatives of the rates there, for methods that solve linear equations."""


@dataclass(frozen=True)
class Trial:
    """A step not yet accepted.

    Attributes:
        start: z at the beginning.
        z: at the end, not projected.
        rates: dz/dt at the end.
        error: the estimated error as a share of the tolerance, from the norm to measure it by.
        powers: coefficients c of the dense output start + c₀·θ + c₁·θ² + … for θ from 0 to 1; it
            begins with the slope c₀ = h·k1, exactly or (stiff methods) to its own order. What they
            cost is spent when they are asked for.
    """

    start: Array
    z: Array
    rates: Array
    error: Callable[[Sizes], Array]
    powers: Callable[[], Powers]

    def dense(self, theta: Array) -> Array:
        """The state at the share θ of the step."""
        return on_polynomial(self.start, self.powers(), theta)

    def dense_at(self, shares: Sequence[float]) -> list[Array]:
        """The states at several shares of the step."""
        return at_places(self.start, self.powers(), shares)

    def bend(self) -> Array:
        """Second derivative of the dense output by θ at the beginning."""
        return 2.0 * self.powers()[1]
