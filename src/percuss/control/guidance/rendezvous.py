"""A chaser and a target in flight: where joints and base must be to meet at a given time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.vectors import Vector3
from percuss.control.guidance.arrival import arriving
from percuss.control.guidance.configurations import Reaching, carried_there, relative_to_base
from percuss.control.guidance.matching_rates import (
    matched_task,
    matching_rates,
    matching_rates_of_each,
)
from percuss.control.guidance.meeting_frames import MeetingFrames
from percuss.control.guidance.plan import MOVE, STAY, Plan, Plans
from percuss.control.guidance.prediction import checked_state, predicted_state
from percuss.dynamics.orbit import CircularOrbit
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.inverse.chain import chain_to
from percuss.kinematics.tasks import Task
from percuss.model.errors import ModelError
from percuss.model.joints import Free, Planar
from percuss.model.names import BaseMode
from percuss.model.systems import Frame, System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rendezvous:
    """Chaser and target whose meeting is planned, for any time of it; see `meeting_plan`."""

    chaser: System
    start: Array
    tool: Frame
    target: System
    target_start: tuple[Array, Array]
    grip: Frame
    closing_speed: float
    base: str
    direction: Vector3
    axis: Vector3
    task: Task
    reaching: Reaching
    orbit: CircularOrbit | None = None

    @staticmethod
    def of(
        chaser: System,
        q: Coordinates,
        tool: str | Frame,
        target: System,
        *,
        q_t: Coordinates,
        v_t: Rates,
        grip: str | Frame,
        closing_speed: float,
        base: str,
        approach_direction: Any = None,
        tool_axis: Any = None,
        align: bool | None = None,
        posture: Any = None,
        seed: int = 0,
        compiled: bool = False,
        orbit: CircularOrbit | None = None,
    ) -> Rendezvous:
        """The rendezvous of the arguments of `meeting_plan`, checked.

        What is `compiled` pays for many times.
        """
        refuse_floating(chaser)
        _check(chaser, target, base, closing_speed)
        still = np.zeros(chaser.rate_count)
        start, _ = checked_state(chaser, q, still)
        preferred = start if posture is None else checked_state(chaser, posture, still)[0]
        near = _with_base_of(chaser, preferred, start)
        frames = MeetingFrames.of(
            chaser, tool, target, grip, approach_direction=approach_direction, tool_axis=tool_axis
        )
        task = _task(chaser, frames.tool, base, align)
        return Rendezvous(
            chaser=chaser,
            start=start,
            tool=frames.tool,
            target=target,
            target_start=checked_state(target, q_t, v_t),
            grip=frames.grip,
            closing_speed=float(closing_speed),
            base=base,
            direction=frames.direction,
            axis=frames.axis,
            task=task,
            reaching=Reaching(
                chaser=chaser,
                tool=frames.tool,
                axis=frames.axis,
                task=task,
                near=near,
                seed=seed,
                compiled=compiled,
            ),
            orbit=orbit,
        )

    def at_times(
        self, go: Sequence[float], at: Sequence[float], then: Sequence[tuple[Array, Array]]
    ) -> list[Plan | ModelError]:
        """The plans that leave at times `go` and meet at times `at` (s), found together.

        `then` are coordinates and rates of the target at each meeting. Where there is no plan,
        what stands in its way.
        """
        if not len(at):
            return []
        states = tuple(np.stack(part, axis=-1) for part in zip(*then, strict=True))
        start = np.repeat(self.start[:, None], len(at), axis=1)
        found = self.plans(start, (states[0], states[1]))
        task = matched_task(self.chaser, self.tool, self.base == MOVE)
        plans: list[Plan | ModelError] = []
        for k, (leaves, meets) in enumerate(zip(go, at, strict=True)):
            if not found.found[k]:
                plans.append(self._refusal(leaves, meets))
                continue
            q, rates = found.coordinates[:, k], found.rates[:, k]
            plans.append(self._made(leaves, meets, then[k], q, matching=(rates, task)))
        return plans

    def _refusal(self, go: float, at: float) -> Plan | ModelError:
        """What stands in the way of a plan on its own."""
        try:
            return self.plan(go, at)
        except ModelError as error:
            return error

    def plan(self, go: float, at: float) -> Plan:
        """The plan that leaves at `go` and meets at `at` (s)."""
        if not (math.isfinite(go) and math.isfinite(at) and at > go >= 0):
            raise ModelError(
                f"at must be later than go, and go ≥ 0 s; got at = {at!r} s and go = {go!r} s"
            )
        then_q, then_v = predicted_state(self.target, *self.target_start, at, orbit=self.orbit)
        wanted, velocity = self._tool_then(self.start, then_q, then_v)
        moves = self.base == MOVE
        if moves:
            near = self.reaching.near
            found = carried_there(self.chaser, self.start, near, self.tool, wanted=wanted)
        else:
            found = self.reaching.coordinates(wanted)
        matching = matching_rates(self.chaser, found, self.tool, velocity, base_too=moves)
        return self._made(go, at, (then_q, then_v), found, matching=matching)

    def _made(
        self,
        go: float,
        at: float,
        then: tuple[Array, Array],
        q: Array,
        *,
        matching: tuple[Array, Task],
    ) -> Plan:
        """The plan to coordinates q, with rates that match so much of the grip's velocity."""
        rates, matched = matching
        return Plan(
            chaser=self.chaser,
            tool=self.tool,
            base=self.base,
            go=float(go),
            at=float(at),
            start=self.start,
            coordinates=q,
            rates=rates,
            task=self.task,
            matched=matched,
            tool_pose=frame_pose(self.chaser, q, self.tool),
            tool_velocity=self._tool_then(self.start, *then)[1],
            target_coordinates=then[0],
            target_rates=then[1],
            goal=arriving(self.chaser, self.start, q, rates, go=float(go), at=float(at)),
        )

    def plans(self, start: Array, then: tuple[Array, Array]) -> Plans:
        """The plans of many cases at once, each as `plan` finds it.

        Args:
            start: coordinates of the chasers until they go, (nq, cases), their joints the posture
                that is preferred.
            then: coordinates and rates of the targets when they meet, each (entries, cases).
        """
        wanted, velocity = self._tool_then(start, *then)
        moves = self.base == MOVE
        if moves:
            q = carried_there(self.chaser, start, start, self.tool, wanted=wanted)
            found = np.ones(q.shape[1], bool)
        else:
            relative = relative_to_base(self.chaser, self.reaching.near, start, wanted)
            q, found = self.reaching.each(relative, start)
        rates, matched = matching_rates_of_each(self.chaser, q, self.tool, velocity, base_too=moves)
        return Plans(q, rates, found & matched)

    def _tool_then(self, start: Any, then_q: Any, then_v: Any) -> tuple[Pose, Motion]:
        frames = MeetingFrames(
            chaser=self.chaser,
            tool=self.tool,
            target=self.target,
            grip=self.grip,
            direction=self.direction,
            axis=self.axis,
        )
        return frames.tool_then(start, then_q, then_v, self.closing_speed)


def refuse_floating(chaser: System) -> None:
    """Only what stays where it is put can be planned ahead joint by joint."""
    if chaser.mode in (BaseMode.FREE_FLOATING, BaseMode.ATTITUDE_CONTROLLED):
        raise ModelError(
            f"the base of {chaser.name!r} is {chaser.mode}: it moves as momentum demands, so "
            "where it will be depends on the way there. Let the tool follow the grip instead "
            "(match_tool; control law `match`), or give the base thrusters (free-flying)"
        )


def _check(chaser: System, target: System, base: str, closing_speed: float) -> None:
    if base not in (STAY, MOVE):
        raise ModelError(f"base must be 'stay' or 'move', got {base!r}")
    if base == MOVE and chaser.mode == BaseMode.FIXED:
        raise ModelError(f"the base of {chaser.name!r} is fixed: it can only 'stay'")
    if not (math.isfinite(closing_speed) and closing_speed >= 0):
        raise ModelError(f"closing-speed must be finite and ≥ 0 m/s, got {closing_speed!r}")
    if chaser.is_planar is not target.is_planar:
        flat, deep = (chaser, target) if chaser.is_planar else (target, chaser)
        raise ModelError(f"{flat.name!r} moves in a plane and {deep.name!r} in space: not both")


def _with_base_of(chaser: System, posture: Array, start: Array) -> Array:
    """The posture's joints on the base where it is."""
    near = np.array(posture, float)
    if isinstance(chaser.base_joint.motion, (Free, Planar)):
        own = chaser.node(chaser.base_joint.child).coordinates
        near[own] = start[own]
    return near


def _task(chaser: System, tool: Frame, base: str, align: bool | None) -> Task:
    whole = Task.PLANAR_POSE if chaser.is_planar else Task.POSE
    place = Task.PLANAR_POSITION if chaser.is_planar else Task.POSITION
    joints = len(chain_to(chaser, tool, place).rates)
    takes = 3 if chaser.is_planar else 5
    enough = base == MOVE or joints >= takes
    if align and not enough:
        raise ModelError(
            f"align: to place {tool.name!r} and point it somewhere takes {takes} joints, and "
            f"there are {joints}; leave it out, or let the base move"
        )
    return whole if enough and align is not False else place
