"""The orbit of a run: what it is, and where the target is in its local frame."""

from __future__ import annotations

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.encounter.records.orbit import LocalTargetState, OrbitRecord
from percuss.encounter.simulation import Simulation
from percuss.encounter.summary.entries import axial, vector


def orbit_of(simulation: Simulation) -> OrbitRecord | None:
    """The record of the orbit, with the target at the end of the run in the local orbital frame.

    None where a run is in no orbit.
    """
    orbit = simulation.encounter.orbit
    if orbit is None:
        return None
    observation, planar = simulation.observation, simulation.assembly.is_planar
    end = float(observation.time[-1])
    target = None
    if observation.assembly.target is not None:
        velocity = observation.target_velocity[-1]
        state = Vector3(*observation.target_center[-1].tolist()), Vector3(*velocity[:3].tolist())
        place, linear = orbit.to_local(end, *state)
        spin, _ = orbit.to_local(end, Vector3(*velocity[3:].tolist()) - orbit.turning, state[1])
        target = LocalTargetState(
            position=vector(place, planar),
            linear=vector(linear, planar),
            angular=axial(spin, planar),
        )
    return OrbitRecord(
        semi_major_axis=float(np.asarray(orbit.semi_major_axis)),
        mean_motion=float(np.asarray(orbit.mean_motion)),
        period=float(np.asarray(orbit.period)),
        field=orbit.field,
        velocities=simulation.provenance.velocities,
        angle=float(np.asarray(orbit.angle(end))),
        target=target,
    )
