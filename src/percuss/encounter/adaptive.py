"""Adaptive integration inside the kernel, seen step by step on its dense output."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import percuss.kernel as kernel
from percuss.encounter.failure import WHY, Halt, Progress, UnfinishedError
from percuss.encounter.method import Integration, merged
from percuss.encounter.sampling import distinct
from percuss.kernel.rollouts.pieces import Pieces
from percuss.kernel.rollouts.stiffness import MANY

FIRST_ASKED = 256
"""Attempts after which it is asked for the first time whether a motion is stiff; then after twice
as many each time. A run of some hundred steps is over before that, and asking costs as much."""


class _StepLog:
    """Where a motion has been: times (s) and states (entries, time), and how long its steps are."""

    def __init__(self, begin: float, start: np.ndarray) -> None:
        self._times, self._states = [np.array([begin])], [start[:, None]]
        self._ends = [np.array([begin])]
        self.steps = 0

    def go(self, pieces: Pieces, asked: np.ndarray) -> None:
        """Note some steps, at the times asked for within them and at others."""
        if not len(pieces):
            return
        times = _within(pieces, asked, self.steps)
        self._times.append(times)
        self._states.append(pieces.at(times))
        self._ends.append(pieces.time)
        self.steps += len(pieces)

    @property
    def so_far(self) -> tuple[np.ndarray, np.ndarray]:
        return np.concatenate(self._times), np.concatenate(self._states, axis=1)

    def pace(self) -> float:
        """Mean length of the later half of the steps (s)."""
        ends = np.concatenate(self._ends)
        half = (len(ends) - 1) // 2
        return float(ends[-1] - ends[half]) / max(1, len(ends) - 1 - half)


def integrate_adaptively(
    run: kernel.Rollout,
    start: np.ndarray,
    times: np.ndarray,
    integration: Integration,
    *,
    progress: Progress | None = None,
    refuse_stiff: Callable[[float, np.ndarray], None] | None = None,
) -> tuple[np.ndarray, np.ndarray, int, int | None]:
    """Times (s), states (entries, time), steps, and which event ended it (None: the end).

    The times increase, hold those asked for up to the end, and others between them. A motion
    that is over where it begins has one time only.

    Where many steps are foreseen, `refuse_stiff`(t, x) is asked now and then whether it is for
    stability alone.

    Raises:
        UnfinishedError: the steps become too small, or far too many of them are needed.
        StiffError: another method would be much quicker.
    """
    begin, end = float(times[0]), float(times[-1])
    log, ask = _StepLog(begin, start), FIRST_ASKED
    for pieces in run.pieces(start, start=begin, end=end):
        log.go(pieces, times)
        time, state = pieces.reached
        if pieces.status == kernel.Status.EVENT:
            return *log.so_far, log.steps, pieces.event
        hopeless = pieces.status == kernel.Status.MAX_STEPS
        if refuse_stiff is not None and (pieces.attempts >= ask or hopeless):
            ask *= 2
            if hopeless or _expected(pieces.attempts, log.pace(), end - time) > MANY:
                refuse_stiff(time, state)
        if pieces.status not in (None, kernel.Status.DONE):
            raise _stopped(pieces, log, integration, end)
        if progress is not None:
            progress((time - begin) / (end - begin))
    return *log.so_far, log.steps, None


def _expected(attempts: int, step: float, left: float) -> float:
    """Attempts in all, where the time left (s) takes steps of this length (s)."""
    return attempts + left / step if step > 0.0 else np.inf


def _within(pieces: Pieces, asked: np.ndarray, steps: int) -> np.ndarray:
    """Times after the beginning of some steps at which to look at them, those asked for included.

    Fewer a step when there are very many steps: they are short then.
    """
    count = 16 if steps <= 1_000 else 4 if steps <= 20_000 else 1
    spans = pieces.time - pieces.begin
    inner = pieces.begin[:, None] + spans[:, None] * np.arange(1, count + 1) / count
    inner[:, -1] = pieces.time
    first, last = pieces.begin[0], pieces.time[-1]
    wanted = asked[(asked > first) & (asked <= last)]
    others = inner.ravel()
    if len(wanted):
        others = merged(wanted, others, np.repeat(spans, count) / (8 * count))
    # Steps of no length lead to no other time; where the last one ends is always looked at.
    others = distinct(others, np.array([last]))
    return others[others > first]


def _stopped(
    pieces: Pieces, log: _StepLog, integration: Integration, end: float
) -> UnfinishedError:
    """At the point that was reached, with steps of so many seconds."""
    time, state = pieces.reached
    if pieces.status == kernel.Status.MAX_STEPS:
        why = _too_many(pieces.attempts, log.pace(), integration, end - time)
    else:
        why = WHY[kernel.Status(pieces.status)]
    why = f"at relative tolerance {integration.relative_tolerance:g}, {why}."
    times, states = log.so_far
    return UnfinishedError(
        Halt(why, time=time, end=end, state=state, step=log.pace(), times=times, states=states)
    )


def _too_many(attempts: int, step: float, integration: Integration, left: float) -> str:
    """A sentence that there were too many steps, or will be."""
    most = f"integration.most-steps is {integration.most_steps:,}"
    if attempts >= integration.most_steps:
        return f"{attempts:,} steps were not enough ({most})"
    needed = about(_expected(attempts, step, left))
    return f"{attempts:,} steps led to there, and at this pace it needs {needed} ({most})"


def about(steps: float) -> str:
    """A large number in words.

    >>> about(123_456.0), about(4.2e9), about(np.inf)
    ('about 120,000', 'about 4.2e+09', 'endlessly many')
    """
    if np.isinf(steps):
        return "endlessly many"
    return f"about {float(f'{steps:.2g}'):,.0f}" if steps < 1e7 else f"about {steps:.2g}"
