"""What a reader should know about the actuation of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from percuss.control import ControlLaw, advice
from percuss.dynamics.composite import momentum, total_inertia
from percuss.dynamics.orbit import CircularOrbit
from percuss.encounter.actuation import effort_limits
from percuss.encounter.approach import Law
from percuss.encounter.assembly import Assembly
from percuss.encounter.encounter import Encounter
from percuss.encounter.laws.tracking import NoControl
from percuss.encounter.laws.user import UserLaw
from percuss.encounter.phase import Phase
from percuss.impact.outcome import Impact


def momentum_advice(law: Law, assembly: Assembly, impact: Impact | None) -> tuple[str, ...]:
    """What the chosen actuation cannot do about the momentum that the target brought."""
    if isinstance(law, NoControl) or impact is None:
        return ()
    own = assembly.chaser.coordinate_count, assembly.chaser.rate_count
    q, v = assembly.coordinates, assembly.rates
    linear, angular = impact.linear_momentum_after, impact.angular_momentum_after
    if assembly.holds_target:
        bodies = total_inertia(assembly.tree, q)
        for passenger in assembly.plant.passengers:
            bodies = bodies + total_inertia(passenger.system, passenger.state(q, v)[0])
    else:
        bodies = total_inertia(assembly.chaser, q[: own[0]])
        alone = momentum(assembly.chaser, q[: own[0]], v[: own[1]])
        linear, angular = alone.linear.array(), alone.angular.array()
    center = np.array(bodies.center_of_mass.array(), float)
    return advice(
        assembly.plant,
        assembly.chaser.mode or "fixed",
        linear_momentum=linear.tolist(),
        angular_momentum=(angular - np.cross(center, linear)).tolist(),
        mass=float(np.asarray(bodies.mass)),
        held=assembly.holds_target,
    )


def driving_law(encounter: Encounter, phase: Phase) -> Law:
    """The law that drives a phase."""
    if phase.before and encounter.approach is not None:
        return encounter.approach.control
    return encounter.control


def is_smooth(law: ControlLaw) -> bool:
    """Whether a law's commands follow the state smoothly; one that feels may switch."""
    return law.period is None and not law.feels


def at_limits(encounter: Encounter, phase: Phase) -> dict[str, float]:
    """For how long (s) each driven rate was at its limit in a phase, with the limit in words."""
    law, assembly, motion = (
        driving_law(encounter, phase),
        phase.observation.assembly,
        phase.observation.motion,
    )
    if isinstance(law, NoControl) or (isinstance(law, UserLaw) and not law.within_limits):
        return {}
    limits = effort_limits(law.limits, assembly.chaser)
    found: dict[str, float] = {}
    for name, unit, limit, driven, command in zip(
        assembly.chaser.rate_names,
        assembly.chaser.rate_units,
        limits,
        assembly.plant.actuated,
        motion.commands,
        strict=True,
    ):
        there = (np.abs(command) >= limit * (1 - 1e-9)).astype(float)
        lasted = float(np.trapezoid(there, motion.time))
        if driven and lasted > 0:
            found[f"{name} at {limit:.4g} {'N' if unit == 'm/s' else 'N m'}"] = lasted
    return found


def saturation(encounter: Encounter, phases: Sequence[Phase]) -> tuple[str, ...]:
    """Which actuators were at their limits, and for how long."""
    total: dict[str, float] = {}
    for phase in phases:
        for name, lasted in at_limits(encounter, phase).items():
            total[name] = total.get(name, 0.0) + lasted
    if not total:
        return ()
    whole = phases[-1].end - phases[0].begin
    found = [
        f"{name} for {100 * lasted / whole:.3g} % of the time" for name, lasted in total.items()
    ]
    return (
        f"Actuators were at their limits: {', '.join(found)}; then the errors do not follow the "
        "linear equation.",
    )


def belief(law: Law) -> tuple[str, ...]:
    """Say that the controller's model is not the truth, where it is not."""
    if law.believes is None:
        return ()
    return (f"The controller believes that {law.believes.words}, which is not so.",)


def in_orbit(orbit: CircularOrbit | None, velocities: str) -> tuple[str, ...]:
    """Sentences on the frames in which velocities are read and results told, in an orbit."""
    if orbit is None:
        return ()
    n = float(np.asarray(orbit.mean_motion))
    read = (
        f"in the local orbital frame, which turns at {n:.4g} rad/s"
        if velocities == "local"
        else "relative to axes that do not turn"
    )
    return (
        f"In a circular orbit of {float(np.asarray(orbit.period)) / 60:.4g} min, field "
        f"{orbit.field}: chaser.velocity and target.velocity are read {read}; results are in axes "
        "that do not turn, those of the local orbital frame at t = 0. Control laws do not know "
        "the loads of the orbit.",
    )


def stiff_phases(phases: Sequence[Phase]) -> tuple[str, ...]:
    """Which phases were integrated by another method than the usual one, and why."""
    reasons = {phase.name: phase.integration.reason for phase in phases if phase.integration.reason}
    return tuple(
        f"the phase '{name}' was integrated by a Rosenbrock method: {reason}"
        for name, reason in reasons.items()
    )
