"""How close an approach came, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from percuss.encounter.contact_geometry import distance_of, gap_of
from percuss.encounter.method import cubics
from percuss.encounter.observation import unit_quaternions
from percuss.encounter.phase import Phase
from percuss.encounter.splines import spline_lowest
from percuss.impact.surfaces import Surface
from percuss.kinematics.trees import Configuration

_DIPS = 8
"""Lowest dips of the distance between samples that are looked into."""
_POINTS, _ZOOMS = 41, 2
"""Points across a dip, and how often the one around the lowest of them is looked into again."""


@dataclass(frozen=True)
class Nearest:
    """The smallest distance of the tool from what it is to touch (m), and when (s)."""

    distance: float
    time: float


def nearest(phases: Sequence[Phase], surface: Surface | None = None) -> Nearest:
    """The nearest that an approach came over its phases, to the contact point or the surface."""
    found = [_nearest(phase, surface) for phase in phases]
    return min(found, key=lambda one: one.distance)


def _nearest(phase: Phase, surface: Surface | None) -> Nearest:
    observation, assembly = phase.observation, phase.observation.assembly
    time, origin = observation.time, observation.origin

    def values(q: Configuration, count: int) -> np.ndarray:
        if surface is not None:
            return np.broadcast_to(np.asarray(gap_of(assembly, surface, q), float), count)
        assert assembly.grip is not None
        # The square is smooth where the points meet.
        apart = distance_of(assembly, assembly.grip, q)
        return sum((np.asarray(x, float) ** 2 for x in apart), np.zeros(count))

    def between(when: np.ndarray) -> np.ndarray:
        motion = observation.motion
        rows = observation.equations.slices["q"]
        q = cubics(when - origin, motion.time, motion.states[rows], motion.rates[rows])
        return values(unit_quaternions(q, assembly.quaternions), len(when))

    sampled = values(observation.poses, len(time))
    k = int(np.argmin(sampled))
    best, when = float(sampled[k]), float(time[k])
    if len(time) > 2:
        padded = np.concatenate([[np.inf], sampled, [np.inf]])
        dips = np.flatnonzero((sampled <= padded[:-2]) & (sampled <= padded[2:]))
        for k in dips[np.argsort(sampled[dips])][:_DIPS]:
            ends = float(time[max(k - 1, 0)]), float(time[min(k + 1, len(time) - 1)])
            found, at = _lowest(between, *ends)
            if found < best:
                best, when = found, at
    return Nearest(best if surface is not None else float(np.sqrt(max(best, 0.0))), when)


def _lowest(
    values: Callable[[np.ndarray], np.ndarray], begin: float, end: float
) -> tuple[float, float]:
    """The lowest value between two times (s), and when."""
    grid = np.linspace(begin, end, _POINTS)
    found = values(grid)
    for _ in range(_ZOOMS):
        k = int(np.clip(np.argmin(found), 1, _POINTS - 2))
        if grid[k + 1] - grid[k - 1] < 1e-9 * max(1.0, abs(end)):
            break
        grid = np.linspace(grid[k - 1], grid[k + 1], _POINTS)
        found = values(grid)
    k = int(np.argmin(found))
    best, when = float(found[k]), float(grid[k])
    width = grid[-1] - grid[0]
    if width < 1e-9 * max(1.0, abs(end)):
        return best, when
    # Its slope tells where a smooth distance is least, far better than its values do.
    lowest, place = spline_lowest(found - best)
    return best + lowest, float(grid[0] + width * place / (_POINTS - 1)) if lowest < 0.0 else when
