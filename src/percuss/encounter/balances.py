"""How well energy and momentum add up over a motion, and its peaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from percuss.encounter.observation import Observation
from percuss.model.names import BaseMode


@dataclass(frozen=True)
class Balance:
    """Largest residuals of a phase: change minus work and external impulse.

    Energy in J, linear momentum in N s, angular momentum about the world's origin in N m s,
    wheels included. Momentum is None where a fixed base passes it on to the world.
    """

    energy: float
    linear_momentum: float | None
    angular_momentum: float | None


@dataclass(frozen=True)
class Residuals:
    """How far the balances are open at each time: |change minus work and external impulse|.

    Each has shape (time,): energy in J, linear momentum in N s, angular momentum about the
    world's origin in N m s, wheels included. Momentum is None where a fixed base passes it on.
    """

    energy: np.ndarray
    linear_momentum: np.ndarray | None
    angular_momentum: np.ndarray | None


def residuals_of(observation: Observation) -> Residuals:
    """The residuals of a motion since its start: zero but for the errors of the integration.

    Where the equations of motion do not conserve, they show what is lost.
    """
    total = observation.kinetic_energy + observation.potential_energy
    energy = np.abs(total - total[0] - observation.integral("work")[:, 0])
    if observation.assembly.chaser.mode == BaseMode.FIXED:
        return Residuals(energy, None, None)
    linear, angular = observation.momentum
    if observation.equations.planar:
        linear, angular = linear[:, :2], angular[:, 2:]
    wheels = observation.integral("wheels")
    if wheels.shape[1]:
        angular = angular + wheels  # what they had at the start drops out
    return Residuals(
        energy,
        np.linalg.norm(linear - linear[0] - observation.integral("linear"), axis=1),
        np.linalg.norm(angular - angular[0] - observation.integral("angular"), axis=1),
    )


def balance_of(observation: Observation) -> Balance:
    """The largest residuals of a motion over all its times."""
    residuals = residuals_of(observation)
    return Balance(
        float(residuals.energy.max()),
        _largest(residuals.linear_momentum),
        _largest(residuals.angular_momentum),
    )


def worst(balances: Sequence[Balance]) -> Balance:
    """The largest residuals of several phases."""

    def largest(values: list[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return max(known) if known else None

    return Balance(
        max(balance.energy for balance in balances),
        largest([balance.linear_momentum for balance in balances]),
        largest([balance.angular_momentum for balance in balances]),
    )


def _largest(residual: np.ndarray | None) -> float | None:
    return None if residual is None else float(residual.max())


def peaks(time: np.ndarray, values: np.ndarray, smooth: bool) -> np.ndarray:
    """Largest |value| over time of each column of values (time, n).

    Where the values are smooth functions of time, the vertex of the parabola through the highest
    sample and its neighbours is taken; a kink or a jump has its peak at a sample.
    """
    size = np.abs(values)
    top = size.argmax(axis=0)
    highest = size[top, np.arange(size.shape[1])]
    if not smooth:
        return highest
    for column, k in enumerate(top):
        if 0 < k < len(time) - 1:
            before, after = time[k] - time[k - 1], time[k + 1] - time[k]
            fall = (highest[column] - size[k - 1, column]) / before
            drop = (highest[column] - size[k + 1, column]) / after
            # The parabola bends by (fall + drop) / (before + after) and is flat there:
            bend = (fall + drop) / (before + after)
            slope = (fall * after - drop * before) / (before + after)
            if bend > 0:
                highest[column] += slope**2 / (4 * bend)
    return highest
