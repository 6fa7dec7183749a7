"""The motion of one case between the ends of its steps, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel import trees
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts import recorded_step
from percuss.kernel.rollouts.arguments import begin_of, rows_of, table_of
from percuss.kernel.rollouts.attempt import RUNNING, Status
from percuss.kernel.rollouts.methods.dense import on_polynomial
from percuss.kernel.rollouts.plan import make_plan
from percuss.kernel.rollouts.result import unpacked

FIRST, MOST = 32, 512
"""Attempts that are recorded before the first look at them, and at most: each time twice as many.
A record of a body with forty entries takes 3 kB."""


@dataclass(frozen=True)
class Pieces:
    """Steps that one case took one after the other, with dense output between their ends.

    Attributes:
        begin: when each step begins (s), shape (steps,).
        length: how long each is (s), shape (steps,).
        start: flat state at the beginning of each, shape (entries, steps).
        powers: coefficients c of the state start + c₀·θ + c₁·θ² + … at the share θ of a step, shape
            (degree, entries, steps).
        time: when each step ends (s), to the bit of the boundary or the event it reaches, shape
            (steps,).
        state: flat state there, shape (entries, steps).
        status: how the case ended; None while it goes on.
        event: index of the event that ended it, -1 where none did.
        attempts: to take a step, of the case so far, those that were refused included.
        reached: time (s) and flat state (entries,) to which the case has come.
    """

    begin: np.ndarray
    length: np.ndarray
    start: np.ndarray
    powers: np.ndarray
    time: np.ndarray
    state: np.ndarray
    status: Status | None
    event: int
    attempts: int
    reached: tuple[float, np.ndarray]

    def __len__(self) -> int:
        return len(self.begin)

    def at(self, times: np.ndarray) -> np.ndarray:
        """States (entries, times) at times (s) within the steps; at their ends those reached."""
        if not len(self):
            raise KernelError("no step was taken: there is no state between two ends")
        k = np.clip(np.searchsorted(self.time, times), 0, len(self) - 1)
        share = (times - self.begin[k]) / np.where(self.length[k] > 0.0, self.length[k], 1.0)
        between = on_polynomial(self.start[:, k], list(self.powers[:, :, k]), share)
        return np.where(times == self.time[k], self.state[:, k], between)


def pieces_of(
    rollout: Any, state: Any, parameters: Any, start: float, *, end: float
) -> Iterator[Pieces]:
    """The motion of one case piece by piece, by a rollout with the loop of `recorded_step`.

    Arguments are those of `Rollout.pieces`.
    """
    problem, loop = rollout.problem, rollout.prepared
    plan = make_plan(problem, False, None, [end], start=start)
    library, x, p, batch, _ = rows_of(
        problem, rollout.backend, state, parameters, clocks=plan.batch
    )
    if batch is not None or library is not np:
        raise KernelError("the steps of one case can be recorded, on the host: give no batch")
    begin = begin_of(problem, recorded_step, np, x, plan=plan)
    table, steps, count = table_of(np, begin, 1), 0.0, FIRST
    while True:
        targets = np.full((count, 1), float(plan.finish))
        records, table = rollout.advanced(
            loop, table, p, targets, iterations=np.ones(count, np.int64)
        )
        found = trees.map_leaves(lambda leaf: leaf[..., 0], unpacked(loop.observe, records))
        taken = np.flatnonzero(np.diff(found["steps"], prepend=steps) > 0.0)
        steps, count = float(found["steps"][-1]), min(2 * count, MOST)
        status, reached = float(found["status"][-1]), float(found["t"][-1])
        goes_on = status == RUNNING and reached < float(plan.finish)
        piece = found["piece"]
        yield Pieces(
            begin=piece["t"][taken],
            length=piece["h"][taken],
            start=piece["start"][taken].T,
            powers=np.moveaxis(piece["powers"][taken], 0, -1),
            time=found["t"][taken],
            state=found["x"][taken].T,
            status=None if goes_on else Status.DONE if status == RUNNING else Status(int(status)),
            event=int(found["which"][-1]) if problem.events and status == Status.EVENT else -1,
            attempts=int(found["attempts"][-1]),
            reached=(reached, found["x"][-1]),
        )
        if not goes_on:
            return
