"""The approach of a run as a record."""

from __future__ import annotations

from percuss.encounter.contact_geometry import distance_of, shape_of
from percuss.encounter.nearest import Nearest, nearest
from percuss.encounter.phase import APPROACH, Phase
from percuss.encounter.records.approach import (
    ApproachRecord,
    ArrivalRecord,
    ClosestApproach,
    ContactBy,
    MeetingRecord,
    PlannedAndFound,
)
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.simulation import Simulation
from percuss.encounter.summary.entries import length, settings, vector


def approach_of(simulation: Simulation) -> ApproachRecord | None:
    """Whether and how the tool touched; None without an approach."""
    approach = simulation.encounter.approach
    if approach is None:
        return None
    phases = _before(simulation)
    touched = simulation.status != "missed"
    closest = closest_of(simulation)
    assembly, q = phases[-1].observation.assembly, phases[-1].observation.q[:, -1]
    assert assembly.grip is not None
    apart = length(distance_of(assembly, assembly.grip, q).array())
    if touched:
        relative = phases[-1].observation.relative_velocity[-1]
    else:
        nearest = next(phase for phase in phases if phase.begin <= closest.time <= phase.end)
        relative = nearest.observation.relative_velocity_at(closest.time)
    control = simulation.provenance.approach_control
    return ApproachRecord(
        touched=touched,
        time=phases[-1].end if touched else None,
        by=ContactBy("surface" if approach.by_surface else "point"),
        distance=apart,
        relative_speed=length(relative),
        relative_velocity=vector(relative, assembly.is_planar),
        closest=ClosestApproach(distance=closest.distance, time=closest.time),
        capture_radius=approach.capture_radius,
        control=None if control is None else ControlRecord(settings(control)),
        timeout=approach.timeout,
        meet=_meeting(simulation),
        arrival=_arrival(simulation),
    )


def _meeting(simulation: Simulation) -> MeetingRecord | None:
    """The plan of the meeting; None where none is asked for."""
    approach, approaching = simulation.encounter.approach, simulation.sequence.approaching
    if approach is None or approach.meet is None:
        return None
    plan = approaching and approaching.plan
    return MeetingRecord(
        at=approach.meet.at,
        closing_speed=approach.meet.closing_speed,
        sentences=tuple(plan.sentences) if plan else (),
    )


def _arrival(simulation: Simulation) -> ArrivalRecord | None:
    """The contact beside its plan; None without a plan, or without a contact."""
    found = simulation.arrival
    if found is None:
        return None
    return ArrivalRecord(
        as_planned=found.as_planned,
        differences=tuple(found.differences),
        time=PlannedAndFound(planned=found.planned_time, found=found.time),
        closing_speed=PlannedAndFound(
            planned=found.planned_closing_speed, found=found.closing_speed
        ),
        sideways_speed=PlannedAndFound(planned=0.0, found=found.sideways_speed),
        offset=PlannedAndFound(planned=0.0, found=found.offset),
    )


def closest_of(simulation: Simulation) -> Nearest:
    """Where the tool was closest: to the contact point, or to the surface if that is touched."""
    approach, target = simulation.encounter.approach, simulation.assembly.target
    assert approach is not None
    assert target is not None
    return nearest(_before(simulation), shape_of(target) if approach.by_surface else None)


def _before(simulation: Simulation) -> list[Phase]:
    return [phase for phase in simulation.phases if phase.kind == APPROACH]
