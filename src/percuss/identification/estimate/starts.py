"""Where searches begin: the scenario's values, what the jump tells, and places about it."""

from __future__ import annotations

import numpy as np

from percuss.identification.estimate.jump import jump_map, rates_after
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.forward.impact_motion import PLASTIC
from percuss.model.errors import ModelError


def start_points(weighting: Weighting, measured: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Where searches begin (n, count): the scenario's θ, the jump's, and places drawn."""
    if count < 1:
        raise ModelError(f"starts must be at least 1, got {count}")
    model = weighting.model
    unknowns = model.unknowns
    jumped = _from_jump(weighting, measured[..., 0])
    places = [unknowns.start] if jumped is None else [unknowns.start, jumped[0]]
    spread = weighting.options.starts.spread
    root = np.diag(np.minimum(spread * unknowns.scale, unknowns.priors))
    if jumped is not None:
        place = unknowns.slices["velocity"]
        root[place, place] = jumped[1]
    random = np.random.default_rng(seed)
    while len(places) < count:
        # Around what the jump tells, as far as it leaves open.
        away = root @ random.standard_normal(len(unknowns))
        places.append(places[min(1, len(places) - 1)] + away)
    return np.stack(places[:count] if count > 1 else places[-1:], axis=1)


def _from_jump(weighting: Weighting, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """θ with the velocity that the jump of the robot's rates tells, if it does; and a root of the
    covariance of that velocity, no wider than the ranges."""
    model, options = weighting.model, weighting.options.starts
    unknowns, encounter = model.unknowns, model.encounter
    if "velocity" not in unknowns.groups or encounter.closure.name not in PLASTIC:
        return None
    rates, sigmas = rates_after(
        encounter, model.channels, model.times, measured, noise=weighting.noise, options=options
    )
    if not np.isfinite(sigmas).any():
        return None
    place = unknowns.slices["velocity"]
    jumped = jump_map(encounter).estimate(rates, sigmas)
    start = unknowns.start.copy()
    ranges = unknowns.scale[place]
    # Cubics that fit badly must not throw the search far out of what is plausible.
    limits = options.farthest_jump * ranges
    start[place] += np.clip(jumped.value - start[place], -limits, limits)
    # What is assumed of the target's mass and shape may be wrong.
    doubt = options.jump_doubt**2 * jumped.covariance / np.outer(ranges, ranges)
    sizes, axes = np.linalg.eigh(doubt + jumped.null_space @ jumped.null_space.T)
    root = ranges[:, None] * axes * np.sqrt(np.clip(sizes, 0.0, options.spread**2))
    return start, root
