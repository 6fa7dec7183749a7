"""Whether χ² is a parabola about its minimum, and what is known where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from percuss.identification.estimate.confidence import chi_square_rise
from percuss.identification.estimate.descent import across, held_with
from percuss.identification.estimate.information import Information, information_of
from percuss.identification.estimate.objective import FitObjective, Local
from percuss.identification.estimate.valley import Spread, Valley, flat_place, walk
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options.judging import AcceptanceOptions


@dataclass(frozen=True)
class ChiSquareShape:
    """The shape of χ² about the best place of a case.

    Attributes:
        bent: how far χ² is from a parabola at two standard deviations along the observable
            direction that is known least, as a share.
        valley: what was followed then; None where χ² is a parabola.
        spread: what the quantities may be, where standard deviations do not tell; else None.
        theta: (n,), the best place; or one in its valley that fits as well and where a direction
            is not known to first order, though it seems to be beside it.
        local: χ² there.
    """

    bent: float
    valley: Valley | None
    spread: Spread | None
    theta: np.ndarray
    local: Local


def weakest(information: np.ndarray) -> tuple[np.ndarray, float]:
    """Unit vector (n,) and information along the observable direction that is known least.

    `information` (n, n) in shares of the ranges. Where nothing is observable it is what is known
    best.
    """
    sizes, axes = np.linalg.eigh(information)
    observable = np.flatnonzero(sizes > 1.0)
    place = int(observable[0]) if len(observable) else -1
    # No longer than a plausible range: unobservable directions lead nowhere.
    return axes[:, place], max(float(sizes[place]), 1.0)


def bend(objective: FitObjective, theta: np.ndarray, local: Local, units: np.ndarray) -> np.ndarray:
    """|Δχ² / 4 - 1| two standard deviations to either side of θ (n, b), the larger one (b,).

    Along `units` (n, b), in shares of the ranges. Of the profile: what is known better follows
    along the valley, by two steps of Gauss and Newton across it; what cannot be known stays.
    """
    options = objective.weighting.options.descent
    scale = objective.weighting.model.unknowns.scale[:, None]
    size = np.einsum("nb,nmb,mb->b", units, local.information, units)
    steps = units / np.sqrt(np.maximum(size, 1.0))
    at = np.concatenate([theta + 2.0 * scale * steps, theta - 2.0 * scale * steps], axis=1)
    both = FitObjective(objective.weighting, objective.measured, np.tile(objective.owner, 2))
    held = held_with(units, local.information) * 2
    for _ in range(2):
        at = at + scale * across(both.local(at), held, options)
    cost = both.cost(at).reshape(2, -1)
    return np.abs((cost - local.cost) / 4.0 - 1.0).max(axis=0)


def shapes(
    objective: FitObjective, theta: np.ndarray, local: Local, bent: np.ndarray, *, seed: int = 0
) -> list[ChiSquareShape]:
    """The shapes of χ² of cases whose best places are θ (n, b), bent by `bent` (b,).

    The valleys of bent cases are followed.
    """
    unknowns, options = objective.weighting.model.unknowns, objective.weighting.options
    found = [
        ChiSquareShape(
            bent=float(bent[k]),
            valley=None,
            spread=None,
            theta=theta[:, k],
            local=local.only(np.array([k])),
        )
        for k in range(theta.shape[1])
    ]
    left = np.flatnonzero(bent > options.valleys.bent)
    if not len(left):
        return found
    here = local.only(left)
    units = np.stack([weakest(here.information[..., k])[0] for k in range(len(left))], axis=1)
    valleys = walk(objective.of(left), theta[:, left], here, units)
    for case, valley in zip(left, valleys, strict=True):
        shape = replace(found[case], valley=valley, spread=valley.spread(unknowns, seed))
        flat = None
        if valley.flattens:
            flat = flat_place(objective.of(np.array([case])), valley)
        if flat is not None:
            shape = replace(shape, theta=flat[0][:, 0], local=flat[1])
        found[case] = shape
    return found


@dataclass(frozen=True)
class ValleyPlace:
    """A place that fits: θ (n,), and the information there (n, n) in shares of the ranges.

    `rise` is χ² less that of the best place. `near`: whether a valley leads there from the best
    place; else it is a minimum of its own.
    """

    theta: np.ndarray
    information: np.ndarray
    rise: float
    near: bool


def hidden_valleys(
    objective: FitObjective, theta: np.ndarray, local: Local, known: Information
) -> list[Valley]:
    """Valleys along unobservable directions of one case, as far as is plausible.

    Along each of them, and along others between them: their valley may bend any way.
    """
    hidden = known.unobservable
    if not hidden.shape[1]:
        return []
    ways = objective.weighting.options.valleys.hidden_ways
    if (count := hidden.shape[1]) > 1:
        between = np.random.default_rng(count).standard_normal((count, ways * count))
        hidden = np.concatenate([hidden, hidden @ between], axis=1)
    unknowns = objective.weighting.model.unknowns
    units = np.linalg.solve(unknowns.slopes(theta), hidden) / unknowns.scale[:, None]
    units = units / np.linalg.norm(units, axis=0)
    many = np.zeros(units.shape[1], int)
    here = np.repeat(theta[:, None], len(many), axis=1)
    return walk(objective.of(many), here, local.only(many), units, home=unknowns.start)


def places_in(valley: Valley, options: AcceptanceOptions) -> list[ValleyPlace]:
    """Places along a valley that fit as well as the best."""
    return [
        ValleyPlace(valley.theta[:, k], valley.information[..., k], float(valley.rise[k]), True)
        for k in np.flatnonzero(valley.rise <= options.alike_rise)
    ]


def bounds_of(unknowns: Unknowns, valleys: Sequence[Valley]) -> np.ndarray:
    """95 % limits (n, 2) of quantities along the only direction that is not known to first order.

    Infinite where there is no such direction, or several, or one that has no end: then nothing
    bounds what cannot be known.
    """
    none = np.array([[-np.inf, np.inf]] * len(unknowns))
    if len(valleys) != 1 or valleys[0].open or valleys[0].rise[[0, -1]].min() < chi_square_rise():
        return none
    (valley,) = valleys
    quantities = np.asarray(unknowns.quantities(valley.theta), float)
    low = valley.rise <= chi_square_rise()
    first, last = np.flatnonzero(low)[[0, -1]]
    ends = [quantities[:, low]]
    for inner, outer in ((first, first - 1), (last, last + 1)):
        share = (chi_square_rise() - valley.rise[inner]) / (valley.rise[outer] - valley.rise[inner])
        between = quantities[:, outer] - quantities[:, inner]
        ends.append((quantities[:, inner] + share * between)[:, None])
    reached = np.concatenate(ends, axis=1)
    return np.stack([reached.min(axis=1), reached.max(axis=1)], axis=1)


def contradicted(
    unknowns: Unknowns,
    theta: np.ndarray,
    known: Information,
    places: Sequence[ValleyPlace],
    *,
    spread: Spread | None,
) -> np.ndarray:
    """Which quantities are not known in other places that fit as well (n,).

    `spread` is what is stated of them where χ² is no parabola.

    Along what cannot be known the best fit may be anywhere, and what is known to first order in
    one place may be out of reach in the next, or have another value on the way there.
    """
    options = known.options.acceptance
    start = np.asarray(unknowns.quantities(theta), float)
    stated, sigmas = start, known.sigmas
    if spread is not None:
        stated, sigmas = spread.mean, np.sqrt(np.diag(spread.covariance))
    lost = np.zeros(len(start), bool)
    for place in places:
        there = information_of(unknowns, place.theta, place.information, known.options)
        quantities = np.asarray(unknowns.quantities(place.theta), float)
        gaps = np.abs(quantities - start)
        # What stays within the standard deviation that is stated of it is what it is said to be.
        other = np.abs(quantities - stated) > options.covered * sigmas
        far = gaps > options.apart * np.fmax(known.observable_sigmas, there.observable_sigmas)
        far &= other
        # Another minimum that is vaguer is no answer of its own, but what is known so much better
        # here, and different, is not to be believed.
        vague = (gaps > there.observable_sigmas) | (
            there.observable_sigmas > options.apart * known.observable_sigmas
        )
        vague &= other & (gaps > options.apart * known.observable_sigmas)
        lost |= ~there.known | np.where(place.near, far, vague & ~far)
    claimed = known.known & ~known.nuisance
    # Where most of what seemed known is not, the place itself is not to be believed.
    if (lost & claimed).sum() > options.lost_share * claimed.sum():
        lost |= claimed
    return lost & ~known.nuisance
