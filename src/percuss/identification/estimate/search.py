"""Searching for the best fit: on ever longer records, then on all of it, then along valleys."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from percuss.identification.estimate.bends import bend, weakest
from percuss.identification.estimate.descent import Descent, descend, hidden_of, settle
from percuss.identification.estimate.objective import FitObjective, Tied
from percuss.identification.estimate.residuals import Weighting
from percuss.identification.estimate.starts import start_points
from percuss.identification.forward.unknowns import Unknowns
from percuss.identification.options import DEFAULT
from percuss.identification.options.searching import EndOptions, HorizonOptions


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


def search(weighting: Weighting, table: np.ndarray, starts: int, seed: int) -> Search:
    """The best fits of all cases: on ever longer records, then on all, then along the valleys.

    Cases that nothing fits well, whose χ² is no parabola where they fit best, or of which something
    cannot be known there, are searched once more, from more places.
    """
    options, near = weighting.options, weighting.model.unknowns.start
    cases = np.arange(table.shape[2])
    found, owner = _searched(weighting, table, cases, starts=starts, seed=seed)
    bent = _bent(weighting, table, found, owner=owner, cases=cases)
    ends = [best_of(found, owner, int(k), near, options=options.ends) for k in cases]
    blind = np.array([h.shape[1] > 0 for h in hidden_of(found.local.information[..., ends])])
    odd = _poor(weighting, table, found, owner) | (bent > options.valleys.bent)
    for which, count in ((odd, options.starts.more * starts), (blind & ~odd, starts)):
        again = np.flatnonzero(which)
        if len(again) and starts > 1:
            more, of = _searched(weighting, table, again, starts=count, seed=seed + len(cases))
            found, owner = found.joined(more), np.concatenate([owner, of])
            bent[again] = _bent(weighting, table, found, owner=owner, cases=again)
    doubtful = np.flatnonzero(bent > options.valleys.bent)
    if len(doubtful):
        places, of = _probes(weighting, found, owner, doubtful, distances=options.ends.probes)
        more, of = _ended(FitObjective(weighting, table, of), places)
        found, owner = found.joined(more), np.concatenate([owner, of])
        bent[doubtful] = _bent(weighting, table, found, owner=owner, cases=doubtful)
    return Search(found, owner, bent)


def _searched(
    weighting: Weighting, table: np.ndarray, cases: np.ndarray, *, starts: int, seed: int
) -> tuple[Descent, np.ndarray]:
    """Where searches of some cases end, and which case each of them belongs to."""
    most, rough = weighting.options.descent.steps, weighting.options.horizons.rough_closeness
    begins = [start_points(weighting, table[..., k : k + 1], starts, seed + int(k)) for k in cases]
    owner = np.repeat(cases, [part.shape[1] for part in begins])
    theta = np.concatenate(begins, axis=1)
    nearer, of_near = _approached(weighting, table, theta, owner)
    # Longer and longer records may lead astray where the whole one would not.
    theta, owner = np.concatenate([nearer, theta], axis=1), np.concatenate([of_near, owner])
    kept = samples_before(weighting, table, np.inf)
    if len(kept) < len(weighting.model.times):
        thin = weighting.of_model(weighting.model.thinned(kept))
        found = descend(FitObjective(thin, table[:, kept], owner), theta, most, rough)
        distances = weighting.options.ends.first_probes
        places, of = _probes(weighting, found, owner, cases, distances=distances)
        again = descend(FitObjective(thin, table[:, kept], of), places, most, rough)
        found, owner = found.joined(again), np.concatenate([owner, of])
        chosen = _distinct(weighting, found, owner, cases)
        # Where short records lead from the scenario's own values, nothing has wandered.
        _, first = np.unique(of_near, return_index=True)
        theta = np.concatenate([found.theta[:, chosen], nearer[:, first]], axis=1)
        owner = np.concatenate([owner[chosen], of_near[first]])
    return _ended(FitObjective(weighting, table, owner), theta)


def _ended(objective: FitObjective, theta: np.ndarray) -> tuple[Descent, np.ndarray]:
    """Minima of χ² on the whole record, then the most plausible places, and their cases.

    What cannot be known must not wander: everything is pulled towards the scenario's values as if
    the plausible ranges were known, then as strongly to where that has led, and so on, and last
    not at all along what can be known. So what the measurements tell is followed all the way, and
    what they do not tell stays near. Few cases creep along narrow valleys, and are worth it.
    """
    near = np.repeat(objective.weighting.model.unknowns.start[:, None], theta.shape[1], axis=1)
    unknowns, options = objective.weighting.model.unknowns, objective.weighting.options
    steps, rough = options.descent, options.horizons.rough_closeness
    pulled = Tied(objective, near, _plausible(unknowns, options.horizons.velocity_pull))
    first = descend(pulled, theta, steps.whole_record * steps.steps, rough)
    single = _single(first, objective.owner, unknowns.start, options.ends.same_rise)
    objective = objective.of(single)
    first = first.only(single)
    held = np.ones(len(unknowns))
    found = first
    for close in (rough, steps.closeness):
        tied = Tied(objective, found.theta, held)
        found = descend(tied, found.theta, steps.released * steps.steps, close)
    theta, local = settle(objective, found.theta)
    ends = replace(found, theta=theta, local=local)
    plausible = replace(first, local=objective.local(first.theta))
    return ends.joined(plausible), np.tile(objective.owner, 2)


def _single(found: Descent, owner: np.ndarray, start: np.ndarray, same_rise: float) -> np.ndarray:
    """Ends (k,) that are not the same as another of their case.

    What goes on from one of them is what would go on from the other. Ends that χ² cannot tell apart
    may differ in what the record does not show: that nearest the scenario's values stands for all.
    """
    scaled = (found.theta - start[:, None]) / found.scale[:, None]
    away = np.einsum("nb,nb->b", scaled, scaled)
    kept: list[int] = []
    for k in np.argsort(found.local.cost):
        gaps = {j: scaled[:, k] - scaled[:, j] for j in kept if owner[j] == owner[k]}
        rises = {j: gap @ found.local.information[..., j] @ gap for j, gap in gaps.items()}
        same = [j for j, rise in rises.items() if rise <= same_rise]
        if not same:
            kept.append(int(k))
        elif away[k] < away[same[0]]:
            kept[kept.index(same[0])] = int(k)
    return np.sort(np.array(kept))


def _plausible(unknowns: Unknowns, velocity_pull: float) -> np.ndarray:
    """How strongly the scenario's values pull (n,): of the motion, which is asked for, hardly."""
    pull = np.ones(len(unknowns))
    if "velocity" in unknowns.groups and len(unknowns.groups) > 1:
        pull[unknowns.slices["velocity"]] = velocity_pull
    return pull


def _poor(weighting: Weighting, table: np.ndarray, found: Descent, owner: np.ndarray) -> np.ndarray:
    """Which cases have a χ² that is more than noise can explain."""
    samples = weighting.counted(table).sum(axis=(0, 1))
    best = np.full(table.shape[2], np.inf)
    np.minimum.at(best, owner, found.local.cost)
    return best > samples + weighting.options.starts.surprise * np.sqrt(2.0 * samples)


def _approached(
    weighting: Weighting, table: np.ndarray, theta: np.ndarray, owner: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places θ (n, k) that fit the first part of the record, and their cases.

    Motion may depend on its beginning so strongly that χ² of a long record is full of minima,
    while that of its first instants is a parabola. Each place found there is where the search
    on a record twice as long begins; what short records do not tell stays where it was.
    """
    model, options = weighting.model, weighting.options
    places = theta
    for horizon in _horizons(weighting):
        kept = samples_before(weighting, table, horizon)
        if len(kept) < options.horizons.fewest_times:
            continue
        thin = weighting.of_model(model.thinned(kept))
        pulled = Tied(FitObjective(thin, table[:, kept], owner), places, np.ones(len(theta)))
        found = descend(pulled, theta, options.descent.steps, options.horizons.closeness)
        good = _promising(found.local.cost, owner, table.shape[2], options.horizons)
        theta, places, owner = found.theta[:, good], places[:, good], owner[good]
    return theta, owner


def _horizons(weighting: Weighting) -> np.ndarray:
    """Ends (s) of the parts of a record that are searched first, each twice as long."""
    halvings = weighting.options.horizons.halvings
    return float(weighting.model.times[-1]) * 2.0 ** np.arange(-halvings, 0)


def first_times(weighting: Weighting, table: np.ndarray) -> np.ndarray:
    """Indices of a few times of the shortest part of a record that tells something."""
    parts = [samples_before(weighting, table, horizon) for horizon in _horizons(weighting)]
    fewest = weighting.options.horizons.fewest_times
    long_enough = [kept for kept in parts if len(kept) >= fewest]
    return long_enough[0] if long_enough else samples_before(weighting, table, np.inf)


def _promising(
    cost: np.ndarray, owner: np.ndarray, cases: int, options: HorizonOptions
) -> np.ndarray:
    """Which places fit about as well as the best of their case."""
    best = np.full(cases, np.inf)
    np.minimum.at(best, owner, cost)
    return np.flatnonzero(cost <= options.hopeless_ratio * best[owner] + options.hopeless_rise)


def best_of(
    found: Descent,
    owner: np.ndarray,
    case: int,
    near: np.ndarray,
    *,
    options: EndOptions = DEFAULT.ends,
) -> int:
    """Which end of a case fits best; of minima that fit alike the one nearest to θ (n,).

    See `plausible_cost` of what fits.
    """
    own = np.flatnonzero(owner == case)
    cost = plausible_cost(found, near, options)[own]
    best = int(own[np.argmin(cost)])
    alike = own[cost <= cost.min() + options.even_rise]
    for end in alike[np.argsort(_squared_distance(found, near)[alike])]:
        if _at_rest(found, int(end), options.still):
            return int(end)
    return best


def plausible_cost(found: Descent, near: np.ndarray, options: EndOptions) -> np.ndarray:
    """χ² (batch,) with the square of the distance from θ (n,) in plausible ranges, which counts as
    far as `implausible` at most.

    Where little is known noise lets places fit better that are far from all that is plausible: a
    target that turns ten times a second about the very point at which it is held.
    """
    away = np.minimum(_squared_distance(found, near), options.implausible)
    return found.local.cost + away


def _squared_distance(found: Descent, near: np.ndarray) -> np.ndarray:
    """Squared distance (batch,) from θ (n,), in plausible ranges."""
    away = (found.theta - near[:, None]) / found.scale[:, None]
    return np.einsum("nb,nb->b", away, away)


def _at_rest(found: Descent, end: int, still: float) -> bool:
    """Whether a place is a minimum along all that can be known: a step gains less than `still`."""
    sizes, axes = np.linalg.eigh(found.local.information[..., end])
    along = axes.T @ found.local.gradient[:, end]
    return float((along[sizes > 1.0] ** 2 / sizes[sizes > 1.0]).sum()) < still


def _bent(
    weighting: Weighting,
    table: np.ndarray,
    found: Descent,
    *,
    owner: np.ndarray,
    cases: np.ndarray,
) -> np.ndarray:
    """How far χ² of these cases is from a parabola about their best places, see `bend`."""
    near, options = weighting.model.unknowns.start, weighting.options.ends
    ends = np.array([best_of(found, owner, int(case), near, options=options) for case in cases])
    local = found.local.only(ends)
    units = np.stack([weakest(local.information[..., k])[0] for k in range(len(ends))], axis=1)
    return bend(FitObjective(weighting, table, cases), found.theta[:, ends], local, units)


def samples_before(weighting: Weighting, table: np.ndarray, horizon: float) -> np.ndarray:
    """Indices of a few times before a horizon (s), spread evenly, at which most is measured."""
    counts = weighting.counted(table).sum(axis=(0, 2))
    inside = np.flatnonzero((weighting.model.times <= horizon) & (counts > 0))
    pieces = np.array_split(inside, max(1, min(weighting.options.horizons.times, len(inside))))
    # The last of equals: late samples tell more of slow motions.
    found = [
        piece[len(piece) - 1 - np.argmax(counts[piece][::-1])] for piece in pieces if len(piece)
    ]
    return np.array(found, int)


def _probes(
    weighting: Weighting,
    found: Descent,
    owner: np.ndarray,
    cases: np.ndarray,
    *,
    distances: tuple[float, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, k) along the valleys in which the best of these cases lie, and their cases.

    Where data says little χ² has long curved valleys, and more than one minimum in them: a search
    that ended in one is begun again on both sides of it.
    """
    near, options = weighting.model.unknowns.start, weighting.options.ends
    places: list[np.ndarray] = []
    for case in cases:
        end = best_of(found, owner, int(case), near, options=options)
        step = _deviation(found, end)
        farthest = options.farthest_probe / float(np.linalg.norm(step / found.scale))
        for deviations in distances:
            along = float(np.clip(deviations, -farthest, farthest))
            places.append(found.theta[:, end] + along * step)
    return np.stack(places, axis=1), np.repeat(cases, len(distances))


def _deviation(found: Descent, end: int) -> np.ndarray:
    """One standard deviation along the observable direction that is known least (n,), of θ."""
    unit, size = weakest(found.local.information[..., end])
    return unit * found.scale / np.sqrt(size)


def _distinct(
    weighting: Weighting, found: Descent, owner: np.ndarray, cases: np.ndarray
) -> np.ndarray:
    """Ends worth going on from: the best of each case, and others almost as good elsewhere."""
    options = weighting.options
    rise, apart = options.horizons.hopeless_rise, options.acceptance.apart
    chosen: list[int] = []
    cost, scaled = found.local.cost, found.theta / found.scale[:, None]
    for case in cases:
        own = np.flatnonzero(owner == case)
        own = own[np.argsort(cost[own])]
        kept = [int(own[0])]
        shape = found.local.information[..., kept[0]]
        for k in own[1:]:
            if cost[k] > cost[kept[0]] + rise or len(kept) == options.ends.most:
                break
            gaps = [scaled[:, k] - scaled[:, j] for j in kept]
            if all(gap @ shape @ gap > apart**2 for gap in gaps):
                kept.append(int(k))
        chosen += kept
    return np.array(chosen)
