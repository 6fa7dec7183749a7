"""One case of an encounter, with every step recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.encounter.actuation import wheel_use
from percuss.encounter.approach import Approach, Approaching, Foreseen, Way
from percuss.encounter.assembly import Assembly, assembly_apart, assembly_before
from percuss.encounter.encounter import Encounter
from percuss.encounter.failure import Progress
from percuss.encounter.leg import AFTER, APPROACH, Hit, Leg
from percuss.encounter.loads import Push, Touch
from percuss.encounter.outcome import Outcome
from percuss.encounter.phases import Cases, Give, Grasp, Phases, Rebound, Speeds, Thrust, run_phases
from percuss.encounter.stretches import Driver, Stretches
from percuss.encounter.touching import (
    Facing,
    approach_speed,
    contact_at,
    facing_at,
    relative_velocity,
    shape_of,
    touches,
    within,
)
from percuss.encounter.watching import EndSignal
from percuss.encounter.yielding import push, touch_of, yield_to
from percuss.impact import Contact, Jump, bounce

BOUNCE = "bounce"
"""What an impact after which the points part is called."""


@dataclass(frozen=True)
class Course:
    """What happened in an encounter, in order: stretches of motion and the impacts between them.

    `status` is captured, bounced, missed, pushed (by a pulse), held (by a spring that also
    pulls), accumulated (bounces pile up before the grasp can close) or unfinished (too many
    bounces).
    """

    status: str
    legs: tuple[Leg, ...]
    hits: tuple[Hit, ...]
    facing: Facing | None = None
    load: Touch | Push | None = None
    approaching: Approaching | None = None
    speed: float | None = None
    """At which the points met, or slid on each other, when bounces were given up (m/s)."""

    def __repr__(self) -> str:
        phases = ", ".join(leg.name for leg in self.legs[:8])
        more = ", …" if len(self.legs) > 8 else ""
        return f"<Course: {self.status}, {len(self.hits)} impacts; {phases}{more}>"


def course_of(encounter: Encounter, progress: Progress | None = None) -> Course:
    """Carry out an encounter stretch by stretch."""
    phases = RecordedPhases(encounter, Stretches(encounter, progress))
    run_phases(phases, encounter.closure, approaches=encounter.approach is not None)
    return phases.course()


class RecordedPhases(Phases[Facing]):
    """The phases of one case; its stretches of motion and its impacts are kept."""

    def __init__(self, encounter: Encounter, stretches: Stretches) -> None:
        self.encounter = encounter
        self.stretches = stretches
        self.approaching: Approaching | None = None
        self._outcome = Outcome.FAILED
        self._contact = encounter.contact
        self._jump: Jump | None = None
        self._facing: Facing | None = None
        self._load: Touch | Push | None = None
        self._driver: Driver | None = None
        self._speed: float | None = None

    def course(self) -> Course:
        """What has happened."""
        return Course(
            status=self._outcome.name.lower(),
            legs=tuple(self.stretches.legs),
            hits=tuple(self.stretches.hits),
            facing=self._facing,
            load=self._load,
            approaching=self.approaching,
            speed=self._speed,
        )

    def start(self) -> Cases:
        return np.arange(1)

    @property
    def contact(self) -> Contact:
        """Chaser and target as they touch now."""
        assert self._contact is not None
        return self._contact

    # --- before the contact -------------------------------------------------------------------

    def approach(self, some: Cases) -> Cases:
        approach, stretches = self._approach, self.stretches
        assembly = assembly_before(self.encounter.start)
        laws = approach.control.approaching(
            Way(approach, assembly, self.encounter.orbit), Foreseen()
        )
        self.approaching = laws
        signal = self._meeting(assembly)
        spacing = approach.timeout / (self.encounter.samples - 1)
        if approach.observe:
            wheels = wheel_use(approach.control.limits, approach.control.dump)
            driver = Driver(laws.waiting, 0.0, wheels, before=True)
            leg = stretches.add(
                "observe",
                APPROACH,
                assembly,
                driver,
                end=approach.observe,
                spacing=spacing,
                signal=signal,
            )
            assembly = stretches.carried(assembly)
            if leg.was_ended:
                return self._met(some, assembly)
        leg = stretches.add(
            "approach",
            APPROACH,
            assembly,
            self._coming(),
            end=approach.timeout,
            spacing=spacing,
            signal=signal,
        )
        if not leg.was_ended:
            self.end(some, Outcome.MISSED)
            return some[:0]
        return self._met(some, stretches.carried(assembly))

    @property
    def _approach(self) -> Approach:
        assert self.encounter.approach is not None
        return self.encounter.approach

    def _met(self, some: Cases, assembly: Assembly) -> Cases:
        """The tool touches, as the last stretch left it."""
        self._contact = contact_at(assembly, assembly.coordinates, assembly.rates)
        return some

    def _coming(self) -> Driver:
        """What drives the chaser towards the target."""
        laws, approach = self.approaching, self._approach
        assert laws is not None
        origin = 0.0 if laws.one_clock else approach.observe
        wheels = wheel_use(approach.control.limits, approach.control.dump)
        return Driver(laws.coming, origin, wheels, before=True)

    def _meeting(self, assembly: Assembly) -> EndSignal:
        """What the contact is."""
        radius = self._approach.capture_radius
        if radius is not None:
            return within(assembly, radius)
        assert assembly.target is not None
        surface = shape_of(assembly.target)
        assert surface is not None
        return touches(assembly, surface)

    # --- impacts ------------------------------------------------------------------------------

    def grasp(self, some: Cases, closure: Grasp) -> None:
        if not len(some):
            return
        jump = closure.jump(self.contact)
        self.stretches.hit(self.contact, jump, closure.name)
        self._after(closure.assembly_after(self.contact, jump))
        self.end(some, Outcome.CAPTURED)

    def faced(self, some: Cases, normal: Any) -> Iterator[tuple[Facing, Cases]]:
        if len(some):
            approach = self.encounter.approach
            shaped = approach is not None and approach.by_surface
            self._facing = facing_at(self.contact, normal, touched_shape=shaped)
            yield self._facing, some

    def bounce(self, some: Cases, facing: Facing, rebound: Rebound) -> Speeds:
        contact = self.contact
        normal: Any = facing.normal(contact).array()
        if self.encounter.approach is None and not self.stretches.hits:
            normal = rebound.normal
        self._jump = bounce(contact, rebound.restitution, rebound.friction, normal)
        parting = self._parting(self._jump)
        return Speeds(
            speed=np.full(len(some), _speed(contact)),
            closing=np.full(len(some), approach_speed(contact, facing.normal(contact))),
            parting_speed=np.full(len(some), _speed(parting)),
            parting=np.full(len(some), approach_speed(parting, facing.normal(parting))),
        )

    def _parting(self, jump: Jump) -> Contact:
        """The contact right after a bounce."""
        return replace(self.contact, chaser_rates=jump.chaser_rates, target_rates=jump.target_rates)

    def bounced(self, some: Cases, chosen: np.ndarray) -> None:
        if not len(some):
            return
        assert self._jump is not None
        assert chosen.all(), "there is one case"
        self.stretches.hit(self.contact, self._jump, BOUNCE)
        self._contact = self._parting(self._jump)

    def impacts(self, some: Cases) -> np.ndarray:
        return np.full(len(some), len(self.stretches.hits))

    def fly(self, some: Cases, facing: Facing) -> Cases:
        if not len(some):
            return some
        stretches = self.stretches
        assembly, end = self._apart(), stretches.now + self.encounter.duration
        signal = touches(assembly, facing.surface)
        leg = stretches.add(
            "flight",
            AFTER,
            assembly,
            self._flying(assembly),
            end=end,
            spacing=stretches.spacing,
            signal=signal,
            just=True,
        )
        if not leg.was_ended:
            self.end(some, Outcome.BOUNCED)
            return some[:0]
        return self._met(some, stretches.carried(assembly))

    def rest(self, some: Cases) -> None:
        if len(some):
            stretches, assembly = self.stretches, self._apart()
            now, driver = stretches.now, self._flying(assembly)
            stretches.add("flight", AFTER, assembly, driver, end=now, spacing=stretches.spacing)

    def part(self, some: Cases) -> None:
        if len(some):
            self._after(self._apart())
            self.end(some, Outcome.BOUNCED)

    def _apart(self) -> Assembly:
        """Chaser and target side by side after a bounce."""
        assert self._jump is not None
        return self.stretches.turned(assembly_apart(self.contact, self._jump))

    def _flying(self, assembly: Assembly) -> Driver:
        """What drives the chaser between bounces: the law of the approach, where there is one."""
        if self._driver is None:
            before = self.approaching is not None
            self._driver = self._coming() if before else self.stretches.driver_after(assembly)
        return self._driver

    def _after(self, assembly: Assembly) -> None:
        """The motion after the last impact, with a clock of its own."""
        stretches = self.stretches
        driver = stretches.driver_after(assembly)
        end = stretches.now + self.encounter.duration
        stretches.add(
            "after", AFTER, stretches.turned(assembly), driver, end=end, spacing=stretches.spacing
        )

    # --- contacts that take time --------------------------------------------------------------

    def give_way(self, some: Cases, facing: Facing | None, give: Give) -> None:
        if not len(some):
            return
        touch = touch_of(self.encounter, give, self.contact, facing)
        yield_to(self.stretches, self.contact, touch, facing)
        self._load = touch
        self.end(some, Outcome.HELD if facing is None else Outcome.BOUNCED)

    def push(self, some: Cases, thrust: Thrust) -> None:
        if not len(some):
            return
        self._load = push(self.stretches, thrust)
        self.end(some, Outcome.PUSHED)

    def end(self, some: Cases, outcome: Outcome) -> None:
        if len(some):
            self._outcome = outcome
            if outcome in (Outcome.ACCUMULATED, Outcome.UNFINISHED):
                self._speed = _speed(self.contact)


def _speed(contact: Contact) -> float:
    """The speed of the contact points relative to each other (m/s)."""
    return float(np.linalg.norm(relative_velocity(contact)))
