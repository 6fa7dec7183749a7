"""What became of an encounter: the record of a run that was carried out."""

from __future__ import annotations

import numpy as np

from percuss.encounter.phase import Phase
from percuss.encounter.provenance import Notice
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.result import (
    BalanceRecord,
    EncounterResult,
    EncounterStatus,
    FinalState,
    IntegrationRecord,
    NoticeRecord,
    PeakLoads,
    PhaseRecord,
    PlanarTargetState,
    SpatialTargetState,
)
from percuss.encounter.simulation import Simulation
from percuss.encounter.summary.approach import approach_of
from percuss.encounter.summary.entries import flat, settings, vector
from percuss.encounter.summary.impacts import contact_of, impacts_of
from percuss.encounter.summary.limits import limits_of
from percuss.encounter.summary.orbit import orbit_of
from percuss.encounter.summary.outcome import outcome_of
from percuss.encounter.summary.stabilisation import stabilised
from percuss.impact.verdict import ConservationLaw


def encounter_result(simulation: Simulation) -> EncounterResult:
    """Everything that is told about a run."""
    balance = simulation.balance
    return EncounterResult(
        name=simulation.name,
        closure=simulation.closure,
        planar=simulation.assembly.is_planar,
        mode=str(simulation.assembly.chaser.mode),
        status=EncounterStatus(simulation.status),
        outcome=outcome_of(simulation),
        phases=tuple(_phase(phase) for phase in simulation.phases),
        approach=approach_of(simulation),
        impacts=impacts_of(simulation),
        contact=contact_of(simulation),
        stabilisation=stabilised(simulation),
        final=_final(simulation),
        balance=BalanceRecord(
            energy=balance.energy,
            linear_momentum=balance.linear_momentum,
            angular_momentum=balance.angular_momentum,
        ),
        control=ControlRecord(settings(simulation.provenance.control)),
        peak=PeakLoads(
            control=flat(simulation.peak_control),
            joint_reaction=dict(simulation.peak_joint_reaction),
        ),
        limits=limits_of(simulation),
        integration=IntegrationRecord(method=simulation.integration.method, steps=simulation.steps),
        laws=_laws(simulation),
        warnings=simulation.warnings,
        advice=simulation.advice,
        notices=tuple(_notice(notice) for notice in simulation.provenance.notices),
        orbit=orbit_of(simulation),
    )


def _phase(phase: Phase) -> PhaseRecord:
    return PhaseRecord(
        name=phase.name,
        phase=phase.kind,
        begin=phase.begin,
        end=phase.end,
        steps=phase.observation.motion.steps,
        energy=phase.balance.energy,
        linear_momentum=phase.balance.linear_momentum,
        angular_momentum=phase.balance.angular_momentum,
    )


def _notice(notice: Notice) -> NoticeRecord:
    change = notice.change
    return NoticeRecord(
        file=notice.file, line=change.line, where=change.where, read=change.read, used=change.used
    )


def _laws(simulation: Simulation) -> tuple[ConservationLaw, ...]:
    """The laws of the impact that closed the grasp, or of the last one."""
    if simulation.sequence.impacts:
        return simulation.impact.laws
    return simulation.lasting_contacts[-1].impact.laws if simulation.lasting_contacts else ()


def _final(simulation: Simulation) -> FinalState:
    record = simulation.record
    return FinalState(
        time=float(record.time[-1]),
        coordinates=flat(record["coordinates"][-1]),
        rates=flat(record["rates"][-1]),
        names=tuple(record.labels["coordinate"]),
        units=tuple(simulation.view.coordinate_units),
        base_turn=_turned(record["coordinates"], simulation.assembly.is_planar),
        target=None if simulation.assembly.target is None else _final_target(simulation),
    )


def _final_target(simulation: Simulation) -> PlanarTargetState | SpatialTargetState:
    observation, planar = simulation.observation, simulation.assembly.is_planar
    position, velocity = (
        vector(observation.target_center[-1], planar),
        observation.target_velocity[-1],
    )
    linear = vector(velocity[:3], planar)
    if planar:
        return PlanarTargetState(
            position=position,
            angle=float(observation.target_angle[-1]),
            linear=linear,
            angular=float(velocity[5]) + 0.0,
        )
    return SpatialTargetState(
        position=position,
        orientation=flat(simulation.record["target_orientation"][-1]),
        linear=linear,
        angular=flat(velocity[3:]),
    )


def _turned(coordinates: np.ndarray, planar: bool) -> float:
    """By how much the base has turned since the start (rad)."""
    if planar:
        return float(coordinates[-1, 2] - coordinates[0, 2])
    first, last = coordinates[0, 3:7], coordinates[-1, 3:7]
    # |vector part| and scalar part of the quaternion from the first to the last attitude.
    scalar = abs(float(first @ last))
    vector = first[0] * last[1:] - last[0] * first[1:] - np.cross(first[1:], last[1:])
    return 2 * float(np.arctan2(np.linalg.norm(vector), scalar))
