"""The best place of every case, and what is known there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from percuss.identification.estimate.bends import (
    ChiSquareShape,
    ValleyPlace,
    bounds_of,
    contradicted,
    hidden_valleys,
    places_in,
    shapes,
)
from percuss.identification.estimate.confidence import covering_sigmas, normal_reach
from percuss.identification.estimate.descent import Descent
from percuss.identification.estimate.information import Information, information
from percuss.identification.estimate.objective import FitObjective
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.estimate.search import Search, best_of, plausible_cost
from percuss.identification.forward.unknowns import Unknowns


@dataclass(frozen=True)
class OtherMinimum:
    """Another place that fits as well: θ, the reported quantities, and its χ²."""

    theta: np.ndarray
    quantities: np.ndarray
    cost: float


@dataclass(frozen=True)
class BestFit:
    """What fits a case best, and what is known there.

    Attributes:
        theta: (n,), see `ChiSquareShape`; `quantities` (n,) are the reported ones.
        information: about the reported quantities there.
        settled: which quantities a further Gauss–Newton step would hardly move (n,). Along hidden
            directions a search creeps without end; what is known need not wait for it.
        steady: which quantities are known in all places that fit as well, and are there what they
            are here (n,).
        shape: of χ² about the minimum.
        others: other minima that fit equally well though known quantities differ.
        alike: other θ (n, k) that fit as well, along directions that cannot be known.
        bounds: 95 % limits (n, 2) of what is not known to first order only; else infinite.
        converged: whether it is a minimum of χ².
        wider: factors ≥ 1 (n,) by which standard deviations cover the places that fit as well.
    """

    theta: np.ndarray
    quantities: np.ndarray
    information: Information
    settled: np.ndarray
    steady: np.ndarray
    shape: ChiSquareShape
    others: tuple[OtherMinimum, ...]
    alike: np.ndarray
    bounds: np.ndarray
    converged: bool
    wider: np.ndarray

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
        """The covariance of the estimates (n, n), where they are known."""
        spread = self.shape.spread
        narrow = self.information.covariance if spread is None else spread.covariance
        return narrow * np.outer(self.wider, self.wider)

    @property
    def sigmas(self) -> np.ndarray:
        """Standard deviations of the estimates (n,), where they are known."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def limits(self) -> np.ndarray:
        """The ends of the intervals that hold the quantities with a probability of 95 % (n, 2)."""
        if (spread := self.shape.spread) is not None:
            mean = spread.mean[:, None]
            return mean + self.wider[:, None] * (spread.limits - mean)
        half = normal_reach() * self.sigmas[:, None]
        return self.quantities[:, None] + half * np.array([-1.0, 1.0])

    @property
    def determined(self) -> int:
        """Directions that the samples determine, priors not counted."""
        return self.information.rank - int(self.information.nuisance.sum())

    @property
    def is_bent(self) -> bool:
        """Whether χ² is so far from a parabola that its valley was followed."""
        return self.shape.bent > self.information.options.valleys.bent

    @property
    def ambiguous(self) -> bool:
        return bool(self.others)


def best_fits(
    weighting: Weighting, table: np.ndarray, searched: Search, seed: int
) -> list[BestFit]:
    """The best place of every case, and what is known there."""
    found, owner = searched.found, searched.owner
    unknowns, options = weighting.model.unknowns, weighting.options
    cases = np.arange(table.shape[2])
    near = unknowns.start
    ends = np.array([best_of(found, owner, int(k), near, options=options.ends) for k in cases])
    objective, local = FitObjective(weighting, table, cases), found.local.only(ends)
    all_best: list[BestFit] = []
    costs = plausible_cost(found, near, options.ends)
    all_shapes = shapes(objective, found.theta[:, ends], local, searched.bent, seed=seed)
    for k, (end, shape) in enumerate(zip(ends, all_shapes, strict=True)):
        theta, here = shape.theta, shape.local
        slopes = here.slopes[..., 0] / unknowns.scale
        known = information(unknowns, theta, slopes, options=options)
        own = np.flatnonzero(owner == k)
        equal = own[costs[own] <= costs[end] + options.acceptance.alike_rise]
        one = np.array([k])
        valleys = hidden_valleys(objective.of(one), theta, here, known)
        bounds = bounds_of(unknowns, valleys)
        if shape.spread is None and np.isfinite(bounds).all():
            # What is not known to first order only moves the rest to second order.
            shape = replace(shape, valley=valleys[0], spread=valleys[0].spread(unknowns, seed))
        if shape.valley is not None and shape.spread is None:
            valleys.append(shape.valley)
        places = [place for valley in valleys for place in places_in(valley, options.acceptance)]
        ended = [
            ValleyPlace(
                found.theta[:, j],
                found.local.information[..., j],
                float(costs[j] - costs[end]),
                False,
            )
            for j in equal
        ]
        steady = ~contradicted(unknowns, theta, known, [*places, *ended], spread=shape.spread)
        wider = _covering(unknowns, known, [*places, *ended], shape)
        if shape.valley is not None and shape.valley.cut:
            # What lies beyond its last place may be anything.
            steady &= known.nuisance
        others = _others(unknowns, known, steady, found, own=equal, best=int(end))
        quantities = np.asarray(unknowns.quantities(theta), float)
        likely = options.acceptance.likely_rise
        alike = np.stack([p.theta for p in (*places, *ended) if p.rise <= likely], axis=1)
        settled = _settled(unknowns, found.theta[:, end], known, local.gradient[:, k])
        rested = bool(found.converged[end])
        all_best.append(
            BestFit(
                theta=theta,
                quantities=quantities,
                information=known,
                settled=settled,
                steady=steady,
                shape=shape,
                others=others,
                alike=alike,
                bounds=bounds,
                converged=rested,
                wider=wider,
            )
        )
    return all_best


def _covering(
    unknowns: Unknowns, known: Information, places: list[ValleyPlace], shape: ChiSquareShape
) -> np.ndarray:
    """Factors ≥ 1 (n,) by which standard deviations cover these places.

    Along what cannot be known the best fit may be anywhere, and what is known to first order moves
    on the way there. By up to `acceptance.covered` of its standard deviations it may, see
    `covering_sigmas`.
    """
    spread, covered = shape.spread, known.options.acceptance.covered
    values = np.asarray(unknowns.quantities(shape.theta), float)
    covariance = known.covariance
    if spread is not None:
        values, covariance = spread.mean, spread.covariance
    there = [np.asarray(unknowns.quantities(place.theta), float) for place in places]
    gaps = np.stack([quantities - values for quantities in there], axis=1)
    rise = np.array([place.rise for place in places])
    sigmas = np.sqrt(np.diag(covariance))
    stated = known.known & (sigmas > 0.0)
    needed = covering_sigmas(gaps, rise, covered)
    return np.maximum(1.0, needed / np.where(stated, sigmas, np.inf))


def _settled(
    unknowns: Unknowns, theta: np.ndarray, known: Information, gradient: np.ndarray
) -> np.ndarray:
    """Which quantities a further step would hardly move; `gradient` (n,) by shares of the ranges
    of θ."""
    by_quantity = np.linalg.solve(unknowns.slopes(theta).T, gradient / unknowns.scale)
    return np.abs(known.step(by_quantity)) <= known.options.acceptance.rest * known.sigmas


def _others(
    unknowns: Unknowns,
    known: Information,
    steady: np.ndarray,
    found: Descent,
    *,
    own: np.ndarray,
    best: int,
) -> tuple[OtherMinimum, ...]:
    """Minima among those that fit as well as the best though a known quantity differs there."""
    options = known.options.acceptance
    here = np.asarray(unknowns.quantities(found.theta[:, best]), float)
    judged = known.known & steady & ~known.nuisance
    others: list[OtherMinimum] = []
    for k in own[np.argsort(found.local.cost[own])]:
        if k == best:
            continue
        there = np.asarray(unknowns.quantities(found.theta[:, k]), float)
        gaps = np.abs(there - np.stack([here, *(m.quantities for m in others)]))[:, judged]
        if not (gaps > options.apart * known.observable_sigmas[judged]).any(axis=1).all():
            continue
        # Less may be known there: two answers are one if the vaguer of them covers the other.
        slopes = found.local.slopes[..., k] / unknowns.scale
        own_sigmas = information(
            unknowns, found.theta[:, k], slopes, options=known.options
        ).observable_sigmas
        vaguer = np.fmax(own_sigmas, known.observable_sigmas)
        if (gaps > options.apart * vaguer[judged]).any(axis=1).all():
            others.append(OtherMinimum(found.theta[:, k].copy(), there, float(found.local.cost[k])))
    return tuple(others)
