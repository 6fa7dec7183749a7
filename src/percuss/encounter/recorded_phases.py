"""One case of an encounter, with every step recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.encounter.actuation import wheel_use
from percuss.encounter.approach import Approach, Approaching, ApproachTask, Preparation
from percuss.encounter.assembly import Assembly, assembly_apart, assembly_before
from percuss.encounter.contact_geometry import (
    ContactSurface,
    approach_speed,
    contact_at,
    contact_surface_at,
    relative_velocity,
    shape_of,
    touches,
    within,
)
from percuss.encounter.contact_phases import integrate_contact, push, touch_of
from percuss.encounter.encounter import Encounter
from percuss.encounter.events import EventSignal
from percuss.encounter.failure import Progress
from percuss.encounter.loads import Push, Touch
from percuss.encounter.outcome import Outcome
from percuss.encounter.phase import AFTER, APPROACH, ImpactEvent, Phase
from percuss.encounter.phase_integrator import Driver, PhaseIntegrator
from percuss.encounter.phase_machine import (
    Cases,
    Give,
    Grasp,
    PhaseMachine,
    Rebound,
    Speeds,
    Thrust,
    run_phases,
)
from percuss.impact import Contact, Jump, bounce

BOUNCE = "bounce"
"""What an impact after which the points part is called."""


@dataclass(frozen=True)
class PhaseSequence:
    """What happened in an encounter, in order: phases of motion and the impacts between them.

    `status` is captured, bounced, missed, pushed (by a pulse), held (by a spring that also
    pulls), accumulated (bounces pile up before the grasp can close) or unfinished (too many
    bounces).
    """

    status: str
    phases: tuple[Phase, ...]
    impacts: tuple[ImpactEvent, ...]
    contact_surface: ContactSurface | None = None
    load: Touch | Push | None = None
    approaching: Approaching | None = None
    speed: float | None = None
    """At which the points met, or slid on each other, when bounces were given up (m/s)."""

    def __repr__(self) -> str:
        phases = ", ".join(phase.name for phase in self.phases[:8])
        more = ", …" if len(self.phases) > 8 else ""
        return f"<Course: {self.status}, {len(self.impacts)} impacts; {phases}{more}>"


def sequence_of(encounter: Encounter, progress: Progress | None = None) -> PhaseSequence:
    """Carry out an encounter phase by phase."""
    phases = RecordedPhases(encounter, PhaseIntegrator(encounter, progress))
    run_phases(phases, encounter.closure, approaches=encounter.approach is not None)
    return phases.sequence()


class RecordedPhases(PhaseMachine[ContactSurface]):
    """The phases of one case; each phase and each impact is kept."""

    def __init__(self, encounter: Encounter, integrator: PhaseIntegrator) -> None:
        self.encounter = encounter
        self.integrator = integrator
        self.approaching: Approaching | None = None
        self._outcome = Outcome.FAILED
        self._contact = encounter.contact
        self._jump: Jump | None = None
        self._contact_surface: ContactSurface | None = None
        self._load: Touch | Push | None = None
        self._driver: Driver | None = None
        self._speed: float | None = None

    def sequence(self) -> PhaseSequence:
        """What has happened."""
        return PhaseSequence(
            status=self._outcome.name.lower(),
            phases=tuple(self.integrator.phases),
            impacts=tuple(self.integrator.impacts),
            contact_surface=self._contact_surface,
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
        approach, integrator = self._approach, self.integrator
        assembly = assembly_before(self.encounter.start)
        laws = approach.control.approaching(
            ApproachTask(approach, assembly, self.encounter.orbit), Preparation()
        )
        self.approaching = laws
        signal = self._meeting(assembly)
        spacing = approach.timeout / (self.encounter.samples - 1)
        if approach.observe:
            wheels = wheel_use(approach.control.limits, approach.control.dump)
            driver = Driver(laws.waiting, 0.0, wheels, before=True)
            phase = integrator.add(
                "observe",
                APPROACH,
                assembly,
                driver,
                end=approach.observe,
                spacing=spacing,
                signal=signal,
            )
            assembly = integrator.carried(assembly)
            if phase.was_ended:
                return self._met(some, assembly)
        phase = integrator.add(
            "approach",
            APPROACH,
            assembly,
            self._coming(),
            end=approach.timeout,
            spacing=spacing,
            signal=signal,
        )
        if not phase.was_ended:
            self.end(some, Outcome.MISSED)
            return some[:0]
        return self._met(some, integrator.carried(assembly))

    @property
    def _approach(self) -> Approach:
        assert self.encounter.approach is not None
        return self.encounter.approach

    def _met(self, some: Cases, assembly: Assembly) -> Cases:
        """The tool touches, as the last phase left it."""
        self._contact = contact_at(assembly, assembly.coordinates, assembly.rates)
        return some

    def _coming(self) -> Driver:
        """What drives the chaser towards the target."""
        laws, approach = self.approaching, self._approach
        assert laws is not None
        origin = 0.0 if laws.one_clock else approach.observe
        wheels = wheel_use(approach.control.limits, approach.control.dump)
        return Driver(laws.coming, origin, wheels, before=True)

    def _meeting(self, assembly: Assembly) -> EventSignal:
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
        self.integrator.add_impact(self.contact, jump, closure.name)
        self._after(closure.assembly_after(self.contact, jump))
        self.end(some, Outcome.CAPTURED)

    def contact_surfaces(self, some: Cases, normal: Any) -> Iterator[tuple[ContactSurface, Cases]]:
        if len(some):
            approach = self.encounter.approach
            shaped = approach is not None and approach.by_surface
            self._contact_surface = contact_surface_at(self.contact, normal, touched_shape=shaped)
            yield self._contact_surface, some

    def bounce(self, some: Cases, contact_surface: ContactSurface, rebound: Rebound) -> Speeds:
        contact = self.contact
        normal: Any = contact_surface.normal(contact).array()
        if self.encounter.approach is None and not self.integrator.impacts:
            normal = rebound.normal
        self._jump = bounce(contact, rebound.restitution, rebound.friction, normal)
        parting = self._parting(self._jump)
        return Speeds(
            speed=np.full(len(some), _speed(contact)),
            closing=np.full(len(some), approach_speed(contact, contact_surface.normal(contact))),
            parting_speed=np.full(len(some), _speed(parting)),
            parting=np.full(len(some), approach_speed(parting, contact_surface.normal(parting))),
        )

    def _parting(self, jump: Jump) -> Contact:
        """The contact right after a bounce."""
        return replace(self.contact, chaser_rates=jump.chaser_rates, target_rates=jump.target_rates)

    def bounced(self, some: Cases, chosen: np.ndarray) -> None:
        if not len(some):
            return
        assert self._jump is not None
        assert chosen.all(), "there is one case"
        self.integrator.add_impact(self.contact, self._jump, BOUNCE)
        self._contact = self._parting(self._jump)

    def impacts(self, some: Cases) -> np.ndarray:
        return np.full(len(some), len(self.integrator.impacts))

    def fly(self, some: Cases, contact_surface: ContactSurface) -> Cases:
        if not len(some):
            return some
        integrator = self.integrator
        assembly, end = self._apart(), integrator.now + self.encounter.duration
        signal = touches(assembly, contact_surface.surface)
        phase = integrator.add(
            "flight",
            AFTER,
            assembly,
            self._flying(assembly),
            end=end,
            spacing=integrator.spacing,
            signal=signal,
            just=True,
        )
        if not phase.was_ended:
            self.end(some, Outcome.BOUNCED)
            return some[:0]
        return self._met(some, integrator.carried(assembly))

    def rest(self, some: Cases) -> None:
        if len(some):
            integrator, assembly = self.integrator, self._apart()
            now, driver = integrator.now, self._flying(assembly)
            integrator.add("flight", AFTER, assembly, driver, end=now, spacing=integrator.spacing)

    def part(self, some: Cases) -> None:
        if len(some):
            self._after(self._apart())
            self.end(some, Outcome.BOUNCED)

    def _apart(self) -> Assembly:
        """Chaser and target side by side after a bounce."""
        assert self._jump is not None
        return self.integrator.turned(assembly_apart(self.contact, self._jump))

    def _flying(self, assembly: Assembly) -> Driver:
        """What drives the chaser between bounces: the law of the approach, where there is one."""
        if self._driver is None:
            before = self.approaching is not None
            self._driver = self._coming() if before else self.integrator.driver_after(assembly)
        return self._driver

    def _after(self, assembly: Assembly) -> None:
        """The motion after the last impact, with a clock of its own."""
        integrator = self.integrator
        driver = integrator.driver_after(assembly)
        end = integrator.now + self.encounter.duration
        integrator.add(
            "after", AFTER, integrator.turned(assembly), driver, end=end, spacing=integrator.spacing
        )

    # --- contacts that take time --------------------------------------------------------------

    def give_way(self, some: Cases, contact_surface: ContactSurface | None, give: Give) -> None:
        if not len(some):
            return
        touch = touch_of(self.encounter, give, self.contact, contact_surface)
        integrate_contact(self.integrator, self.contact, touch, contact_surface)
        self._load = touch
        self.end(some, Outcome.HELD if contact_surface is None else Outcome.BOUNCED)

    def push(self, some: Cases, thrust: Thrust) -> None:
        if not len(some):
            return
        self._load = push(self.integrator, thrust)
        self.end(some, Outcome.PUSHED)

    def end(self, some: Cases, outcome: Outcome) -> None:
        if len(some):
            self._outcome = outcome
            if outcome in (Outcome.ACCUMULATED, Outcome.UNFINISHED):
                self._speed = _speed(self.contact)


def _speed(contact: Contact) -> float:
    """The speed of the contact points relative to each other (m/s)."""
    return float(np.linalg.norm(relative_velocity(contact)))
