"""Contacts that take time, of many cases: surfaces that give way, springs that hold, pushes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from percuss.encounter.ensemble.case_phases import CasePhases
from percuss.encounter.ensemble.contact_surfaces import SurfaceProgram, surface_program
from percuss.encounter.ensemble.failures import AFTER, CONTACT
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.lasting_contacts import LOADS, Bearing
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.outcome import Outcome
from percuss.encounter.phase_machine import Give, Thrust, at_cases
from percuss.impact.compliant_mass import damping_for
from percuss.kernel.duals import array_of, slope_of, value_of, with_differences
from percuss.model.errors import ModelError


class ContactPhases(CasePhases):
    """The phases in which a force acts between chaser and target, or on the chaser alone."""

    def give_way(
        self, some: np.ndarray, contact_surface: SurfaceProgram | None, give: Give
    ) -> None:
        if not len(some):
            return
        programs, cases, holds = self.programs, self.cases, contact_surface is None
        if contact_surface is None:
            self._first_contact(some, None)
            contact_surface = surface_program(programs, False)
        parametrised, begun = Parametrised.of(give), cases.time[some]
        flow = contact_surface.compliant(parametrised, holds)
        p = programs.begun(*cases.state_of(some), cases.inputs_of(some))
        p |= {name: cases.p[name][:, some] for name in ("at", "outward")}
        p |= parametrised.numbers(give, some)
        p["damping"] = self._damping(some, contact_surface, give)[None]
        cases.found["damping"][some] = p["damping"][0]
        x = cases.started(some, flow)
        motion = self._move(some, flow, x, p, begin=0.0, lasting=self._duration(some), origin=begun)
        cases.carry(some, flow, motion, begun)
        found = cases.found
        axes = flow.part(motion.state, "load_impulse")
        found["impulse"][:, some] = found["last_impulse"][:, some] = 0.0
        found["impulse"][: len(axes), some] = found["last_impulse"][: len(axes), some] = axes
        found["peak_force"][some] = motion.peaks["force"]
        first, last = np.zeros(len(some), like=x), motion.time
        lasts = np.ones(len(some), bool)
        if holds:
            found["touches"][some], found["touching"][some] = 1, motion.time
        else:
            before, (begins, ends, total) = motion.extras[:-3], motion.extras[-3:]
            found["touches"][some], lasts = begins, begins > ends
            found["touching"][some] = total + np.where(lasts, motion.time, 0.0)
            found["last_impulse"][: len(axes), some] -= before
            first, ended = motion.event_times
            last = np.where(lasts, motion.time, ended)
        found["energy_lost"][some] = -flow.part(motion.state, "load_work")[0]
        if lasts.any():
            # What a contact that lasts still holds it may give back.
            own = {name: p[name] for name in flow.like}
            begin, end = (array_of(flow.stored(at, own)) for at in (x, motion.state))
            found["energy_lost"][some[lasts]] -= (end - begin)[lasts]
        cases.impacts[some] = value_of(found["touches"][some])
        for name in ("impulse", "last_impulse", "peak_force"):
            found[name][..., some[cases.impacts[some] == 0]] = np.nan
        if programs.machine.impacts:
            whole = np.flatnonzero((cases.impacts[some] > 0) & ~motion.failed)
            bearing = contact_surface.compliant(parametrised, holds, bears=True)
            times = first[whole], last[whole]
            before = flow(x[:, whole], _of(p, whole), 0.0, times[0]).state
            self._note_touch(
                some[whole], bearing, before, _of(p, whole), times=times, origin=begun[whole]
            )
            found["impact_duration"][some[lasts]] = np.nan
        self.end(some, Outcome.HELD if holds else Outcome.BOUNCED)
        cases.fail(some, motion, CONTACT)

    def _note_touch(
        self,
        some: np.ndarray,
        flow: Flow,
        x: np.ndarray,
        p: Parameters,
        *,
        times: tuple[np.ndarray, np.ndarray],
        origin: Any,
    ) -> None:
        """What the last touch of some cases did between two times (s) of its clock.

        The motion of each is computed once more, from its state x at the first of them on.
        """
        if not len(some):
            return
        first, last = times
        motion = flow(x, p, first, last - first)
        more = self.programs.touch_account(flow)(x, motion.state, p)
        more |= Bearing.apart(flow.equations, motion.integrals[LOADS])
        self.cases.lasted(some, (first + origin, last - first), more)

    def _damping(self, some: np.ndarray, contact_surface: SurfaceProgram, give: Give) -> np.ndarray:
        """The damping of each case: as given, or such that the effective mass rebounds as asked."""
        cases = self.cases
        if give.damping is not None:
            return np.broadcast_to(array_of(at_cases(give.damping, some)), (len(some),))
        p = {name: cases.p[name][:, some] for name in contact_surface.like} | cases.inputs_of(some)
        mass, speed = contact_surface.effective(*cases.state_of(some), p)
        found = np.full(len(some), np.nan, like=cases.q)
        comes = (speed > 0.0) & np.isfinite(mass)
        if not comes.any():
            return found
        try:
            which = some[comes]
            given = at_cases(give.restitution, which), at_cases(give.stiffness, which)
            found[comes] = with_differences(
                partial(damping_for, give.law),
                *given,
                mass[comes],
                speed[comes],
                side=partial(_inward, given[0]),
            )
        except ModelError as error:
            raise ModelError(f"impact.restitution: {error}") from None
        return found

    def push(self, some: np.ndarray, thrust: Thrust) -> None:
        if not len(some):
            return
        programs, cases, found = self.programs, self.cases, self.cases.found
        p = programs.begun(*cases.state_of(some), cases.inputs_of(some))
        parametrised = Parametrised.of(thrust)
        flow, lasting = programs.pushed(parametrised), at_cases(thrust.lasting, some)
        acting = p | parametrised.numbers(thrust, some)
        x = cases.started(some, flow)
        motion = self._move(some, flow, x, acting, begin=0.0, lasting=lasting)
        if programs.machine.impacts:
            bearing, times = (
                programs.pushed(parametrised, bears=True),
                (np.zeros(len(some), like=x), motion.time),
            )
            self._note_touch(some, bearing, x, acting, times=times, origin=0.0)
        cases.carry(some, flow, motion)
        cases.fail(some, motion, CONTACT)
        axes = flow.part(motion.state, "load_impulse")
        found["impulse"][:, some] = found["last_impulse"][:, some] = 0.0
        found["impulse"][: len(axes), some] = found["last_impulse"][: len(axes), some] = axes
        found["energy_lost"][some] = -flow.part(motion.state, "load_work")[0]
        found["peak_force"][some] = motion.peaks["force"]
        found["touching"][some], found["touches"][some] = lasting, 1
        cases.impacts[some] = 1
        found["contact_time"][some] = 0.0
        goes = ~motion.failed
        p = {name: value[:, goes] for name, value in p.items()}
        some = some[goes]
        flow, begin = programs.apart, at_cases(thrust.lasting, some)
        x = cases.started(some, flow)
        motion = self._move(some, flow, x, p, begin=begin, lasting=self._duration(some))
        cases.carry(some, flow, motion)
        self.end(some, Outcome.PUSHED)
        cases.fail(some, motion, AFTER)


def _inward(restitution: Any, steps: np.ndarray) -> np.ndarray:
    """To which side of cases a restitution stays from 0 to 1 over four steps; 0 where to both."""
    value, slope = value_of(restitution), slope_of(restitution)
    reach = 2.0 * np.abs(steps * slope)
    outward = np.where(value + reach > 1.0, 1.0, 0.0) - np.where(value - reach < 0.0, 1.0, 0.0)
    return np.broadcast_to(-np.sign(slope) * outward, np.shape(steps))


def _of(p: Parameters, which: np.ndarray) -> Parameters:
    """Parameters of some of the cases."""
    return {name: value[:, which] for name, value in p.items()}
