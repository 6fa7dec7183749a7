"""What several laws have in common: limits, gains, and the way to a goal before the contact."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from percuss.control import ControlLaw, hold, saturated
from percuss.control.goals import Goal
from percuss.encounter.actuation import ActuatorLimits, effort_limits
from percuss.encounter.approach import Approach, Approaching, ApproachTask, Gains, Law, Preparation
from percuss.encounter.assembly import Assembly
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.encounter.goals import STAY, Destination
from percuss.encounter.laws.meeting_plans import planned
from percuss.encounter.requirements import require_each
from percuss.model.checks import is_not_negative, is_positive

AFTER: Path = ("control",)
BEFORE: Path = ("approach", "control")
"""Where a law is in an encounter."""


def limited(
    law: ControlLaw, limits: ActuatorLimits, assembly: Assembly, at: Path = AFTER
) -> ControlLaw:
    """A law within the limits of the chaser's actuators."""
    return saturated(law, effort_limits(limits, assembly.chaser, (*at, "limits")))


def goal_of(destination: Destination | None, assembly: Assembly) -> Goal:
    """A destination for the chaser as it is where the assembly begins; None: to stay there."""
    own = assembly.coordinates[: assembly.chaser.coordinate_count]
    return (destination or STAY).points(assembly.chaser, own).goal(assembly.plant)


def damping(ratio: Any) -> Any:
    """The damping ratio asked for; 1, which comes to rest soonest without overshooting, if none."""
    return 1.0 if ratio is None else ratio


def check_gains(law: Law, *, needed: bool) -> None:
    """EncounterError unless a law has gains from a frequency, or a pair of them, or needs none.

    Each is one number or one for each rate; frequencies are > 0, all others ≥ 0.
    """
    numbers = dict(law.strength)
    by_frequency = [key for key in numbers if key in ("natural-frequency", "damping-ratio")]
    direct = [key for key in numbers if key in ("kp", "kd")]
    if by_frequency and direct:
        message = f"does not go with {by_frequency[0]}: give one pair of gains"
        raise EncounterError(("control", direct[0]), f"{message}, got {shown(numbers[direct[0]])}")
    if by_frequency == ["damping-ratio"] or (needed and not numbers):
        message = f"is missing: law {law.name} needs it, in rad/s > 0, or kp and kd"
        raise EncounterError(("control", "natural-frequency"), message)
    if direct == ["kd"]:
        raise EncounterError(("control", "kp"), "is missing: kd and kp go together")
    for key, value in numbers.items():
        allowed = is_positive if key == "natural-frequency" else is_not_negative
        least = "finite and > 0" if key == "natural-frequency" else "finite and ≥ 0"
        require_each(("control", key), value, allowed, least)


def given(**numbers: Any) -> dict[str, Any]:
    """The numbers of a law that are given, by their names in scenario files."""
    return {name.replace("_", "-"): value for name, value in numbers.items() if value is not None}


class TrackingLaw(Law):
    """A law that follows a goal: after the contact, to a meeting, or after some waiting."""

    @abstractmethod
    def towards(self, assembly: Assembly, goal: Goal, tuned: Gains | None) -> ControlLaw:
        """The law to a goal, without limits; `tuned` are gains that are known already."""

    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        goal = goal_of(self.goal, assembly) if goal is None else goal
        return limited(self.towards(assembly, goal, tuned), self.limits, assembly)

    def preparation(self, approach: Approach) -> str:
        return "goal" if approach.meet is None else "plan"

    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        assembly = task.assembly
        if task.approach.meet is not None:
            plan = planned(task) if known.goal is None else None
            goal = known.goal if plan is None else plan.goal
            assert goal is not None
            law = limited(self.towards(assembly, goal, known.tuned), self.limits, assembly, BEFORE)
            return Approaching(law, law, one_clock=True, plan=plan)
        staying = hold(assembly.plant, assembly.coordinates[: assembly.chaser.coordinate_count])
        goal = goal_of(self.goal, assembly) if known.goal is None else known.goal
        waiting, coming = (
            limited(self.towards(assembly, where, known.tuned), self.limits, assembly, BEFORE)
            for where in (staying, goal)
        )
        return Approaching(waiting, coming, one_clock=False)


def one_law(law: ControlLaw) -> Approaching:
    """One law from the start to the contact."""
    return Approaching(law, law, one_clock=True)


def refused(name: str, message: str, at: Path) -> EncounterError:
    """The error that a law cannot act where it is."""
    return EncounterError((*at, "law"), f"{name!r} {message}")
