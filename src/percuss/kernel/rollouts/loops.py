"""The programs of time loops: their parts traced for a problem, and put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.iteration import Iteration
from percuss.kernel.rollouts.problem import Problem
from percuss.kernel.traced import Traced
from percuss.kernel.tracing.function import trace
from percuss.kernel.waiting import waiting


def traced_part(
    problem: Problem,
    loop: Any,
    name: str,
    function: Callable[..., Any],
    smooth: Sequence[str] | None = None,
    more: tuple[Any, ...] = (),
) -> Traced:
    """The program of a part of a loop, of its derivative when `smooth` is given.

    The name says which of the loop's parts it is; `more` are examples of arguments after state,
    segment and parameters.
    """
    state: Any = loop.start_state(problem)
    p: Any = trees.unflatten(
        problem.parameter_tree, [np.zeros(shape) for shape in problem.parameter_shapes]
    )
    if smooth is not None:
        state, p = (state, {key: state[key] for key in smooth}), (p, p)
    arguments = (state, loop.TARGETS, p, *more)

    def traced() -> Traced:
        with waiting("writing down the operations of a step"):
            return trace(lambda *values: function(problem, *values), *arguments)

    return problem.shelf.traced(f"{name} in {loop.__name__}", arguments, traced)


def iteration_of(
    problem: Problem, loop: Any, step: Traced, observe: Traced, votes: bool, copies: int = 1
) -> Iteration:
    """The iteration of a loop; `copies` is 2 where a derivative along a direction is carried."""
    targets = len(loop.TARGETS)
    parameters = copies * sum(map(math.prod, problem.parameter_shapes))
    count = step.program.input_count - targets - parameters
    return Iteration(step.program, observe.program, count, targets, parameters, votes)
