"""The summary of a run as plain data: what `summary.json` holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.runs.account import (
    approach_of,
    contact_of,
    laws_of,
    outcome_of,
    phases_of,
    stabilised,
)
from percuss.runs.impacts import impacts_of
from percuss.runs.limits import limits_of
from percuss.runs.orbit import orbit_of
from percuss.runs.plain import flat_list, plain, turning, vector
from percuss.simulate.simulation import Simulation


def summary_of(simulation: Simulation) -> dict[str, Any]:
    """Numbers of a run under the names that stay stable; vectors are flat lists, SI units."""
    impacts = impacts_of(simulation)
    balance = simulation.balance
    warnings = list(simulation.warnings)
    laws = laws_of(simulation)
    return {
        "name": simulation.name,
        "closure": simulation.closure,
        "planar": simulation.stage.is_planar,
        "mode": str(simulation.stage.chaser.mode),
        "status": simulation.status,
        "outcome": outcome_of(simulation),
        "phases": phases_of(simulation),
        "approach": approach_of(simulation),
        "impact": impacts[-1] if impacts else None,
        "impacts": impacts,
        "contact": contact_of(simulation),
        "stabilisation": stabilised(simulation),
        "final": _final(simulation),
        "balance": {
            "energy": balance.energy,
            "linear_momentum": balance.linear_momentum,
            "angular_momentum": balance.angular_momentum,
        },
        "control": plain(simulation.control),
        "peak": {
            "control": flat_list(simulation.peak_control),
            "joint_reaction": dict(simulation.peak_joint_reaction),
        },
        "limits": limits_of(simulation),
        "integration": {
            "method": simulation.integration.method,
            "steps": simulation.steps,
        },
        "laws": [{"law": law.name, "state": str(law.state), "text": law.text} for law in laws],
        "verdict": [*(law.text for law in laws), *(f"warning: {text}" for text in warnings)],
        "warnings": warnings,
        "advice": list(simulation.advice),
        "notices": [notice.plain() for notice in simulation.scenario.notices],
        **orbit_of(simulation),
    }


def _final(simulation: Simulation) -> dict[str, Any]:
    record = simulation.record
    planar = simulation.stage.is_planar
    return {
        "time": float(record.time[-1]),
        "coordinates": flat_list(record["coordinates"][-1]),
        "rates": flat_list(record["rates"][-1]),
        "names": list(record.labels["coordinate"]),
        "units": list(simulation.view.coordinate_units),
        "base_turn": _turned(record["coordinates"], planar),
        "target": None if simulation.stage.target is None else _final_target(simulation),
    }


def _final_target(simulation: Simulation) -> dict[str, Any]:
    seen, planar = simulation.seen, simulation.stage.is_planar
    velocity = seen.target_velocity[-1]
    target: dict[str, Any] = {"position": vector(seen.target_center[-1], planar)}
    if planar:
        target["angle"] = float(seen.target_angle[-1])
    else:
        target["orientation"] = flat_list(simulation.record["target_orientation"][-1])
    target["linear"] = vector(velocity[:3], planar)
    target["angular"] = turning(velocity[3:], planar)
    return target


def _turned(coordinates: np.ndarray, planar: bool) -> float:
    """By how much the base has turned since the start (rad)."""
    if planar:
        return float(coordinates[-1, 2] - coordinates[0, 2])
    first, last = coordinates[0, 3:7], coordinates[-1, 3:7]
    # |vector part| and scalar part of the quaternion from the first to the last attitude.
    scalar = abs(float(first @ last))
    vector = first[0] * last[1:] - last[0] * first[1:] - np.cross(first[1:], last[1:])
    return 2 * float(np.arctan2(np.linalg.norm(vector), scalar))
