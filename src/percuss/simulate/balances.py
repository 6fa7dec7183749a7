"""How well energy and momentum add up over a motion, and its peaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from percuss.model.names import BaseMode
from percuss.simulate.observation import Observation


@dataclass(frozen=True)
class Balance:
    """Largest residuals after the impact: change minus work and external impulse.

    Energy in J, linear momentum in N s, angular momentum about the world's origin in N m s,
    wheels included. Momentum is None where a fixed base passes it on to the world.
    """

    energy: float
    linear_momentum: float | None
    angular_momentum: float | None


def balance_of(seen: Observation) -> Balance:
    """The balance residuals of a motion at all its times."""
    total = seen.kinetic_energy + seen.potential_energy
    energy = np.abs(total - total[0] - seen.integral("work")[:, 0]).max()
    if seen.stage.chaser.mode == BaseMode.FIXED:
        return Balance(float(energy), None, None)
    linear, angular = seen.momentum
    if seen.equations.planar:
        linear, angular = linear[:, :2], angular[:, 2:]
    wheels = seen.integral("wheels")
    if wheels.shape[1]:
        angular = angular + wheels
    return Balance(
        float(energy),
        _largest(linear - linear[0] - seen.integral("linear")),
        _largest(angular - angular[0] - seen.integral("angular")),
    )


def _largest(residual: np.ndarray) -> float:
    return float(np.linalg.norm(residual, axis=1).max())


def peaks(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Largest |value| over time of each column of values (time, n).

    Inside the interval the vertex of the parabola through the three highest samples is taken.
    """
    size = np.abs(values)
    top = size.argmax(axis=0)
    highest = size[top, np.arange(size.shape[1])]
    for column, k in enumerate(top):
        if 0 < k < len(time) - 1:
            near = slice(k - 1, k + 2)
            bend, slope, level = np.polyfit(time[near] - time[k], size[near, column], 2)
            if bend < 0:
                highest[column] = max(highest[column], level - slope**2 / (4 * bend))
    return highest
