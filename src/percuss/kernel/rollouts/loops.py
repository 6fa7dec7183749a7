"""The programs of time loops: their parts traced for a problem, and put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.iteration import Iteration
from percuss.kernel.rollouts.problem import RolloutProblem
from percuss.kernel.traced import Traced
from percuss.kernel.waiting import waiting


def traced_part(
    problem: RolloutProblem,
    loop: Any,
    name: str,
    function: Callable[..., Any],
    *,
    smooth: Sequence[str] | None = None,
    more: tuple[Any, ...] = (),
    with_calls: bool = False,
) -> Traced:
    """The program of a part of a loop, of its derivative when `smooth` is given.

    The name says which of the loop's parts it is; `more` are examples of arguments after state,
    segment and parameters; `with_calls` leaves calls as they are.
    """
    state: Any = loop.start_state(problem)
    p: Any = trees.unflatten(
        problem.parameter_tree, [np.zeros(shape) for shape in problem.parameter_shapes]
    )
    if smooth is not None:
        state, p = (state, {key: state[key] for key in smooth}), (p, p)
    arguments = (state, loop.TARGETS, p, *more)

    def traced() -> Traced:
        from percuss.kernel.tracing.function import trace, trace_with_calls

        write_down = trace_with_calls if with_calls else trace
        with waiting("writing down the operations of a step"):
            return write_down(lambda *values: function(problem, *values), *arguments)

    return problem.shelf.traced(f"{name} in {loop.__name__}", arguments, traced)


def traced_record(
    problem: RolloutProblem,
    loop: Any,
    name: str,
    function: Callable[..., Any],
    *,
    smooth: Sequence[str] | None = None,
) -> Traced:
    """The program of what is recorded, whose calls stay until it is joined with the step.

    Arguments are those of `traced_part`.
    """
    return traced_part(problem, loop, name, function, smooth=smooth, with_calls=True)


def iteration_of(
    problem: RolloutProblem,
    loop: Any,
    step: Traced,
    observe: Traced,
    *,
    votes: bool,
    copies: int = 1,
) -> Iteration:
    """The iteration of a loop; `copies` is 2 where a derivative along a direction is carried.

    What a record computes with a part of the step is a call of the same code.
    """
    targets = len(loop.TARGETS)
    parameters = copies * sum(map(math.prod, problem.parameter_shapes))
    count = step.program.input_count - targets - parameters
    record = observe.program
    if record.parts:
        from percuss.kernel.calculus import with_single_calls_inlined

        record = with_single_calls_inlined(record, elsewhere=step.program.parts)
    return Iteration(
        step=step.program,
        observe=record,
        state_count=count,
        target_count=targets,
        parameter_count=parameters,
        votes=votes,
    )
