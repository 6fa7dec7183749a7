"""Fitting the motion after the impact: several starts, all of them and all cases at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from percuss.identify.descent import Descent, Objective, descend
from percuss.identify.information import Information, information
from percuss.identify.jump import JumpMap, jump_map, rates_after
from percuss.identify.model import ForwardModel
from percuss.identify.residuals import Component, Weighting
from percuss.model.errors import ModelError
from percuss.scenario import Scenario

_ALIKE = 9.0
"""Minima fit equally well when their χ² differ by less (three standard deviations)."""
_APART = 5.0
"""Minima are different when a quantity that is known differs by this many deviations."""
_FEW = 48
"""Times of the first search."""
_ROUGH = 1e-3
"""How close to its minimum χ² must come there."""
_WORTH = 60.0
"""Ends of the first search whose χ² is that much above the best are let go."""
_MOST_ENDS = 3
"""Ends from which the search goes on, for each case."""


@dataclass(frozen=True)
class Minimum:
    """Another place that fits as well: θ, the reported quantities, and its χ²."""

    theta: np.ndarray
    quantities: np.ndarray
    cost: float


@dataclass(frozen=True)
class Fit:
    """What fits the measurements of one case best.

    Attributes:
        theta: (n,); `quantities` are the reported ones.
        information: about the reported quantities there.
        cost: χ², the sum of squared residuals in standard deviations, with those of priors.
        freedom: samples less the directions that they determine.
        converged: whether it is a minimum of χ².
        residuals: (components, times), in standard deviations, 0 where nothing was measured.
        slopes: (components · times, n), of the prediction by θ, in standard deviations.
        components: what the rows are.
        samples: how many were there.
        others: other minima that fit equally well though known quantities differ.
        step_error: of the integration there, see `ForwardModel.step_error`.
    """

    theta: np.ndarray
    quantities: np.ndarray
    information: Information
    cost: float
    freedom: int
    converged: bool
    residuals: np.ndarray
    slopes: np.ndarray
    components: tuple[Component, ...]
    samples: int
    others: tuple[Minimum, ...]
    step_error: float
    iterations: int

    @property
    def rms(self) -> float:
        """Root mean square of the residuals, in standard deviations."""
        return float(np.sqrt((self.residuals**2).sum() / max(self.samples, 1)))

    @property
    def ambiguous(self) -> bool:
        return bool(self.others)


@dataclass(frozen=True)
class Fits:
    """What fits many cases best; arrays end with the cases.

    `theta` and `quantities` (n, cases), `sigmas` (n, cases) with NaN where a quantity is not
    known, `covariance` (n, n, cases), `cost`, `freedom`, `converged`, `ambiguous` (cases,).
    """

    theta: np.ndarray
    quantities: np.ndarray
    sigmas: np.ndarray
    covariance: np.ndarray
    cost: np.ndarray
    freedom: np.ndarray
    converged: np.ndarray
    ambiguous: np.ndarray
    iterations: int


def fit(
    model: ForwardModel,
    measured: Any,
    noise: Mapping[str, float],
    *,
    starts: int = 8,
    seed: int = 0,
    most: int = 60,
) -> Fit:
    """Fit measured values (channels, times) with noise of standard deviations by kind.

    `starts` searches begin at the scenario's values, at what the jump of the velocity tells, and
    at places drawn from the plausible ranges; `most` is the number of steps of each.
    """
    weighting = Weighting(model, noise)
    table = weighting.table(measured)
    if table.shape[2] != 1:
        raise ModelError(f"one case is fitted, got {table.shape[2]}; use fit_all")
    _refuse_empty(weighting, table)
    found, owner = _search(weighting, table, starts, seed, most)
    best = int(np.argmin(found.local.cost))
    theta = found.theta[:, best]
    values, slopes = model.linearised_part(theta[:, None])
    residuals, rows = weighting.whitened(table, values, slopes)
    known = information(model.unknowns, theta, rows[..., 0])
    samples = int(weighting.counted(table).sum())
    shape = (len(weighting.components), len(model.times))
    return Fit(
        theta,
        np.asarray(model.unknowns.quantities(theta), float),
        known,
        float(found.local.cost[best]),
        samples - known.rank + int(known.nuisance.sum()),
        bool(found.converged[best]),
        residuals[:, 0].reshape(shape),
        rows[..., 0],
        weighting.components,
        samples,
        _others(model, known, found, np.arange(len(owner)), best),
        model.step_error(theta),
        found.iterations,
    )


def fit_all(
    model: ForwardModel,
    measured: Any,
    noise: Mapping[str, float],
    *,
    starts: int = 4,
    seed: int = 0,
    most: int = 60,
) -> Fits:
    """Fit many cases (channels, times, cases) of one scenario at once; see `fit`."""
    weighting = Weighting(model, noise)
    table = weighting.table(measured)
    _refuse_empty(weighting, table)
    cases, unknowns = table.shape[2], model.unknowns
    found, owner = _search(weighting, table, starts, seed, most)
    n = len(unknowns)
    theta, sigmas = np.empty((n, cases)), np.empty((n, cases))
    covariance = np.empty((n, n, cases))
    cost, freedom = np.empty(cases), np.empty(cases, int)
    converged, ambiguous = np.empty(cases, bool), np.empty(cases, bool)
    samples = weighting.counted(table).sum(axis=(0, 1))
    for k in range(cases):
        own = np.flatnonzero(owner == k)
        best = int(own[np.argmin(found.local.cost[own])])
        theta[:, k], cost[k] = found.theta[:, best], found.local.cost[best]
        known = _information_of(model, found, best)
        sigmas[:, k] = np.where(known.known, known.sigmas, np.nan)
        covariance[..., k] = known.covariance
        freedom[k] = samples[k] - known.rank + int(known.nuisance.sum())
        converged[k] = found.converged[best]
        ambiguous[k] = bool(_others(model, known, found, own, best))
    quantities = np.asarray(unknowns.quantities(theta), float)
    return Fits(
        theta, quantities, sigmas, covariance, cost, freedom, converged, ambiguous, found.iterations
    )


def _search(
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
    return descend(Objective(weighting, table, owner), theta, most), owner


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
            if all(gap @ shape @ gap > _APART**2 for gap in gaps):
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


def _information_of(model: ForwardModel, found: Descent, best: int) -> Information:
    """Of a place where a search has ended, from the quadratic model there."""
    unknowns = model.unknowns
    sizes, axes = np.linalg.eigh(found.local.information[..., best])
    root = np.sqrt(np.maximum(sizes, 0.0))[:, None] * axes.T / unknowns.scale
    return information(unknowns, found.theta[:, best], root, priors=False)


def _others(
    model: ForwardModel, known: Information, found: Descent, own: np.ndarray, best: int
) -> tuple[Minimum, ...]:
    """Minima that fit as well as the best though a known quantity is different there."""
    unknowns = model.unknowns
    here = np.asarray(unknowns.quantities(found.theta[:, best]), float)
    others: list[Minimum] = []
    for k in own[np.argsort(found.local.cost[own])]:
        if k == best or found.local.cost[k] > found.local.cost[best] + _ALIKE:
            continue
        there = np.asarray(unknowns.quantities(found.theta[:, k]), float)
        seen = [here, *(m.quantities for m in others)]
        judged = known.known & ~known.nuisance
        far = [np.any(np.abs(there - q)[judged] > _APART * known.sigmas[judged]) for q in seen]
        if all(far):
            others.append(Minimum(found.theta[:, k].copy(), there, float(found.local.cost[k])))
    return tuple(others)


def _refuse_empty(weighting: Weighting, table: np.ndarray) -> None:
    counts = weighting.counted(table).sum(axis=(0, 1))
    if (counts == 0).any():
        raise ModelError(
            f"case {int(np.argmin(counts))} has no measurements: all samples are missing"
        )
