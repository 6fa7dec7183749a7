"""The general time loop: every case has its own time, steps, events and status.

One iteration is one attempt: sample the controller if it is due, try a step, judge it, look for
events, and take it, shorten it, or land on an event. A case that is done or has failed holds its
state, so that it cannot touch the others.

What an attempt does is in `general_attempt`, which is imported where it is traced: machine code
that is kept on the disk needs the arrangement of the state alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.rollouts import fixed_step, pace
from percuss.kernel.rollouts.attempt import (
    NO_LANDING,
    RUNNING,
    SMOOTH_LANDING,
    State,
    carries_rates,
    rounding_of_time,
)
from percuss.kernel.rollouts.fixed_step import final_value
from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.rollouts.statistics import FirstCrossing, InForce, crossed_by_jump, larger

Array = Any

TARGETS = {"end": np.zeros(())}
"""A segment: up to `end` (s), or where a case ends by itself before that."""
SMOOTH = ("x", "t", "begin", "finish", "u", "memory", "statistics", "rates", "event_time")


def start_state(problem: RolloutProblem) -> State:
    """What the loop keeps for a case.

    x, t and the case's own clock (`begin` and `finish` in s, `most` attempts) are filled in by
    the caller.
    """
    state = fixed_step.start_state(problem)
    zero, count = np.zeros(()), len(problem.events)
    state |= {"t": zero, "status": np.full((), RUNNING), "attempts": zero, "steps": zero}
    state |= {"begin": zero, "finish": zero, "most": zero}
    if isinstance(problem.method, ErrorControlled):
        del state["n"]
        state |= {"h": zero, "error": np.ones(())} | pace.start_state()
    if carries_rates(problem):
        state["rates"] = np.zeros_like(state["x"])
    if problem.sampled:
        state["samples"] = zero
    if count:
        state |= {
            "side": np.zeros(count),
            "speed": np.zeros(count),
            "landing": np.full((), NO_LANDING),
            "origin": np.full((), SMOOTH_LANDING),
            "stalls": zero,
            "which": np.full((), -1.0),
            "event_time": np.full(count, np.nan),
            "event_count": np.zeros(count),
        }
    return state


def step(problem: RolloutProblem, state: State, segment: State, p: Any) -> tuple[State, Array]:
    """One attempt, and whether the case wants another before the segment's end."""
    from percuss.kernel.rollouts.general_attempt import GeneralAttempt

    return GeneralAttempt(problem, state, segment["end"], p).run()


def in_force(problem: RolloutProblem, state: State, p: Any) -> Any:
    """The command from now on: sampled anew where that is due, held otherwise."""
    held = state.get("u")
    if not problem.sampled:
        return held
    assert problem.controller is not None
    t, z = state["t"], state["x"]
    eps = float(np.finfo(problem.dtype).eps)
    due = state["begin"] + state["samples"] * problem.controller.period
    is_due = t >= due - rounding_of_time(eps, t, state["finish"])
    return fixed_step.chosen(is_due, problem.law(t, z, state["memory"], p)[0], held)


def observe(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """State, statistics and bookkeeping at the end of a segment."""
    del segment
    t, z = state["t"], state["x"]
    held, memory = state.get("u"), state.get("memory")
    found: State = {}
    if problem.extremes:
        best, point = problem.extremes.best(state["statistics"]), (t, z, held, memory, p)
        found = problem.extremes.apart(larger(best, problem.extremes.values(*point)))
    others = {name: s for name, s in problem.statistics.items() if name not in found}
    for name, statistic in others.items():
        kept = state["statistics"][name]
        if isinstance(statistic, InForce):
            now = in_force(problem, state, p)
            found[name] = problem.call(statistic.value, t, z, now, memory, p)
            continue
        if isinstance(statistic, FirstCrossing):
            value = problem.call(statistic.value, t, z, held, memory, p)
            kept = crossed_by_jump(statistic, kept, t, value, None)
        found[name] = final_value(problem, name, kept, t, z=z, held=held, memory=memory, p=p)
    keys = ("t", "status", "steps", "attempts")
    keys += ("which", "event_time", "event_count") if problem.events else ()
    return {"x": z[: problem.size], "statistics": found} | {key: state[key] for key in keys}
