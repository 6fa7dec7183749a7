"""Running statistics over one attempt of the general time loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.rollouts.attempt import Attempt
from percuss.kernel.rollouts.course import PLACES, Course, Sample
from percuss.kernel.rollouts.fixed_step import chosen
from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.methods.dense import slope_on_polynomial
from percuss.kernel.rollouts.methods.trial import Trial
from percuss.kernel.rollouts.statistics import (
    FirstCrossing,
    Maximum,
    Minimum,
    Quantity,
    crossed_between,
    crossed_by_jump,
    crossed_on_course,
    seen,
    seen_between,
    seen_on_course,
)
from percuss.kernel.tracing.derivatives import jvp

Array = Any
State = dict[str, Any]


def accumulated(attempt: Attempt, trial: Trial, t1: Array, z1: Array, good: Array) -> State:
    """Extremes and crossings from the start of the step to its end at (t1, z1), before any jump.

    Between the ends the quantity is taken from the dense output where that is better than the
    cubic through both ends, from that cubic otherwise.
    """
    method = attempt.problem.method
    adaptive = isinstance(method, ErrorControlled)
    dense = isinstance(method, ErrorControlled) and method.interpolates
    acts = any(event.action is not None for event in attempt.problem.events)
    result: State = {}
    for name, statistic in attempt.problem.statistics.items():
        kept = attempt.state["statistics"][name]
        extreme = isinstance(statistic, (Maximum, Minimum))
        if extreme and not adaptive:
            kept = seen(statistic, kept, attempt.call(statistic.value, attempt.t, attempt.z))
            if acts:
                end = seen(statistic, kept, attempt.call(statistic.value, t1, z1))
                kept = chosen(good, end, kept)
        elif extreme or isinstance(statistic, FirstCrossing):
            now = attempt.value_and_slope(statistic.value, attempt.t, attempt.z, attempt.k1)
            then = attempt.value_and_slope(statistic.value, t1, z1, trial.rates)
            course = _course(attempt, trial, statistic.value, now, then) if dense else None
            if isinstance(statistic, FirstCrossing):
                kept = crossed_by_jump(statistic, kept, attempt.t, *now)
                if course is None:
                    after = crossed_between(statistic, kept, t1, *then)
                else:
                    after = crossed_on_course(statistic, kept, attempt.h, course, t1, *then)
            else:
                kept = seen(statistic, kept, now[0])
                if course is None:
                    after = seen_between(statistic, kept, t1 - attempt.t, now, then)
                else:
                    after = seen_on_course(statistic, kept, course)
                after = seen(statistic, after, then[0])
            kept = chosen(good, after, kept)
        result[name] = kept
    return result


def _course(
    attempt: Attempt,
    trial: Trial,
    quantity: Quantity,
    start: tuple[Array, Array],
    end: tuple[Array, Array],
) -> Course:
    """A quantity over the step, from value and slope (1/s) at both ends and dense output between.

    Where the step lands on an event, its end is the corrected one: as far from the end of the
    dense output as rounding.
    """
    t, h = attempt.t, attempt.h
    first, last = (Sample(value, h * slope) for value, slope in (start, end))

    def within(share: float) -> Sample:
        motion = (h, slope_on_polynomial(trial.powers(), np.asarray(share)))
        point = (t + share * h, trial.dense(np.asarray(share)))
        return Sample(*jvp(lambda time, z: attempt.call(quantity, time, z), point, motion))

    return Course.through((first, *map(within, PLACES[1:-1]), last))
