"""The lean time loop: RK4 on a common grid, no events, no votes.

A step costs four evaluations of f and a few operations per entry. All cases share the times, so
that time and step come from the segment; what has gone wrong in a case shows as NaN at its end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.rollouts.methods.rk4 import RK4, rk4_step
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.rollouts.statistics import (
    Final,
    FirstCrossing,
    InForce,
    Integral,
    crossed_between,
    crossed_by_jump,
    seen,
    start_of,
)

Array = Any
State = dict[str, Any]

TARGETS = {name: np.zeros(()) for name in ("origin", "slope", "h", "advance", "fresh", "end")}
"""A segment: steps of `h` from origin + n·slope, each adding `advance` to the grid index n, up
to `end`; `fresh` is 1 when its steps begin on the grid."""


def start_state(problem: RolloutProblem) -> State:
    """What the loop keeps for a case; x is filled in by the caller."""
    count = sum(math.prod(problem.statistic_shapes[name]) for name in problem.integrals)
    state: State = {"x": np.zeros(problem.size + count), "n": np.zeros(())}
    state["statistics"] = {
        name: start_of(s, problem.statistic_shapes[name], slopes=not problem.interpolates)
        for name, s in problem.statistics.items()
    }
    add_controller(problem, state)
    return state


def add_controller(problem: RolloutProblem, state: State) -> None:
    if problem.controller is None:
        return
    state["memory"] = problem.memory_start
    if problem.sampled:
        state["u"] = trees.map_leaves(lambda u: np.zeros(u.shape), problem.command_like)


SMOOTH = ("x", "u", "memory", "statistics")
"""What a perturbation of the initial state or the parameters can change."""


def step(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """One RK4 step of a segment."""
    z, n, h = state["x"], state["n"], segment["h"]
    t = segment["origin"] + n * segment["slope"]
    before = state.get("u")
    held, memory = sampled(problem, state, segment, t, z=z, p=p)
    remembered = memory
    if problem.controller is not None and not problem.sampled:
        remembered = problem.law(t, z, memory, p)[1]

    def rates(time: Array, at: Array) -> Array:
        return problem.rates(time, at, held, memory, p)

    k1 = rates(t, z)
    kept = {}
    for name, statistic in problem.statistics.items():
        kept[name] = state["statistics"][name]
        if isinstance(statistic, FirstCrossing):
            arguments = (statistic.value, t, z, k1)
            if problem.sampled:
                now = problem.value_and_slope(*arguments, before, memory, p)
                kept[name] = crossed_between(statistic, kept[name], t, *now)
                now = problem.value_and_slope(*arguments, held, memory, p)
                kept[name] = crossed_by_jump(statistic, kept[name], t, *now)
            else:
                now = problem.value_and_slope(*arguments, held, memory, p)
                kept[name] = crossed_between(statistic, kept[name], t, *now)
        elif not isinstance(statistic, (Integral, Final, InForce)):
            value = problem.call(statistic.value, t, z, held, memory, p)
            kept[name] = seen(statistic, kept[name], value)
    new: State = {
        "x": problem.project(rk4_step(rates, t, z, h, k1=k1)),
        "n": n + segment["advance"],
        "statistics": kept,
    }
    if problem.controller is not None:
        new["memory"] = remembered
    if problem.sampled:
        new["u"] = held
    return new


def sampled(
    problem: RolloutProblem, state: State, segment: State, t: Array, *, z: Array, p: Any
) -> tuple[Any, Any]:
    """Command and memory in force from the beginning of a step on, sampled anew when due."""
    before, memory = state.get("u"), state.get("memory")
    if not problem.sampled:
        return before, memory
    n, every = state["n"], float(problem.samples_every)
    due = segment["fresh"] > 0.0
    if every > 1:
        # A half more, so that the quotient of whole numbers is never rounded down.
        due = due & (np.floor((n + 0.5) / every) * every == n)
    return chosen(due, problem.law(t, z, memory, p), (before, memory))


def chosen(condition: Array, yes: Any, no: Any) -> Any:
    """Leaf by leaf, one or the other."""
    return trees.map_leaves(lambda a, b: np.where(condition, a, b), yes, no)


def observe(problem: RolloutProblem, state: State, segment: State, p: Any) -> State:
    """State and statistics at the end of a segment."""
    t, z = segment["end"], state["x"]
    held, memory = state.get("u"), state.get("memory")
    found = {}
    for name, statistic in problem.statistics.items():
        kept = state["statistics"][name]
        if isinstance(statistic, FirstCrossing):
            k = problem.rates(t, z, held, memory, p)
            now = problem.value_and_slope(statistic.value, t, z, k, held, memory, p)
            kept = crossed_between(statistic, kept, t, *now)
        found[name] = final_value(problem, name, kept, t, z=z, held=held, memory=memory, p=p)
    return {"x": z[: problem.size], "statistics": found}


def final_value(
    problem: RolloutProblem,
    name: str,
    kept: State,
    t: Array,
    *,
    z: Array,
    held: Any,
    memory: Any,
    p: Any,
) -> Array:
    """What a statistic says at a point."""
    statistic = problem.statistics[name]
    if isinstance(statistic, Integral):
        return np.reshape(z[problem.integral_slices()[name]], problem.statistic_shapes[name])
    if isinstance(statistic, FirstCrossing):
        return kept["time"]
    value = problem.call(statistic.value, t, z, held, memory, p)
    if isinstance(statistic, (Final, InForce)):
        return value
    return seen(statistic, kept, value)["best"]


# --- segments -----------------------------------------------------------------------------------

NEAR = 1e-9
"""Times closer to the grid than this share of a step are on it."""


@dataclass(frozen=True)
class Schedule:
    """Segments of a run: rows of targets in the order of sorted(TARGETS), steps of each, and
    which segment ends at which chosen time."""

    targets: np.ndarray
    iterations: np.ndarray
    ends: np.ndarray


def schedule(method: RK4, start: float, times: np.ndarray) -> Schedule:
    """Full steps on the grid start + n·step, with shortened ones around times off the grid."""
    return _schedule(method.step, float(start), np.ascontiguousarray(times, float).tobytes())


# A search runs the same short motion hundreds of times: then this would cost more than the motion.
@lru_cache(maxsize=64)
def _schedule(step: float, start: float, data: bytes) -> Schedule:
    times = np.frombuffer(data)
    rows: list[dict[str, float]] = []
    counts: list[int] = []
    ends: list[int] = []

    def add(count: int, **row: float) -> None:
        rows.append(row)
        counts.append(count)

    def full(n: int, goal: int) -> None:
        end = start + goal * step
        add(goal - n, origin=start, slope=step, h=step, advance=1.0, fresh=1.0, end=end)

    def short(now: float, then: float, advance: float, fresh: float) -> None:
        add(1, origin=now, slope=0.0, h=then - now, advance=advance, fresh=fresh, end=then)

    n, now, fresh = 0, start, 1.0
    for time in times:
        place = (time - start) / step
        nearest = round(place)
        on_grid = abs(place - nearest) <= NEAR + 4e-16 * abs(place)
        cell = nearest if on_grid else math.floor(place)
        if not fresh and cell > n:
            n += 1
            short(now, start + n * step, 1.0, 0.0)
            now, fresh = start + n * step, 1.0
        if cell > n:
            full(n, cell)
            n, now = cell, start + cell * step
        if not on_grid and time > now:
            short(now, time, 0.0, fresh)
            now, fresh = float(time), 0.0
        elif not rows or (len(ends) and ends[-1] == len(rows) - 1):
            add(0, origin=now, slope=0.0, h=0.0, advance=0.0, fresh=fresh, end=now)
        ends.append(len(rows) - 1)
    names = sorted(TARGETS)
    table = np.array([[row[name] for name in names] for row in rows])
    made = Schedule(table, np.array(counts, np.int64), np.array(ends))
    for array in (made.targets, made.iterations, made.ends):
        array.flags.writeable = False
    return made
