"""Plans of cases whose chasers, tools, targets and grips may differ, in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Motion
from percuss.algebra.scalars import pack, to_scalar
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.configurations import (
    Reaching,
    base_there,
    relative_to_base,
    with_base,
)
from percuss.control.guidance.matching_rates import (
    moving_rates,
    rates_between,
    rates_by_singular_values,
    task_matrices,
)
from percuss.control.guidance.meeting_frames import MeetingFrames
from percuss.control.guidance.plan import MOVE, Plans
from percuss.control.guidance.rendezvous import Rendezvous
from percuss.kinematics.inverse.arms import Arms
from percuss.kinematics.inverse.chain import ToolChain
from percuss.kinematics.inverse.steps import target_entries

Array = NDArray[np.float64]

_SOUND = 1e-8
"""Least soundness of rates found by normal equations; singular values decide on the others."""
_TOGETHER = 8192
"""Cases whose arms are looked for together: some ten megabytes an array."""


@dataclass(frozen=True)
class PlansOfMany:
    """Where chasers are to be when they meet their targets, each as `Rendezvous.plan` finds it.

    Attributes:
        nominal: the meeting of one of the cases, for what all have in common.
        frames_of: numbers of a case, (count,), any scalar → what meets in it.
        count: how many numbers a case has.
        arms_differ: whether chasers differ in lengths, tools or where a fixed base is.
        compiled: makes a kernel of a function and examples of its arguments.
        threads: for what is not a kernel of that maker.
    """

    nominal: Rendezvous
    frames_of: Callable[[Any], MeetingFrames]
    count: int
    arms_differ: bool
    compiled: Callable[..., Callable[..., Any]]
    threads: int | None = None

    def __fingerprint__(self) -> Any:
        """What its functions follow from."""
        return self.nominal, self.frames_of, self.count

    def __call__(
        self, start: Array, then: tuple[Array, Array], closing_speed: Array, numbers: Array
    ) -> Plans:
        """The plans of cases.

        Args:
            start: coordinates of the chasers until they go, (nq, cases), their joints the posture
                that is preferred.
            then: coordinates and rates of the targets when they meet, each (entries, cases).
            closing_speed: of each case, (cases,), m/s.
            numbers: of each case, (count, cases).
        """
        cases = start.shape[1]
        found = self._wanted(start, *then, closing_speed, numbers)
        place, velocity = (
            np.broadcast_to(np.asarray(x).reshape(len(x), -1), (len(x), cases)) for x in found
        )
        both = np.concatenate([place, velocity])
        known: NDArray[np.bool_] = np.array(np.isfinite(both).all(axis=0), bool)
        if self._moves:
            q = with_base(self.nominal.chaser, start, start, place)
        else:
            q = start.copy()
            some = np.flatnonzero(known)
            for part in np.array_split(some, max(1, -(-some.size // _TOGETHER))):
                differ = numbers[:, part] if self.arms_differ else None
                q[:, part], known[part] = self._reaching.each(
                    place[:, part], start[:, part], differ
                )
        rates, lost = self._matched(q, velocity, numbers)
        return Plans(q, rates, known & ~lost)

    @property
    def _moves(self) -> bool:
        return self.nominal.base == MOVE

    @cached_property
    def _like(self) -> tuple[Array, Array, Array]:
        """Coordinates of a chaser, a velocity of its tool, numbers of a case."""
        return np.array(self.nominal.start), np.zeros(6), np.zeros(self.count)

    @cached_property
    def _wanted(self) -> Callable[..., Any]:
        """Start, target then, closing speed, numbers → place and velocity of the tool then.

        The place is that of the base which brings the tool there, or that of the tool as inverse
        kinematics takes it.
        """
        near, task = self.nominal.reaching.near, self.nominal.task

        def wanted(start: Any, q: Coordinates, v: Rates, speed: Any, numbers: Any) -> Any:
            frames = self.frames_of(numbers)
            pose, velocity = frames.tool_then(start, q, v, speed)
            if self._moves:
                place = list(base_there(frames.chaser, start, frames.tool, pose))
            else:
                relative = relative_to_base(frames.chaser, list(near), start, pose)
                place = target_entries(task, relative)
            moving = [*velocity.linear, *velocity.angular]
            return tuple(pack([to_scalar(x) for x in part]) for part in (place, moving))

        start, _, numbers = self._like
        return self.compiled(wanted, start, *self.nominal.target_start, 0.0, numbers)

    # --- arms -----------------------------------------------------------------------------------

    @cached_property
    def _reaching(self) -> Reaching:
        own = replace(self.nominal.reaching, threads=self.threads)
        if not self.arms_differ:
            return own

        def chain_of(numbers: Any) -> ToolChain:
            frames = self.frames_of(numbers)
            return replace(own, chaser=frames.chaser, tool=frames.tool, axis=frames.axis).chain()

        return replace(own, arms=Arms(chain_of, self.count, own.chain()))

    # --- rates ----------------------------------------------------------------------------------

    def _matched(
        self, q: Array, velocity: Array, numbers: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Rates (nv, cases) that match velocities (6, cases), and where the chaser is singular."""
        found, sound = self._rates(q, velocity, numbers)
        cases = q.shape[1]
        rates = np.array(np.broadcast_to(np.asarray(found), (len(found), cases)))
        doubtful = np.flatnonzero(~(np.broadcast_to(np.asarray(sound), (cases,)) > _SOUND))
        lost = np.zeros(cases, bool)
        if doubtful.size:
            rates[:, doubtful], lost[doubtful] = self._by_singular_values(
                q[:, doubtful], velocity[:, doubtful], numbers[:, doubtful]
            )
        return rates, lost

    def _by_singular_values(
        self, q: Array, velocity: Array, numbers: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        chaser, tool = self.nominal.chaser, self.nominal.tool
        moving, task = moving_rates(chaser, tool, self._moves)
        J, M = (
            np.broadcast_to(np.asarray(x).reshape(*x.shape[:2], -1), (*x.shape[:2], q.shape[1]))
            for x in self._matrices(q, numbers)
        )
        rates = np.zeros((chaser.rate_count, q.shape[1]))
        rates[moving], lost = rates_by_singular_values(J, M, velocity[list(task.rows)])
        return rates, lost

    @cached_property
    def _rates(self) -> Callable[..., Any]:
        def rates(q: Coordinates, velocity: Any, numbers: Any) -> Any:
            frames = self.frames_of(numbers)
            moving = Motion(Vector3(*velocity[:3]), Vector3(*velocity[3:]))
            found, sound = rates_between(
                frames.chaser, q, frames.tool, moving, base_too=self._moves
            )
            return pack([to_scalar(x) for x in found]), to_scalar(sound)

        return self.compiled(rates, *self._like)

    @cached_property
    def _matrices(self) -> Callable[..., Any]:
        def matrices(q: Coordinates, numbers: Any) -> Any:
            frames = self.frames_of(numbers)
            both = task_matrices(frames.chaser, q, frames.tool, self._moves)
            return tuple(pack(rows) for rows in both)

        start, _, numbers = self._like
        return self.compiled(matrices, start, numbers)
