"""What rollouts return."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.rollouts.attempt import RUNNING, Status
from percuss.kernel.rollouts.plan import SegmentPlan
from percuss.kernel.rollouts.problem import RolloutProblem, Tree
from percuss.kernel.rollouts.statistics import InForce
from percuss.kernel.traced import Traced


@dataclass(frozen=True)
class RolloutResult:
    """What a rollout returns. Arrays end with the batch axis, if any argument had one.

    Attributes:
        state: at the end of each case, shaped like the example.
        time: s, at which each case ended.
        status: a `Status` per case.
        steps: accepted steps per case.
        attempts: steps tried, rejected ones and those repeated for events included.
        statistics: by name.
        trajectory: states at `times`: leaves of shape (…, len(times), batch), None when no
            times were asked for. Before its start and after its end a case stays where it is.
        times: s, those asked for.
        in_force: values of `InForce` at `times` by name, shaped as the trajectory.
        event: index of the event that stopped the case (status EVENT, EVENT_LIMIT or
            ACCUMULATED), -1 when none did.
        event_time: s, shape (events, batch): last occurrence of each event, NaN when none.
        event_count: shape (events, batch): how often each event occurred.
    """

    state: Tree
    time: Any
    status: Any
    steps: Any
    attempts: Any
    statistics: dict[str, Any]
    trajectory: Tree
    times: np.ndarray | None
    in_force: dict[str, Any]
    event: Any
    event_time: Any
    event_count: Any


def unpacked(observe: Traced, records: np.ndarray) -> Any:
    """Records (segments, count, batch) in the structure of the observation."""
    leaves, at = [], 0
    for shape in observe.output_shapes:
        size = math.prod(shape)
        part = records[:, at : at + size]
        leaves.append(part.reshape((len(records), *shape, records.shape[-1])))
        at += size
    return trees.unflatten(observe.output_tree, leaves)


def arranged(problem: RolloutProblem, x: np.ndarray) -> Tree:
    """Flat states (n, …, batch) in the user's shape."""
    ends = np.cumsum([math.prod(shape) for shape in problem.state_shapes])
    pieces = [
        x[end - math.prod(shape) : end].reshape((*shape, *x.shape[1:]))
        for end, shape in zip(ends, problem.state_shapes, strict=True)
    ]
    return trees.unflatten(problem.state_tree, pieces)


def states_at_times(problem: RolloutProblem, x: np.ndarray, plan: SegmentPlan) -> Tree:
    """States at the times asked for, from (segments, n, batch)."""
    if plan.times is None:
        return None
    ends = plan.ends[: len(plan.times)]
    # Every segment in turn needs no copy.
    chosen = x[: len(ends)] if np.array_equal(ends, np.arange(len(ends))) else x[ends]
    return arranged(problem, np.moveaxis(chosen, 0, 1))


def _in_force_at_times(
    problem: RolloutProblem, found: dict[str, Any], plan: SegmentPlan
) -> dict[str, Any]:
    """Values with the commands in force at the times asked for."""
    if plan.times is None:
        return {}
    places = plan.ends[: len(plan.times)]
    return {
        name: np.moveaxis(found[name][places], 0, -2)
        for name, statistic in problem.statistics.items()
        if isinstance(statistic, InForce)
    }


def own_arrays(tree: Tree, batch: int | None, library: Any = np) -> Tree:
    """A tree without the batch axis where no argument had one; never a view of the records."""

    def own(leaf: Any) -> Any:
        leaf = leaf[..., 0] if batch is None else leaf
        return leaf if leaf.base is None else library.array(leaf)

    return trees.map_leaves(own, tree)


def make_result(
    problem: RolloutProblem,
    lean: bool,
    found: dict[str, Any],
    plan: SegmentPlan,
    *,
    batch: int | None,
    library: Any = np,
) -> RolloutResult:
    """The result of a run from what was recorded, as arrays of the library (NumPy or CuPy).

    `batch` is None without a batch axis.
    """
    last = plan.last
    x = found["x"][last]
    count, events = x.shape[-1], len(problem.events)
    if lean:
        finite = library.isfinite(x).all(axis=0)
        status = library.where(finite, int(Status.DONE), int(Status.NOT_FINITE)).astype(np.int64)
        time = np.full(count, plan.finish, problem.dtype)
        steps, attempts = (np.full(count, plan.iterations.sum()) for _ in range(2))
    else:
        code = found["status"][last]
        time = found["t"][last]
        steps, attempts = (found[k][last].astype(np.int64) for k in ("steps", "attempts"))
        status = library.where(code == RUNNING, float(Status.DONE), code).astype(np.int64)
    event = np.full(count, -1)
    event_time = np.full((0, count), np.nan)
    event_count = np.zeros((0, count), np.int64)
    if events:
        stopped = (status == int(Status.EVENT)) | (status == int(Status.EVENT_LIMIT))
        stopped = stopped | (status == int(Status.ACCUMULATED))
        event = library.where(stopped, found["which"][last], -1).astype(np.int64)
        event_time = found["event_time"][last]
        event_count = found["event_count"][last].astype(np.int64)

    def own(tree: Tree) -> Tree:
        return own_arrays(tree, batch, library)

    return RolloutResult(
        state=own(arranged(problem, x)),
        time=own(time),
        status=own(status),
        steps=own(steps),
        attempts=own(attempts),
        statistics=own({name: v[last] for name, v in found["statistics"].items()}),
        trajectory=own(states_at_times(problem, found["x"], plan)),
        times=None if plan.times is None else plan.times.copy(),
        in_force=own(_in_force_at_times(problem, found["statistics"], plan)),
        event=own(event),
        event_time=own(event_time),
        event_count=own(event_count),
    )
