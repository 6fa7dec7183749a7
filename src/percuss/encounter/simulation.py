"""An encounter carried out, and everything that was found out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.encounter.arrival import Arrival, arrival_of
from percuss.encounter.assembly import Assembly
from percuss.encounter.balances import Balance, peaks, worst
from percuss.encounter.chaser import ChaserView
from percuss.encounter.closures import Bounce
from percuss.encounter.compensating import compensation_advice
from percuss.encounter.course import Course, course_of
from percuss.encounter.drifting import drifts
from percuss.encounter.encounter import Encounter
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.excesses import beyond_limits, too_deep, touching_again
from percuss.encounter.failure import Progress, SimulationError
from percuss.encounter.joint_use import JointUse, joint_uses
from percuss.encounter.laws import ImpactCompensation
from percuss.encounter.leg import APPROACH, CONTACT, Hit, Leg
from percuss.encounter.method import Integration
from percuss.encounter.observation import Observation
from percuss.encounter.oddities import warnings
from percuss.encounter.overlap import overlaps
from percuss.encounter.passages import Passage, passage_of
from percuss.encounter.provenance import Provenance, made_in_python
from percuss.encounter.reach import far_away, unreachable
from percuss.encounter.record import Record
from percuss.encounter.recording import record_of
from percuss.encounter.remarks import (
    at_limits,
    belief,
    in_orbit,
    is_smooth,
    momentum_advice,
    saturation,
    stiff_legs,
)
from percuss.encounter.touching import contact_at
from percuss.impact import Contact, Impact
from percuss.model.errors import ModelError
from percuss.version import __version__


@dataclass(frozen=True)
class Simulation:
    """Everything that was found out by carrying out an encounter.

    `course` is what happened in it, `provenance` where it came from.
    """

    encounter: Encounter
    course: Course
    provenance: Provenance

    def __repr__(self) -> str:
        return f"<Simulation {shown(self.name)}: {self.status} at {self.legs[-1].end:g} s>"

    @property
    def name(self) -> str:
        return self.encounter.name

    @property
    def closure(self) -> str:
        """The name of the closure."""
        return self.encounter.closure.name

    @property
    def status(self) -> str:
        """How the encounter ended, in one word."""
        return self.course.status

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The stretches of the run, in order."""
        return self.course.legs

    @property
    def seen(self) -> Observation:
        """The last stretch: the motion after the impact, where there was one."""
        return self.legs[-1].seen

    @property
    def assembly(self) -> Assembly:
        return self.seen.assembly

    @property
    def integration(self) -> Integration:
        return self.legs[-1].integration

    @property
    def contact(self) -> Contact:
        """Chaser and target at the last instantaneous impact; there must be one."""
        return self._last_hit.contact

    @property
    def impact(self) -> Impact:
        """The instantaneous impact that closed the grasp, or the last; there must be one."""
        return self._last_hit.impact

    @property
    def _last_hit(self) -> Hit:
        if not self.course.hits:
            raise ModelError(f"{self.name}: there is no instantaneous impact in this run")
        return self.course.hits[-1]

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Contacts that took time, in order."""
        return tuple(
            passage_of(leg, leg.was_ended or leg is not self.legs[-1], self.closure)
            for leg in self.legs
            if leg.phase == CONTACT
        )

    @cached_property
    def view(self) -> ChaserView:
        assembly, source = self.assembly, self.provenance
        return ChaserView(assembly.chaser, assembly.is_planar, source.base_angle, source.base_pose)

    @cached_property
    def record(self) -> Record:
        facing = self.course.facing
        surface = None if facing is None else facing.surface
        text = self.provenance.text
        attributes = {
            "scenario": text,
            "percuss_version": __version__,
            "seed": str(self.provenance.seed),
            "hash": hashlib.sha256(text.encode()).hexdigest(),
        }
        return record_of(self.legs, self.view, attributes, surface)

    @cached_property
    def balance(self) -> Balance:
        """The largest residuals within any stretch."""
        return worst([leg.balance for leg in self.legs])

    @property
    def steps(self) -> int:
        return sum(leg.seen.motion.steps for leg in self.legs)

    @cached_property
    def peak_control(self) -> np.ndarray:
        """Largest |u| on each of the chaser's rates (N, N m)."""
        found = [
            peaks(leg.seen.motion.time, self.view.rates(leg.seen.motion.commands).T, smooth)
            for leg, smooth in self._smoothness
        ]
        return np.max(found, axis=0)

    @cached_property
    def peak_joint_reaction(self) -> dict[str, float]:
        """Largest force through each joint while it moves (N)."""
        joints = [joint.name for joint in self.view.chaser.moving_joints]
        if not joints:
            return {}
        found = []
        for leg, smooth in self._smoothness:
            sizes = [np.linalg.norm(leg.seen.reaction(joint)[0], axis=1) for joint in joints]
            found.append(peaks(leg.seen.motion.time, np.stack(sizes, axis=1), smooth))
        return dict(zip(joints, np.max(found, axis=0).tolist(), strict=True))

    @cached_property
    def joint_uses(self) -> tuple[JointUse, ...]:
        """How far each joint was used, beside its limits."""
        return joint_uses(self.legs, self.course.hits)

    @cached_property
    def _smoothness(self) -> list[tuple[Leg, bool]]:
        """The stretches, and whether commands are smooth in them: at no limit, not sampled, not
        switched."""
        return [
            (leg, is_smooth(leg.seen.equations.law) and not at_limits(self.encounter, leg))
            for leg in self.legs
        ]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before believing the numbers."""
        found: list[str] = []
        for hit in self.course.hits:
            found += [text for text in hit.impact.warnings if text not in found]
        normal = self.impact.normal if self.course.hits else None
        closure = self.encounter.closure
        once = isinstance(closure, Bounce) and closure.repeat is None
        return (
            *found,
            *warnings(self.encounter),
            *(() if self.arrival is None else self.arrival.warnings),
            *self._overlaps,
            *drifts(self.legs),
            *beyond_limits(self.joint_uses),
            *too_deep(self.legs),
            *(touching_again(self.seen, normal) if once else ()),
        )

    @cached_property
    def arrival(self) -> Arrival | None:
        """The first contact beside the plan of `approach.meet`; None without either."""
        return arrival_of(self.encounter.approach, self.legs)

    @property
    def _overlaps(self) -> tuple[str, ...]:
        """Bodies that are inside each other when an approach ends in a contact."""
        if self.encounter.approach is None or self.status == "missed":
            return ()
        if self.course.hits:
            return overlaps(self.course.hits[0].contact)
        leg = next(leg for leg in self.legs if leg.phase != APPROACH)
        return overlaps(contact_at(leg.seen.assembly, leg.seen.q[:, 0], leg.seen.v[:, 0]))

    @property
    def _compensation(self) -> tuple[str, ...]:
        """What impact compensation did, where it drives the chaser."""
        law = self.encounter.control
        return compensation_advice(law, self.legs) if isinstance(law, ImpactCompensation) else ()

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What the actuation cannot do, and what is unusual about the integration."""
        return (
            *momentum_advice(
                self.encounter.control, self.assembly, self.impact if self.course.hits else None
            ),
            *self._compensation,
            *belief(self.encounter.control),
            *in_orbit(self.encounter.orbit, self.provenance.velocities),
            *saturation(self.encounter, self.legs),
            *stiff_legs(self.legs),
        )


def carry_out(
    encounter: Encounter,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Simulation:
    """Carry out an encounter.

    Args:
        progress: is told the share of the motion done.
        provenance: where it came from, for results to tell; default: from Python.
    """
    impossible = unreachable(encounter)
    if impossible is not None:
        raise EncounterError(("approach", "meet"), impossible)
    source = made_in_python(encounter) if provenance is None else provenance
    return Simulation(encounter, _carried_out(encounter, progress), source)


def _carried_out(encounter: Encounter, progress: Progress | None) -> Course:
    """What happens; a motion that fails where the target is far away says so first."""
    try:
        return course_of(encounter, progress)
    except SimulationError as error:
        far = far_away(encounter)
        if far is None:
            raise
        raise SimulationError(f"{far}. As it is, {error}") from error
