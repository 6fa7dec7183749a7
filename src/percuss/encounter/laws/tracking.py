"""Laws that follow a goal or let rates decay, and the law that does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.control import ControlLaw, computed_torque, detumble, gains, pd, pd_gains
from percuss.control.goals import Goal
from percuss.control.laws import feed_forward, no_control
from percuss.encounter.actuation import MODELS_OWN, ActuatorLimits, Dump
from percuss.encounter.approach import Approaching, ApproachTask, Gains, Law, Preparation
from percuss.encounter.assembly import Assembly
from percuss.encounter.belief import Belief, believed_plant
from percuss.encounter.goals import STAY, Destination
from percuss.encounter.laws.common import (
    BEFORE,
    TrackingLaw,
    check_gains,
    damping,
    given,
    limited,
    one_law,
    refused,
)
from percuss.encounter.requirements import require
from percuss.model.checks import is_positive


@dataclass(frozen=True)
class NoControl(Law):
    """Nothing drives the chaser: u = 0, its joints turn freely."""

    name: ClassVar[str] = "none"

    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        del goal, tuned
        return no_control(assembly.plant)

    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        del known
        return one_law(no_control(task.assembly.plant))


NO_CONTROL = NoControl()


@dataclass(frozen=True)
class GainLaw(TrackingLaw):
    """A law that follows a goal with gains on the error and its rate: `PD`, `ComputedTorque`.

    Gains are `kp` and `kd`, or follow from `natural_frequency` (rad/s) and `damping_ratio`
    (default 1): one number, or one for each of the chaser's rates.
    """

    natural_frequency: Any = None
    damping_ratio: Any = None
    kp: Any = None
    kd: Any = None
    goal: Destination | None = STAY
    believes: Belief | None = None
    limits: ActuatorLimits = MODELS_OWN
    dump: Dump | None = None

    def __post_init__(self) -> None:
        check_gains(self, needed=True)

    @property
    def strength(self) -> Mapping[str, Any]:
        return given(
            natural_frequency=self.natural_frequency,
            damping_ratio=self.damping_ratio,
            kp=self.kp,
            kd=self.kd,
        )


@dataclass(frozen=True)
class PD(GainLaw):
    """u = -kp e - kd ė towards the goal, on every driven rate by itself.

    Gains are `kp` (N/m, N m/rad) and `kd` (N s/m, N m s/rad), or follow from `natural_frequency`
    (rad/s) and `damping_ratio` (default 1) with the inertia that each actuator feels: one number,
    or one for each of the chaser's rates.
    """

    name: ClassVar[str] = "pd"

    @property
    def tunes(self) -> bool:
        """Whether its gains follow from a frequency and the inertia that it drives."""
        return self.kp is None

    def tuned_gains(self, assembly: Assembly) -> Gains:
        plant = believed_plant(self.believes, assembly)
        ratio = damping(self.damping_ratio)
        return pd_gains(plant, assembly.coordinates, self.natural_frequency, ratio)

    def towards(self, assembly: Assembly, goal: Goal, tuned: Gains | None) -> ControlLaw:
        if self.kp is not None:
            kp, kd = self.kp, 0.0 if self.kd is None else self.kd
        else:
            kp, kd = self.tuned_gains(assembly) if tuned is None else tuned
        return pd(believed_plant(self.believes, assembly), goal, kp, kd)


@dataclass(frozen=True)
class ComputedTorque(GainLaw):
    """u with which the believed plant obeys ë + kd ė + kp e = 0 towards the goal.

    Gains are `kp` (1/s²) and `kd` (1/s), or kp = ωn², kd = 2 ζ ωn from `natural_frequency` (rad/s)
    and `damping_ratio` (default 1): one number, or one for each of the chaser's rates.
    """

    name: ClassVar[str] = "computed-torque"

    def towards(self, assembly: Assembly, goal: Goal, tuned: Gains | None) -> ControlLaw:
        del tuned
        plant = believed_plant(self.believes, assembly)
        if self.kp is not None:
            return computed_torque(plant, goal, self.kp, 0.0 if self.kd is None else self.kd)
        ratio = damping(self.damping_ratio)
        return computed_torque(plant, goal, *gains(self.natural_frequency, ratio, plant.own_rates))


@dataclass(frozen=True)
class FeedForward(TrackingLaw):
    """What the believed plant needs along the goal, with no look at the error."""

    name: ClassVar[str] = "feed-forward"

    goal: Destination | None = STAY
    believes: Belief | None = None
    limits: ActuatorLimits = MODELS_OWN

    def towards(self, assembly: Assembly, goal: Goal, tuned: Gains | None) -> ControlLaw:
        del tuned
        return feed_forward(believed_plant(self.believes, assembly), goal)


@dataclass(frozen=True)
class Detumble(Law):
    """Every driven rate decays as exp(-t / `time_constant`) (s); no place is sought."""

    name: ClassVar[str] = "detumble"
    only: ClassVar[str] = "after"

    time_constant: Any
    believes: Belief | None = None
    limits: ActuatorLimits = MODELS_OWN
    dump: Dump | None = None

    def __post_init__(self) -> None:
        require(("control", "time-constant"), self.time_constant, is_positive, "a time in s > 0")

    @property
    def strength(self) -> Mapping[str, Any]:
        return given(time_constant=self.time_constant)

    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        del goal, tuned
        # Wheels that are full cannot answer a target that swings on a pin: there the base is only
        # braked, for what the exact law asks of the joints instead may drive the swing.
        passive = self.limits.wheels is not None and assembly.swings
        plant = believed_plant(self.believes, assembly)
        return limited(detumble(plant, self.time_constant, passive=passive), self.limits, assembly)

    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        del task, known
        raise refused(self.name, "is for after the grasp: use it in control", BEFORE)
