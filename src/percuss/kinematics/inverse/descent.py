"""Many descents at once: each lane has its own start, target and damping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.kinematics.inverse.arms import Arms
from percuss.kinematics.inverse.chain import Array, ToolChain
from percuss.kinematics.inverse.objectives import Objective
from percuss.kinematics.inverse.steps import (
    entry_count,
    objective_step,
    squared_errors,
    task_step,
)

_FACTOR = 0.01
_EASIER, _HARDER = 0.2, 8.0
_HOPELESS = 1e10
"""Damping at which steps are lost in rounding: the lane is in a minimum."""
_SLOW = 0.98
"""A step that leaves more of the cost than this is slow; some in a row end the lane."""


@dataclass(frozen=True)
class Lanes:
    """Coordinates (nq, n), and their squared errors (2, n) in m² and rad²."""

    q: Array
    squares: Array
    iterations: int

    def reached(self, tolerance: tuple[float, float]) -> Any:
        """For each lane, whether it is within (m, rad) of its target."""
        return (self.squares <= np.square(tolerance)[:, None]).all(axis=0)

    def cost(self, length: float | Array) -> Array:
        """½ |e|² with lengths in units of `length`, of all or of each."""
        return 0.5 * (self.squares[0] / length**2 + self.squares[1])


class BestLanes:
    """The best lane found so far for each of many targets."""

    def __init__(self, near: Array, count: int, length: float) -> None:
        self.q = np.repeat(near[:, None], count, axis=1)
        self.squares = np.full((2, count), np.inf)
        self._costs = np.full(count, np.inf)
        self._length = length

    def update(self, targets: NDArray[np.intp], lanes: Lanes) -> None:
        """Update some targets with lanes, a target possibly several times."""
        costs = lanes.cost(self._length)
        worst_first = np.argsort(-costs, kind="stable")  # so that the last written is the best
        better = worst_first[costs[worst_first] < self._costs[targets[worst_first]]]
        chosen = targets[better]
        self.q[:, chosen], self.squares[:, chosen] = lanes.q[:, better], lanes.squares[:, better]
        self._costs[chosen] = costs[better]


@dataclass(frozen=True)
class LaneDescent:
    """The functions of a chain's descent over lanes, in NumPy or compiled."""

    chain: ToolChain
    length: float
    tolerance: tuple[float, float]
    iterations: int
    compiled: bool
    threads: int | None = None
    patience: int = 8
    """Slow steps in a row after which a lane is given up."""
    arms: Arms | None = None
    """Of lanes whose chains differ: their targets are columns of `Arms`."""

    @cached_property
    def _errors(self) -> Callable[..., Array]:
        def errors(q: Coordinates, target: Any) -> Any:
            return squared_errors(self._chain_of(target), q, target[: self._entries])

        return self._ready(errors, self._target)

    @cached_property
    def _step(self) -> Callable[..., Array]:
        def step(q: Coordinates, target: Any, factor: Any) -> Any:
            chain, length = self._chain_of(target), self.length_of(target)
            return task_step(chain, length, q, target[: self._entries], factor=factor)

        return self._ready(step, self._target, 0.0)

    def length_of(self, targets: Any) -> Any:
        """What a radian is compared with on the way to some targets (m)."""
        return self.length if self.arms is None else self.arms.length(targets)

    def _chain_of(self, target: Any) -> ToolChain:
        return self.chain if self.arms is None else self.arms.chain(target, self.chain.limited)

    @property
    def _entries(self) -> int:
        return entry_count(self.chain.task)

    @property
    def _target(self) -> Array:
        return np.zeros(self._entries) if self.arms is None else self.arms.example[1]

    def _ready(self, function: Callable[..., Any], *like: Any) -> Callable[..., Any]:
        if not self.compiled:
            return function
        from percuss import kernel

        start = np.zeros(self.chain.system.coordinate_count)
        key = kernel.fingerprint(function)
        return kernel.compile(function, start, *like, threads=self.threads, key=key)

    def errors(self, q: Array, targets: Array) -> Array:
        """Squared errors (2, n)."""
        return np.broadcast_to(self._errors(q, targets), (2, q.shape[1]))

    def reach(self, q: Array, targets: Array) -> Lanes:
        """Every lane as near to its target as it gets, q (nq, n) and targets (entries, n)."""
        q = q.copy()
        squares = self.errors(q, targets).copy()
        count = q.shape[1]
        factor, slow = np.full(count, _FACTOR), np.zeros(count, int)
        best = Lanes(q, squares, 0)
        going = np.flatnonzero(~best.reached(self.tolerance))
        done = 0
        while going.size and done < self.iterations:
            done += 1
            trial = self._step(q[:, going], targets[:, going], factor[going])
            found = Lanes(trial, self.errors(trial, targets[:, going]), done)
            length = self.length_of(targets[:, going])
            old = Lanes(q[:, going], squares[:, going], done).cost(length)
            new = found.cost(length)
            better = new < old
            chosen = going[better]
            q[:, chosen], squares[:, chosen] = trial[:, better], found.squares[:, better]
            factor[going] *= np.where(better, _EASIER, _HARDER)
            slow[going] = np.where(new < _SLOW * old, 0, slow[going] + 1)
            there = Lanes(q[:, going], squares[:, going], done).reached(self.tolerance)
            hope = (slow[going] < self.patience) & (factor[going] < _HOPELESS)
            going = going[~there & hope]
        return Lanes(q, squares, done)

    def improved(self, lanes: Lanes, targets: Array, objective: Objective) -> Lanes:
        """Lanes that have reached their targets, moved along the null space to lower objectives.

        Every step is followed by a descent back to the target, and kept only if it then helped.
        """
        slide, value = self._objective(objective)
        q, squares = lanes.q.copy(), lanes.squares.copy()
        count = q.shape[1]
        share, height = np.ones(count), value(q)
        going = np.arange(count)
        for _ in range(self.iterations):
            if not going.size:
                break
            trial, size = slide(q[:, going], share[going])
            back = self.reach(trial, targets[:, going])
            new = value(back.q)
            better = back.reached(self.tolerance) & (new < height[going])
            chosen = going[better]
            gain = height[chosen] - new[better]
            q[:, chosen], squares[:, chosen] = back.q[:, better], back.squares[:, better]
            height[chosen] = new[better]
            share[going] = np.where(better, np.minimum(1.0, 2 * share[going]), 0.25 * share[going])
            moving = np.sqrt(size) > 1e-10
            helped = np.ones(going.size, bool)
            helped[better] = gain > 1e-15 * (1e-3 + height[chosen])
            going = going[moving & helped & (share[going] > 1e-5)]
        return Lanes(q, squares, lanes.iterations)

    def _objective(self, objective: Objective) -> tuple[Callable[..., Any], Callable[..., Any]]:
        def slide(q: Coordinates, share: Any) -> Any:
            return objective_step(self.chain, self.length, objective, q, share=share)

        step, height = self._ready(slide, 0.0), self._ready(objective.value)
        return (
            lambda q, share: _spread(step(q, share), q.shape[1]),
            lambda q: np.broadcast_to(height(q), q.shape[1]).copy(),
        )


def _spread(found: tuple[Any, Any], count: int) -> tuple[Array, Array]:
    return found[0], np.broadcast_to(found[1], count)
