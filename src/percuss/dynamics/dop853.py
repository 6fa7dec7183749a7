"""DOP853 for functions of plain numbers: adaptive integration of order 8, step by step.

For small equations that no kernel is worth being compiled for; motions are integrated inside the
kernel (`percuss.kernel.Dop853`). The same method as `scipy.integrate.DOP853`, in the same
arithmetic: both give the same bits. It is written again here since SciPy's integrators cannot be
imported without the whole of its optimisation, sparse and special functions, which takes longer
than a run.

The error of a step is that of the embedded methods of orders 5 and 3 together (E. Hairer,
S. P. Nørsett and G. Wanner, Solving Ordinary Differential Equations I, 2nd edition, sections II.4
and II.10).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from percuss.kernel.rollouts.methods.dop853_tableau import (
    COEFFICIENTS,
    FIFTH_ORDER_ERROR,
    NODES,
    STAGES,
    THIRD_ORDER_ERROR,
)

Array = NDArray[np.float64]
Rates = Callable[[float, Array], Array]
"""(t, x) → dx/dt, shapes () and (n,) → (n,)."""

_EXPONENT = -1.0 / 8.0
"""The error estimate of a step grows with its eighth power."""
_SAFETY = 0.9
"""Share of the step that would just meet the tolerance, as in Hairer's program."""
_LEAST_FACTOR, _MOST_FACTOR = 0.2, 10.0
"""Bounds on how much one step differs from the next; SciPy's."""


_tried = np.errstate(over="ignore", invalid="ignore")
"""A step that leads to no numbers is tried again, shorter: that is no news to the user."""


class StepUnderflowError(ArithmeticError):
    """No step that time can still be told apart by meets the tolerance."""


@dataclass(frozen=True)
class Point:
    """Where an integration is.

    Attributes:
        t: time.
        x: state, shape (n,).
        rate: dx/dt there, shape (n,).
        step: length of the step to try next.
    """

    t: float
    x: Array
    rate: Array
    step: float


@dataclass(frozen=True)
class HostDop853:
    """How to integrate dx/dt = rates(t, x) up to `end`.

    A step is accepted when the root mean square of error / (absolute + relative·|x|) is below 1.
    """

    rates: Rates
    end: float
    relative: float
    absolute: float

    def start(self, t: float, x: Array) -> Point:
        """The first point, with a step guessed from how quickly the state changes there."""
        if not np.isfinite(x).all():
            raise ArithmeticError(f"an integration must start at finite numbers, got {x.tolist()}")
        rate = self.rates(t, x)
        return Point(t, x, rate, self._first_step(t, x, rate))

    def _first_step(self, t: float, x: Array, rate: Array) -> float:
        """Hairer's guess: with it, an Euler step makes about one hundredth of the tolerance."""
        whole = self.end - t
        if whole == 0.0:
            return 0.0
        scale = self.absolute + np.abs(x) * self.relative
        size, speed = _root_mean_square(x / scale), _root_mean_square(rate / scale)
        trial = min(1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed, whole)
        there = self.rates(t + trial, x + trial * rate)
        bend = _root_mean_square((there - rate) / scale) / trial
        if speed <= 1e-15 and bend <= 1e-15:
            guess = max(1e-6, trial * 1e-3)
        else:
            guess = (0.01 / max(speed, bend)) ** -_EXPONENT
        return min(100 * trial, guess, whole)

    def step(self, point: Point) -> Point:
        """The next step, as long as the tolerance allows, at most to the end.

        Raises:
            StepUnderflowError: where it would be shorter than ten units in the last place of t.
        """
        t, x = point.t, point.x
        least = 10 * (math.nextafter(t, math.inf) - t)
        length, rejected = max(point.step, least), False
        stages = np.empty((STAGES + 1, len(x)))
        stages[0] = point.rate
        while length >= least:
            reached = min(t + length, self.end)
            h = reached - t
            for s in range(1, STAGES):
                stages[s] = self.rates(t + NODES[s] * h, x + _combined(stages, s) * h)
            there = x + _combined(stages, STAGES) * h
            stages[-1] = self.rates(t + h, there)
            error = self._error(stages, h, x, there)
            factor = _MOST_FACTOR if error == 0.0 else _SAFETY * error**_EXPONENT
            if error < 1.0:
                following = h * min(1.0 if rejected else _MOST_FACTOR, factor)
                return Point(reached, there, stages[-1], following)
            length, rejected = h * max(_LEAST_FACTOR, factor), True
        raise StepUnderflowError(f"the step at t = {t:.6g} became shorter than {least:.2g}")

    @_tried
    def _error(self, stages: Array, h: float, x: Array, there: Array) -> float:
        """The estimated error of a step as a share of the tolerance."""
        scale = self.absolute + np.maximum(np.abs(x), np.abs(there)) * self.relative
        fifth = np.linalg.norm(np.dot(stages.T, FIFTH_ORDER_ERROR) / scale) ** 2
        third = np.linalg.norm(np.dot(stages.T, THIRD_ORDER_ERROR) / scale) ** 2
        if fifth == 0 and third == 0:
            return 0.0
        return float(h * fifth / np.sqrt((fifth + 0.01 * third) * len(x)))


@_tried
def _combined(stages: Array, s: int) -> Array:
    """The rate that leads to stage s, or to the end of the step, from the stages before it."""
    return np.dot(stages[:s].T, COEFFICIENTS[s, :s])


def _root_mean_square(values: Array) -> float:
    return float(np.linalg.norm(values) / len(values) ** 0.5)
