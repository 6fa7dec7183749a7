"""Iterations: one program run again and again on a state, inside a single kernel.

This is the only loop a back end knows. Time stepping, error control, controllers, events and
running statistics are all part of the step program, so that memory sees initial states,
parameters and recorded results, never trajectories.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.program import Program


@dataclass(frozen=True)
class Outline:
    """What is known of an iteration without its programs.

    Attributes:
        record_count: reals that are recorded at the end of a segment.
        votes: whether cases vote on going on.
        operations: scalar operations of one step of one case, without those of its record.
    """

    record_count: int
    votes: bool
    operations: int


@dataclass(frozen=True)
class Iteration:
    """A state of `state_count` reals per case, advanced by `step` over several segments.

    For each segment k, with its row of `targets` (the same for all cases):

    - where a program `due` is given, go on to the record if it is true of no case of the group
      running together; a back end may as well not ask, since the step of such a case holds its
      state;
    - repeat up to `iterations[k]` times: state, again = step(state, targets[k], parameters),
      then state = stage(state, targets[k], parameters, row) for each row of `stage_rows`;
      with `votes`, stop as soon as no case of the group running together wants to go `again`
      (a case that is finished must hold its own state, since others may go on);
    - record observe(state, targets[k], parameters).

    With `votes`, the state after the last segment is returned too, so that a case can be carried
    on; without, the length of the loop is known beforehand, and nothing is left to carry on.

    Inputs of the programs are the state, the targets, the parameters, and for `stage` the row.
    `step` returns the new state, and `again` as a last truth value when `votes`; `stage` returns
    the new state, `observe` reals. Stages are a loop of their own so that what they share is in
    the machine code once: long code does not fit a processor's instruction cache.
    """

    step: Program
    observe: Program
    state_count: int
    target_count: int
    parameter_count: int
    votes: bool
    stage: Program | None = None
    stage_rows: tuple[tuple[float, ...], ...] = ()
    due: Program | None = None

    def __post_init__(self) -> None:
        if (self.stage is None) != (not self.stage_rows):
            raise ValueError("a stage needs rows, and rows a stage")
        if self.stage is not None and self.votes:
            raise ValueError("an iteration with stages cannot vote")
        inputs = self.state_count + self.target_count + self.parameter_count
        if self.step.input_count != inputs or self.observe.input_count != inputs:
            raise ValueError(
                f"step and observe must take {inputs} inputs, "
                f"got {self.step.input_count} and {self.observe.input_count}"
            )
        if self.stage is not None and self.stage.input_count != inputs + len(self.stage_rows[0]):
            raise ValueError(
                f"stage must take {inputs} inputs and a row of {len(self.stage_rows[0])}, "
                f"got {self.stage.input_count}"
            )
        if self.due is not None and (self.due.input_count != inputs or len(self.due.outputs) != 1):
            raise ValueError(
                f"due must take {inputs} inputs and return one value, "
                f"got {self.due.input_count} and {len(self.due.outputs)}"
            )
        expected = self.state_count + self.votes
        if len(self.step.outputs) != expected:
            raise ValueError(f"step must return {expected} values, got {len(self.step.outputs)}")

    @property
    def record_count(self) -> int:
        return len(self.observe.outputs)

    @property
    def digest(self) -> str:
        """A hash of everything that determines the result."""
        stage, due = (None if one is None else one.digest for one in (self.stage, self.due))
        counts = self.state_count, self.target_count, self.parameter_count, self.votes
        rows = [[value.hex() for value in row] for row in self.stage_rows]
        whole = repr((self.step.digest, self.observe.digest, stage, due, counts, rows))
        return hashlib.sha256(whole.encode()).hexdigest()

    @property
    def outline(self) -> Outline:
        """What can be known of it without its programs."""
        staged = 0 if self.stage is None else self.stage.operation_count * len(self.stage_rows)
        return Outline(self.record_count, self.votes, self.step.operation_count + staged)


def iterate_with_numpy(
    iteration: Iteration,
    state: np.ndarray,
    parameters: np.ndarray,
    targets: np.ndarray,
    iterations: np.ndarray,
) -> tuple[np.ndarray, np.ndarray | None]:
    """The oracle: state (ns, batch), parameters (np, batch), targets (K, nt), iterations (K,).

    Returns records of shape (K, record_count, batch) and, with votes, the state after the last
    segment.
    """
    from percuss.kernel.backends.interpreter import interpret

    current: list[Any] = list(state)
    batch = state.shape[1]
    records = np.zeros((len(iterations), iteration.record_count, batch), state.dtype)
    for k, limit in enumerate(iterations):
        extra = [*(np.full(batch, t, state.dtype) for t in targets[k]), *parameters]
        due = iteration.due
        idle = due is not None and not np.any(interpret(due, [*current, *extra])[0])
        for _ in range(0 if idle else int(limit)):
            results = interpret(iteration.step, [*current, *extra])
            results = [np.broadcast_to(result, batch) for result in results]
            current = results[: iteration.state_count]
            for row in iteration.stage_rows:
                assert iteration.stage is not None
                uniform = [np.full(batch, value, state.dtype) for value in row]
                results = interpret(iteration.stage, [*current, *extra, *uniform])
                current = [np.broadcast_to(result, batch) for result in results]
            if iteration.votes and not results[-1].any():
                break
        for j, value in enumerate(interpret(iteration.observe, [*current, *extra])):
            records[k, j] = value
    if not iteration.votes:
        return records, None
    return records, np.stack([np.asarray(row, state.dtype) for row in current])
