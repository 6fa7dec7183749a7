"""A quantity within one step, read off dense output: its extremes and where it changes sign."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel import trees
from percuss.kernel.rollouts.roots import hermite_root, hermite_top, is_crossing, newton_shift
from percuss.kernel.tracing.derivatives import hold

Array = Any

PLACES = (0.0, 1 / 3, 2 / 3, 1.0)
"""Shares of the step at which the quantity is evaluated: the polynomial of degree 7 through four
values and slopes is as good as dense output of order 7."""


class Sample(NamedTuple):
    """The quantity at one place: its value, and its slope by the share θ of the step."""

    value: Array
    slope: Array


@dataclass(frozen=True)
class Course:
    """The polynomial through samples at `PLACES`, as divided differences with double places."""

    samples: tuple[Sample, ...]
    differences: tuple[Array, ...]

    @classmethod
    def through(cls, samples: tuple[Sample, ...]) -> Course:
        """From the samples at `PLACES`."""
        twice = [place for place in PLACES for _ in range(2)]
        column: list[Array] = [sample.value for sample in samples for _ in range(2)]
        found = [column[0]]
        for order in range(1, len(twice)):
            ends = zip(twice, twice[order:], itertools.pairwise(column), strict=False)
            column = [
                (b - a) / (last - first) if last > first else samples[k // 2].slope
                for k, (first, last, (a, b)) in enumerate(ends)
            ]
            found.append(column[0])
        return cls(samples, tuple(found))

    def at(self, share: Array) -> tuple[Array, Array, Array]:
        """Value, slope and second derivative by θ."""
        value = slope = curvature = np.zeros(())
        twice = [place for place in PLACES for _ in range(2)]
        for difference, place in zip(self.differences[::-1], twice[::-1], strict=True):
            away = share - place
            curvature = curvature * away + 2.0 * slope
            slope = slope * away + value
            value = value * away + difference
        return value, slope, curvature

    def pieces(self) -> Iterator[tuple[float, float, Sample, Sample]]:
        """Beginning and length of each stretch between two places, and the samples at its ends."""
        pairs = zip(itertools.pairwise(PLACES), itertools.pairwise(self.samples), strict=True)
        for (first, last), (before, after) in pairs:
            yield first, last - first, before, after

    def held(self) -> Course:
        """The same, constant to every derivative."""
        return Course(*hold((self.samples, self.differences)))

    def tops(self) -> list[Array]:
        """The largest value within each stretch that rises first and falls last, else at its end.

        The top of the cubic through both ends is moved by one Newton step onto that of the
        polynomial. Its place is not differentiated: the value does not change with it.
        """
        found, fixed = [], self.held()
        for (begin, length, before, after), last in zip(
            fixed.pieces(), self.samples[1:], strict=True
        ):
            inside = (before.slope > 0.0) & (after.slope < 0.0)
            share = begin + length * hermite_top(np.asarray(length), *before, *after)
            _, slope, curvature = fixed.at(share)
            share = share + newton_shift(slope, curvature, 0.5 * length)
            found.append(np.where(inside, self.at(share)[0], last.value))
        return found

    def first_crossing(self, direction: int) -> tuple[Array, Array]:
        """Whether the value changes sign between two places, and the share θ of the first change.

        The rounds that find it are not differentiated; a last Newton step carries the derivative
        of the place with respect to the values, which is what the implicit function theorem gives.
        """
        fixed = self.held()
        crosses, begin, length = np.asarray(False), np.zeros(()), PLACES[1]
        before, after = fixed.samples[:2]
        for first, _, start, end in fixed.pieces():
            here = is_crossing(start.value, end.value, direction) & ~crosses
            begin, before, after = trees.map_leaves(
                functools.partial(np.where, here), (first, start, end), (begin, before, after)
            )
            crosses = crosses | here
        share = begin + length * hermite_root(np.asarray(length), *before, *after)
        value, slope, _ = fixed.at(share)
        share = share + newton_shift(value, slope, 0.1 * length)
        slope = fixed.at(share)[1]
        return crosses, share + newton_shift(self.at(share)[0], slope, 0.1 * length)
