"""Sensitivities of rollouts: the derivative of the step, carried along with the step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.duals import Dual
from percuss.kernel.rollouts.plan import SegmentPlan
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.rollouts.result import RolloutResult, arranged, make_result, states_at_times
from percuss.kernel.tracing.derivatives import jvp

Tree = Any


@dataclass(frozen=True)
class InputDerivatives:
    """Derivatives by one kind of input.

    Each output leaf becomes a structure like the input, whose leaves have the shape
    (*output, *input, batch); outputs of a trajectory have the shape (…, len(times)).

    Attributes:
        state: of the state at the end.
        time: of the time at which a case ended, s; zero unless an event stops it.
        statistics: by name.
        trajectory: of the states at the times asked for, None without such times.
    """

    state: Tree
    time: Tree
    statistics: dict[str, Tree]
    trajectory: Tree


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives by the initial state and the parameters, None where not asked for.

    `result` is what the run itself returns (a `RolloutResult`).
    """

    result: Any
    by_state: InputDerivatives | None
    by_parameters: InputDerivatives | None


@dataclass(frozen=True)
class RolloutSlopes:
    """Derivatives as a run records them: lane d·batch + b is direction d of case b.

    Attributes:
        found: what was observed, differentiated; leaves (segments, …, directions·batch).
        plan: the segments.
        directions: how many.
        batch: cases; None without a batch axis.
    """

    found: dict[str, Any]
    plan: SegmentPlan
    directions: int
    batch: int | None

    def derivatives(
        self, problem: RolloutProblem, first: int, tree: Any, shapes: Sequence[tuple[int, ...]]
    ) -> InputDerivatives:
        """The derivatives by an input of this structure and these shapes.

        Its directions begin at `first`.
        """
        count = 1 if self.batch is None else self.batch
        ends = np.cumsum([0, *map(math.prod, shapes)])

        def by_input(leaf: Any) -> Tree:
            lanes = leaf.reshape((*leaf.shape[:-1], self.directions, count))
            pieces = []
            for begin, end, shape in zip(ends, ends[1:], shapes, strict=False):
                piece = lanes[..., first + begin : first + end, :]
                piece = piece.reshape((*leaf.shape[:-1], *shape, count))
                pieces.append(piece[..., 0] if self.batch is None else piece)
            return trees.unflatten(tree, pieces)

        last, x = self.plan.last, self.found["x"]
        path = states_at_times(problem, x, self.plan)
        # The lean loop has no clock of its own: its cases end when they are told to.
        time = self.found["t"][last] if "t" in self.found else np.zeros_like(x[last, 0])
        return InputDerivatives(
            state=trees.map_leaves(by_input, arranged(problem, x[last])),
            time=by_input(time),
            statistics={k: by_input(v[last]) for k, v in self.found["statistics"].items()},
            trajectory=None if path is None else trees.map_leaves(by_input, path),
        )


def result_with_slopes(
    problem: RolloutProblem,
    lean: bool,
    found: tuple[dict[str, Any], dict[str, Any]],
    plan: SegmentPlan,
    *,
    batch: int | None,
) -> RolloutResult:
    """The result of a run that carried a derivative along, from records and their derivatives."""
    values, slopes = (make_result(problem, lean, part, plan, batch=batch) for part in found)
    time = np.zeros_like(values.time) if lean else slopes.time
    names = ("state", "statistics", "trajectory", "in_force", "event_time")
    both = {
        name: trees.map_leaves(Dual.of, getattr(values, name), getattr(slopes, name))
        for name in names
    }
    return replace(values, time=Dual(values.time, time), **both)


def variational_step(function: Callable[..., Any], smooth: Sequence[str], votes: bool) -> Any:
    """A step together with its derivative along one direction.

    State and parameters become pairs (value, tangent); only the entries `smooth` of the state
    have a tangent, the others being counters and choices.
    """

    def both(problem: Any, state: Any, segment: Any, parameters: Any) -> Any:
        def step(value: Any, p: Any) -> Any:
            result = function(problem, value, segment, p)
            return result if votes else (result, None)

        new, slopes, vote = _derived(step, state, parameters)
        pair = (new, {key: slopes[key] for key in smooth})
        return (pair, vote) if votes else pair

    return both


def variational_observation(function: Callable[..., Any]) -> Any:
    """An observation together with its derivative along the direction of the step's tangent."""

    def both(problem: Any, state: Any, segment: Any, parameters: Any) -> Any:
        def observe(value: Any, p: Any) -> Any:
            return function(problem, value, segment, p), None

        new, slopes, _ = _derived(observe, state, parameters)
        return new, slopes

    return both


def _derived(function: Any, state: Any, parameters: Any) -> tuple[Any, Any, Any]:
    """Value, derivative and truth value of function(state, parameters)."""
    (value, tangent), (p, dp) = state, parameters
    moving = {key: value[key] for key in tangent}
    new, slopes, vote = jvp(
        lambda m, q: function(value | m, q), (moving, p), (tangent, dp), has_aux=True
    )
    return new, slopes, vote
