"""Running statistics over one attempt of the general time loop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.rollouts.attempt import Attempt
from percuss.kernel.rollouts.course import PLACES, StepPolynomial
from percuss.kernel.rollouts.fixed_step import chosen
from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.methods.trial import Trial
from percuss.kernel.rollouts.roots import hermite_maximum
from percuss.kernel.rollouts.statistics import (
    FirstCrossing,
    Maximum,
    Minimum,
    crossed_between,
    crossed_by_jump,
    crossed_on_course,
    larger,
    seen,
)
from percuss.kernel.tracing.derivatives import jvp
from percuss.kernel.tracing.elementwise import elementwise

Array = Any
State = dict[str, Any]
Along = Callable[[Array, Array], Array]
"""(t, z) → a quantity at this point of the motion."""


def accumulated(attempt: Attempt, trial: Trial, t1: Array, z1: Array, *, good: Array) -> State:
    """Extremes and crossings from the start of the step to its end at (t1, z1), before any jump.

    Between the ends the quantity is taken from the dense output where that is better than the
    cubic through both ends, from that cubic otherwise.
    """
    problem = attempt.problem
    step = _Stretch(attempt=attempt, trial=trial, t1=t1, z1=z1, good=good)
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

    def ends(self, value: Along) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Value and slope (1/s) of a quantity at the beginning and at the end."""
        at = self.attempt
        return (
            jvp(value, (at.t, at.z), (1.0, at.k1)),
            jvp(value, (self.t1, self.z1), (1.0, self.trial.rates)),
        )

    def along(self, value: Along) -> tuple[Array, ...]:
        """Values of a quantity at the places of a course, between the ends on the dense output.

        Where the step lands on an event, its end is the corrected one: as far from the end of the
        dense output as rounding.
        """
        at, trial = self.attempt, self.trial
        shares = PLACES[1:-1]
        times = [at.t + share * at.h for share in shares]
        inner = zip(times, trial.dense_at(shares), strict=True)
        points = [(at.t, at.z), *inner, (self.t1, self.z1)]
        return tuple(value(*point) for point in points)


def _extreme_at_ends(step: _Stretch, statistic: Maximum | Minimum, kept: State) -> State:
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
    value = functools.partial(attempt.call, statistic.value)
    if attempt.problem.interpolates:
        course = StepPolynomial.through(step.along(value))
        kept = crossed_by_jump(statistic, kept, attempt.t, course.values[0], None)
        after = crossed_on_course(statistic, kept, attempt.h, course, step.t1)
    else:
        now, then = step.ends(value)
        kept = crossed_by_jump(statistic, kept, attempt.t, *now)
        after = crossed_between(statistic, kept, step.t1, *then)
    return chosen(step.good, after, kept)


def _extremes_within(step: _Stretch) -> State:
    """All extremes, also within the step."""
    attempt, extremes = step.attempt, step.attempt.problem.extremes
    if not extremes:
        return {}

    def values(t: Array, z: Array) -> Array:
        return extremes.values(t, z, attempt.held, attempt.memory, attempt.p)

    best = extremes.best(attempt.state["statistics"])
    if attempt.problem.interpolates:
        best = elementwise(_highest_on_course, best, *step.along(values), shared=(step.good,))
    else:
        now, then = step.ends(values)
        span = step.t1 - attempt.t
        best = elementwise(_highest_between, best, *now, *then, shared=(span, step.good))
    return {name: {"best": value} for name, value in extremes.apart(best).items()}


def _highest_on_course(best: Array, *given: Array) -> Array:
    """The largest value so far and, if the step is good, within it.

    Given are the values at the places of a course, then whether the step is good.
    """
    *values, good = given
    before = after = larger(best, values[0])
    for top in (*values[1:], *StepPolynomial.through(tuple(values)).tops()):
        after = larger(after, top)
    return np.where(good, after, before)


def _highest_between(
    best: Array, v0: Array, s0: Array, v1: Array, s1: Array, span: Array, good: Array
) -> Array:
    """The highest value so far, with that of the cubic through both ends of a span (s).

    Slopes at the ends are in 1/s; where the step is not good nothing changes.
    """
    before = larger(best, v0)
    after = larger(larger(before, hermite_maximum(span, v0, s0, v1, s1)), v1)
    return np.where(good, after, before)
