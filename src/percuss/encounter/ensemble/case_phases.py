"""What the phases of many cases have in common: their times, and how some of them move on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from percuss.encounter.contact_geometry import ON_SURFACE
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.cases import Cases
from percuss.encounter.ensemble.contact_surfaces import SurfaceProgram, first_contact
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.history import SignalTimes
from percuss.encounter.ensemble.motion import MotionOfCases
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.programs import EnsemblePrograms
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.outcome import Outcome
from percuss.encounter.phase_machine import PhaseMachine
from percuss.kernel.duals import same_in_all, value_of


class CasePhases(PhaseMachine[SurfaceProgram]):
    """Cases in machine code, each with an account of what comes of it."""

    def __init__(self, programs: EnsemblePrograms, cases: Cases) -> None:
        self.programs = programs
        self.cases = cases

    def _time(self, name: str, of: Callable[[Encounter], Any], some: np.ndarray) -> Any:
        """A time (s) of an encounter: the same for all cases, or one of each of some."""
        cases = self.cases
        if not cases.inputs:
            return float(of(self.programs.encounter))
        found = self.programs.evaluated.one(name, of, cases.inputs, len(cases))
        same = len(found) and same_in_all(found)
        return float(value_of(found)[0]) if same else found[cases.at(some)]

    def _duration(self, some: np.ndarray) -> Any:
        """How long the motion after the contact lasts (s)."""
        return self._time("duration", lambda encounter: encounter.duration, some)

    def _approach_time(self, name: str, some: np.ndarray) -> Any:
        """`observe` or `timeout` of the approach (s)."""
        return self._time(name, lambda encounter: getattr(encounter.approach, name), some)

    def _move(
        self,
        some: np.ndarray,
        flow: Flow,
        x: np.ndarray,
        p: Parameters,
        *,
        begin: Any,
        lasting: Any,
        origin: Any = 0.0,
        just: bool = False,
    ) -> MotionOfCases:
        """Move some cases on, and keep what is wanted over time; `origin` (s) of the clock."""
        histories = self.cases.histories
        sampling = SignalTimes(histories, origin) if histories else None
        motion = flow(x, p, begin, lasting, just=just, sampling=sampling)
        self.cases.keep(some, motion.samples)
        return motion

    def _first_contact(self, some: np.ndarray, normal: Any) -> np.ndarray:
        """Note where on the targets the tools are; whether that is on the target's own shape."""
        programs, cases = self.programs, self.cases
        given, inputs = Parametrised.of(normal), cases.inputs_of(some)
        inputs |= given.numbers(normal, some)
        met = first_contact(programs, given)(*cases.state_of(some), inputs)
        if programs.encounter.approach is None:
            cases.p = programs.begun(cases.q, cases.v, cases.inputs)
        for name, values in (("at", met.at), ("outward", met.outward)):
            cases.p[name] = np.full((3, len(cases)), np.nan, like=cases.q)
            cases.p[name][:, some] = values
        cases.found["contact_speed"][some] = met.speed
        return (np.abs(met.off) < ON_SURFACE) & (met.tilt < ON_SURFACE)

    def end(self, some: np.ndarray, outcome: Outcome) -> None:
        if len(some):
            self.cases.over(some, outcome)
