"""The numbers of every run, as plain data and as the tables that tell the story."""

from __future__ import annotations

from typing import Any

import numpy as np

from percuss.dynamics import kinetic_energy, momentum
from percuss.encounter.simulation import Simulation
from percuss.sources.table import Table, number, numbers
from percuss.sources.thesis.cases import (
    CLOSURES,
    DAMPING,
    MOTIONS,
    Case,
    closed_form,
    displacement,
    simulation_of,
)
from percuss.sources.thesis.tables import COORDINATES, VELOCITIES

Data = dict[str, Any]


def impact_numbers(simulation: Simulation) -> Data:
    """Velocities, impulse, energy and momenta of an impact; see `summary.json` of a run."""
    impact = simulation.impact
    return {
        "chaser_velocity": _list(impact.chaser_rates),
        "target_velocity": _list(impact.target_rates),
        "impulse": _list(impact.impulse[:2]),
        "moment": float(impact.moment[2]) + 0.0,
        "energy": {"before": impact.energy_before, "after": impact.energy_after},
        "linear_momentum": {
            "before": _list(impact.linear_momentum_before[:2]),
            "after": _list(impact.linear_momentum_after[:2]),
        },
        "angular_momentum": {
            "before": float(impact.angular_momentum_before[2]),
            "after": float(impact.angular_momentum_after[2]),
        },
    }


def motion_numbers(case: Case) -> Data:
    """Where a motion ends, what it conserved, and what drove it."""
    simulation = simulation_of(case)
    observation, balance = simulation.observation, simulation.balance
    linear, angular = observation.momentum
    found: Data = {
        "time": float(observation.motion.time[-1]),
        "coordinates": _list(observation.q[:5, -1]),
        "rates": _list(observation.v[:5, -1]),
        "target_angle": float(observation.target_angle[-1]),
        "target_spin": float(observation.target_velocity[-1, 5]),
        "energy": float(observation.kinetic_energy[-1]),
        "linear_momentum": _list(linear[-1, :2]),
        "angular_momentum": float(angular[-1, 2]),
        "balance": {
            "energy": balance.energy,
            "linear_momentum": balance.linear_momentum,
            "angular_momentum": balance.angular_momentum,
        },
    }
    if case.damping_ratio is not None:
        off = displacement(simulation) - closed_form(case, observation.motion.time)
        found |= {
            "damping_ratio": case.damping_ratio,
            "peak_control": _list(simulation.peak_control),
            "control_at_end": _list(observation.motion.commands[:5, -1]),
            "largest_deviation_from_closed_form": float(np.abs(off).max()),
        }
    return found


def simulation_numbers() -> Data:
    """All numbers by simulation ("1", "2"), closure, then impact and motions."""
    return {
        str(simulation): {
            closure: {
                "impact": impact_numbers(simulation_of(Case(simulation, closure))),
                **{motion: motion_numbers(Case(simulation, closure, motion)) for motion in MOTIONS},
            }
            for closure in CLOSURES
        }
        for simulation in VELOCITIES
    }


def shares(simulation: Simulation) -> dict[str, dict[str, float]]:
    """Energy (J), p_x (N s) and L (N m s) of VMS and of object, before and after the impact."""
    contact, impact = simulation.contact, simulation.impact
    states = {
        "before": (contact.chaser_rates, contact.target_rates),
        "after": (impact.chaser_rates, impact.target_rates),
    }
    found: dict[str, dict[str, float]] = {}
    for when, (own, other) in states.items():
        for who, system, q, v in (
            ("VMS", contact.chaser, contact.chaser_coordinates, own),
            ("object", contact.target, contact.target_coordinates, other),
        ):
            carried = momentum(system, q, v)
            found[f"{who} {when}"] = {
                "energy": float(kinetic_energy(system, q, v)),  # type: ignore[arg-type]
                "linear_momentum": float(carried.linear.x),  # type: ignore[arg-type]
                "angular_momentum": float(carried.angular.z),  # type: ignore[arg-type]
            }
    return found


# --- tables -------------------------------------------------------------------------------------


def impact_table(data: Data, simulation: int) -> Table:
    """One row a quantity, one column a closure."""
    by_closure = [data[str(simulation)][closure]["impact"] for closure in CLOSURES]
    before = by_closure[0]
    rates = (("ẋ_b, m/s", 0), ("ẏ_b, m/s", 1), ("θ̇0, rad/s", 2), ("q̇1, rad/s", 3), ("q̇2, rad/s", 4))
    spins = (("ẋ_O, m/s", 0), ("ẏ_O, m/s", 1), ("θ̇_O, rad/s", 2))
    rows = [
        *((name, *(_some([i["chaser_velocity"][k]]) for i in by_closure)) for name, k in rates),
        *((name, *(_some([i["target_velocity"][k]]) for i in by_closure)) for name, k in spins),
        ("impulse on the VMS, N s", *(_some(i["impulse"]) for i in by_closure)),
        ("its moment, N m s", *(_some([i["moment"]]) for i in by_closure)),
        (
            f"energy, J, {_was(before, 'energy')}",
            *(_some([i["energy"]["after"]]) for i in by_closure),
        ),
        (
            f"linear momentum, N s, {_was(before, 'linear_momentum')}",
            *(_some(i["linear_momentum"]["after"]) for i in by_closure),
        ),
        (
            f"angular momentum, N m s, {_was(before, 'angular_momentum')}",
            *(_some([i["angular_momentum"]["after"]]) for i in by_closure),
        ),
    ]
    return Table(f"Simulation {simulation}: after the impact", ("", *CLOSURES), tuple(rows))


def free_table(data: Data, simulation: int) -> Table:
    """Where free motion ends, and what it kept."""
    found = [data[str(simulation)][closure]["free"] for closure in CLOSURES]
    rows = [
        (f"{name}, {unit}", *(_some([f["coordinates"][k]]) for f in found))
        for k, (name, unit) in enumerate(
            zip(COORDINATES, ("m", "m", "rad", "rad", "rad"), strict=True)
        )
    ]
    rows += [
        ("θ_O, rad", *(_some([f["target_angle"]]) for f in found)),
        ("energy, J", *(_some([f["energy"]]) for f in found)),
        ("linear momentum, N s", *(_some(f["linear_momentum"]) for f in found)),
        ("angular momentum, N m s", *(_some([f["angular_momentum"]]) for f in found)),
    ]
    title = f"Simulation {simulation}: 10 s after the impact, no control"
    return Table(title, ("", *CLOSURES), tuple(rows))


def control_table(data: Data, simulation: int, motion: str) -> Table:
    """Peaks of u, and how well (4.27) is followed."""
    found = [data[str(simulation)][closure][motion] for closure in CLOSURES]
    forces = (("F_x", "N"), ("F_y", "N"), ("τ0", "N m"), ("τ1", "N m"), ("τ2", "N m"))
    rows = [
        (f"largest |{name}|, {unit}", *(_some([f["peak_control"][k]]) for f in found))
        for k, (name, unit) in enumerate(forces)
    ]
    rows += [
        ("θ̇_O at 10 s, rad/s", *(_some([f["target_spin"]]) for f in found)),
        (
            "off the closed form by, m or rad",
            *(f"{f['largest_deviation_from_closed_form']:.0e}" for f in found),
        ),
    ]
    title = f"Simulation {simulation}: controlled by (4.26), K_p = 1, ξ = {number(DAMPING[motion])}"
    return Table(title, ("", *CLOSURES), tuple(rows))


def _was(impact: Data, quantity: str) -> str:
    before = impact[quantity]["before"]
    return f"{numbers(np.atleast_1d(before))} before"


def _some(values: Any) -> str:
    return numbers(values)


def _list(values: Any) -> list[float]:
    # Adding 0.0 turns -0.0 into 0.0.
    return [float(x) + 0.0 for x in np.asarray(values, float)]
