"""Rounds of a long run: cases that need many more steps than others go on among themselves.

A group of cases that runs together takes as long as the slowest of them: a vector on the CPU, a
warp of threads on a GPU. So a run is cut into rounds, each twice as long as the one before, and
after each the cases that want to go on are gathered, those with as much time to go side by side.
On the CPU a vector leaves a round earlier, when its finished cases have idled for as long as it
takes to gather the others. What a case computes does not depend on any of this.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel import trees
from percuss.kernel.rollouts.attempt import RUNNING
from percuss.kernel.rollouts.plan import SegmentPlan

Array = Any
Run = Callable[[Array, Array, Array, Array, int], tuple[Array, Array]]
"""(state, parameters, targets, iterations, patience) → (records, state after the last segment)."""

FIRST_ROUND, FIRST_ON_GPU = 64, 16
"""Attempts in the first round: fewer than most cases need, more than the start of a round costs. On
a GPU, where a group cannot leave it earlier, it is there to tell slow cases from others."""
GATHERED, GATHERED_ON_GPU = 7 / 8, 1.0
"""Share of the cases up to which those that go on are gathered: a GPU does so in no time."""
PATIENCE = 2
"""Attempts of a whole group that its finished cases may waste before it leaves the first round: to
gather the others costs about as much as two steps of a planar arm. Whoever pays for waiting up to
the price of not waiting pays at most twice what was needed."""


class Clock(NamedTuple):
    """Rows of the state in which a case keeps its time, its status and when it ends."""

    t: int
    status: int
    finish: int


def in_rounds(
    run: Run, state: Array, parameters: Array, plan: SegmentPlan, *, clock: Clock, library: Any
) -> Array:
    """Records (segments, record_count, batch) of a run from a state (entries, batch)."""
    records = []
    for k in range(len(plan.iterations)):
        found, state = _segment(run, state, parameters, (plan, k), clock=clock, library=library)
        records.append(found)
    return library.concatenate(records)


def in_rounds_on_gpu(
    run: Run, state: Array, parameters: Array, plan: SegmentPlan, *, clock: Clock
) -> Array:
    """Run in rounds like `in_rounds`, all of it on the GPU; the records are where the state was."""
    from percuss.kernel.backends.cuda import load_cupy, on_gpu, wait

    cupy = load_cupy()

    def settled(*arguments: Array) -> tuple[Array, Array]:
        found = run(*arguments[:-1])  # a thread has no patience: its case is its whole group
        wait(cupy)  # where a signal can be answered
        return found

    there = cupy.asarray(state), cupy.asarray(parameters)
    records = in_rounds(settled, *there, plan, clock=clock, library=cupy)
    return records if on_gpu(state) else cupy.asnumpy(records)


def _segment(
    run: Run,
    state: Array,
    parameters: Array,
    segment: tuple[SegmentPlan, int],
    *,
    clock: Clock,
    library: Any,
) -> tuple[Array, Array]:
    """Record (1, record_count, batch) at the end of a segment of a plan, and the state there."""
    plan, k = segment
    targets = plan.targets[k : k + 1]
    end = float(state.dtype.type(plan.targets[k, 0]))  # to the bit of what the cases see
    patience, on_host = PATIENCE, library is np
    length = FIRST_ROUND if on_host else FIRST_ON_GPU
    gathered = GATHERED if on_host else GATHERED_ON_GPU
    records = ends = places = None
    while True:
        found, state = run(state, parameters, targets, np.array([length]), patience)
        if records is None or ends is None or places is None:
            records, ends = found, state
        else:
            records[..., places], ends[:, places] = found, state
        to_go = library.minimum(state[clock.finish], end) - state[clock.t]
        wanting = (state[clock.status] == RUNNING) & (to_go > 0.0)
        # A case ends itself after as many attempts as it may make, so that there is a last round.
        count, before = int(library.count_nonzero(wanting)), len(wanting)
        if not count:
            return records, ends
        length *= 2
        if 4 * count > 3 * before:
            # Few have ended: what was gained is hardly worth what it cost.
            patience *= 2
        if count <= gathered * before:
            chosen = library.flatnonzero(wanting)
            chosen = chosen[library.argsort(-to_go[chosen])]
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
