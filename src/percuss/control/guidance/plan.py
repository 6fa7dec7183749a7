"""A planned motion of joints and base that meets a grip in flight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.control.goals import Goal
from percuss.kinematics.tasks import Task
from percuss.model.systems import Frame, System

Array = NDArray[np.float64]

STAY, MOVE = "stay", "move"


@dataclass(frozen=True)
class Plans:
    """Where many chasers are to be when they meet their targets.

    Attributes:
        coordinates: of the chasers then, (nq, cases).
        rates: of the chasers then, (nv, cases).
        found: in which cases there is a plan, (cases,); the numbers of others mean nothing.
    """

    coordinates: Array
    rates: Array
    found: NDArray[np.bool_]


@dataclass(frozen=True)
class Plan:
    """A motion of the chaser that brings its tool to a grip at a chosen time.

    World frame, SI units. `goal` is for `computed_torque`: at rest until `go`, at `coordinates`
    with `rates` at `at`, then each coordinate goes on at its last rate, so that the tool keeps
    closing on the grip for a short while.
    """

    chaser: System
    tool: Frame
    base: str
    go: float
    at: float
    start: Array
    """Coordinates of the chaser until `go`."""
    coordinates: Array
    """Of the chaser at `at`."""
    rates: Array
    """Of the chaser at `at`."""
    task: Task
    """What of the tool is met: its place, or its place and orientation."""
    matched: Task
    """What of the tool's velocity is matched."""
    tool_pose: Pose
    tool_velocity: Motion
    """Wanted at `at`: the grip's, and the closing speed along the approach direction."""
    target_coordinates: Array
    target_rates: Array
    goal: Goal

    def __repr__(self) -> str:
        return (
            f"<Plan of {self.chaser.name!r}: the tool leaves at {self.go:g} s and meets the grip "
            f"at {self.at:g} s, base: {self.base}>"
        )

    def __str__(self) -> str:
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the plan does, in words."""
        place = ", ".join(f"{float(x):.4g}" for x in self._flat(self.tool_pose.position))
        speed = math.hypot(*(float(x) for x in self.tool_velocity.linear))  # type: ignore[arg-type]
        first = (
            f"The tool leaves at {self.go:.4g} s and meets the grip at {self.at:.4g} s at "
            f"({place}) m, moving at {speed:.4g} m/s."
        )
        angular = self.matched in (Task.POSE, Task.PLANAR_POSE)
        second = (
            "Its velocity and rotation are those of the grip, the closing speed added."
            if angular
            else "Its velocity is that of the grip, the closing speed added; its rotation is not "
            "matched, for want of joints."
        )
        third = (
            "The base stays where it is."
            if self.base == STAY
            else "The base moves to where the arm meets the grip in the posture asked for."
        )
        return first, second, third

    def _flat(self, vector: Any) -> tuple[Any, ...]:
        return tuple(vector)[: 2 if self.task.is_planar else 3]
