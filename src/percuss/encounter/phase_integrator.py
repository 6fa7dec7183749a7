"""The phases of a run, one after the other: each starts where the last one ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import percuss.kernel as kernel
from percuss.control import ControlLaw
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.actuation import wheel_use
from percuss.encounter.approach import Law
from percuss.encounter.assembly import Assembly
from percuss.encounter.causes import cause_of
from percuss.encounter.contact_geometry import relative_velocity
from percuss.encounter.encounter import Encounter
from percuss.encounter.equations import ANY_WHEELS, Equations, WheelUse
from percuss.encounter.errors import shown
from percuss.encounter.events import EventSignal, EventSignals
from percuss.encounter.failure import Progress, SimulationError, UnfinishedError
from percuss.encounter.integration import integrate_motion
from percuss.encounter.law_causes import BlamedLaw
from percuss.encounter.loads import Load
from percuss.encounter.method import Integration, asked_integration
from percuss.encounter.misses import miss_of
from percuss.encounter.observation import Observation
from percuss.encounter.phase import CONTACT, ImpactEvent, Phase
from percuss.encounter.runaway import runs_away
from percuss.impact import Contact, Jump, assess

MOST_SAMPLES = 401
"""Of a contact that are recorded."""


@dataclass(frozen=True)
class Driver:
    """A law, the zero of its clock (s, time of the run), and what its wheels can do."""

    law: ControlLaw
    origin: float = 0.0
    wheels: WheelUse = ANY_WHEELS
    before: bool = False
    """Whether it is the control of the approach."""


@dataclass(frozen=True)
class PreparedEquations:
    """Equations and watch of a kind of phase, with what was compiled of them."""

    equations: Equations
    watch: EventSignals | None

    def serves(self, equations: Equations, watch: EventSignals | None) -> bool:
        """Whether these others have the same law and load and, but for where they start, compute
        the same."""
        own = self.equations
        if own.law is not equations.law or own.load is not equations.load:
            return False
        signals = (() if some is None else some.signals for some in (self.watch, watch))
        return _alike(own.around, equations.around) and _alike(*signals)


class PhaseIntegrator:
    """What has happened in a run so far, and how it goes on."""

    def __init__(
        self,
        encounter: Encounter,
        progress: Progress | None = None,
    ) -> None:
        self.encounter = encounter
        self.phases: list[Phase] = []
        self.impacts: list[ImpactEvent] = []
        self._progress = progress
        self._prepared: list[PreparedEquations] = []

    @property
    def now(self) -> float:
        """Time of the run so far (s)."""
        return self.phases[-1].end if self.phases else 0.0

    @property
    def spacing(self) -> float:
        """The time between samples after the impact (s)."""
        return self.encounter.duration / (self.encounter.samples - 1)

    @property
    def orbit(self) -> CircularOrbit | None:
        """The orbit in which everything happens; None without one."""
        return self.encounter.orbit

    @property
    def orbit_angle(self) -> Any:
        """The angle by which the local orbital frame has turned (rad); None without an orbit."""
        return None if self.orbit is None else self.orbit.angle(self.now)

    def driver_after(self, assembly: Assembly) -> Driver:
        """What drives the chaser after the impact, its clock starting now."""
        law = self.encounter.control
        return Driver(law.control_law(assembly), self.now, wheel_use(law.limits, law.dump))

    def add(
        self,
        name: str,
        kind: int,
        assembly: Assembly,
        driver: Driver,
        *,
        end: float,
        spacing: float,
        signal: EventSignal | None = None,
        just: bool = False,
        load: Load | None = None,
    ) -> Phase:
        """Integrate from now to `end` (s, time of the run), or to where the signal ends it.

        `just`: the signal has just changed its sign.
        """
        equations, watch = self._ready(assembly, driver, load, signal)
        equations = equations.begun_with(
            assembly, self._wheel_momentum(), self._remembered(driver.law), self.orbit_angle
        )
        watch = None if watch is None else replace(watch, equations=equations, just=just)
        begin = self.now
        count = max(1, round((end - begin) / spacing))
        times = np.linspace(begin, end, count + 1) - driver.origin
        how = integration_of(self.encounter.integration, driver.law)
        try:
            motion = integrate_motion(equations, times, how, self._progress, watch=watch)
        except UnfinishedError as error:
            raise self._explained(error, equations, how, driver) from error
        if kind == CONTACT:
            motion = replace(motion, recorded=_thinned(len(motion.time)))
        observation = Observation(equations, motion, driver.origin)
        phase = Phase(
            name=name,
            kind=kind,
            observation=observation,
            integration=motion.integration,
            before=driver.before,
        )
        self.phases.append(phase)
        return phase

    def add_impact(self, contact: Contact, jump: Jump, closure: str) -> None:
        """An impact happens now."""
        impact = assess(contact, jump, closure)
        self.impacts.append(ImpactEvent(self.now, contact, impact, relative_velocity(contact)))

    def carried(self, assembly: Assembly) -> Assembly:
        """An assembly as the last phase left it."""
        observation = self.phases[-1].observation
        return self.turned(assembly.starting_at(observation.q[:, -1], observation.v[:, -1]))

    def turned(self, assembly: Assembly) -> Assembly:
        """The assembly with the angle that its planar target has by now, full turns counted."""
        if not self.phases or not assembly.is_planar or assembly.target is None:
            return assembly
        return replace(assembly, target_angle=float(self.phases[-1].observation.target_angle[-1]))

    def _explained(
        self, error: UnfinishedError, equations: Equations, how: Integration, driver: Driver
    ) -> SimulationError:
        """A motion that would not come to its end, with what makes it so."""
        if driver.before and runs_away(equations, error.halt):
            missed = miss_of(self.encounter, equations, error.halt, driver.origin)
            if missed is not None:
                return SimulationError(missed)
        part = self.encounter.approach if driver.before else self.encounter
        assert part is not None
        law = blamed(part.control, "approach.control" if driver.before else "control")
        lasting = "approach.timeout" if driver.before else "duration"
        cause = cause_of(equations, error.halt, how, law, lasting=lasting)
        return SimulationError(f"{error} {cause}")

    def _ready(
        self, assembly: Assembly, driver: Driver, load: Load | None, signal: EventSignal | None
    ) -> tuple[Equations, EventSignals | None]:
        """Equations and watch of a kind of phase, so that they are compiled once."""
        equations = Equations(
            assembly=assembly, law=driver.law, load=load, wheels=driver.wheels, orbit=self.orbit
        )
        watch = None if signal is None else EventSignals(equations, (signal,))
        for ready in self._prepared:
            if ready.serves(equations, watch):
                return ready.equations, ready.watch
        self._prepared.append(PreparedEquations(equations, watch))
        return equations, watch

    def _remembered(self, law: ControlLaw) -> Any:
        """What a sampled law knows from the last phase, None where another drove there."""
        if not self.phases or self.phases[-1].observation.equations.law is not law:
            return None
        return self.phases[-1].observation.motion.memory

    def _wheel_momentum(self) -> np.ndarray | None:
        """In the wheels at the end of the last phase (N m s)."""
        return self.phases[-1].observation.integral("wheels")[-1] if self.phases else None


def _alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two things compute the same, as far as that can be told."""
    known = kernel.fingerprint(one)
    return one == other if known is None else known == kernel.fingerprint(other)


def blamed(law: Law, field: str) -> BlamedLaw:
    """A law with the numbers that say how hard it acts, as they are given, and what to change."""
    numbers = law.strength
    given = [f"law {law.name}", *(f"{key} {shown(value)}" for key, value in numbers.items())]
    lower = [f"{field}.{key}" for key in ("natural-frequency", "kp", "kd") if key in numbers]
    remedy = f"Lower {' or '.join(lower)}" if lower else "Lower its gains"
    if law.tunes:
        remedy += ", or let masses differ less; law computed-torque has no rates beyond those asked"
    if "time-constant" in numbers:
        remedy = f"Raise {field}.time-constant"
    return BlamedLaw(f"{field} ({', '.join(given)})", remedy)


def _thinned(count: int) -> np.ndarray:
    """Indices of all samples, or evenly spaced ones with both ends."""
    if count <= MOST_SAMPLES:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, MOST_SAMPLES).round().astype(int))


def integration_of(integration: Integration, law: ControlLaw) -> Integration:
    """How a motion is integrated: a law sampled in time needs a method whose steps may be short."""
    asked = asked_integration(integration, law.period is not None)
    if law.period is not None and asked.method == "dop853":
        return replace(asked, method="dormand-prince")
    return asked
