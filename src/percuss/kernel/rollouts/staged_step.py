"""The lean time loop with its four stages as a loop: f is in the machine code once, not four times.

Long straight-line code outgrows the instruction caches: on a GPU a step of a seven-joint arm runs
twice as fast this way. The same numbers come out as from `fixed_step`, which remains for what
needs the slope at the beginning of a step, and for derivatives.
"""

from __future__ import annotations

from typing import Any

from percuss.kernel.rollouts import fixed_step
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.rollouts.statistics import Final, FirstCrossing, InForce, Integral, seen

Array = Any
State = dict[str, Any]

TARGETS = fixed_step.TARGETS

ROWS = (
    (0.0, 1.0 / 6.0, 0.5),
    (0.5, 1.0 / 3.0, 0.5),
    (0.5, 1.0 / 3.0, 1.0),
    (1.0, 1.0 / 6.0, 0.0),
)
"""Classical RK4: when a stage is evaluated, its weight, and how far the next one goes along it."""


def fits(problem: RolloutProblem) -> bool:
    """Whether a problem can be stepped this way."""
    crossing = any(isinstance(s, FirstCrossing) for s in problem.statistics.values())
    return not crossing and (problem.controller is None or problem.sampled)


def start_state(problem: RolloutProblem) -> State:
    """The start state of `fixed_step` and two more vectors.

    `x` becomes the sum of the stages, `z` is the state at the step's start, `y` at the stage's.
    """
    state = fixed_step.start_state(problem)
    return state | {"y": state["x"], "z": state["x"]}


def step(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """What happens once at the beginning of a step: projection, sampling, statistics."""
    z = problem.project(state["x"])
    t = segment["origin"] + state["n"] * segment["slope"]
    held, memory = fixed_step.sampled(problem, state, segment, t, z=z, p=p)
    kept = dict(state["statistics"])
    for name, statistic in problem.statistics.items():
        if not isinstance(statistic, (Integral, Final, InForce)):
            value = problem.call(statistic.value, t, z, held, memory, p)
            kept[name] = seen(statistic, kept[name], value)
    new = state | {"x": z, "y": z, "z": z, "statistics": kept}
    new["n"] = state["n"] + segment["advance"]
    if problem.sampled:
        new |= {"u": held, "memory": memory}
    return new


def stage(problem: RolloutProblem, state: State, segment: State, p: Any, row: Array) -> State:
    """One evaluation of f, added to the sum, and the place of the next one."""
    node, weight, reach = row
    h, began = segment["h"], state["n"] - segment["advance"]
    t = segment["origin"] + began * segment["slope"] + node * h
    k = problem.rates(t, state["y"], state.get("u"), state.get("memory"), p)
    return state | {"x": state["x"] + (weight * h) * k, "y": state["z"] + (reach * h) * k}


def observe(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """State and statistics at the end of a segment."""
    ended = state | {"x": problem.project(state["x"])}
    return fixed_step.observe(problem, ended, segment, p)
