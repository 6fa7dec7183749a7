"""A law of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from percuss.control import ControlLaw, sampled
from percuss.control.goals import Goal
from percuss.control.plant import Plant
from percuss.encounter.actuation import MODELS_OWN, ActuatorLimits, Dump
from percuss.encounter.approach import Approaching, ApproachTask, Gains, Law, Preparation
from percuss.encounter.assembly import Assembly
from percuss.encounter.belief import Belief
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.laws.common import BEFORE, limited, one_law
from percuss.encounter.requirements import require
from percuss.model.checks import is_positive

LawMaker = Callable[[Plant], ControlLaw]


@dataclass(frozen=True)
class UserLaw(Law):
    """A law that a function makes from the plant, the bodies that move together.

    Attributes:
        make: (plant) → control law, see `percuss.control.user_law`.
        period: s, at which it is sampled and held; None: as the law that is made says.
        within_limits: whether its commands are clipped at the limits; else they are as it says.
    """

    name: ClassVar[str] = "python"

    make: LawMaker
    period: float | None = None
    believes: Belief | None = None
    limits: ActuatorLimits = MODELS_OWN
    dump: Dump | None = None
    within_limits: bool = True

    def __post_init__(self) -> None:
        if not callable(self.make):
            message = f"must be a function of the plant that makes a law, got {shown(self.make)}"
            raise EncounterError(("control", "function"), message)
        if self.period is not None:
            require(("control", "period"), self.period, is_positive, "a time in s > 0")

    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        del goal, tuned
        law = self._made(assembly.plant)
        return limited(law, self.limits, assembly) if self.within_limits else law

    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        del known
        law = self._made(task.assembly.plant)
        return one_law(
            limited(law, self.limits, task.assembly, BEFORE) if self.within_limits else law
        )

    def _made(self, plant: Plant) -> ControlLaw:
        law = self.make(plant)
        if self.period is None or law.period is not None:
            return law
        return sampled(law, self.period)
