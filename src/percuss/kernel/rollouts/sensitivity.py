"""Sensitivities of rollouts: the derivative of the step, carried along with the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from percuss.kernel.tracing.derivatives import jvp

Tree = Any


@dataclass(frozen=True)
class Derivatives:
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
    by_state: Derivatives | None
    by_parameters: Derivatives | None


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
