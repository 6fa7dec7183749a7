"""Running statistics over one attempt of the general time loop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.rollouts.attempt import Attempt
from percuss.kernel.rollouts.course import PLACES, Course, Sample
from percuss.kernel.rollouts.fixed_step import chosen
from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.methods.dense import slope_on_polynomial
from percuss.kernel.rollouts.methods.trial import Trial
from percuss.kernel.rollouts.roots import hermite_maximum
from percuss.kernel.rollouts.statistics import (
    FirstCrossing,
    Maximum,
    Minimum,
    Quantity,
    Statistic,
    crossed_between,
    crossed_by_jump,
    crossed_on_course,
    larger,
    seen,
)
from percuss.kernel.tracing.derivatives import jvp
from percuss.kernel.tracing.elementwise import elementwise
from percuss.kernel.tracing.values import real

Array = Any
State = dict[str, Any]


def accumulated(attempt: Attempt, trial: Trial, t1: Array, z1: Array, good: Array) -> State:
    """Extremes and crossings from the start of the step to its end at (t1, z1), before any jump.

    Between the ends the quantity is taken from the dense output where that is better than the
    cubic through both ends, from that cubic otherwise.
    """
    problem = attempt.problem
    step = _Stretch(attempt, trial, t1, z1, good)
    found: State = {}
    if isinstance(problem.method, ErrorControlled):
        found = _extremes_within(step)
    for name, statistic in problem.statistics.items():
        kept = attempt.state["statistics"][name]
        if isinstance(statistic, FirstCrossing):
            found[name] = _crossing(step, statistic, kept)
        elif isinstance(statistic, (Maximum, Minimum)) and name not in found:
            found[name] = _extreme_at_ends(step, statistic, kept)
    # The others are not accumulated from step to step.
    return {name: found.get(name, kept) for name, kept in attempt.state["statistics"].items()}


@dataclass(frozen=True)
class _Stretch:
    """A step, to its end at (t1, z1), and whether it is taken."""

    attempt: Attempt
    trial: Trial
    t1: Array
    z1: Array
    good: Array

    @property
    def dense(self) -> bool:
        """Whether quantities within the step are taken from the dense output."""
        method = self.attempt.problem.method
        return isinstance(method, ErrorControlled) and method.interpolates

    def ends(self, quantity: Quantity) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Value and slope (1/s) of a quantity at the beginning and at the end."""
        at = self.attempt
        return (
            at.value_and_slope(quantity, at.t, at.z, at.k1),
            at.value_and_slope(quantity, self.t1, self.z1, self.trial.rates),
        )

    def inside(self, quantity: Quantity) -> list[Sample]:
        """A quantity on the dense output, at the places of a course between the ends."""
        at, trial = self.attempt, self.trial

        def within(share: float) -> Sample:
            motion = (at.h, slope_on_polynomial(trial.powers(), np.asarray(share)))
            point = (at.t + share * at.h, trial.dense(np.asarray(share)))
            return Sample(*jvp(lambda time, z: at.call(quantity, time, z), point, motion))

        return [within(share) for share in PLACES[1:-1]]


def _extreme_at_ends(step: _Stretch, statistic: Statistic, kept: State) -> State:
    """An extreme over steps so short that it is looked at between them alone."""
    attempt = step.attempt
    kept = seen(statistic, kept, attempt.call(statistic.value, attempt.t, attempt.z))
    if any(event.action is not None for event in attempt.problem.events):
        end = seen(statistic, kept, attempt.call(statistic.value, step.t1, step.z1))
        kept = chosen(step.good, end, kept)
    return kept


def _crossing(step: _Stretch, statistic: FirstCrossing, kept: State) -> State:
    """A first crossing within the step, or by a jump before it."""
    attempt = step.attempt
    now, then = step.ends(statistic.value)
    kept = crossed_by_jump(statistic, kept, attempt.t, *now)
    if step.dense:
        inner = step.inside(statistic.value)
        course = _course(attempt.h, now, then, inner)
        after = crossed_on_course(statistic, kept, attempt.h, course, step.t1, *then)
    else:
        after = crossed_between(statistic, kept, step.t1, *then)
    return chosen(step.good, after, kept)


def _extremes_within(step: _Stretch) -> State:
    """All extremes, also within the step: one vector of them, minima turned over."""
    attempt, problem = step.attempt, step.attempt.problem
    extremes = {n: s for n, s in problem.statistics.items() if isinstance(s, (Maximum, Minimum))}
    if not extremes:
        return {}

    def joined(values: Sequence[Array]) -> Array:
        turned = zip(extremes.values(), map(real, values), strict=True)
        return np.concatenate(
            [np.ravel(-value if isinstance(s, Minimum) else value) for s, value in turned]
        )

    def quantity(*point: Any) -> Array:
        return joined([s.value(*point) for s in extremes.values()])

    best = joined([attempt.state["statistics"][name]["best"] for name in extremes])
    now, then = step.ends(quantity)
    if step.dense:
        inner = [number for sample in step.inside(quantity) for number in sample]
        vectors = (best, *now, *then, *inner)
        best = elementwise(_highest_on_course, *vectors, shared=(attempt.h, step.good))
    else:
        span = step.t1 - attempt.t
        best = elementwise(_highest_between, best, *now, *then, shared=(span, step.good))
    found: State = {}
    at = 0
    for name, statistic in extremes.items():
        shape = problem.statistic_shapes[name]
        size = math.prod(shape)
        part = np.reshape(best[at : at + size], shape)
        found[name] = {"best": -part if isinstance(statistic, Minimum) else part}
        at += size
    return found


def _highest_on_course(
    best: Array, v0: Array, s0: Array, v1: Array, s1: Array, *given: Array
) -> Array:
    """The largest value so far and, if the step of length h is good, within it.

    Given are values and slopes (1/s) at both ends, at the places between, whose slopes are by the
    share of the step, then h (s) and whether the step is good.
    """
    *inner, h, good = given
    samples = [Sample(*pair) for pair in zip(inner[::2], inner[1::2], strict=True)]
    before = after = larger(best, v0)
    for top in (*_course(h, (v0, s0), (v1, s1), samples).tops(), v1):
        after = larger(after, top)
    return np.where(good, after, before)


def _highest_between(
    best: Array, v0: Array, s0: Array, v1: Array, s1: Array, span: Array, good: Array
) -> Array:
    """The same on the cubic through values and slopes (1/s) at both ends of a span (s)."""
    before = larger(best, v0)
    after = larger(larger(before, hermite_maximum(span, v0, s0, v1, s1)), v1)
    return np.where(good, after, before)


def _course(
    h: Array, start: tuple[Array, Array], end: tuple[Array, Array], inner: Sequence[Sample]
) -> Course:
    """A quantity over the step, from value and slope (1/s) at both ends and samples between.

    Where the step lands on an event, its end is the corrected one: as far from the end of the
    dense output as rounding.
    """
    first, last = (Sample(value, h * slope) for value, slope in (start, end))
    return Course.through((first, *inner, last))
