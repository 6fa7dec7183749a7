"""χ² of one record: values, gradients and slopes anywhere, and the valleys that leave a place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.identification.estimate.objective import FitObjective
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.estimate.valley import Valley, walk
from percuss.identification.posterior.chart import joined

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChiSquare:
    """χ² of measurements (channels, times) with priors."""

    weighting: Weighting
    measured: Any

    def cost(self, theta: Array) -> Array:
        """χ² (batch,) of θ (n, batch)."""
        return self._objective(theta.shape[1]).cost(theta)

    def local(self, theta: Array) -> tuple[Array, Array]:
        """χ² (batch,) of θ (n, batch), and its gradient (n, batch) by θ."""
        at = self._objective(theta.shape[1]).local(theta)
        # The search's gradient points downhill, by shares of the ranges, and is half.
        gradient = -2.0 * at.gradient / self.weighting.model.unknowns.scale[:, None]
        return at.cost, np.where(np.isfinite(at.cost), gradient, 0.0)

    def slopes(self, x: Array) -> Array:
        """The slopes of the prediction (rows, n, batch), in standard deviations."""
        scale = self.weighting.model.unknowns.scale[:, None]
        return self._objective(x.shape[1]).local(x * scale).slopes

    def valley(self, theta: Array, unit: Array) -> Valley:
        """The bottom of the valley of χ² from θ (n,) to both sides along a unit vector (n,)."""
        objective, at = self._objective(1), theta[:, None]
        local = objective.local(at)
        scale = self.weighting.model.unknowns.scale
        far = self.weighting.options.posterior.farthest
        ahead, back = (
            walk(objective, at, local, u[:, None], home=theta + far * u * scale)[0]
            for u in (unit, -unit)
        )
        return joined(back, ahead)

    def _objective(self, batch: int) -> FitObjective:
        return FitObjective(self.weighting, self._table, np.zeros(batch, int))

    @cached_property
    def _table(self) -> Array:
        return self.weighting.table(self.measured)
