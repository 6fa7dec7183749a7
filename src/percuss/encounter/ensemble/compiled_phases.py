"""The phases of many cases of an encounter at once, with what is asked of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from percuss.control.settling import FULL, SETTLED
from percuss.encounter.encounter import Encounter
from percuss.encounter.ensemble.arrivals import ApproachOfCases, beside_plan
from percuss.encounter.ensemble.cases import Cases
from percuss.encounter.ensemble.contact_phases import ContactPhases
from percuss.encounter.ensemble.contact_surfaces import SurfaceProgram, surface_program
from percuss.encounter.ensemble.failures import AFTER, APPROACH, FLIGHT, PLANNING
from percuss.encounter.ensemble.flow import Flow
from percuss.encounter.ensemble.impacts import ImpactOfCases
from percuss.encounter.ensemble.motion import MotionOfCases
from percuss.encounter.ensemble.parametrised import Parametrised
from percuss.encounter.ensemble.programs import EnsemblePrograms
from percuss.encounter.ensemble.resting import FULL_AT, THRUSTERS
from percuss.encounter.ensemble.template import Parameters
from percuss.encounter.outcome import Outcome
from percuss.encounter.phase_machine import (
    Grasp,
    Hold,
    Rebound,
    Speeds,
    run_phases,
)
from percuss.encounter.stabilisation import NO_RATE
from percuss.kernel.duals import array_of, is_dual, value_of
from percuss.model.names import BaseMode

TURN = 2.0 * np.pi


def run_cases(programs: EnsemblePrograms, cases: Cases) -> None:
    """Carry out all cases; what comes of them is in their account."""
    encounter = programs.encounter
    if encounter.orbit is not None:
        cases.mean_motion = programs.evaluated.one(
            "mean motion", _mean_motion, cases.inputs, len(cases)
        )
    phases = CompiledPhases(programs, cases)
    closure = programs.evaluated.closure(cases.inputs, len(cases))
    run_phases(phases, closure, approaches=encounter.approach is not None)


def _mean_motion(encounter: Encounter) -> Any:
    assert encounter.orbit is not None
    return encounter.orbit.mean_motion


class CompiledPhases(ContactPhases):
    """The phases of all cases in machine code; what comes of each is in its account."""

    def __init__(self, programs: EnsemblePrograms, cases: Cases) -> None:
        super().__init__(programs, cases)
        self._impact: ImpactOfCases | None = None
        self._approaches: list[ApproachOfCases] = []
        self._conserves = programs.before.chaser.mode != BaseMode.FIXED

    def start(self) -> np.ndarray:
        some = np.arange(len(self.cases))
        if self.programs.encounter.approach is None and self.programs.before.target is not None:
            self.cases.touched(some)
        return some

    # --- before the contact -------------------------------------------------------------------

    def approach(self, some: np.ndarray) -> np.ndarray:
        programs, cases = self.programs, self.cases
        closure = programs.encounter.closure
        if isinstance(closure, Hold):
            # While the one is compiled the other is written down.
            for begun in (programs.coming, programs.held(closure), programs.grasp(closure)):
                begun.prepare(slopes=is_dual(cases.q))
        cases.p = programs.preparation.numbers(*cases.known, cases.inputs)
        plans = value_of(cases.p.get("plan", np.zeros((0, len(cases)))))
        unplanned = ~np.isfinite(plans).all(axis=0)
        cases.refuse(some[unplanned], PLANNING, "there is no plan")
        some = some[~unplanned]
        met: list[np.ndarray] = []
        if np.any(self._approach_time("observe", some)):
            touching, some = self._approach_phase(some, "waiting")
            met.append(touching)
        touching, some = self._approach_phase(some, "coming")
        self.end(some, Outcome.MISSED)
        touched = np.sort(np.concatenate([*met, touching]))
        cases.touched(touched)
        if programs.machine.approach:
            self._note_arrivals(touched, some)
        return touched

    def _note_arrivals(self, touched: np.ndarray, missed: np.ndarray) -> None:
        """How the tools that touch arrive, beside their plans, and how others pass by."""
        programs, cases, found = self.programs, self.cases, self.cases.found
        for some in (touched, missed):
            if not len(some):
                continue
            q, v = cases.state_of(some)
            arrival = programs.arrivals(q, v, cases.inputs_of(some))
            numbers = {"distance": arrival["distance"]}
            if some is touched:
                numbers["relative_velocity"] = arrival["relative_velocity"]
                if "planned" in arrival:
                    beside = beside_plan(programs.approach, arrival, found["contact_time"][some])
                    numbers |= {f"arrival.{name}": values for name, values in beside.items()}
            cases.keep_optional(
                some, {f"approach.{name}": values for name, values in numbers.items()}
            )
        for approach in reversed(self._approaches):
            some = missed[np.isin(missed, approach.some)]
            begin = np.broadcast_to(array_of(approach.begin), approach.some.shape)
            when = found["closest_time"][some]
            here = when >= begin[np.searchsorted(approach.some, some)]
            some, missed = some[here], missed[~np.isin(missed, some[here])]
            if len(some):
                q, v = approach.states(some, when[here])
                arrival = programs.arrivals(q, v, cases.inputs_of(some))
                cases.keep_optional(
                    some, {"approach.relative_velocity": arrival["relative_velocity"]}
                )

    def _origin(self, some: np.ndarray) -> Any:
        """Zero of the clock of the law that comes, or flies on after a bounce (s)."""
        if self.programs.encounter.approach is None or self.programs.one_clock:
            return 0.0
        return self._approach_time("observe", some)

    def _approach_phase(self, some: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A phase of the approach: the cases that touch in it, and those that go on."""
        if not len(some):
            return some, some
        programs, cases = self.programs, self.cases
        go, end = (self._approach_time(which, some) for which in ("observe", "timeout"))
        if name == "waiting":
            flow, begin, end, origin = programs.waiting, 0.0, go, 0.0
        else:
            flow, begin, origin = programs.coming, go, self._origin(some)
        x, p = cases.started(some, flow), cases.parameters(some, flow.like)
        if programs.machine.approach:
            self._approaches.append(
                ApproachOfCases(flow=flow, some=some, x=x, p=p, begin=begin, origin=origin)
            )
        motion = self._move(
            some, flow, x, p, begin=begin - origin, lasting=end - begin, origin=origin
        )
        cases.carry(some, flow, motion, origin)
        self._note_closest(some, motion.extras[2], motion.extras[3] + origin)
        cases.fail(some, motion, APPROACH)
        return some[motion.ended], some[~motion.ended & ~motion.failed]

    def _note_closest(self, some: np.ndarray, lowest: np.ndarray, when: np.ndarray) -> None:
        found, distance = self.cases.found, lowest
        if self.programs.approach.capture_radius is not None:
            radius = self._approach_time("capture_radius", some)
            distance = np.sqrt(np.maximum(lowest + radius**2, 0.0))
        nearer = ~(found["closest_distance"][some] <= distance)
        found["closest_distance"][some[nearer]] = distance[nearer]
        found["closest_time"][some[nearer]] = when[nearer]

    # --- impacts ------------------------------------------------------------------------------

    def grasp(self, some: np.ndarray, closure: Grasp) -> None:
        if not len(some):
            return
        assert isinstance(closure, Hold)
        programs, cases = self.programs, self.cases
        grasp, flow = programs.grasp(closure), programs.held(closure)
        impact = grasp(*cases.state_of(some), cases.inputs_of(some))
        cases.add_impact(some, impact, self._conserves)
        assert impact.pose is not None
        own_q, own_v = cases.assembly.chaser.coordinate_count, cases.assembly.chaser.rate_count
        held = {"pose": impact.pose, "held": impact.q} | cases.inputs_of(some)
        p = programs.held_parameters(closure, held)
        x = cases.started(some, flow, impact.q, impact.v)
        begun = cases.time[cases.at(some)].copy()
        motion = self._move(some, flow, x, p, begin=0.0, lasting=self._duration(some), origin=begun)
        cases.add(some, motion)
        if programs.machine.stabilisation:
            rested = self._rested(some, closure, flow, x, p=p, motion=motion, begun=begun)
            cases.keep_optional(some, {f"stabilisation.{name}": rested[name] for name in rested})
        if programs.machine.settling:
            settled = self._settled(some, closure, x, p, peaks=motion.peaks.get("groups"))
            cases.found["settling_time"][some] = settled
        q, v = flow.part(motion.state, "q"), flow.part(motion.state, "v")
        held = {name: p[name] for name in grasp.like}
        target_q, target_v = map(array_of, grasp.target_state(q, v, held))
        if programs.before.is_planar:
            # The joint that holds the target starts at zero: whole turns are the target's.
            target_q = target_q.copy()
            then = grasp.target_state(impact.q, impact.v, held)[0][2]
            target_q[2] += TURN * np.round((cases.q[own_q + 2, some] - then) / TURN)
        chaser, target = (q[:own_q], v[:own_v]), (target_q, target_v)
        cases.end(
            some, Outcome.CAPTURED, chaser, target, time=cases.time[cases.at(some)] + motion.time
        )
        cases.status[some[motion.failed]] = int(Outcome.FAILED)
        cases.note(some, motion, AFTER)

    def _rested(
        self,
        some: np.ndarray,
        closure: Hold,
        flow: Flow,
        x: np.ndarray,
        *,
        p: Parameters,
        motion: MotionOfCases,
        begun: np.ndarray,
    ) -> dict[str, np.ndarray]:
        """What the motion after a grasp took, and what remains, by name; NaN where it failed."""
        found: dict[str, np.ndarray] = {}
        if THRUSTERS in motion.integrals:
            force, torque = motion.integrals[THRUSTERS]
            found |= {"thrusters.force_impulse": force, "thrusters.torque_impulse": torque}
        if "wheels" in motion.peaks:
            first, last = (
                np.sqrt((flow.part(one, "wheels") ** 2).sum(axis=0)) for one in (x, motion.state)
            )
            found |= {"wheels.initial": first, "wheels.final": last}
            found["wheels.peak"] = motion.peaks["wheels"]
            if FULL_AT in motion.integrals:
                capacity = self._time("wheels", lambda one: one.control.limits.wheels, some)
                crossed = np.where(first >= FULL * capacity, 0.0, motion.integrals[FULL_AT])
                found["wheels.saturated_at"] = begun + crossed
        if self._conserves:
            ends = flow.part(motion.state, "q"), flow.part(motion.state, "v")
            left = self.programs.remaining(closure)(*ends, p)
            found |= {f"remaining.{name}": values for name, values in left.items()}
        return {name: np.where(motion.failed, np.nan, values) for name, values in found.items()}

    def _settled(
        self,
        some: np.ndarray,
        closure: Hold,
        x: np.ndarray,
        p: Parameters,
        *,
        peaks: np.ndarray | None,
    ) -> np.ndarray:
        """Since when (s after the grasp) every driven rate is within 2 % of its peak; NaN: not yet.

        The peaks being known, the motion is computed once more to see when that is.
        """
        if peaks is None:
            return np.full(x.shape[1], np.nan, like=x)
        flow = self.programs.held(closure, settling=True)
        # What never moves has nothing to settle.
        bounds = np.where(peaks <= NO_RATE, 1.0, SETTLED * peaks)
        motion = flow(x, p | {"bounds": bounds}, 0.0, self._duration(some))
        rests = (np.sqrt(flow.peaks.groups(value_of(motion.state))) <= bounds).all(axis=0)
        when = np.where(np.isnan(motion.settled), 0.0, motion.settled)
        return np.where(rests & ~motion.failed, when, np.nan)

    def contact_surfaces(
        self, some: np.ndarray, normal: Any
    ) -> Iterator[tuple[SurfaceProgram, np.ndarray]]:
        if not len(some):
            return
        programs, approach = self.programs, self.programs.encounter.approach
        shaped = self._first_contact(some, normal)
        if approach is not None and approach.by_surface:
            shaped[:] = True
        for is_shaped in (True, False):
            group = some[shaped == is_shaped]
            if len(group):
                yield surface_program(programs, is_shaped), group

    def bounce(self, some: np.ndarray, contact_surface: SurfaceProgram, rebound: Rebound) -> Speeds:
        cases = self.cases
        # The normal is that of what is faced.
        rebound = replace(rebound, normal=None)
        given = Parametrised.of(rebound)
        program = contact_surface.bounce(given)
        p = cases.parameters(some, program.like) | given.numbers(rebound, some)
        impact = program(*cases.state_of(some), p)
        self._impact = impact
        assert impact.closing is not None
        assert impact.parting is not None
        assert impact.parting_speed is not None
        return Speeds(impact.speed, impact.closing, impact.parting_speed, impact.parting)

    def bounced(self, some: np.ndarray, chosen: np.ndarray) -> None:
        assert self._impact is not None
        impact = self._impact.only(chosen)
        self.cases.add_impact(some, impact, self._conserves)
        self.cases.v[:, self.cases.at(some)] = impact.v

    def impacts(self, some: np.ndarray) -> np.ndarray:
        return self.cases.impacts[some]

    def fly(self, some: np.ndarray, contact_surface: SurfaceProgram) -> np.ndarray:
        if not len(some):
            return some
        cases = self.cases
        flow, origin = contact_surface.flight, self._origin(some)
        x = cases.started(some, flow)
        begin = cases.time[cases.at(some)] - origin
        lasting = np.broadcast_to(array_of(self._duration(some)), (len(some),))
        p = cases.parameters(some, flow.like)
        motion = self._move(
            some, flow, x, p, begin=begin, lasting=lasting, origin=origin, just=True
        )
        cases.carry(some, flow, motion, origin)
        self.end(some[~motion.ended], Outcome.BOUNCED)
        cases.fail(some, motion, FLIGHT)
        return some[motion.ended]

    def rest(self, some: np.ndarray) -> None:
        del some  # they are where they are

    def part(self, some: np.ndarray) -> None:
        if not len(some):
            return
        programs, cases = self.programs, self.cases
        flow = programs.apart
        x = cases.started(some, flow)
        p = programs.begun(*cases.state_of(some), cases.inputs_of(some))
        begun = cases.time[some]
        motion = self._move(some, flow, x, p, begin=0.0, lasting=self._duration(some), origin=begun)
        cases.carry(some, flow, motion, begun)
        self.end(some, Outcome.BOUNCED)
        cases.fail(some, motion, AFTER)
