"""When a rollout stops to record: from durations and chosen times to segments of the loop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from percuss.kernel.duals import slope_of, value_of
from percuss.kernel.errors import KernelError
from percuss.kernel.rollouts import fixed_step
from percuss.kernel.rollouts.methods import RK4
from percuss.kernel.rollouts.problem import RolloutProblem

MOST_COUNTED = 2**24
"""Whole numbers that single precision can count."""


@dataclass(frozen=True)
class SegmentPlan:
    """Segments of a run, and which of them end at the times asked for and at the end.

    Attributes:
        targets: of each segment, a row in the order of the sorted names of the loop's targets.
        iterations: of each segment, at most.
        ends: which segments end at the chosen times, and last at the end.
        times: s, those asked for.
        begin, finish: s, of each case, shape () or (batch,).
        most: attempts of each case, shape () or (batch,).
    """

    targets: np.ndarray
    iterations: np.ndarray
    ends: np.ndarray
    times: np.ndarray | None
    begin: np.ndarray
    finish: np.ndarray
    most: np.ndarray

    @property
    def last(self) -> int:
        return int(self.ends[-1])

    @property
    def batch(self) -> int | None:
        """Cases with a clock of their own, None when all have the same."""
        return self.begin.shape[0] if self.begin.ndim else None

    def ending_by_cases(self) -> SegmentPlan:
        """This plan with a last segment that leaves the end to the cases' own clocks alone.

        Where both are the same, a derivative with respect to a case's end would be that of the
        segment's, which has none.
        """
        targets = self.targets.copy()
        targets[-1] += 1.0 + np.abs(targets[-1])
        return replace(self, targets=targets)


class Clocks(NamedTuple):
    """When a run begins and ends (s), as `Rollout` takes it; numbers may be Duals."""

    duration: Any
    times: Any
    start: Any

    @property
    def values(self) -> tuple[Any, Any, Any]:
        return value_of(self.duration), self.times, value_of(self.start)

    @property
    def slopes(self) -> tuple[Any, Any]:
        """Derivatives of the beginning and of the end."""
        first = slope_of(self.start)
        # Without a duration the end is the last of the chosen times.
        return first, 0.0 * first if self.duration is None else first + slope_of(self.duration)


def make_plan(
    problem: RolloutProblem, lean: bool, duration: Any, times: Any, *, start: Any
) -> SegmentPlan:
    """The segments that end at the chosen times and after the duration (s)."""
    wanted = None if times is None else np.array(times, float)
    if wanted is not None and (wanted.ndim != 1 or not wanted.size):
        raise KernelError(f"times must be a list of seconds, got shape {wanted.shape}")
    begin, finish = _clocks(duration, wanted, start)
    stops = np.array([]) if wanted is None else wanted
    spans = [stops, stops] if not begin.size else [begin, finish]
    first, end = (
        float(pick(span)) if span.size else 0.0
        for pick, span in zip((np.min, np.max), spans, strict=True)
    )
    if not (np.isfinite(begin).all() and np.isfinite(finish).all() and np.isfinite(stops).all()):
        raise KernelError(f"start, duration and times must be finite, got end {end!r} s")
    rising = (np.diff(stops) > 0).all() and ((stops >= first) & (stops <= end)).all()
    if (finish < begin).any() or not rising:
        raise KernelError(
            f"times must rise from start {first!r} s to the end {end!r} s, got {stops}"
        )
    if not stops.size or stops[-1] < end:
        stops = np.append(stops, end)
    method = problem.method
    if lean:
        assert isinstance(method, RK4)
        made = fixed_step.schedule(method, first, stops)
        _check_count(problem, int(made.iterations.sum()))
        most = np.asarray(made.iterations.sum())
        return SegmentPlan(
            targets=made.targets,
            iterations=made.iterations,
            ends=made.ends,
            times=wanted,
            begin=begin,
            finish=finish,
            most=most,
        )
    if method.most_steps is not None:
        most = np.full(begin.shape, method.most_steps)
    else:
        assert isinstance(method, RK4)
        most = 10_000 + 10 * np.ceil((finish - begin) / method.step).astype(np.int64)
    limit = int(np.max(most, initial=1))
    _check_count(problem, limit)
    limits = np.full(len(stops), limit, np.int64)
    return SegmentPlan(
        targets=stops[:, None],
        iterations=limits,
        ends=np.arange(len(stops)),
        times=wanted,
        begin=begin,
        finish=finish,
        most=most,
    )


def own_clocks(duration: Any, start: Any) -> bool:
    """Whether the cases have clocks of their own."""
    return np.ndim(duration if duration is not None else 0.0) > 0 or np.ndim(start) > 0


def _clocks(duration: Any, times: np.ndarray | None, start: Any) -> tuple[np.ndarray, np.ndarray]:
    """Beginning and end (s) of each case, or of all of them."""
    begin = np.asarray(start, float)
    if duration is None:
        if times is None:
            raise KernelError("give a duration in seconds, or the times at which states are wanted")
        finish = np.asarray(float(times[-1]))
    else:
        lasts = np.asarray(duration, float)
        if (
            begin.ndim > 1
            or lasts.ndim > 1
            or (begin.ndim and lasts.ndim and begin.size != lasts.size)
        ):
            raise KernelError(
                "start and duration are one number of seconds each, or one per case: "
                f"got shapes {begin.shape} and {lasts.shape}"
            )
        finish = begin + lasts
    if begin.ndim > 1:
        raise KernelError(f"start is one number of seconds, or one per case: got {begin.shape}")
    return tuple(np.broadcast_arrays(begin, finish))  # type: ignore[return-value]


def _check_count(problem: RolloutProblem, steps: int) -> None:
    if problem.dtype == np.float32 and steps > MOST_COUNTED:
        raise KernelError(
            f"single precision counts up to {MOST_COUNTED} steps, this run may take {steps}; "
            "use float64, or run it in parts"
        )
