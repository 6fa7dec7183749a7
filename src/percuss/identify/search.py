"""Searching for the best fit: where to begin, first on few samples, then on all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from percuss.identify.descent import Descent, Objective, across, descend
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
BENT = 0.15
"""From there on χ² is not taken for a parabola: its valley is looked along for other minima."""
_ALONG = (-30.0, -10.0, -4.0, 4.0, 10.0, 30.0)
"""How many standard deviations from a minimum that is."""
_ASIDE = (-100.0, -10.0, 10.0, 100.0)
"""The same for the first search, which is made in every case."""
_FARTHEST = 0.6
"""But no farther than this share of a plausible range."""
_MOST_ENDS = 3
"""Ends from which the search goes on, for each case."""


@dataclass(frozen=True)
class Search:
    """Where searches have ended.

    Attributes:
        found: the ends.
        owner: the case each of them belongs to.
        bent: (cases,) how far χ² is from a parabola at two standard deviations along the
            direction that is known least, as a share: 0 where standard deviations tell all.
    """

    found: Descent
    owner: np.ndarray
    bent: np.ndarray


def search(weighting: Weighting, table: np.ndarray, starts: int, seed: int, most: int) -> Search:
    """The best fits of all cases: first on few samples, then on all, then along the valleys."""
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
        places, of = _probes(rough, owner, np.arange(cases), _ASIDE)
        again = descend(Objective(thin, table[:, kept], of), places, most, _ROUGH)
        rough, owner = rough.joined(again), np.concatenate([owner, of])
        chosen = _distinct(rough, owner, cases)
        theta, owner = rough.theta[:, chosen], owner[chosen]
    # Few cases creep along narrow valleys; they are not many, and worth their steps.
    found = descend(Objective(weighting, table, owner), theta, 4 * most)
    bent = _bent(weighting, table, found, owner, np.arange(cases))
    doubtful = np.flatnonzero(bent > BENT)
    if len(doubtful):
        places, of = _probes(found, owner, doubtful, _ALONG)
        found = found.joined(descend(Objective(weighting, table, of), places, 4 * most))
        owner = np.concatenate([owner, of])
        bent[doubtful] = _bent(weighting, table, found, owner, doubtful)
    return Search(found, owner, bent)


def best_of(found: Descent, owner: np.ndarray, case: int) -> int:
    """Which end of a case fits best."""
    own = np.flatnonzero(owner == case)
    return int(own[np.argmin(found.local.cost[own])])


def _weakest(found: Descent, end: int) -> np.ndarray:
    """One standard deviation along the observable direction that is known least (n,), of θ.

    No longer than a plausible range: unobservable directions lead nowhere.
    """
    sizes, axes = np.linalg.eigh(found.local.information[..., end])
    seen = np.flatnonzero(sizes > 1.0)
    place = int(seen[0]) if len(seen) else -1
    return axes[:, place] * found.scale / np.sqrt(max(float(sizes[place]), 1.0))


def _bent(
    weighting: Weighting, table: np.ndarray, found: Descent, owner: np.ndarray, cases: np.ndarray
) -> np.ndarray:
    """|Δχ² / 4 - 1| two standard deviations to either side of the best, the larger one.

    Of the profile: what is known better follows along the valley, by two steps of Gauss and
    Newton across it.
    """
    ends = [best_of(found, owner, int(case)) for case in cases]
    steps = np.stack([_weakest(found, end) for end in ends], axis=1)
    here = found.theta[:, ends]
    theta = np.concatenate([here + 2.0 * steps, here - 2.0 * steps], axis=1)
    objective = Objective(weighting, table, np.tile(cases, 2))
    scale = found.scale[:, None]
    along = np.tile(steps / scale, 2)
    for _ in range(2):
        theta = theta + scale * across(objective.local(theta), along)
    cost = objective.cost(theta).reshape(2, -1)
    return np.abs((cost - found.local.cost[ends]) / 4.0 - 1.0).max(axis=0)


def _telling(weighting: Weighting, table: np.ndarray) -> np.ndarray:
    """Indices of a few times, spread evenly, at which most is measured."""
    counts = weighting.counted(table).sum(axis=(0, 2))
    pieces = np.array_split(np.arange(len(counts)), min(_FEW, len(counts)))
    # The last of equals: late samples tell more of slow motions.
    return np.array([piece[len(piece) - 1 - np.argmax(counts[piece][::-1])] for piece in pieces])


def _probes(
    found: Descent, owner: np.ndarray, cases: np.ndarray, distances: tuple[float, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, k) along the valleys in which the best of these cases lie, and their cases.

    Where data says little χ² has long curved valleys, and more than one minimum in them: a search
    that ended in one is begun again on both sides of it.
    """
    places: list[np.ndarray] = []
    for case in cases:
        end = best_of(found, owner, int(case))
        step = _weakest(found, end)
        farthest = _FARTHEST / float(np.linalg.norm(step / found.scale))
        for deviations in distances:
            along = float(np.clip(deviations, -farthest, farthest))
            places.append(found.theta[:, end] + along * step)
    return np.stack(places, axis=1), np.repeat(cases, len(distances))


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
