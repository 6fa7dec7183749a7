"""What another record would tell: a promise that holds for every target that fits as well.

Derivatives at the best fit promise too much where what is predicted turns back: a step aside it
vanishes. So information is taken at all places that fit this record as well, and two of them must
look as different in the other record as their standard deviations say.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from percuss.identification.estimate.fit import Fit
from percuss.identification.estimate.information import Information, information
from percuss.identification.forward.unknowns import Unknowns


def places_of(found: Fit) -> np.ndarray:
    """θ (n, k) of the best fit, then of others that fit as well, evenly among those known."""
    count = found.alike.shape[1]
    chosen = np.unique(
        np.linspace(0, count - 1, min(found.information.options.advice.places, count))
        .round()
        .astype(int)
    )
    return np.concatenate([found.theta[:, None], found.alike[:, chosen]], axis=1)


def promised(
    unknowns: Unknowns,
    found: Fit,
    places: np.ndarray,
    shown: np.ndarray,
    *,
    slopes: np.ndarray,
) -> Information:
    """What a record would tell, whichever of the places θ (n, k) is the truth.

    Args:
        found: what this record tells.
        shown: (rows, k) what the other would show there, in standard deviations of its noise.
        slopes: (rows, n, k), derivatives of that by θ.

    Returns:
        Information at the place where least would be known; none about quantities that would not
        be known in every place, that would be known no better than they differ between places
        that fit now, or whose places the record would not tell apart.
    """
    options = found.information.options
    there = [
        information(unknowns, theta, slopes[..., k], options=options)
        for k, theta in enumerate(places.T)
    ]
    known = np.all([each.known for each in there], axis=0)
    sigmas = np.max([each.sigmas for each in there], axis=0)
    spans = np.ptp(np.asarray(unknowns.quantities(places), float), axis=1)
    vague = ~found.known & (spans > 0.0) & (sigmas > 0.5 * spans)
    broken = ~known | vague | _alike(unknowns, places, shown, there)
    worst = max(there, key=lambda each: float((each.sigmas / each.ranges)[~broken].max(initial=0)))
    return blind_to(worst, broken & ~worst.nuisance)


def blind_to(known: Information, which: np.ndarray) -> Information:
    """Information with nothing known of the quantities marked (n,) but their ranges.

    They are averaged over, not held: what is known of the others only together with them is lost.
    """
    if not which.any():
        return known
    ranges = np.eye(len(which))[which]
    scaled = np.concatenate([known.root * known.ranges, ranges])
    basis = np.linalg.qr(scaled[:, which])[0]
    rest = scaled - basis @ (basis.T @ scaled)
    return replace(known, root=np.where(which, 0.0, rest) / known.ranges)


def _alike(
    unknowns: Unknowns, places: np.ndarray, shown: np.ndarray, there: list[Information]
) -> np.ndarray:
    """Which quantities differ by more than their σ allow between places that look alike (n,)."""
    quantities = np.asarray(unknowns.quantities(places), float)
    # What is known of the robot beforehand tells places apart, too.
    rows = np.concatenate([shown, places / unknowns.priors[:, None]])
    found = np.zeros(len(quantities), bool)
    options = there[0].options.advice
    for a, b in combinations(range(places.shape[1]), 2):
        sigmas = np.maximum(there[a].sigmas, there[b].sigmas)
        gaps = np.abs(quantities[:, a] - quantities[:, b]) / sigmas
        apart = float(np.linalg.norm(rows[:, a] - rows[:, b]))
        found |= (gaps > options.different) & (apart < options.held_share * gaps)
    return found
