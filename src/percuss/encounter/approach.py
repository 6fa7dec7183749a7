"""The motion before the contact, and what a control law is asked for: before it and after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from percuss.control import ControlLaw
from percuss.control.goals import Goal
from percuss.control.guidance.meeting import Meeting
from percuss.control.guidance.plan import Plan
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.actuation import MODELS_OWN, ActuatorLimits, Dump
from percuss.encounter.assembly import Assembly
from percuss.encounter.belief import Belief
from percuss.encounter.errors import Path
from percuss.encounter.goals import Destination
from percuss.encounter.requirements import require, require_choice, require_kind
from percuss.model.checks import is_not_negative, is_positive

Gains = tuple[Any, Any]
"""(kp, kd) on the chaser's rates."""


class Law(ABC):
    """What drives the chaser: numbers, from which a control law is made for the bodies at hand.

    A subclass has a `name` and makes a control law; what it does not say holds as here.

    Attributes:
        name: as in scenario files.
        only: "before" or "after", where it can act on one side of the contact alone; else empty.
        feels: whether it answers a force that acts over time.
        limits: of the actuators.
        dump: how wheels are unloaded; None: not.
        believes: what the law takes the bodies for; None: for what they are.
        goal: where it is to bring the chaser; None for a law that goes nowhere.
        period: s, at which it is sampled; None: continuous.
    """

    name: ClassVar[str]
    only: ClassVar[str] = ""
    feels: ClassVar[bool] = False
    limits: ActuatorLimits = MODELS_OWN
    dump: Dump | None = None
    believes: Belief | None = None
    goal: Destination | None = None
    period: float | None = None

    @property
    def tunes(self) -> bool:
        """Whether it takes its gains from a frequency and the inertia that it drives."""
        return False

    @property
    def strength(self) -> Mapping[str, Any]:
        """The numbers that say how hard it acts, by their names in scenario files."""
        return {}

    @abstractmethod
    def control_law(
        self, assembly: Assembly, goal: Goal | None = None, tuned: Gains | None = None
    ) -> ControlLaw:
        """The law after the contact for the bodies of an assembly, within its limits.

        `goal` stands for its own; `tuned` are gains that `tuned_gains` has found already.
        """

    def tuned_gains(self, assembly: Assembly) -> Gains | None:
        """Gains (kp, kd) of a law that tunes them, by the inertia at the start; None of others."""
        del assembly
        return None

    @abstractmethod
    def approaching(self, task: ApproachTask, known: Preparation) -> Approaching:
        """The laws before the contact, within their limits; what is not known is planned here."""

    def preparation(self, approach: Approach) -> str:
        """What the law must know before an approach begins.

        One of "meeting", "plan", "goal" or "nothing".
        """
        del approach
        return "nothing"


@dataclass(frozen=True)
class Meet:
    """When the tool is to reach the contact point, and how fast it then closes in.

    Attributes:
        at: s, from the start of the run.
        closing_speed: of the tool towards the target then (m/s).
        base: "stay", or "move": the base flies to where the arm meets the target as it is now.
    """

    at: float
    closing_speed: float = 0.0
    base: str = "stay"

    def __post_init__(self) -> None:
        path: Path = ("approach", "meet")
        require((*path, "at"), self.at, is_positive, "a time in s > 0")
        speed = "a speed in m/s ≥ 0"
        require((*path, "closing-speed"), self.closing_speed, is_not_negative, speed)
        require_choice((*path, "base"), self.base, ("stay", "move"))


@dataclass(frozen=True)
class Approach:
    """Motion before the contact.

    Attributes:
        timeout: s after which it is given up.
        control: the law that drives the chaser.
        capture_radius: contact is where the tool is this close (m) to the contact point; None:
            where it touches the target's shape anywhere, along the shape's normal.
        observe: the chaser holds still that long (s) before it sets out.
        meet: where to be when; None: the law has a goal, or needs none.
    """

    timeout: float
    control: Law
    capture_radius: float | None = None
    observe: float = 0.0
    meet: Meet | None = None

    def __post_init__(self) -> None:
        path: Path = ("approach",)
        require((*path, "timeout"), self.timeout, is_positive, "a time in s > 0")
        require((*path, "observe"), self.observe, is_not_negative, "a time in s ≥ 0")
        if self.capture_radius is not None:
            length = "a length in m > 0"
            require((*path, "capture-radius"), self.capture_radius, is_positive, length)
        law = "a law, such as percuss.PD(…)"
        require_kind((*path, "control", "law"), self.control, Law, law)
        if self.meet is not None:
            require_kind((*path, "meet"), self.meet, Meet, "a percuss.Meet")

    @property
    def by_surface(self) -> bool:
        """Whether the target's shape is touched, not one of its points."""
        return self.capture_radius is None


@dataclass(frozen=True)
class ApproachTask:
    """An approach as its law sees it: the bodies side by side at its start, and their orbit."""

    approach: Approach
    assembly: Assembly
    orbit: CircularOrbit | None = None


@dataclass(frozen=True)
class Preparation:
    """What the laws of an approach need and is known already: a meeting, a goal, gains."""

    meeting: Meeting | None = None
    goal: Goal | None = None
    tuned: Gains | None = None


@dataclass(frozen=True)
class Approaching:
    """Laws before the contact: `waiting` while the target is observed, then `coming`.

    Both have the clock of the run where `one_clock` says so; else the second one's clock begins
    when it sets out.
    """

    waiting: ControlLaw
    coming: ControlLaw
    one_clock: bool
    plan: Plan | None = None
