"""The impacts of a run as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.algebra.motions import Force
from percuss.runs.plain import flat_list, turning, vector
from percuss.simulate.leg import Hit
from percuss.simulate.passages import Passage
from percuss.simulate.simulation import Simulation


def impacts_of(simulation: Simulation) -> list[dict[str, Any]]:
    """Every impact in order, instantaneous ones and those that took time."""
    planar = simulation.stage.is_planar
    found = [_hit(hit, simulation, planar) for hit in simulation.encounter.hits]
    found += [_passage(passage, simulation, planar) for passage in simulation.passages]
    return found


def _hit(hit: Hit, simulation: Simulation, planar: bool) -> dict[str, Any]:
    impact = hit.impact
    bounced = impact.normal is not None
    relative = hit.relative_velocity
    return {
        "time": hit.time,
        "duration": 0.0,
        "closure": impact.closure,
        "chaser_velocity": flat_list(simulation.view.rates(np.asarray(impact.chaser_rates, float))),
        "target_velocity": flat_list(impact.target_rates),
        "relative_velocity": vector(relative, planar),
        "impulse": vector(impact.impulse, planar),
        "moment": turning(impact.moment, planar) if impact.closure == "weld" else None,
        "base_impulse": vector(impact.base_impulse.linear, planar),
        "base_moment": turning(impact.base_impulse.angular, planar),
        "effective_mass": None if impact.effective_mass is None else float(impact.effective_mass),
        "normal": vector(impact.normal, planar) if bounced else None,
        "normal_speed": float(-relative @ impact.normal) if impact.normal is not None else None,
        "surface": _surface(simulation) if bounced else None,
        "energy": {"before": float(impact.energy_before), "after": float(impact.energy_after)},
        "linear_momentum": {
            "before": vector(impact.linear_momentum_before, planar),
            "after": vector(impact.linear_momentum_after, planar),
        },
        "angular_momentum": {
            "before": turning(impact.angular_momentum_before, planar),
            "after": turning(impact.angular_momentum_after, planar),
        },
        "joint_reactions": _reactions(impact.joint_reactions, planar),
    }


def _passage(passage: Passage, simulation: Simulation, planar: bool) -> dict[str, Any]:
    normal, relative = passage.normal, passage.relative_velocity
    known = normal is not None and relative is not None
    target = passage.target_rates
    if target is not None and planar:
        target = target[[0, 1, 5]]
    return {
        "time": passage.begin,
        "duration": passage.duration if passage.ended else None,
        "closure": simulation.closure,
        "chaser_velocity": flat_list(simulation.view.rates(passage.chaser_rates)),
        "target_velocity": None if target is None else flat_list(target),
        "relative_velocity": None if relative is None else vector(relative, planar),
        "impulse": vector(passage.impulse, planar),
        "moment": None,
        "base_impulse": vector(passage.base_impulse.linear, planar),
        "base_moment": turning(passage.base_impulse.angular, planar),
        "effective_mass": None,
        "normal": None if normal is None else vector(normal, planar),
        "normal_speed": float(-relative @ normal) if known else None,  # type: ignore[operator]
        "surface": _surface(simulation),
        "energy": {"before": passage.energy_before, "after": passage.energy_after},
        "linear_momentum": {
            "before": vector(passage.momentum_before[:3], planar),
            "after": vector(passage.momentum_after[:3], planar),
        },
        "angular_momentum": {
            "before": turning(passage.momentum_before[3:], planar),
            "after": turning(passage.momentum_after[3:], planar),
        },
        "joint_reactions": _reactions(passage.joint_reactions, planar),
    }


def _surface(simulation: Simulation) -> str | None:
    """What of the target the tool meets, in words."""
    facing = simulation.encounter.facing
    return None if facing is None else facing.surface.describe()


def _reactions(loads: Mapping[str, Force], planar: bool) -> dict[str, Any]:
    return {name: _reaction(load, planar) for name, load in loads.items()}


def _reaction(load: Force, planar: bool) -> dict[str, Any]:
    force = np.asarray(load.linear.array(), float)
    return {
        "force": vector(force, planar),
        "moment": turning(load.angular, planar),
        "magnitude": float(np.linalg.norm(force)),
    }
