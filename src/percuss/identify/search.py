"""Searching for the best fit: where to begin, first on few samples, then on all of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from percuss.identify.descent import Descent, Objective, descend
from percuss.identify.jump import JumpMap, jump_map, rates_after
from percuss.identify.residuals import Weighting
from percuss.model.errors import ModelError
from percuss.scenario import Scenario

APART = 5.0
"""Minima are different when a quantity that is known differs by this many deviations."""
_FEW = 48
"""Times of the first search."""
_ROUGH = 1e-3
"""How close to its minimum χ² must come there."""
_WORTH = 60.0
"""Ends of the first search whose χ² is that much above the best are let go."""
_MOST_ENDS = 3
"""Ends from which the search goes on, for each case."""


def search(
    weighting: Weighting, table: np.ndarray, starts: int, seed: int, most: int
) -> tuple[Descent, np.ndarray]:
    """Where searches end, and the cases they belong to: first on few samples, then on all."""
    cases = table.shape[2]
    begins = [
        start_points(weighting, table[..., k : k + 1], starts, seed + k) for k in range(cases)
    ]
    owner = np.repeat(np.arange(cases), [part.shape[1] for part in begins])
    theta = np.concatenate(begins, axis=1)
    kept = _telling(weighting, table)
    if len(kept) < len(weighting.model.times):
        thin = Weighting(weighting.model.thinned(kept), weighting.noise)
        rough = descend(Objective(thin, table[:, kept], owner), theta, most, _ROUGH)
        chosen = _distinct(rough, owner, cases)
        theta, owner = rough.theta[:, chosen], owner[chosen]
    # Few cases creep along narrow valleys; they are not many, and worth their steps.
    return descend(Objective(weighting, table, owner), theta, 4 * most), owner


def _telling(weighting: Weighting, table: np.ndarray) -> np.ndarray:
    """Indices of a few times, spread evenly, at which most is measured."""
    counts = weighting.counted(table).sum(axis=(0, 2))
    pieces = np.array_split(np.arange(len(counts)), min(_FEW, len(counts)))
    # The last of equals: late samples tell more of slow motions.
    return np.array([piece[len(piece) - 1 - np.argmax(counts[piece][::-1])] for piece in pieces])


def _distinct(found: Descent, owner: np.ndarray, cases: int) -> np.ndarray:
    """Ends worth going on from: the best of each case, and others almost as good elsewhere."""
    chosen: list[int] = []
    cost, scaled = found.local.cost, found.theta / found.scale[:, None]
    for case in range(cases):
        own = np.flatnonzero(owner == case)
        own = own[np.argsort(cost[own])]
        kept = [int(own[0])]
        shape = found.local.information[..., kept[0]]
        for k in own[1:]:
            if cost[k] > cost[kept[0]] + _WORTH or len(kept) == _MOST_ENDS:
                break
            gaps = [scaled[:, k] - scaled[:, j] for j in kept]
            if all(gap @ shape @ gap > APART**2 for gap in gaps):
                kept.append(int(k))
        chosen += kept
    return np.array(chosen)


def start_points(weighting: Weighting, measured: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Where searches begin (n, count): the scenario's θ, the jump's, and places drawn."""
    if count < 1:
        raise ModelError(f"starts must be at least 1, got {count}")
    model = weighting.model
    unknowns = model.unknowns
    places = [unknowns.start]
    told = _from_jump(weighting, measured[..., 0])
    if told is not None:
        places.append(told)
    random = np.random.default_rng(seed)
    while len(places) < count:
        # Around what the jump tells, as far as a range goes; errors of the robot stay small.
        away = random.standard_normal(len(unknowns)) * np.minimum(unknowns.scale, unknowns.priors)
        places.append(places[min(1, len(places) - 1)] + away)
    return np.stack(places[:count] if count > 1 else places[-1:], axis=1)


def _from_jump(weighting: Weighting, measured: np.ndarray) -> np.ndarray | None:
    """θ with the velocity that the jump of the robot's rates tells, if it does."""
    model = weighting.model
    unknowns, scenario = model.unknowns, model.scenario
    if "velocity" not in unknowns.groups or scenario.impact.closure == "bounce":
        return None
    rates, sigmas = rates_after(
        scenario, model.channels, model.times, measured, dict(weighting.noise)
    )
    if not np.isfinite(sigmas).any():
        return None
    place = unknowns.slices["velocity"]
    told = _jump_map(scenario).estimate(rates, sigmas)
    start = unknowns.start.copy()
    # Cubics that fit badly must not throw the search far out of what is plausible.
    limits = 3.0 * unknowns.scale[place]
    start[place] += np.clip(told.value - start[place], -limits, limits)
    return start


@lru_cache(maxsize=32)
def _jump_map(scenario: Scenario) -> JumpMap:
    return jump_map(scenario)
