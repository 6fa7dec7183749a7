"""A quantity within one step, read off dense output: its extremes and where it changes sign."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.rollouts.roots import hermite_root, hermite_top, is_crossing, newton_shift
from percuss.kernel.tracing.derivatives import hold

Array = Any

PLACES = tuple((0.5 - 0.5 * np.cos(np.pi * np.arange(8) / 7)).tolist())
"""Shares of the step at which the quantity is evaluated: the polynomial of degree 7 through eight
values is as good as dense output of order 7. They lie closer together towards the ends (Chebyshev's
points), where a polynomial through equal distances would swing. Values alone: the slope of a
command is the derivative of a whole control law, three times its code."""
BOUNDS = (0, 3, 4, 7)
"""The places between which one top each is looked for."""


def _slope_weights() -> np.ndarray:
    """Weights of the values at all places in the slope at each of `BOUNDS`, one row a bound."""
    places = np.array(PLACES)
    # L. N. Trefethen, Spectral Methods in MATLAB (2000), equation (6.8).
    away = places[:, None] - places + np.eye(len(places))
    scale = np.prod(away, axis=1)
    slopes = scale[:, None] / scale / away
    np.fill_diagonal(slopes, np.sum(1.0 / away, axis=1) - 1.0)
    return slopes[list(BOUNDS)]


SLOPE_WEIGHTS = _slope_weights()

DOUBT = 0.21
"""How far, at most, a polynomial through values that jump once, at an end of the step or within it,
swings beyond them, as a share of the jump: |ℓ₀(θ)| of the first place beyond the second one."""
JUMP_WEIGHT = float(np.prod(np.array(PLACES[1:]) - PLACES[0]))
"""A jump is as large as the last divided difference times this, whichever places it lies between:
the distance of the first value from where the polynomial through the others leads."""


@dataclass(frozen=True)
class StepPolynomial:
    """The polynomial through values at `PLACES`, as divided differences."""

    values: tuple[Array, ...]
    differences: tuple[Array, ...]

    @classmethod
    def through(cls, values: tuple[Array, ...]) -> StepPolynomial:
        """The polynomial through the values at `PLACES`."""
        column, found = list(values), [values[0]]
        for order in range(1, len(PLACES)):
            ends = zip(PLACES, PLACES[order:], itertools.pairwise(column), strict=False)
            column = [(b - a) * (1.0 / (last - first)) for first, last, (a, b) in ends]
            found.append(column[0])
        return cls(values, tuple(found))

    def at(self, share: Array) -> tuple[Array, Array, Array]:
        """Value, slope and second derivative by θ."""
        value = slope = curvature = np.zeros(())
        for difference, place in zip(self.differences[::-1], PLACES[::-1], strict=True):
            away = share - place
            curvature = curvature * away + 2.0 * slope
            slope = slope * away + value
            value = value * away + difference
        return value, slope, curvature

    def held(self) -> StepPolynomial:
        """This course with values that are constant to every derivative."""
        return StepPolynomial(*hold((self.values, self.differences)))

    def tops(self) -> list[Array]:
        """The largest value within each stretch that rises first and falls last, else at its end.

        The top of the cubic through both ends is moved by one Newton step onto that of the
        polynomial. Its place is not differentiated: the value does not change with it. A top that
        exceeds all values by no more than a jump among them would make is not believed: a law that
        switches where a step ends has no value beyond those on both sides. A peak that is narrow
        beside its step, which no value shows, is seen too low by as much.
        """
        found, fixed = [], self.held()
        slopes = [
            functools.reduce(np.add, [w * v for w, v in zip(row, fixed.values, strict=True)])
            for row in SLOPE_WEIGHTS.tolist()
        ]
        highest = functools.reduce(np.maximum, fixed.values)
        doubtful = highest + DOUBT * JUMP_WEIGHT * np.abs(fixed.differences[-1])
        for (first, last), (rising, falling) in zip(
            itertools.pairwise(BOUNDS), itertools.pairwise(slopes), strict=True
        ):
            begin, length = PLACES[first], PLACES[last] - PLACES[first]
            ends = fixed.values[first], rising, fixed.values[last], falling
            share = begin + length * hermite_top(np.asarray(length), *ends)
            _, slope, curvature = fixed.at(share)
            share = share + newton_shift(slope, curvature, 0.5 * length)
            top = self.at(share)[0]
            inside = (rising > 0.0) & (falling < 0.0) & (hold(top) > doubtful)
            found.append(np.where(inside, top, self.values[last]))
        return found

    def first_crossing(self, direction: int) -> tuple[Array, Array]:
        """Whether the value changes sign between two places, and the share θ of the first change.

        The rounds that find it are not differentiated; a last Newton step carries the derivative
        of the place with respect to the values, which is what the implicit function theorem gives.
        """
        fixed = self.held()
        crosses, begin, length = np.asarray(False), np.zeros(()), np.asarray(PLACES[1])
        before, after = fixed.values[:2]
        pairs = zip(itertools.pairwise(PLACES), itertools.pairwise(fixed.values), strict=True)
        for (first, last), (start, end) in pairs:
            here = is_crossing(start, end, direction) & ~crosses
            begin, length, before, after = trees.map_leaves(
                functools.partial(np.where, here),
                (first, last - first, start, end),
                (begin, length, before, after),
            )
            crosses = crosses | here
        slopes = [fixed.at(share)[1] for share in (begin, begin + length)]
        share = begin + length * hermite_root(length, before, slopes[0], after, slopes[1])
        value, slope, _ = fixed.at(share)
        share = share + newton_shift(value, slope, 0.1 * length)
        slope = fixed.at(share)[1]
        return crosses, share + newton_shift(self.at(share)[0], slope, 0.1 * length)
