"""When a rollout stops to record: from durations and chosen times to segments of the loop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts import fixed_step
from percuss.kernel.rollouts.problem import Problem
from percuss.kernel.rollouts.steppers import RK4

MOST_COUNTED = 2**24
"""Whole numbers that single precision can count."""


@dataclass(frozen=True)
class Plan:
    """Segments of a run, and which of them end at the times asked for and at the end."""

    targets: np.ndarray
    iterations: np.ndarray
    ends: np.ndarray
    times: np.ndarray | None
    start: float
    end: float

    @property
    def last(self) -> int:
        return int(self.ends[-1])


def make_plan(
    problem: Problem, lean: bool, duration: float | None, times: Any, start: float
) -> Plan:
    """The segments that end at the chosen times and after the duration (s)."""
    wanted = None if times is None else np.array(times, float)
    if wanted is not None and (wanted.ndim != 1 or not wanted.size):
        raise KernelError(f"times must be a list of seconds, got shape {wanted.shape}")
    if duration is None and wanted is None:
        raise KernelError("give a duration in seconds, or the times at which states are wanted")
    end = float(wanted[-1] if duration is None else start + duration)  # type: ignore[index]
    stops = np.array([]) if wanted is None else wanted
    if not (math.isfinite(end) and math.isfinite(start) and np.isfinite(stops).all()):
        raise KernelError(f"start, duration and times must be finite, got end {end!r} s")
    if end < start or (np.diff(stops) <= 0).any() or ((stops < start) | (stops > end)).any():
        raise KernelError(
            f"times must rise from start {start!r} s to the end {end!r} s, got {stops}"
        )
    if not stops.size or stops[-1] < end:
        stops = np.append(stops, end)
    method = problem.method
    if lean:
        assert isinstance(method, RK4)
        made = fixed_step.schedule(method, start, stops)
        _check_count(problem, int(made.iterations.sum()))
        return Plan(made.targets, made.iterations, made.ends, wanted, start, end)
    most = method.most_steps
    if most is None:
        most = 10_000 + 10 * math.ceil((end - start) / method.step)  # type: ignore[union-attr]
    _check_count(problem, most)
    # In the order of sorted(TARGETS): end, most, start.
    rows = [[stop, float(most), start] for stop in stops]
    limits = np.full(len(stops), most, np.int64)
    return Plan(np.array(rows), limits, np.arange(len(stops)), wanted, start, end)


def _check_count(problem: Problem, steps: int) -> None:
    if problem.dtype == np.float32 and steps > MOST_COUNTED:
        raise KernelError(
            f"single precision counts up to {MOST_COUNTED} steps, this run may take {steps}; "
            "use float64, or run it in parts"
        )
