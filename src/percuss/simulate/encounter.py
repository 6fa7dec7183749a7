"""An encounter from its start to its end: approach, contact, bounces, grasp, motion after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.impact import Contact, Jump, bounce, pin, published, weld
from percuss.scenario import Scenario, ScenarioError
from percuss.simulate.approaching import Approaching, approaching
from percuss.simulate.failure import Progress
from percuss.simulate.leg import AFTER, APPROACH, Hit, Leg
from percuss.simulate.loads import Pulse, Touch
from percuss.simulate.stage import Stage, stage_after, stage_before
from percuss.simulate.steering import wheel_use
from percuss.simulate.stretches import Driver, LawMaker, Stretches
from percuss.simulate.touching import (
    Facing,
    approach_speed,
    contact_at,
    facing_at,
    relative_velocity,
    shape_of,
    touches,
    within,
)
from percuss.simulate.watching import Signal
from percuss.simulate.yielding import push, touch_of, yield_to

STUCK = 1e-3
"""Share of the speed below which a grasp closes: points that come, or part, more slowly than that
along the normal stay together, and bounces pile up."""


@dataclass(frozen=True)
class Encounter:
    """What happened, in order: stretches of motion and the impacts between them.

    `status` is captured, bounced, missed, pushed (by a pulse), held (by a spring that also
    pulls), accumulated (bounces pile up before the grasp can close) or unfinished (too many
    bounces).
    """

    status: str
    legs: tuple[Leg, ...]
    hits: tuple[Hit, ...]
    facing: Facing | None = None
    load: Touch | Pulse | None = None
    approaching: Approaching | None = None
    speed: float | None = None
    """At which the points met, or slid on each other, when bounces were given up (m/s)."""

    def __repr__(self) -> str:
        phases = ", ".join(leg.name for leg in self.legs[:8])
        more = ", …" if len(self.legs) > 8 else ""
        return f"<Encounter: {self.status}, {len(self.hits)} impacts; {phases}{more}>"


def encounter(
    scenario: Scenario, control: LawMaker | None = None, progress: Progress | None = None
) -> Encounter:
    """Carry out a scenario stretch by stretch."""
    return _Course(scenario, Stretches(scenario, control, progress)).run()


class _Course:
    def __init__(self, scenario: Scenario, stretches: Stretches) -> None:
        self.scenario = scenario
        self.stretches = stretches
        self.approaching: Approaching | None = None

    def run(self) -> Encounter:
        scenario, closure = self.scenario, self.scenario.impact.closure
        if closure == "pulse":
            return self._over("pushed", load=push(self.stretches))
        contact = scenario.contact
        if scenario.approach is not None:
            contact = self._approach()
            if contact is None:
                return self._over("missed")
        assert contact is not None
        if closure not in ("bounce", "compliant"):
            return self._grasp(contact, closure)
        touched = scenario.approach is not None and scenario.approach.contact == "surface"
        facing = facing_at(contact, scenario.impact.normal, touched_shape=touched)
        if closure == "bounce":
            return self._bounce(contact, facing)
        pulled = scenario.impact.law == "bilateral"
        touch = touch_of(scenario, contact, None if pulled else facing)
        yield_to(self.stretches, contact, touch, None if pulled else facing)
        return self._over("held" if pulled else "bounced", None if pulled else facing, touch)

    def _over(
        self, status: str, facing: Facing | None = None, load: Touch | Pulse | None = None
    ) -> Encounter:
        legs, hits = tuple(self.stretches.legs), tuple(self.stretches.hits)
        return Encounter(status, legs, hits, facing, load, self.approaching)

    def _given_up(self, status: str, facing: Facing, contact: Contact) -> Encounter:
        return replace(self._over(status, facing), speed=_speed(contact))

    # --- before the contact -------------------------------------------------------------------

    def _approach(self) -> Contact | None:
        """Until the tool touches; None where it never does."""
        approach, stretches = self.scenario.approach, self.stretches
        assert approach is not None
        stage = stage_before(self.scenario.start)
        laws = self.approaching = approaching(self.scenario, stage)
        signal = self._meeting(stage)
        go, wheels = approach.observe or 0.0, wheel_use(approach.control)
        spacing = approach.timeout / (self.scenario.output.samples - 1)
        if go:
            driver = Driver(laws.waiting, 0.0, wheels, before=True)
            leg = stretches.add("observe", APPROACH, stage, driver, go, spacing, signal)
            stage = stretches.carried(stage)
            if leg.was_ended:
                return contact_at(stage, stage.coordinates, stage.rates)
        leg = stretches.add(
            "approach", APPROACH, stage, self._coming(), approach.timeout, spacing, signal
        )
        stage = stretches.carried(stage)
        return contact_at(stage, stage.coordinates, stage.rates) if leg.was_ended else None

    def _coming(self) -> Driver:
        """What drives the chaser towards the target."""
        laws, approach = self.approaching, self.scenario.approach
        assert laws is not None
        assert approach is not None
        origin = 0.0 if laws.one_clock else approach.observe or 0.0
        return Driver(laws.coming, origin, wheel_use(approach.control), before=True)

    def _meeting(self, stage: Stage) -> Signal:
        """What the contact is."""
        approach = self.scenario.approach
        assert approach is not None
        if approach.contact == "point":
            assert approach.capture_radius is not None
            return within(stage, approach.capture_radius)
        assert stage.target is not None
        surface = shape_of(stage.target)
        assert surface is not None
        return touches(stage, surface)

    # --- impacts ------------------------------------------------------------------------------

    def _grasp(self, contact: Contact, closure: str, facing: Facing | None = None) -> Encounter:
        """The grasp closes; the motion after it."""
        jump = {"pin": pin, "weld": weld, "published": published}[closure](contact)
        self.stretches.hit(contact, jump, closure)
        self._after(stage_after(contact, jump, closure))
        return self._over("captured", facing)

    def _after(self, stage: Stage) -> None:
        """The motion after the last impact, with a clock of its own."""
        stretches = self.stretches
        driver = stretches.driver_after(stage)
        end = stretches.now + self.scenario.duration
        stretches.add("after", AFTER, stretches.turned(stage), driver, end, stretches.spacing)

    def _bounce(self, contact: Contact, facing: Facing) -> Encounter:
        """Bounces, once or until the points meet slowly enough for the grasp to close."""
        repeat, stretches = self.scenario.impact.repeat, self.stretches
        if repeat is None:
            jump = self._jump(contact, facing)
            stretches.hit(contact, jump, "bounce")
            self._after(stage_after(contact, jump, "bounce"))
            return self._over("bounced", facing)
        driver: Driver | None = None
        while True:
            if _speed(contact) < repeat.below:
                return self._grasp(contact, repeat.then, facing)
            if len(stretches.hits) == repeat.most:
                return self._given_up("unfinished", facing, contact)
            if stretches.hits and _closing(contact, facing) < STUCK * repeat.below:
                return self._given_up("accumulated", facing, contact)
            jump = self._jump(contact, facing)
            stretches.hit(contact, jump, "bounce")
            parting = replace(
                contact, chaser_rates=jump.chaser_rates, target_rates=jump.target_rates
            )
            stuck = _closing(parting, facing) > -(STUCK**2) * repeat.below
            if stuck and _speed(parting) < repeat.below:
                return self._grasp(parting, repeat.then, facing)
            stage = stretches.turned(stage_after(contact, jump, "bounce"))
            if driver is None:
                driver = self._coming() if self.approaching else stretches.driver_after(stage)
            if stuck:
                # Nothing of the bounce is left: they slide on each other from here on.
                now = stretches.now
                stretches.add("flight", AFTER, stage, driver, now, stretches.spacing)
                return self._given_up("accumulated", facing, parting)
            found = self._flight(stage, driver, facing)
            if found is None:
                return self._over("bounced", facing)
            contact = found

    def _flight(self, stage: Stage, driver: Driver, facing: Facing) -> Contact | None:
        """Apart after a bounce, until the tool meets the surface again; None if it does not."""
        stretches = self.stretches
        end = stretches.now + self.scenario.duration
        signal = touches(stage, facing.surface)
        leg = stretches.add(
            "flight", AFTER, stage, driver, end, stretches.spacing, signal, just=True
        )
        if not leg.was_ended:
            return None
        stage = stretches.carried(stage)
        return contact_at(stage, stage.coordinates, stage.rates)

    def _jump(self, contact: Contact, facing: Facing) -> Jump:
        spec = self.scenario.impact
        if spec.restitution is None:
            raise ScenarioError("impact.restitution: closure bounce needs a number from 0 to 1")
        friction = 0.0 if spec.friction is None else spec.friction
        normal: Any = facing.normal(contact).array()
        if self.scenario.approach is None and not self.stretches.hits:
            normal = spec.normal
        return bounce(contact, restitution=spec.restitution, friction=friction, normal=normal)


def _speed(contact: Contact) -> float:
    """Of the points relative to each other (m/s)."""
    return float(np.linalg.norm(relative_velocity(contact)))


def _closing(contact: Contact, facing: Facing) -> float:
    """How fast the points come together along the normal (m/s)."""
    return approach_speed(contact, facing.normal(contact))
