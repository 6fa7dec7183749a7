"""How far estimates move where a property that is held is quite another.

Slopes where it is as stated tell of small changes. Where many quantities are unknown a property may
be wrong by a third without a sign in the residuals, and then they tell nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from percuss.identification.estimate.confidence import covering_sigmas
from percuss.identification.estimate.descent import descend
from percuss.identification.estimate.objective import FitObjective, Tied
from percuss.identification.estimate.residuals import Weighting

_HOLDING = 1e8
"""Pull that holds a number to 1e-4 of its range, however the residuals pull."""


def elsewhere(
    weighting: Weighting,
    table: np.ndarray,
    theta: np.ndarray,
    *,
    held: np.ndarray,
    moved: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Quantities (n, places), and how far χ² rises there (places,), with held numbers aside.

    Each that is `moved` is moved to both sides by `observability.aside` of its range, and the
    others that are not held are fitted again; places that no motion leads to are left out.

    Args:
        table: measured values (channels, times).
        theta: where all fit best with what is held (n,).
        held, moved: which numbers are held (n,), and which of them are moved in turn.
    """
    unknowns, options = weighting.model.unknowns, weighting.options
    columns = np.flatnonzero(moved)
    step = np.diag(options.observability.aside * unknowns.scale)[:, columns]
    begins = theta[:, None] + np.concatenate([step, -step], axis=1)
    objective = FitObjective(weighting, weighting.table(table), np.zeros(begins.shape[1], int))
    tied = Tied(objective, begins, np.where(held, _HOLDING, 0.0))
    ends = descend(tied, begins, options.descent.steps, options.horizons.closeness).theta
    begun = objective.of(np.array([0])).cost(theta[:, None])[0]
    rise = objective.cost(ends) - begun
    there = np.isfinite(rise)
    quantities = np.asarray(unknowns.quantities(ends[:, there]), float)
    return quantities, rise[there]


def secant_sigmas(
    names: tuple[str, ...],
    values: Mapping[str, float],
    places: tuple[np.ndarray, np.ndarray],
    tail: float,
) -> dict[str, float]:
    """Standard deviations by name that cover the estimates at places of `elsewhere`."""
    quantities, rise = places
    gaps = np.stack([quantities[names.index(name)] - x for name, x in values.items()])
    return dict(zip(values, covering_sigmas(gaps, rise, tail).tolist(), strict=True))
