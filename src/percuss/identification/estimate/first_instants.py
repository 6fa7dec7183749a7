"""Does anything fit the first instants of a record, where motion is simple?"""

from __future__ import annotations

import numpy as np

from percuss.identification.data.left_out import count_words
from percuss.identification.estimate.descent import descend
from percuss.identification.estimate.objective import FitObjective, Tied
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.estimate.search import first_times
from percuss.identification.estimate.starts import start_points
from percuss.model.errors import ModelError


def refuse_misfit(weighting: Weighting, table: np.ndarray, starts: int, seed: int) -> None:
    """ModelError where nothing fits even the first instants of a record (channels, times, 1).

    However sensitive motion is to its beginning, just after the impact χ² is a parabola: a search
    from anywhere ends at what fits best there. If that is off by more than a thousand standard
    deviations, and farther than a column of equal numbers would be, no longer search will help.
    A wrong closure or friction is not refused so: its motion is nearer than none.
    """
    options = weighting.options
    kept = first_times(weighting, table)
    if not 0.0 <= weighting.model.times[kept[-1]] <= options.beginning.instants:
        return
    thin = weighting.of_model(weighting.model.thinned(kept))
    begin = start_points(weighting, table, starts, seed)
    part = table[:, kept]
    objective = FitObjective(thin, part, np.zeros(begin.shape[1], int))
    pulled = Tied(objective, begin, np.ones(len(begin)))
    theta = descend(pulled, begin, options.descent.steps, options.horizons.closeness).theta
    local = objective.local(theta)
    best = int(np.argmin(local.cost))
    counted = thin.counted(part)[..., 0]
    rms = np.sqrt(float(local.cost[best]) / counted.sum())
    if not rms > options.beginning.misfit or not local.cost[best] > _constant(thin, part[..., 0]):
        return
    rows = local.residuals[:, best].reshape(counted.shape)
    sizes = np.sqrt((rows**2).sum(axis=1) / np.maximum(counted.sum(axis=1), 1))
    worst = int(np.argmax(sizes))
    name = thin.components[worst].name
    raise ModelError(
        f"no motion of this scenario fits even the first {weighting.model.times[kept[-1]]:.3g} s: "
        f"the best of {begin.shape[1]} searches leaves {count_words(rms)} σ, {name} is off by "
        f"{count_words(sizes[worst])} σ, and equal numbers would be nearer. The record is of "
        "another scenario, or units, signs, times or the order of columns are not as stated, or "
        "the noise is far larger"
    )


def _constant(weighting: Weighting, table: np.ndarray) -> float:
    """χ² of every column (channels, times) less its own mean."""
    total = 0.0
    for component in weighting.components:
        if len(component.channels) == 1 or component.axis == 0:
            sigma = component.sigma * (0.5 if len(component.channels) > 1 else 1.0)
            for channel in component.channels:
                own = table[channel][np.isfinite(table[channel])]
                if len(own):
                    total += float((((own - own.mean()) / sigma) ** 2).sum())
    return total
