"""Errors that a plan has to bear: corners of their box for the worst case, samples for the mean."""

from __future__ import annotations

import itertools

import numpy as np

from percuss.percussion.planner.problem import Array, ImpactProblem
from percuss.percussion.planner.settings import PlannerSettings

_FEW = 5
"""So many errors have few enough corners to take them all."""
_PAIRS = 16
MANY = 4096
"""Errors to look for worse ones among, and to judge a plan by."""


def half_widths(problem: ImpactProblem, settings: PlannerSettings) -> Array:
    """± of each error, zero for what is exact."""
    found = problem.no_errors.copy()
    for name, value in settings.tolerance.items():
        found[problem.error_parts[name]] = value
    return found


def errors_for(problem: ImpactProblem, settings: PlannerSettings) -> Array:
    """Errors (entries, k) to plan with; the first are none."""
    half = half_widths(problem, settings)
    active = np.flatnonzero(half)
    none = np.zeros((len(half), 1))
    if not active.size:
        return none
    rng = np.random.default_rng([settings.seed, 1])
    if settings.over == "mean":
        shares = _even(active.size, 2 * _PAIRS, rng)
        none = np.zeros((len(half), 0))
        shares = np.concatenate([np.zeros((active.size, 1)), shares, -shares], axis=1)
    elif active.size <= _FEW:
        shares = np.array(list(itertools.product((-1.0, 1.0), repeat=active.size))).T
    else:
        half_set = rng.choice((-1.0, 1.0), (active.size, _PAIRS))
        shares = np.concatenate([half_set, -half_set], axis=1)
    return np.concatenate([none, _placed(half, active, shares)], axis=1)


def more_errors(problem: ImpactProblem, settings: PlannerSettings, stream: int) -> Array:
    """Many more errors, others for each `stream`: half of them corners for the worst case."""
    half = half_widths(problem, settings)
    active = np.flatnonzero(half)
    rng = np.random.default_rng([settings.seed, 1 + stream])
    inside = rng.uniform(-1.0, 1.0, (active.size, MANY))
    if settings.over == "worst":
        # The terms are nearly convex in small errors, so the worst is at or near a corner.
        inside[:, : MANY // 2] = np.sign(inside[:, : MANY // 2])
    found = _placed(half, active, inside)
    found[:, 0] = 0.0
    return found


def _placed(half: Array, active: np.ndarray, shares: Array) -> Array:
    found = np.zeros((len(half), shares.shape[1]))
    found[active] = half[active, None] * shares
    return found


def _even(size: int, count: int, rng: np.random.Generator) -> Array:
    """Latin hypercube in (-1, 1): each error takes each of `count` levels once."""
    levels = (np.arange(count) + 0.5) / count * 2.0 - 1.0
    return np.array([rng.permutation(levels) for _ in range(size)])
