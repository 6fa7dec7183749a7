"""The orbit of a run in its summary: what it is, and where the target is in its local frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.algebra.vectors import Vector3
from percuss.runs.plain import turning, vector
from percuss.simulate.simulation import Simulation


def orbit_of(simulation: Simulation) -> dict[str, Any]:
    """`orbit` of the summary; nothing where a run is in no orbit.

    `angle` (rad) is by how much the local orbital frame has turned at the end; `target` holds
    position, linear and angular velocity of the target then, as seen in that frame, which turns.
    """
    given, orbit = simulation.scenario.orbit, simulation.scenario.start.orbit
    if given is None or orbit is None:
        return {}
    seen, planar = simulation.seen, simulation.stage.is_planar
    end = float(seen.time[-1])
    found: dict[str, Any] = {
        "semi_major_axis": float(np.asarray(orbit.semi_major_axis)),
        "mean_motion": float(np.asarray(orbit.mean_motion)),
        "period": float(np.asarray(orbit.period)),
        "field": orbit.field,
        "velocities": given.velocities,
        "angle": float(np.asarray(orbit.angle(end))),
        "target": None,
    }
    if seen.stage.target is not None:
        velocity = seen.target_velocity[-1]
        state = Vector3(*seen.target_center[-1].tolist()), Vector3(*velocity[:3].tolist())
        place, linear = orbit.to_local(end, *state)
        spin, _ = orbit.to_local(end, Vector3(*velocity[3:].tolist()) - orbit.turning, state[1])
        found["target"] = {
            "position": vector(place, planar),
            "linear": vector(linear, planar),
            "angular": turning(spin, planar),
        }
    return {"orbit": found}
