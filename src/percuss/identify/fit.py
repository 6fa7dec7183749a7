"""Fitting the motion after the impact: several starts, all of them and all cases at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from percuss.identify.bends import BENT, Shape
from percuss.identify.best import Best, Minimum, bests_of
from percuss.identify.information import Information
from percuss.identify.model import ForwardModel
from percuss.identify.residuals import Component, Weighting
from percuss.identify.search import search
from percuss.model.errors import ModelError

_TWO_SIDED = 1.959964
"""Standard deviations on either side that hold 95 % of a normal distribution."""
_AT_ONCE = 256
"""Cases that are fitted together: their derivatives must fit in memory."""


@dataclass(frozen=True)
class Fit:
    """What fits the measurements of one case best.

    Attributes:
        theta: (n,), see `Shape`; `quantities` are the reported ones.
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
        shape: of χ² about the minimum.
        settled: which quantities a further Gauss–Newton step would hardly move (n,). Along hidden
            directions a search creeps without end; what is known need not wait for it.
        steady: which quantities are known in all these places, and are there what they are here.
        alike: other θ (n, k) that fit as well, along directions that cannot be known.
        bounds: 95 % limits (n, 2) of what is not known to first order only; else infinite.
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
    shape: Shape
    settled: np.ndarray
    steady: np.ndarray
    alike: np.ndarray
    bounds: np.ndarray

    @property
    def is_bent(self) -> bool:
        """Whether χ² is so far from a parabola that its valley was followed."""
        return self.shape.bent > BENT

    @property
    def known(self) -> np.ndarray:
        """Which quantities can be given a number (n,)."""
        return self.information.known & self.steady

    @property
    def values(self) -> np.ndarray:
        """Estimates of the quantities (n,): the best fit, or the mean along a bent valley."""
        return self.quantities if self.shape.spread is None else self.shape.spread.mean

    @property
    def covariance(self) -> np.ndarray:
        """Of the estimates (n, n), where they are known."""
        spread = self.shape.spread
        return self.information.covariance if spread is None else spread.covariance

    @property
    def sigmas(self) -> np.ndarray:
        """Standard deviations of the estimates (n,), where they are known."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def limits(self) -> np.ndarray:
        """Between which a quantity lies with a probability of 95 % (n, 2)."""
        return limits_of(self.quantities, self.information, self.shape)

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

    `theta` and `values` (n, cases), `sigmas` (n, cases) with NaN where a quantity is not known,
    `limits` (n, 2, cases), `covariance` (n, n, cases), `settled` (n, cases), `cost`, `freedom`,
    `converged`, `ambiguous`, `bent` (cases,); see `Fit`.
    """

    theta: np.ndarray
    values: np.ndarray
    sigmas: np.ndarray
    limits: np.ndarray
    covariance: np.ndarray
    settled: np.ndarray
    cost: np.ndarray
    freedom: np.ndarray
    converged: np.ndarray
    ambiguous: np.ndarray
    bent: np.ndarray
    iterations: int


def limits_of(quantities: np.ndarray, known: Information, shape: Shape) -> np.ndarray:
    """95 % limits (n, 2) of quantities, normal where χ² is a parabola."""
    if shape.spread is not None:
        return shape.spread.limits
    return quantities[:, None] + _TWO_SIDED * known.sigmas[:, None] * np.array([-1.0, 1.0])


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
    at places drawn from what it leaves open; `most` is the number of steps of each on few
    samples, four times that on all.
    """
    weighting = Weighting(model, noise)
    table = weighting.table(measured)
    if table.shape[2] != 1:
        raise ModelError(f"one case is fitted, got {table.shape[2]}; use fit_all")
    _refuse_empty(weighting, table)
    searched = search(weighting, table, starts, seed, most)
    found = searched.found
    (best,) = bests_of(weighting, table, searched, seed)
    local = best.shape.local
    samples = int(weighting.counted(table).sum())
    shape = (len(weighting.components), len(model.times))
    known = best.information
    return Fit(
        best.theta,
        best.quantities,
        known,
        float(local.cost[0]),
        samples - known.rank + int(known.nuisance.sum()),
        bool(found.converged[best.end]),
        local.residuals[:, 0].reshape(shape),
        local.slopes[..., 0] / model.unknowns.scale,
        weighting.components,
        samples,
        best.others,
        model.step_error(best.theta),
        found.iterations,
        best.shape,
        best.settled,
        best.steady,
        best.alike,
        best.bounds,
    )


def fit_all(
    model: ForwardModel,
    measured: Any,
    noise: Mapping[str, float],
    *,
    starts: int = 4,
    seed: int = 0,
    most: int = 60,
    progress: Callable[[float], None] | None = None,
) -> Fits:
    """Fit many cases (channels, times, cases) of one scenario, many at once; see `fit`.

    `progress` is told the share of the cases done.
    """
    weighting = Weighting(model, noise)
    table = weighting.table(measured)
    _refuse_empty(weighting, table)
    cases = table.shape[2]
    groups = np.array_split(np.arange(cases), -(-cases // _AT_ONCE))
    parts: list[Fits] = []
    for group in groups:
        parts.append(_fit_group(weighting, table[..., group], starts, seed + int(group[0]), most))
        if progress is not None:
            progress((int(group[-1]) + 1) / cases)
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts], axis=-1)
        for field in fields(Fits)
        if field.name != "iterations"
    }
    return Fits(**joined, iterations=max(part.iterations for part in parts))


def _fit_group(weighting: Weighting, table: np.ndarray, starts: int, seed: int, most: int) -> Fits:
    searched = search(weighting, table, starts, seed, most)
    found = searched.found
    bests = bests_of(weighting, table, searched, seed)
    ends = np.array([best.end for best in bests])
    samples = weighting.counted(table).sum(axis=(0, 1))

    def spread_or(best: Best, plain: np.ndarray, name: str) -> np.ndarray:
        spread = best.shape.spread
        return plain if spread is None else getattr(spread, name)

    covariance = [spread_or(b, b.information.covariance, "covariance") for b in bests]
    known = np.stack([best.information.known & best.steady for best in bests], axis=-1)
    sigmas = np.stack([np.sqrt(np.diag(c)) for c in covariance], axis=-1)
    ranks = [b.information.rank - int(b.information.nuisance.sum()) for b in bests]
    return Fits(
        np.stack([best.theta for best in bests], axis=-1),
        np.stack([spread_or(best, best.quantities, "mean") for best in bests], axis=-1),
        np.where(known, sigmas, np.nan),
        np.stack([limits_of(b.quantities, b.information, b.shape) for b in bests], axis=-1),
        np.stack(covariance, axis=-1),
        np.stack([best.settled for best in bests], axis=-1),
        found.local.cost[ends],
        samples - np.array(ranks),
        found.converged[ends],
        np.array([bool(best.others) for best in bests]),
        searched.bent,
        found.iterations,
    )


def _refuse_empty(weighting: Weighting, table: np.ndarray) -> None:
    counts = weighting.counted(table).sum(axis=(0, 1))
    if (counts == 0).any():
        raise ModelError(
            f"case {int(np.argmin(counts))} has no measurements: all samples are missing"
        )
