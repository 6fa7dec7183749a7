"""The impact compiled: thousands of choices at once, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.algebra.scalars import pack
from percuss.kinematics.frames import frame_pose
from percuss.percussion.planner.clearance import Clearance
from percuss.percussion.planner.felt import felt
from percuss.percussion.planner.problem import Array, ImpactProblem

_LANES = 200_000
"""Cases computed at a time, so that memory stays small."""


@dataclass(frozen=True)
class Sizes:
    """Impacts of several choices; the choices are the last axis.

    `squares`: of the terms, in the order of `felt` (terms, errors, n); `tool`: the
    contact point without errors (m), world, (2 or 3, n); `closing`: along a bounce's normal
    without errors (m/s), (n,).
    """

    squares: Array
    tool: Array
    closing: Array


@dataclass(frozen=True)
class PostureSlopes:
    """An impact of one choice with its derivatives by the choice (last axis)."""

    squares: Array
    """(terms, errors)."""
    tool: Array
    closing: float
    squares_by: Array
    """(terms, errors, choice)."""
    tool_by: Array
    closing_by: Array


class Evaluation:
    """An problem's impact as compiled functions."""

    def __init__(self, problem: ImpactProblem, threads: int | None = None) -> None:
        self.problem = problem
        self.clearance = Clearance(problem)
        self._threads = threads

    def sizes(self, x: Array, errors: Array) -> Sizes:
        """What is felt of choices (entries, n) under errors (entries, k), the first none."""
        count, k = x.shape[1], errors.shape[1]
        step = max(1, _LANES // k)
        parts = [self._sizes(x[:, at : at + step], errors) for at in range(0, count, step)]
        return Sizes(
            *(
                np.concatenate([getattr(part, name) for part in parts], axis=-1)
                for name in ("squares", "tool", "closing")
            )
        )

    def _sizes(self, x: Array, errors: Array) -> Sizes:
        count, k = x.shape[1], errors.shape[1]
        # Lane (error number, choice) is number error · count + choice.
        found = self._value(np.tile(x, (1, k)), np.repeat(errors, count, axis=1))
        return Sizes(
            _spread(found["squares"], k * count).reshape(-1, k, count),
            _spread(found["tool"], k * count)[:, :count],
            _spread(found["closing"], k * count)[0, :count],
        )

    def slopes(self, x: Array, errors: Array) -> PostureSlopes:
        """PostureSlopes of what is felt of a choice (entries,) under errors (entries, k)."""
        n, k = len(x), errors.shape[1]
        # Lane (direction, error number) is number direction · k + error.
        directions = np.repeat(np.eye(n), k, axis=1)
        value, slope = self._slope(
            np.repeat(x[:, None], n * k, axis=1), directions, np.tile(errors, (1, n))
        )

        def by(name: str) -> Array:
            return _spread(slope[name], n * k).reshape(-1, n, k)

        return PostureSlopes(
            squares=_spread(value["squares"], n * k)[:, :k],
            tool=_spread(value["tool"], n * k)[:, 0],
            closing=float(_spread(value["closing"], n * k)[0, 0]),
            squares_by=np.swapaxes(by("squares"), 1, 2),
            tool_by=by("tool")[:, :, 0],
            closing_by=by("closing")[0, :, 0],
        )

    def reach(self, x: Array) -> tuple[Array, Array]:
        """Where the tool is (m, world) for choices (entries, n), and its derivative.

        Shapes (2 or 3, n) and (2 or 3, entries, n).
        """
        size, count = self.problem.size, x.shape[1]
        place = _spread(self._place(x), count)
        by = np.asarray(self._place_by(x))
        return place, np.broadcast_to(by, (size, x.shape[0], count))

    def rooms(self, x: Array) -> Array:
        """Room between bodies (pairs, n) of choices (entries, n), m; negative: too close."""
        return _spread(self._room(x), x.shape[1])

    def room_slopes(self, x: Array) -> tuple[Array, Array]:
        """Room between bodies of one choice, (pairs,), and its derivative (pairs, entries)."""
        n = len(x)
        value, slope = self._room_slope(np.repeat(x[:, None], n, axis=1), np.eye(n))
        return _spread(value, n)[:, 0], _spread(slope, n)

    # --- compiled -----------------------------------------------------------------------------

    @cached_property
    def _value(self) -> kernel.Kernel:
        e = self.problem
        return self._compiled(lambda x, errors: felt(e, x, errors), e.initial, e.no_errors)

    @cached_property
    def _slope(self) -> kernel.Kernel:
        e = self.problem

        def along(x: Any, direction: Any, errors: Any) -> Any:
            return kernel.jvp(lambda y: felt(e, y, errors))((x,), (direction,))

        return self._compiled(along, e.initial, e.initial, e.no_errors)

    @cached_property
    def _place(self) -> kernel.Kernel:
        return self._compiled(self._tool, self.problem.initial)

    @cached_property
    def _place_by(self) -> Callable[..., Any]:
        found = kernel.jacobian(self._tool, self.problem.initial, threads=self._threads)
        return lambda x: found(x)[0]

    @cached_property
    def _room(self) -> kernel.Kernel:
        return self._compiled(self.clearance.room, self.problem.initial)

    @cached_property
    def _room_slope(self) -> kernel.Kernel:
        def along(x: Any, direction: Any) -> Any:
            return kernel.jvp(self.clearance.room)((x,), (direction,))

        return self._compiled(along, self.problem.initial, self.problem.initial)

    def _tool(self, x: Any) -> Any:
        e = self.problem
        at = frame_pose(e.contact.chaser, e.coordinates(x), e.contact.tool).position
        return pack(list(at)[: e.size])

    def _compiled(self, function: Callable[..., Any], *like: Any) -> kernel.Kernel:
        return kernel.compile(function, *like, threads=self._threads)


def _spread(values: Any, count: int) -> Array:
    """(entries, count): what is the same in all lanes may come as one."""
    array = np.asarray(values, float)
    return np.broadcast_to(array, (*array.shape[:-1], count)) if array.ndim > 1 else array
