"""The general time loop with dense output: chosen times do not cut the steps.

Besides what the general loop keeps, a case keeps the polynomial of the last step it has taken. A
segment ends with the first step that reaches the chosen time or goes beyond it; the state at that
time is then read off the polynomial.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.kernel.rollouts import general_step
from percuss.kernel.rollouts.attempt import RUNNING, rounding_of_time
from percuss.kernel.rollouts.methods import ErrorControlled
from percuss.kernel.rollouts.methods.dense import on_polynomial
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.rollouts.statistics import InForce

Array = Any
State = dict[str, Any]

TARGETS = general_step.TARGETS
SMOOTH = (*general_step.SMOOTH, "piece")

step = general_step.step


def fits(problem: RolloutProblem) -> bool:
    """Whether a problem is stepped this way where times are chosen, by its method."""
    return problem.interpolates


def start_state(problem: RolloutProblem) -> State:
    """The start state of `general_step`, and the motion between the ends of the last step.

    `t` and `h` (s) are its beginning and length, `start` the state there and `powers` the
    coefficients of the polynomial, one row a power. Before the first step there is none: it would
    begin after all times.
    """
    assert isinstance(problem.method, ErrorControlled)
    piece = {
        "t": np.full((), np.inf),
        "h": np.ones(()),
        "start": np.zeros(problem.size),
        "powers": np.zeros((problem.method.degree, problem.size)),
    }
    return general_step.start_state(problem) | {"piece": piece}


def due(problem: RolloutProblem, state: State, segment: State, p: Any) -> Array:
    """Whether a case has not come to the segment's end: many chosen times lie within one step."""
    del problem, p
    end = np.minimum(segment["end"], state["finish"])
    return (state["status"] == RUNNING) & (state["t"] < end)


def observe(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """What `general_step` observes, with the state at the chosen time.

    A case that has not gone beyond that time stays where it is: it has ended, or has landed there,
    by a jump perhaps.
    """
    piece, time, eps = state["piece"], segment["end"], float(np.finfo(problem.dtype).eps)
    beyond = state["t"] > time + rounding_of_time(eps, state["t"], time)
    beyond = beyond & (piece["t"] <= time)
    share = np.where(beyond, time - piece["t"], 0.0) / np.where(beyond, piece["h"], 1.0)
    powers = [piece["powers"][k] for k in range(piece["powers"].shape[0])]
    between = problem.project(on_polynomial(piece["start"], powers, share))
    found = general_step.observe(problem, state, segment, p)
    held, memory = state.get("u"), state.get("memory")
    for name, statistic in problem.statistics.items():
        if isinstance(statistic, InForce):
            # No step goes beyond a sample: the command of the step is that at the chosen time.
            then = problem.call(statistic.value, time, between, held, memory, p)
            found["statistics"][name] = np.where(beyond, then, found["statistics"][name])
    return found | {"x": np.where(beyond, between, found["x"])}
