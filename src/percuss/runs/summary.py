"""The summary of a run as plain data: what `summary.json` holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.algebra.motions import Force
from percuss.algebra.vectors import Vector3
from percuss.simulate.simulation import Simulation


def summary_of(simulation: Simulation) -> dict[str, Any]:
    """Numbers of a run under the names that stay stable; vectors are flat lists, SI units."""
    impact = _impact(simulation)
    balance = simulation.balance
    warnings = list(simulation.warnings)
    return {
        "name": simulation.name,
        "closure": simulation.closure,
        "planar": simulation.contact.is_planar,
        "mode": str(simulation.contact.chaser.mode),
        "impact": impact,
        "impacts": [impact],
        "final": _final(simulation),
        "balance": {
            "energy": balance.energy,
            "linear_momentum": balance.linear_momentum,
            "angular_momentum": balance.angular_momentum,
        },
        "control": _plain(simulation.control),
        "peak": {
            "control": _list(simulation.peak_control),
            "joint_reaction": dict(simulation.peak_joint_reaction),
        },
        "integration": {
            "method": simulation.integration.method,
            "steps": simulation.steps,
        },
        "laws": [
            {"law": law.name, "state": str(law.state), "text": law.text}
            for law in simulation.impact.laws
        ],
        "verdict": [*simulation.impact.verdict, *(f"warning: {text}" for text in warnings)],
        "warnings": warnings,
        "advice": list(simulation.advice),
    }


def _impact(simulation: Simulation) -> dict[str, Any]:
    impact, planar = simulation.impact, simulation.contact.is_planar
    welds = simulation.closure == "weld"
    bounced = impact.normal is not None
    return {
        "time": 0.0,
        "closure": simulation.closure,
        "chaser_velocity": _list(simulation.view.rates(np.asarray(impact.chaser_rates, float))),
        "target_velocity": _list(impact.target_rates),
        "impulse": _vector(impact.impulse, planar),
        "moment": _turn(impact.moment, planar) if welds else None,
        "base_impulse": _vector(impact.base_impulse.linear, planar),
        "base_moment": _turn(impact.base_impulse.angular, planar),
        "effective_mass": float(impact.effective_mass)
        if impact.effective_mass is not None
        else None,
        "normal": _vector(impact.normal, planar) if bounced else None,
        "energy": {"before": float(impact.energy_before), "after": float(impact.energy_after)},
        "linear_momentum": {
            "before": _vector(impact.linear_momentum_before, planar),
            "after": _vector(impact.linear_momentum_after, planar),
        },
        "angular_momentum": {
            "before": _turn(impact.angular_momentum_before, planar),
            "after": _turn(impact.angular_momentum_after, planar),
        },
        "joint_reactions": {
            name: _reaction(load, planar) for name, load in impact.joint_reactions.items()
        },
    }


def _final(simulation: Simulation) -> dict[str, Any]:
    seen, record = simulation.seen, simulation.record
    planar = simulation.contact.is_planar
    velocity = seen.target_velocity[-1]
    target: dict[str, Any] = {"position": _vector(seen.target_center[-1], planar)}
    if planar:
        target["angle"] = float(seen.target_angle[-1])
    else:
        target["orientation"] = _list(record["target_orientation"][-1])
    target["linear"] = _vector(velocity[:3], planar)
    target["angular"] = _turn(velocity[3:], planar)
    return {
        "time": float(record.time[-1]),
        "coordinates": _list(record["coordinates"][-1]),
        "rates": _list(record["rates"][-1]),
        "names": list(record.labels["coordinate"]),
        "units": list(simulation.view.coordinate_units),
        "base_turn": _turned(record["coordinates"], planar),
        "target": target,
    }


def _turned(coordinates: np.ndarray, planar: bool) -> float:
    """By how much the base has turned since the impact (rad)."""
    if planar:
        return float(coordinates[-1, 2] - coordinates[0, 2])
    first, last = coordinates[0, 3:7], coordinates[-1, 3:7]
    # |vector part| and scalar part of the quaternion from the first to the last attitude.
    scalar = abs(float(first @ last))
    vector = first[0] * last[1:] - last[0] * first[1:] - np.cross(first[1:], last[1:])
    return 2 * float(np.arctan2(np.linalg.norm(vector), scalar))


def _reaction(load: Force, planar: bool) -> dict[str, Any]:
    force = load.linear.array()
    return {
        "force": _vector(force, planar),
        "moment": _turn(load.angular, planar),
        "magnitude": float(np.linalg.norm(force)),
    }


def _vector(values: Any, planar: bool) -> list[float]:
    """Two entries in the plane, three in space."""
    array = values.array() if isinstance(values, Vector3) else np.asarray(values, float)
    return _list(array[: 2 if planar else 3])


def _turn(values: Any, planar: bool) -> float | list[float]:
    """An axial vector: one number in the plane."""
    array = values.array() if isinstance(values, Vector3) else np.asarray(values, float)
    return float(array[2]) if planar else _list(array)


def _plain(value: Any) -> Any:
    """Data of a document as JSON has them: what is not finite (a limit without one) as text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def _list(values: Any) -> list[float]:
    # Adding 0.0 turns -0.0 into 0.0, which nobody wants to read.
    return [float(x) + 0.0 for x in np.asarray(values, float)]
