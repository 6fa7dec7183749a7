"""A fit whose motion is followed with steps that are short enough for it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from percuss.identification.data.left_out import count_words
from percuss.identification.estimate.fit import Fit, fit
from percuss.identification.forward.choice import Model
from percuss.identification.forward.engine_model import EngineModel
from percuss.identification.forward.model import ForwardModel
from percuss.identification.options import DEFAULT, SearchOptions
from percuss.model.errors import ModelError


def followed(
    model: Model,
    table: np.ndarray,
    noise: Mapping[str, float],
    *,
    starts: int,
    seed: int,
    options: SearchOptions = DEFAULT,
) -> tuple[Model, Fit]:
    """The fit of a table (channels, times), and the model whose steps are short enough for it.

    Steps are chosen before anything is known of the motion; a faster one needs shorter ones.
    """
    found = fit(model, table, noise, starts=starts, seed=seed, options=options)
    if isinstance(model, EngineModel):
        return model, found  # its steps are chosen anew for every motion
    own = options.integration
    for _ in range(4):
        # Errors of all samples may add up, against noise that does not.
        error = found.step_error * np.sqrt(found.samples) / min(noise.values())
        # What is off by far more than the noise is as little known: finer steps mend no model.
        if not error > own.error * max(1.0, found.rms):
            break
        halvings = max(1, int(np.ceil(np.log2(error / own.error) / 4.0)))
        steps = float(model.times[-1]) / model.step * 2.0**halvings
        if steps > own.most_steps or (found.rms > own.misfit and halvings > own.halvings):
            raise ModelError(_runaway(model, found, steps))
        model = model.finer(model.step / 2.0**halvings)
        found = fit(model, table, noise, starts=starts, seed=seed, options=options)
    return model, found


def _runaway(model: ForwardModel, found: Fit, steps: float) -> str:
    """What is said of a fit that moves too fast to be followed."""
    unknowns = model.unknowns
    pairs = zip(unknowns.names, found.quantities, unknowns.units, strict=True)
    values = ", ".join(f"{name} {x:.3g} {unit}" for name, x, unit in pairs)
    return (
        f"nothing plausible fits: the best ({values}) leaves {count_words(found.rms)} σ, and moves "
        f"so fast that its motion would take {steps:.2g} steps to be known as well as the noise. "
        "Either the record is of another scenario, or its units, times or columns are not as stated"
    )
