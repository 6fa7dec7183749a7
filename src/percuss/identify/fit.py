"""Fitting the motion after the impact: several starts, all of them and all cases at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.identify.descent import Descent
from percuss.identify.information import Information, information
from percuss.identify.model import ForwardModel
from percuss.identify.residuals import Component, Weighting
from percuss.identify.search import APART, BENT, search
from percuss.model.errors import ModelError

_ALIKE = 9.0
"""Minima fit equally well when their χ² differ by less (three standard deviations)."""


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
        bent: how far χ² is from a parabola at two standard deviations along the direction that
            is known least, as a share; where it is, `is_bent`, a posterior is the answer.
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
    bent: float = 0.0

    @property
    def is_bent(self) -> bool:
        """Whether χ² is so far from a parabola that standard deviations do not tell all."""
        return self.bent > BENT

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
    known, `covariance` (n, n, cases), `cost`, `freedom`, `converged`, `ambiguous`,
    `bent` (cases,); see `Fit`.
    """

    theta: np.ndarray
    quantities: np.ndarray
    sigmas: np.ndarray
    covariance: np.ndarray
    cost: np.ndarray
    freedom: np.ndarray
    converged: np.ndarray
    ambiguous: np.ndarray
    bent: np.ndarray
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
    at places drawn from the plausible ranges; `most` is the number of steps of each on
    few samples, four times that on all.
    """
    weighting = Weighting(model, noise)
    table = weighting.table(measured)
    if table.shape[2] != 1:
        raise ModelError(f"one case is fitted, got {table.shape[2]}; use fit_all")
    _refuse_empty(weighting, table)
    searched = search(weighting, table, starts, seed, most)
    found, owner = searched.found, searched.owner
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
        float(searched.bent[0]),
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
    searched = search(weighting, table, starts, seed, most)
    found, owner = searched.found, searched.owner
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
        theta,
        quantities,
        sigmas,
        covariance,
        cost,
        freedom,
        converged,
        ambiguous,
        searched.bent,
        found.iterations,
    )


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
        far = [np.any(np.abs(there - q)[judged] > APART * known.sigmas[judged]) for q in seen]
        if all(far):
            others.append(Minimum(found.theta[:, k].copy(), there, float(found.local.cost[k])))
    return tuple(others)


def _refuse_empty(weighting: Weighting, table: np.ndarray) -> None:
    counts = weighting.counted(table).sum(axis=(0, 1))
    if (counts == 0).any():
        raise ModelError(
            f"case {int(np.argmin(counts))} has no measurements: all samples are missing"
        )
