"""An encounter carried out, and everything that was found out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from percuss.encounter.arrival import Arrival, arrival_of
from percuss.encounter.assembly import Assembly
from percuss.encounter.balance_warnings import drifts
from percuss.encounter.balances import Balance, peaks, worst
from percuss.encounter.chaser import ChaserView
from percuss.encounter.closures import Bounce
from percuss.encounter.compensating import compensation_advice
from percuss.encounter.contact_geometry import contact_at
from percuss.encounter.encounter import Encounter
from percuss.encounter.errors import EncounterError, shown
from percuss.encounter.failure import Progress, SimulationError
from percuss.encounter.joint_use import JointUse, joint_uses
from percuss.encounter.lasting_contacts import LastingContact, lasting_contact_of
from percuss.encounter.laws.compensating import ImpactCompensation
from percuss.encounter.method import Integration
from percuss.encounter.motion_warnings import beyond_limits, too_deep, touching_again
from percuss.encounter.observation import Observation
from percuss.encounter.overlap import overlaps
from percuss.encounter.phase import APPROACH, CONTACT, ImpactEvent, Phase
from percuss.encounter.provenance import Provenance, made_in_python
from percuss.encounter.reach import far_away, unreachable
from percuss.encounter.record import Record
from percuss.encounter.recorded_phases import PhaseSequence, sequence_of
from percuss.encounter.recording import record_of
from percuss.encounter.remarks import (
    at_limits,
    belief,
    in_orbit,
    is_smooth,
    momentum_advice,
    saturation,
    stiff_phases,
)
from percuss.encounter.start_warnings import warnings
from percuss.impact import Contact
from percuss.impact.outcome import Impact
from percuss.model.errors import ModelError
from percuss.version import __version__


@dataclass(frozen=True)
class Simulation:
    """Everything that was found out by carrying out an encounter.

    `sequence` is what happened in it, `provenance` where it came from.
    """

    encounter: Encounter
    sequence: PhaseSequence
    provenance: Provenance

    def __repr__(self) -> str:
        return f"<Simulation {shown(self.name)}: {self.status} at {self.phases[-1].end:g} s>"

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
        return self.sequence.status

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the run, in order."""
        return self.sequence.phases

    @property
    def observation(self) -> Observation:
        """The last phase: the motion after the impact, where there was one."""
        return self.phases[-1].observation

    @property
    def assembly(self) -> Assembly:
        return self.observation.assembly

    @property
    def integration(self) -> Integration:
        return self.phases[-1].integration

    @property
    def contact(self) -> Contact:
        """Chaser and target at the last instantaneous impact; there must be one."""
        return self._last_impact.contact

    @property
    def impact(self) -> Impact:
        """The instantaneous impact that closed the grasp, or the last; there must be one."""
        return self._last_impact.impact

    @property
    def _last_impact(self) -> ImpactEvent:
        if not self.sequence.impacts:
            raise ModelError(f"{self.name}: there is no instantaneous impact in this run")
        return self.sequence.impacts[-1]

    @cached_property
    def lasting_contacts(self) -> tuple[LastingContact, ...]:
        """Contacts that took time, in order."""
        return tuple(
            lasting_contact_of(phase, phase.was_ended or phase is not self.phases[-1], self.closure)
            for phase in self.phases
            if phase.kind == CONTACT
        )

    @cached_property
    def view(self) -> ChaserView:
        assembly, source = self.assembly, self.provenance
        return ChaserView(assembly.chaser, assembly.is_planar, source.base_angle, source.base_pose)

    @cached_property
    def record(self) -> Record:
        contact_surface = self.sequence.contact_surface
        surface = None if contact_surface is None else contact_surface.surface
        text = self.provenance.text
        attributes = {
            "scenario": text,
            "percuss_version": __version__,
            "seed": str(self.provenance.seed),
            "hash": hashlib.sha256(text.encode()).hexdigest(),
        }
        return record_of(self.phases, self.view, attributes, surface)

    @cached_property
    def balance(self) -> Balance:
        """The largest residuals within any phase."""
        return worst([phase.balance for phase in self.phases])

    @property
    def steps(self) -> int:
        return sum(phase.observation.motion.steps for phase in self.phases)

    @cached_property
    def peak_control(self) -> np.ndarray:
        """Largest |u| on each of the chaser's rates (N, N m)."""
        found = [
            peaks(
                phase.observation.motion.time,
                self.view.rates(phase.observation.motion.commands).T,
                smooth,
            )
            for phase, smooth in self._smoothness
        ]
        return np.max(found, axis=0)

    @cached_property
    def peak_joint_reaction(self) -> dict[str, float]:
        """Largest force through each joint while it moves (N)."""
        joints = [joint.name for joint in self.view.chaser.moving_joints]
        if not joints:
            return {}
        found = []
        for phase, smooth in self._smoothness:
            sizes = [
                np.linalg.norm(phase.observation.reaction(joint)[0], axis=1) for joint in joints
            ]
            found.append(peaks(phase.observation.motion.time, np.stack(sizes, axis=1), smooth))
        return dict(zip(joints, np.max(found, axis=0).tolist(), strict=True))

    @cached_property
    def joint_uses(self) -> tuple[JointUse, ...]:
        """How far each joint was used, beside its limits."""
        return joint_uses(self.phases, self.sequence.impacts)

    @cached_property
    def _smoothness(self) -> list[tuple[Phase, bool]]:
        """The phases, and whether commands are smooth in them: at no limit, not sampled, not
        switched."""
        return [
            (
                phase,
                is_smooth(phase.observation.equations.law) and not at_limits(self.encounter, phase),
            )
            for phase in self.phases
        ]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before believing the numbers."""
        found: list[str] = []
        for event in self.sequence.impacts:
            found += [text for text in event.impact.warnings if text not in found]
        normal = self.impact.normal if self.sequence.impacts else None
        closure = self.encounter.closure
        once = isinstance(closure, Bounce) and closure.repeat is None
        return (
            *found,
            *warnings(self.encounter),
            *(() if self.arrival is None else self.arrival.warnings),
            *self._overlaps,
            *drifts(self.phases),
            *beyond_limits(self.joint_uses),
            *too_deep(self.phases),
            *(touching_again(self.observation, normal) if once else ()),
        )

    @cached_property
    def arrival(self) -> Arrival | None:
        """The first contact beside the plan of `approach.meet`; None without either."""
        return arrival_of(self.encounter.approach, self.phases)

    @property
    def _overlaps(self) -> tuple[str, ...]:
        """Bodies that are inside each other when an approach ends in a contact."""
        if self.encounter.approach is None or self.status == "missed":
            return ()
        if self.sequence.impacts:
            return overlaps(self.sequence.impacts[0].contact)
        phase = next(phase for phase in self.phases if phase.kind != APPROACH)
        return overlaps(
            contact_at(
                phase.observation.assembly, phase.observation.q[:, 0], phase.observation.v[:, 0]
            )
        )

    @property
    def _compensation(self) -> tuple[str, ...]:
        """What impact compensation did, where it drives the chaser."""
        law = self.encounter.control
        return compensation_advice(law, self.phases) if isinstance(law, ImpactCompensation) else ()

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What the actuation cannot do, and what is unusual about the integration."""
        return (
            *momentum_advice(
                self.encounter.control,
                self.assembly,
                self.impact if self.sequence.impacts else None,
            ),
            *self._compensation,
            *belief(self.encounter.control),
            *in_orbit(self.encounter.orbit, self.provenance.velocities),
            *saturation(self.encounter, self.phases),
            *stiff_phases(self.phases),
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


def _carried_out(encounter: Encounter, progress: Progress | None) -> PhaseSequence:
    """What happens; a motion that fails where the target is far away says so first."""
    try:
        return sequence_of(encounter, progress)
    except SimulationError as error:
        far = far_away(encounter)
        if far is None:
            raise
        raise SimulationError(f"{far}. As it is, {error}") from error
