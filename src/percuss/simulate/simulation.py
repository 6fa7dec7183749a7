"""A scenario carried out: impact, then motion."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from percuss.control import ControlLaw, Plant, advice
from percuss.dynamics.composite import momentum, total_inertia
from percuss.impact import Contact, Impact, Jump, assess, bounce, pin, published, weld
from percuss.scenario import Scenario, ScenarioError, build, effort_limits, warnings
from percuss.simulate.balances import Balance, balance_of, peaks
from percuss.simulate.chaser import ChaserView
from percuss.simulate.equations import Equations
from percuss.simulate.excesses import beyond_limits, touching_again
from percuss.simulate.failure import Progress
from percuss.simulate.integration import Integration, Motion, integrate_motion
from percuss.simulate.observation import Observation
from percuss.simulate.record import Record
from percuss.simulate.recording import record_of
from percuss.simulate.stage import Stage, stage_after
from percuss.simulate.steering import law_of
from percuss.version import __version__

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
    notes: tuple[str, ...]
    advice: tuple[str, ...]
    """What the actuation cannot do; empty without control."""
    control: Mapping[str, Any]
    """The scenario's control block, as written."""
    base_angle: float | None
    """Of a planar base as it was given (rad), full turns included."""
    smooth: bool
    """Whether commands are smooth in time: neither sampled nor at a limit."""

    @cached_property
    def view(self) -> ChaserView:
        return ChaserView(self.contact.chaser, self.contact.is_planar, self.base_angle)

    @cached_property
    def record(self) -> Record:
        return record_of(self.seen, self.view, self.seen.motion.recorded, self.attributes)

    @cached_property
    def balance(self) -> Balance:
        return balance_of(self.seen)

    @property
    def steps(self) -> int:
        return self.seen.motion.steps

    @cached_property
    def peak_control(self) -> np.ndarray:
        """Largest |u| on each of the chaser's rates (N, N m)."""
        return self._peaks(self.view.rates(self.seen.motion.commands).T)

    @cached_property
    def peak_joint_reaction(self) -> dict[str, float]:
        """Largest force through each joint after the impact (N)."""
        joints = [joint.name for joint in self.contact.chaser.movable_joints]
        sizes = [np.linalg.norm(self.seen.reaction(joint)[0], axis=1) for joint in joints]
        if not joints:
            return {}
        found = self._peaks(np.stack(sizes, axis=1))
        return dict(zip(joints, found.tolist(), strict=True))

    def _peaks(self, values: np.ndarray) -> np.ndarray:
        return peaks(self.seen.motion.time, values, self.smooth)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before believing the numbers."""
        return (
            *self.impact.warnings,
            *self.notes,
            *self._drifts(),
            *beyond_limits(self.seen),
            *touching_again(self.seen, self.impact.normal),
        )

    def _drifts(self) -> tuple[str, ...]:
        """Balances that do not close to what the integration promises."""
        balance, sizes = self.balance, self.seen.momentum_sizes
        work = float(np.abs(self.seen.integral("work")).max())
        rows = [
            ("energy", balance.energy, float(self.seen.kinetic_energy.max()) + work, "J"),
            ("linear momentum", balance.linear_momentum, sizes[0], "N s"),
            ("angular momentum", balance.angular_momentum, sizes[1], "N m s"),
        ]
        fixed = self.integration.method == "rk4"
        allowed = 1e-6 if fixed else 1e3 * self.integration.relative_tolerance
        drifting = [
            (name, residual, unit, scale)
            for name, residual, scale, unit in rows
            if residual is not None and residual > allowed * scale
        ]
        if self.closure == "published":
            amounts = [f"{amount:.3g} {unit} of {name}" for name, amount, unit, _ in drifting]
            if not amounts:
                return ()
            return (f"the published equations of motion let {' and '.join(amounts)} drift away",)
        return tuple(
            f"after the impact {name} drifts by {amount:.3g} {unit}, more than the integration "
            f"allows ({allowed:.0e} of {scale:.3g} {unit}); ask for a smaller tolerance or step"
            for name, amount, unit, scale in drifting
        )


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
    times = np.linspace(0.0, scenario.duration, scenario.output.samples)
    motion = integrate_motion(equations, times, integration, progress)
    text = scenario.text
    limited = saturation(scenario, stage, motion)
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
        notes=warnings(scenario),
        advice=(
            *advice_on(scenario, stage, impact),
            *belief(scenario),
            *limited,
        ),
        base_angle=scenario.chaser.angle,
        smooth=law.period is None and not limited,
        control={"law": "python"} if control is not None else _control_block(scenario),
    )


def _control_block(scenario: Scenario) -> dict[str, Any]:
    return dict(scenario.document.get("control") or {"law": "none"})


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
        held=stage.grasp is not None,
    )


def saturation(scenario: Scenario, stage: Stage, motion: Motion) -> tuple[str, ...]:
    """Which actuators were at their limits, and for how long."""
    if scenario.control.law == "none":
        return ()
    limits = effort_limits(scenario.control, stage.chaser)
    found: list[str] = []
    for name, unit, limit, driven, command in zip(
        stage.chaser.rate_names,
        stage.chaser.rate_units,
        limits,
        stage.plant.actuated,
        motion.commands,
        strict=True,
    ):
        there = (np.abs(command) >= limit * (1 - 1e-9)).astype(float)
        share = float(np.trapezoid(there, motion.time) / motion.time[-1])
        if driven and share > 0:
            force = "N" if unit == "m/s" else "N m"
            found.append(f"{name} at {limit:.4g} {force} for {100 * share:.3g} % of the time")
    if not found:
        return ()
    return (
        f"Actuators were at their limits: {', '.join(found)}; then the errors do not follow the "
        "linear equation.",
    )


def belief(scenario: Scenario) -> tuple[str, ...]:
    """That the controller's model is not the truth, where it is not."""
    believes = scenario.control.believes
    if not believes:
        return ()
    values = ", ".join(f"{path} = {value}" for path, value in believes.items())
    return (f"The controller believes that {values}, which is not so.",)


def integration_of(scenario: Scenario, law: ControlLaw) -> Integration:
    """How a scenario is integrated: a law sampled in time needs an integrator in the kernel."""
    spec = scenario.integration
    tolerance = spec.relative_tolerance
    chosen = Integration(spec.method, 1e-10 if tolerance is None else tolerance, spec.step)
    if law.period is not None and chosen.method == "dop853":
        return replace(chosen, method="dormand-prince")
    return chosen
