"""A record as a function of what is held, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.descent import descend
from percuss.identification.estimate.information import Information, information
from percuss.identification.estimate.objective import FitObjective
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import asked_otherwise
from percuss.identification.forward.unknowns import Unknowns


@dataclass(frozen=True)
class FreedProperties:
    """Measured values `table` (channels, times) as functions of what is held, too.

    `before`: what is unknown without it.
    """

    weighting: Weighting
    table: np.ndarray
    before: Unknowns

    @classmethod
    def of(
        cls,
        weighting: Weighting,
        groups: tuple[str, ...],
        sensors: Sensors,
        *,
        table: np.ndarray,
    ) -> Self:
        model, before = weighting.model, weighting.model.unknowns
        more = Unknowns(model.encounter, [*before.groups, *groups], robot=sensors.robot or None)
        return cls(weighting.of_model(asked_otherwise(model, more)), table, before)

    @property
    def unknowns(self) -> Unknowns:
        return self.weighting.model.unknowns

    def residuals(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (rows,) at θ (n,) and how the prediction changes with it (rows, n)."""
        values, slopes = self.weighting.model.linearised(theta[:, None])
        measured = self.weighting.table(self.table)
        rest, rows = self.weighting.whitened(measured, values, slopes)
        return _with_priors(self.unknowns, theta, rest[:, 0], rows[..., 0])

    def known(self, theta: np.ndarray, steps: int) -> tuple[Information, np.ndarray]:
        """Information about all of them and the quantities (n,), from θ of what is unknown without.

        In so many steps to where all fit best: where the residuals speak against what is stated,
        standard deviations there are not those of a target that would fit.
        """
        options = self.weighting.options
        begin = self.unknowns.standing_for(self.before, theta)[:, None]
        objective = FitObjective(self.weighting, self.weighting.table(self.table), np.array([0]))
        best = descend(objective, begin, steps, options.horizons.closeness).theta[:, 0]
        _, rows = self.residuals(best)
        quantities = np.asarray(self.unknowns.quantities(best), float)
        return information(self.unknowns, best, rows, priors=False, options=options), quantities


def _with_priors(
    unknowns: Unknowns, theta: np.ndarray, rest: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What is known beforehand as measurements of its own, beside the others."""
    known = np.flatnonzero(np.isfinite(unknowns.priors))
    sigma = unknowns.priors[known]
    own = np.eye(len(unknowns))[known] / sigma[:, None]
    return np.concatenate([rest, -theta[known] / sigma]), np.concatenate([rows, own])
