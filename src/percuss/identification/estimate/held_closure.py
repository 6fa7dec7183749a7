"""Whether the record tells how the target is held: a pin may fit as well as a weld.

Who states the wrong one mostly finds residuals that no noise explains. With many unknowns others of
them may stand for the difference, and nothing is left to be seen.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from percuss.identification.data.sensors import Sensors
from percuss.identification.estimate.descent import descend
from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.information import information
from percuss.identification.estimate.objective import FitObjective
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.choice import asked_otherwise
from percuss.identification.forward.impact_motion import PLASTIC
from percuss.identification.forward.unknowns import Unknowns

CLOSURE = "closure"
"""What a condition on the closure is called, beside those on properties of the target."""


def closure_condition(
    weighting: Weighting,
    found: Fit,
    sensors: Sensors,
    *,
    table: np.ndarray,
    own: Mapping[str, float],
) -> tuple[dict[str, float | None], str] | None:
    """Standard deviations by name, and words, if the other closure that holds fits as well.

    None where it does not, where contacts do not hold, or where no estimate would be another. It is
    fitted from what was found and from the scenario's values.

    Args:
        table: measured values (channels, times).
        own: standard deviations of what gets a number.
    """
    model, options = weighting.model, weighting.options
    closure = model.encounter.closure.name
    if closure not in PLASTIC or not own:
        return None
    (other,) = (name for name in PLASTIC if name != closure)
    encounter = model.encounter.held_by(other)
    unknowns = Unknowns(encounter, model.unknowns.groups, robot=sensors.robot or None)
    again = weighting.of_model(asked_otherwise(model, unknowns))
    begins = np.stack([found.theta, unknowns.start], axis=1)
    objective = FitObjective(again, again.table(table), np.zeros(2, int))
    ends = descend(objective, begins, options.descent.steps, options.horizons.closeness)
    best = int(np.argmin(ends.local.cost))
    if not ends.local.cost[best] <= found.cost + options.acceptance.alike_rise:
        return None
    theta = ends.theta[:, best]
    slopes = ends.local.slopes[..., best] / unknowns.scale
    there = information(unknowns, theta, slopes, options=options)
    quantities = np.asarray(unknowns.quantities(theta), float)
    wider: dict[str, float | None] = {}
    words: list[str] = []
    for name, sigma in own.items():
        k = unknowns.names.index(name)
        gap = float(quantities[k] - found.values[k])
        whole = float(np.hypot(gap, max(sigma, there.sigmas[k]))) if there.known[k] else None
        if whole is not None and whole <= options.observability.conditional * sigma:
            continue
        wider[name] = whole
        unit = unknowns.units[k]
        words.append(
            f"no number for {name}"
            if whole is None
            else f"{name} {quantities[k]:.4g} {unit} instead of {found.values[k]:.4g}"
        )
    if not wider:
        return None
    return wider, (
        f"the target is taken to be held by a {closure}, as stated: a {other} would fit as well, "
        f"with {'; '.join(words)}"
    )
