"""Rounds of a long run: cases that need many more steps than others go on among themselves.

A group of cases that runs together takes as long as the slowest of them: a vector on the CPU, a
warp of threads on a GPU. So a run is cut into rounds, each twice as long as the one before, and
after each the cases that want to go on are gathered. What a case computes does not depend on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel import trees
from percuss.kernel.rollouts.attempt import RUNNING
from percuss.kernel.rollouts.plan import Plan

Array = Any
Run = Callable[[Array, Array, Array, Array], tuple[Array, Array]]
"""(state, parameters, targets, iterations) → (records, state after the last segment)."""

FIRST_ROUND = 64
"""Attempts in the first round: fewer than most cases need, more than the start of a round costs."""


class Clock(NamedTuple):
    """Rows of the state in which a case keeps its time, its status and when it ends."""

    t: int
    status: int
    finish: int


def in_rounds(
    run: Run, state: Array, parameters: Array, plan: Plan, clock: Clock, library: Any
) -> Array:
    """Records (segments, record_count, batch) of a run from a state (entries, batch)."""
    records = []
    for k in range(len(plan.iterations)):
        found, state = _segment(run, state, parameters, plan, k, clock, library)
        records.append(found)
    return library.concatenate(records)


def in_rounds_on_gpu(run: Run, state: Array, parameters: Array, plan: Plan, clock: Clock) -> Array:
    """As `in_rounds`, all of it on the GPU; the records are where the state was."""
    from percuss.kernel.backends.cuda import load_cupy, on_gpu, wait

    cupy = load_cupy()

    def settled(*arguments: Array) -> tuple[Array, Array]:
        found = run(*arguments)
        wait(cupy)  # where a signal can be answered
        return found

    there = cupy.asarray(state), cupy.asarray(parameters)
    records = in_rounds(settled, *there, plan, clock, cupy)
    return records if on_gpu(state) else cupy.asnumpy(records)


def _segment(
    run: Run,
    state: Array,
    parameters: Array,
    plan: Plan,
    k: int,
    clock: Clock,
    library: Any,
) -> tuple[Array, Array]:
    """Record (1, record_count, batch) at the end of a segment, and the state there."""
    targets, end = plan.targets[k : k + 1], float(plan.targets[k, 0])
    left, length = int(plan.iterations[k]), FIRST_ROUND
    records = ends = places = None
    while True:
        taken = min(length, left)
        found, state = run(state, parameters, targets, np.array([taken]))
        if records is None or ends is None or places is None:
            records, ends = found, state
        else:
            records[..., places], ends[:, places] = found, state
        left, length = left - taken, 2 * length
        stop = library.minimum(state[clock.finish], end)
        wanting = (state[clock.status] == RUNNING) & (state[clock.t] < stop)
        count = int(library.count_nonzero(wanting))
        if not count or not left:
            return records, ends
        if 2 * count <= len(wanting):
            chosen = library.flatnonzero(wanting)
            places = chosen if places is None else places[chosen]
            state = library.ascontiguousarray(state[:, chosen])
            parameters = library.ascontiguousarray(parameters[:, chosen])


def clock_of(begin: Any) -> Clock:
    """Where the flat state holds the clock of a case, from what the loop keeps (and tangents)."""
    leaves, tree = trees.flatten(begin)
    ends = np.cumsum([math.prod(leaf.shape[:-1]) for leaf in leaves])
    first = trees.unflatten(tree, [0, *(int(end) for end in ends[:-1])])
    kept = first if isinstance(first, dict) else first[0]
    return Clock(*(kept[name] for name in Clock._fields))
