"""A scenario carried out: impact, then motion."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from percuss.control import ControlLaw, Plant, advice
from percuss.dynamics.composite import momentum, total_inertia
from percuss.impact import Contact, Impact, Jump, assess, bounce, pin, published, weld
from percuss.scenario import Scenario, ScenarioError, build, effort_limits, warnings
from percuss.simulate.balances import Balance, balance_of, peaks
from percuss.simulate.chaser import ChaserView
from percuss.simulate.equations import Equations
from percuss.simulate.integration import Integration, Motion, integrate_motion
from percuss.simulate.observation import Observation, movable_joints
from percuss.simulate.outside import Progress
from percuss.simulate.record import Record
from percuss.simulate.recording import record_of
from percuss.simulate.stage import Stage, stage_after
from percuss.simulate.steering import law_of
from percuss.version import __version__

FINE = 4000
"""Intervals at least at whose ends peaks and balances are taken; some of them are recorded."""

LawMaker = Callable[[Plant], ControlLaw]


@dataclass(frozen=True)
class Simulation:
    """Everything that a run found out."""

    name: str
    closure: str
    contact: Contact
    impact: Impact
    stage: Stage
    seen: Observation
    integration: Integration
    attributes: Mapping[str, str]
    recorded: np.ndarray
    notes: tuple[str, ...]
    advice: tuple[str, ...]
    """What the actuation cannot do; empty without control."""

    @cached_property
    def view(self) -> ChaserView:
        return ChaserView(self.contact.chaser, self.contact.is_planar)

    @cached_property
    def record(self) -> Record:
        return record_of(self.seen, self.view, self.recorded, self.attributes)

    @cached_property
    def balance(self) -> Balance:
        return balance_of(self.seen)

    @property
    def steps(self) -> int:
        return self.seen.motion.steps

    @cached_property
    def peak_control(self) -> np.ndarray:
        """Largest |u| on each of the chaser's rates (N, N m)."""
        return peaks(self.seen.motion.time, self.view.rates(self.seen.motion.commands).T)

    @cached_property
    def peak_joint_reaction(self) -> dict[str, float]:
        """Largest force through each joint after the impact (N)."""
        joints = movable_joints(self.contact.chaser)
        sizes = [np.linalg.norm(self.seen.reaction(joint)[0], axis=1) for joint in joints]
        if not joints:
            return {}
        found = peaks(self.seen.motion.time, np.stack(sizes, axis=1))
        return dict(zip(joints, found.tolist(), strict=True))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before believing the numbers."""
        return (*self.impact.warnings, *self.notes, *self._drifts())

    def _drifts(self) -> tuple[str, ...]:
        """Balances that do not close to what the integration promises."""
        found: list[str] = []
        linear, angular = self.seen.momentum
        work = np.abs(self.seen.integral("work")).max()
        scales = {
            "energy": (self.balance.energy, self.seen.kinetic_energy.max() + work, "J"),
            "linear momentum": (
                self.balance.linear_momentum,
                np.linalg.norm(linear, axis=1).max()
                + np.linalg.norm(self.seen.integral("linear"), axis=1).max(),
                "N s",
            ),
            "angular momentum": (
                self.balance.angular_momentum,
                np.linalg.norm(angular, axis=1).max()
                + np.linalg.norm(self.seen.integral("angular"), axis=1).max(),
                "N m s",
            ),
        }
        allowed = (
            1e-6 if self.integration.method == "rk4" else 1e3 * self.integration.relative_tolerance
        )
        for name, (residual, scale, unit) in scales.items():
            if residual is not None and residual > allowed * max(1e-3, float(scale)):
                found.append(
                    f"after the impact {name} drifts by {residual:.3g} {unit}, more than the "
                    f"integration allows ({allowed:.0e} of {float(scale):.3g} {unit})"
                )
        return tuple(found)


def simulate(
    scenario: Scenario,
    control: LawMaker | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Carry out a scenario.

    Args:
        control: makes the control law from the plant, instead of the scenario's `control`.
        progress: is told the share of the motion done.
    """
    missing = scenario.unsupported()
    if missing:
        raise ScenarioError("; ".join(missing))
    contact = build(scenario)
    closure = scenario.impact.closure
    jump = jump_of(contact, scenario)
    impact = assess(contact, jump, closure)
    stage = stage_after(contact, jump, closure)
    law = control(stage.plant) if control is not None else law_of(scenario, stage)
    equations = Equations(stage, law)
    integration = integration_of(scenario, law)
    times, recorded = sample_times(scenario.duration, integration, scenario.output.samples - 1)
    motion = integrate_motion(equations, times, integration, progress)
    text = scenario.text
    return Simulation(
        name=scenario.name,
        closure=closure,
        contact=contact,
        impact=impact,
        stage=stage,
        seen=Observation(equations, motion),
        integration=integration,
        attributes={
            "scenario": text,
            "percuss_version": __version__,
            "seed": str(scenario.seed),
            "hash": hashlib.sha256(text.encode()).hexdigest(),
        },
        recorded=recorded,
        notes=warnings(scenario),
        advice=(*advice_on(scenario, stage, impact), *saturation(scenario, stage, motion)),
    )


def jump_of(contact: Contact, scenario: Scenario) -> Jump:
    """The velocities after the impact that a scenario asks for."""
    spec = scenario.impact
    if spec.closure == "bounce":
        restitution = spec.restitution
        if restitution is None:
            raise ScenarioError("impact.restitution: closure bounce needs a number from 0 to 1")
        friction = 0.0 if spec.friction is None else spec.friction
        return bounce(contact, restitution=restitution, friction=friction, normal=spec.normal)
    return {"pin": pin, "weld": weld, "published": published}[spec.closure](contact)


def advice_on(scenario: Scenario, stage: Stage, impact: Impact) -> tuple[str, ...]:
    """What the chosen actuation cannot do about the momentum that the target brought."""
    if scenario.control.law == "none":
        return ()
    contact = stage.contact
    bodies = total_inertia(contact.chaser, contact.chaser_coordinates)
    if stage.closure != "bounce":
        bodies = bodies + total_inertia(contact.target, contact.target_coordinates)
    linear, angular = impact.linear_momentum_after, impact.angular_momentum_after
    if stage.closure == "bounce":
        own = momentum(contact.chaser, contact.chaser_coordinates, impact.chaser_rates)
        linear, angular = own.linear.array(), own.angular.array()
    center = bodies.center_of_mass.array()
    return advice(
        stage.plant,
        contact.chaser.mode or "fixed",
        linear_momentum=linear.tolist(),
        angular_momentum=(angular - np.cross(center, linear)).tolist(),
        mass=float(np.asarray(bodies.mass)),
    )


def saturation(scenario: Scenario, stage: Stage, motion: Motion) -> tuple[str, ...]:
    """Which actuators were at their limits, and for how long."""
    if scenario.control.law == "none":
        return ()
    limits = effort_limits(scenario.control, stage.chaser)
    said: list[str] = []
    units = stage.chaser.rate_units
    for name, unit, limit, driven, command in zip(
        stage.chaser.rate_names, units, limits, stage.plant.actuated, motion.commands, strict=True
    ):
        share = float(np.mean(np.abs(command) >= limit * (1 - 1e-9)))
        if driven and share > 0:
            force = "N" if unit == "m/s" else "N m"
            said.append(
                f"The actuator of {name} was at its limit of {limit:.4g} {force} for "
                f"{100 * share:.3g} % of the time: the error did not follow the linear equation."
            )
    return tuple(said)


def integration_of(scenario: Scenario, law: ControlLaw) -> Integration:
    """How a scenario is integrated: a law sampled in time needs an integrator in the kernel."""
    spec = scenario.integration
    tolerance = spec.relative_tolerance
    chosen = Integration(spec.method, 1e-10 if tolerance is None else tolerance, spec.step)
    if law.period is not None and chosen.method == "dop853":
        return replace(chosen, method="dormand-prince")
    return chosen


def sample_times(
    duration: float, integration: Integration, intervals: int
) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) at which the motion is taken, and the indices of those to record.

    With a fixed step they are whole numbers of steps, so that none is cut short but the last.
    """
    fine = intervals * max(1, FINE // intervals)
    if integration.method != "rk4" or integration.step is None:
        times = np.linspace(0.0, duration, fine + 1)
    else:
        steps = int(np.ceil(duration / integration.step * (1 - 1e-12)))
        stride = -(-steps // fine)
        times = np.append(np.arange(0, steps, stride) * integration.step, duration)
    every = max(1, (len(times) - 1) // intervals)
    recorded = np.unique(np.append(np.arange(0, len(times), every), len(times) - 1))
    return times, recorded
