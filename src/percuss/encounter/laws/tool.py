"""Laws that move the tool before the contact: hold it still, or match the target's motion."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.algebra.vectors import Vector3
from percuss.control import ControlLaw, guidance
from percuss.control.goals import Goal
from percuss.encounter.actuation import MODELS_OWN, ActuatorLimits
from percuss.encounter.approach import Approach, Approaching, ApproachTask, Gains, Law, Preparation
from percuss.encounter.assembly import Assembly
from percuss.encounter.laws.common import (
    AFTER,
    BEFORE,
    check_gains,
    damping,
    given,
    limited,
    one_law,
    refused,
)
from percuss.encounter.laws.meeting_plans import grip_of, tool_meeting
from percuss.kinematics.frames import frame_pose


class ToolLaw(Law):
    """A law that moves the tool, before the contact alone.

    Its error moves with `natural_frequency` (rad/s) and `damping_ratio` (None: 1).
    """

    only: ClassVar[str] = "before"
    natural_frequency: Any
    damping_ratio: Any

    def __post_init__(self) -> None:
        check_gains(self, needed=True)

    @property
    def strength(self) -> Mapping[str, Any]:
        return given(natural_frequency=self.natural_frequency, damping_ratio=self.damping_ratio)

    @property
    def tuning(self) -> tuple[Any, Any]:
        """Frequency (rad/s) and damping ratio of the error's motion."""
        return self.natural_frequency, damping(self.damping_ratio)

    @abstractmethod
    def moving(
        self, task: ApproachTask, known: Preparation, posture: Any, place: Vector3
    ) -> ControlLaw:
        """The law without limits, for a tool that starts at a place (m, world), in a posture."""

    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        assembly = task.assembly
        posture = assembly.coordinates[: assembly.chaser.coordinate_count]
        place = frame_pose(assembly.chaser, posture, assembly.tool).position
        law = self.moving(task, known, posture, place)
        return one_law(limited(law, self.limits, assembly, BEFORE))

    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        del assembly, goal, tuned
        message = "is for before the contact: use it in approach.control"
        raise refused(self.name, message, AFTER)


@dataclass(frozen=True)
class HoldTool(ToolLaw):
    """Hold the tool where it is at the start, whatever the base does.

    Its error moves with `natural_frequency` (rad/s) and `damping_ratio` (default 1).
    """

    name: ClassVar[str] = "hold-tool"

    natural_frequency: Any
    damping_ratio: Any = None
    limits: ActuatorLimits = MODELS_OWN

    def moving(
        self, task: ApproachTask, known: Preparation, posture: Any, place: Vector3
    ) -> ControlLaw:
        del known
        assembly = task.assembly
        frequency, ratio = self.tuning
        return guidance.hold_tool(
            assembly.plant, assembly.tool, place, frequency, damping_ratio=ratio, posture=posture
        )


@dataclass(frozen=True)
class MatchTarget(ToolLaw):
    """Bring the tool to the target's contact point, and match its motion there.

    Its error moves with `natural_frequency` (rad/s) and `damping_ratio` (default 1); when and how
    fast they meet says `Approach.meet`.
    """

    name: ClassVar[str] = "match"

    natural_frequency: Any
    damping_ratio: Any = None
    limits: ActuatorLimits = MODELS_OWN

    def moving(
        self, task: ApproachTask, known: Preparation, posture: Any, place: Vector3
    ) -> ControlLaw:
        assembly = task.assembly
        meeting = tool_meeting(task, place) if known.meeting is None else known.meeting
        where = assembly.plant, assembly.tool, grip_of(assembly), meeting
        frequency, ratio = self.tuning
        return guidance.match_tool(
            *where,
            natural_frequency=frequency,
            damping_ratio=ratio,
            posture=posture,
            orbit=task.orbit,
        )

    def preparation(self, approach: Approach) -> str:
        del approach
        return "meeting"
