"""Classical RK4 with fixed steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts.methods.trial import Rates

Array = Any


@dataclass(frozen=True)
class RK4:
    """Classical Runge–Kutta of order 4 with a fixed step (s).

    Steps lie on the grid start + k·step; the last one, and those around chosen times and
    events, are shortened so that they land exactly. `most_steps` limits a case only where
    events may restart it without end.
    """

    step: float
    most_steps: int | None = None

    def __post_init__(self) -> None:
        if not (self.step > 0 and math.isfinite(self.step)):
            raise KernelError(f"RK4 needs a step > 0 s, got {self.step!r}")
        if self.most_steps is not None and self.most_steps < 1:
            raise KernelError(f"most_steps must be at least 1, got {self.most_steps}")


def rk4_step(rates: Rates, t: Array, z: Array, h: Array, *, k1: Array) -> Array:
    """z after h, not projected. Sums as it goes, so that few vectors are alive at a time."""
    half = 0.5 * h
    third = h * (1.0 / 3.0)
    sixth = h * (1.0 / 6.0)
    total = z + sixth * k1
    k2 = rates(t + half, z + half * k1)
    total = total + third * k2
    k3 = rates(t + half, z + half * k2)
    total = total + third * k3
    k4 = rates(t + h, z + h * k3)
    return total + sixth * k4
