"""Where descents start: at the given place, near the target, anywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from percuss.kinematics.inverse.arms import Arms
from percuss.kinematics.inverse.chain import Array, ToolChain, random_coordinates
from percuss.kinematics.inverse.steps import entry_count, target_entries
from percuss.kinematics.tasks import Task, task_value

_TABLE = 512
"""Random configurations among which starts near a target are looked for."""
_MANY = 4096
"""Targets compared with the table at a time."""


@dataclass(frozen=True)
class Starts:
    """Starting points of a chain: `near`, and random ones within the limits."""

    chain: ToolChain
    near: Array
    length: float
    """What a radian is compared with (m)."""
    count: int
    """How many for each target."""
    seed: int
    prefers_near: bool
    """Whether many targets start at `near` before the table is used."""
    arms: Arms | None = None
    """Of targets whose chains differ: they are columns of `Arms`."""

    def of_one(self, target: Array) -> Array:
        """All starting points (nq, count) of one target: `near`, those near it, then any."""
        return self.of_each(target[:, None], self.near[:, None])[..., 0]

    def of_each(self, targets: Array, near: Array) -> Array:
        """All starting points (nq, count, n) of targets, each first its own `near` (nq, n)."""
        if self.count == 1:
            return near[:, None]
        any_ = (self.count - 1) // 2
        chosen = self._nearest(targets, self.count - 1 - any_)
        taken = np.zeros((self._table[0].shape[1], targets.shape[1]), bool)
        np.put_along_axis(taken, chosen, True, axis=0)
        rest = np.argsort(taken, axis=0, kind="stable")[:any_]  # the first that are not taken
        starts = np.repeat(near[:, None], self.count, axis=1)
        moving = np.concatenate([np.r_[node.coordinates] for node in self.chain.nodes])
        starts[moving, 1:] = self._table[0][moving][:, np.concatenate([chosen, rest])]
        return starts

    def of_round(self, number: int, targets: Array) -> Array:
        """The start number 0, 1 … of each target (nq, n): the nearest, the next, later any."""
        count = targets.shape[1]
        if self.count == 1 or (number == 0 and self.prefers_near):
            return np.repeat(self.near[:, None], count, axis=1)
        if number <= self.count // 2:
            parts = np.array_split(targets, max(1, count // _MANY), axis=1)
            nearest = [self._nearest(part, number + 1)[-1] for part in parts]
            return self._table[0][:, np.concatenate(nearest)]
        rng = np.random.default_rng([self.seed, number])
        return random_coordinates(self.chain, self.near, count, self.length, rng=rng)

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Random coordinates, and where they bring the tool (features, n)."""
        rng = np.random.default_rng(self.seed)
        count = max(_TABLE, 2 * self.count)
        q = random_coordinates(self.chain, self.near, count, self.length, rng=rng)
        value = task_value(self.chain.system, q, self.chain.frame, self.chain.task)
        entries = target_entries(self.chain.task, value)
        spread = [np.broadcast_to(np.asarray(x, float), count) for x in entries]
        return q, self._features(np.array(spread), self.length)

    def _features(self, targets: Array, length: float | Array) -> Array:
        """Numbers whose distance says how far two targets are apart."""
        if self.chain.task == Task.POSE:
            # Entries of rotations by a small angle φ apart differ by √2 φ in all.
            return np.concatenate([targets[:9] / math.sqrt(2), targets[9:12] / length])
        if self.chain.task == Task.PLANAR_POSE:
            turn = [np.cos(targets[2:3]), np.sin(targets[2:3])]
            return np.concatenate([targets[:2] / length, *turn])
        return targets[: entry_count(self.chain.task)] / length

    def _apart(self, targets: Array) -> Array:
        """How far the table's tools are from targets (table, n), but for what all have."""
        if self.arms is None:
            features, table = self._features(targets, self.length), self._table[1]
            return np.sum(table**2, axis=0)[:, None] - 2 * table.T @ features
        length = self.arms.length(targets)
        features = self._features(targets, length)
        tables = self._features(self.arms.places(self._table[0], targets), length)
        return np.sum(tables**2, axis=0) - 2 * np.einsum("ftn,fn->tn", tables, features)

    def _nearest(self, targets: Array, count: int) -> NDArray[np.intp]:
        """Indices (count, n) into the table, the nearest first."""
        apart = self._apart(targets)
        if count == 1:
            return np.argmin(apart, axis=0)[None, :]
        best = np.argpartition(apart, count - 1, axis=0)[:count]
        order = np.argsort(np.take_along_axis(apart, best, axis=0), axis=0)
        return np.take_along_axis(best, order, axis=0)
