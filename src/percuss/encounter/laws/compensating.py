"""IC²: impacts are compensated while a force is felt at the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.control import ControlLaw, computed_torque, gains
from percuss.control.goals import Goal
from percuss.control.ic2 import ic2
from percuss.control.ic2_sensing import force_delayed, rate_limited
from percuss.control.joint_friction_models import FrictionModel
from percuss.control.laws import no_control
from percuss.control.plant import Plant
from percuss.encounter.actuation import MODELS_OWN, ActuatorLimits
from percuss.encounter.approach import Approaching, ApproachTask, Gains, Law, Preparation
from percuss.encounter.assembly import Assembly
from percuss.encounter.belief import Belief, believed_plant
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.goals import STAY, Destination
from percuss.encounter.laws.common import (
    BEFORE,
    check_gains,
    damping,
    given,
    goal_of,
    limited,
    refused,
)
from percuss.encounter.requirements import require, require_choice, require_vector
from percuss.model.checks import is_not_negative, is_positive
from percuss.model.errors import ModelError


@dataclass(frozen=True)
class ImpactCompensation(Law):
    """IC² while a force is felt at the tool; computed torque towards the goal otherwise.

    Without gains the joints are free otherwise.

    Attributes:
        rule: "acceleration", torques from the links' angular accelerations, solved with the
            dynamics; "force", the felt force times its distance from the centre of percussion.
        base_torque: whether a base that can be turned gets the torque of joint 1.
        threshold: force above which it acts (N).
        friction: joint friction that is cancelled meanwhile: "ideal", that of the believed
            chaser; "none"; or a model.
        offset: where the controller believes the force to act, from the tool, in the axes of its
            link (m).
        delay: of the force measurement (s), a whole number of periods; None: none.
        torque_rate: most that a torque changes in a second (N m/s); None: any.
    """

    name: ClassVar[str] = "ic2"
    only: ClassVar[str] = "after"
    feels: ClassVar[bool] = True

    natural_frequency: Any = None
    damping_ratio: Any = None
    kp: Any = None
    kd: Any = None
    goal: Destination | None = STAY
    believes: Belief | None = None
    limits: ActuatorLimits = MODELS_OWN
    period: float | None = None
    rule: str = "acceleration"
    base_torque: bool = True
    threshold: float = 0.0
    friction: str | FrictionModel = "ideal"
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    delay: float | None = None
    torque_rate: float | None = None

    def __post_init__(self) -> None:
        check_gains(self, needed=False)
        path: Path = ("control", "compensation")
        require_choice((*path, "rule"), self.rule, ("acceleration", "force"))
        require((*path, "threshold"), self.threshold, is_not_negative, "a force in N ≥ 0")
        require_vector((*path, "offset"), self.offset, "numbers in m")
        if isinstance(self.friction, str):
            require_choice((*path, "friction"), self.friction, ("ideal", "none"))
        if self.period is not None:
            require(("control", "period"), self.period, is_positive, "a time in s > 0")
        for key, value, what in (
            ("delay", self.delay, "a time in s > 0"),
            ("torque-rate", self.torque_rate, "a rate in N m/s > 0"),
        ):
            if value is None:
                continue
            require((*path, key), value, is_positive, what)
            if self.period is None:
                message = "needs control.period, a time in s such as 0.001"
                raise EncounterError((*path, key), f"{message}, got {shown(value)}")

    @property
    def strength(self) -> Mapping[str, Any]:
        return given(
            natural_frequency=self.natural_frequency,
            damping_ratio=self.damping_ratio,
            kp=self.kp,
            kd=self.kd,
        )

    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        del tuned
        goal = goal_of(self.goal, assembly) if goal is None else goal
        plant = believed_plant(self.believes, assembly)
        law = limited(self._compensating(assembly, plant, goal), self.limits, assembly)
        if self.torque_rate is None:
            return law
        return rate_limited(law, self.torque_rate, assembly.chaser.rate_count)

    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        del task, known
        raise refused(self.name, "answers a contact: use it in control", BEFORE)

    def _compensating(self, assembly: Assembly, plant: Plant, goal: Goal) -> ControlLaw:
        try:
            law = ic2(
                plant,
                assembly.tool,
                self._otherwise(plant, goal),
                rule=self.rule,
                base_torque=self.base_torque,
                threshold=self.threshold,
                friction=self.friction,
                offset=list(self.offset),
                period=self.period,
            )
        except ModelError as error:
            raise EncounterError(("control", "law"), str(error)) from None
        return law if self.delay is None else force_delayed(law, self.delay)

    def _otherwise(self, plant: Plant, goal: Goal) -> ControlLaw:
        """What drives the chaser while there is nothing to compensate."""
        if self.kp is not None:
            return computed_torque(plant, goal, self.kp, 0.0 if self.kd is None else self.kd)
        if self.natural_frequency is None:
            return no_control(plant)
        ratio = damping(self.damping_ratio)
        return computed_torque(plant, goal, *gains(self.natural_frequency, ratio, plant.own_rates))
