"""What a method is given to make a step, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.kernel.rollouts.methods.linearisation import Linearised

Array = Any
Rates = Callable[[Array, Array], Array]
"""(t, z) → dz/dt, the command, memory and parameters being bound."""
Size = Callable[[Array], Array]
"""Vector shaped like z → its norm, in which 1 is just within tolerance."""


@dataclass(frozen=True)
class Motion:
    """The equation dz/dt = rates(t, z) of one case during one step."""

    rates: Rates
    linearised: Callable[[Array, Array], Linearised]
    """(t, z) → the derivatives of the rates there, for methods that solve linear equations."""


@dataclass(frozen=True)
class Trial:
    """A step not yet accepted: z, at the end, is not projected, `rates` are those at the end."""

    z: Array
    rates: Array
    error: Callable[[Size], Array]
    """The estimated error as a share of the tolerance, from the norm to measure it by."""
    dense: Callable[[Array], Array]
    """The state by θ in [0, 1]; it begins with the slope h·k1, exactly or to its own order."""
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
