"""A scenario carried out, and everything that a run found out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.control import ControlLaw, advice
from percuss.dynamics.composite import momentum, total_inertia
from percuss.impact import Contact, Impact, PublishedPlant
from percuss.model.errors import ModelError
from percuss.scenario import Scenario, ScenarioError, effort_limits, overlaps, warnings
from percuss.scenario.control import Control
from percuss.simulate.balances import Balance, peaks, worst
from percuss.simulate.chaser import ChaserView
from percuss.simulate.compensating import compensation_advice
from percuss.simulate.drifting import drifts
from percuss.simulate.encounter import Encounter, encounter
from percuss.simulate.excesses import beyond_limits, touching_again
from percuss.simulate.failure import Progress
from percuss.simulate.leg import APPROACH, CONTACT, Hit, Leg
from percuss.simulate.method import Integration
from percuss.simulate.observation import Observation
from percuss.simulate.passages import Passage, passage_of
from percuss.simulate.record import Record
from percuss.simulate.recording import record_of
from percuss.simulate.stage import Stage
from percuss.simulate.stretches import LawMaker
from percuss.simulate.touching import contact_at
from percuss.version import __version__


@dataclass(frozen=True)
class Simulation:
    """Everything that a run found out."""

    scenario: Scenario
    encounter: Encounter
    attributes: Mapping[str, str]
    notes: tuple[str, ...]
    control: Mapping[str, Any]
    """The scenario's control block, as written."""

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def closure(self) -> str:
        return self.scenario.impact.closure

    @property
    def status(self) -> str:
        """How it ended, see `Encounter`."""
        return self.encounter.status

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The stretches of the run, in order."""
        return self.encounter.legs

    @property
    def seen(self) -> Observation:
        """The last stretch: the motion after the impact, where there was one."""
        return self.legs[-1].seen

    @property
    def stage(self) -> Stage:
        return self.seen.stage

    @property
    def integration(self) -> Integration:
        return self.legs[-1].integration

    @property
    def contact(self) -> Contact:
        """Chaser and target at the last instantaneous impact; there must be one."""
        return self._last_hit.contact

    @property
    def impact(self) -> Impact:
        """The instantaneous impact that closed the grasp, or the last; there must be one."""
        return self._last_hit.impact

    @property
    def _last_hit(self) -> Hit:
        if not self.encounter.hits:
            raise ModelError(f"{self.name}: there is no instantaneous impact in this run")
        return self.encounter.hits[-1]

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Contacts that took time, in order."""
        return tuple(
            passage_of(leg, leg.was_ended or leg is not self.legs[-1])
            for leg in self.legs
            if leg.phase == CONTACT
        )

    @cached_property
    def view(self) -> ChaserView:
        stage = self.stage
        return ChaserView(stage.chaser, stage.is_planar, self.scenario.chaser.angle)

    @cached_property
    def record(self) -> Record:
        facing = self.encounter.facing
        surface = None if facing is None else facing.surface
        return record_of(self.legs, self.view, self.attributes, surface)

    @cached_property
    def balance(self) -> Balance:
        """The largest residuals within any stretch."""
        return worst([leg.balance for leg in self.legs])

    @property
    def steps(self) -> int:
        return sum(leg.seen.motion.steps for leg in self.legs)

    @cached_property
    def peak_control(self) -> np.ndarray:
        """Largest |u| on each of the chaser's rates (N, N m)."""
        found = [
            peaks(leg.seen.motion.time, self.view.rates(leg.seen.motion.commands).T, smooth)
            for leg, smooth in self._smoothness
        ]
        return np.max(found, axis=0)

    @cached_property
    def peak_joint_reaction(self) -> dict[str, float]:
        """Largest force through each joint while it moves (N)."""
        joints = [joint.name for joint in self.view.chaser.movable_joints]
        if not joints:
            return {}
        found = []
        for leg, smooth in self._smoothness:
            sizes = [np.linalg.norm(leg.seen.reaction(joint)[0], axis=1) for joint in joints]
            found.append(peaks(leg.seen.motion.time, np.stack(sizes, axis=1), smooth))
        return dict(zip(joints, np.max(found, axis=0).tolist(), strict=True))

    @cached_property
    def _smoothness(self) -> list[tuple[Leg, bool]]:
        """The stretches, and whether commands are smooth in them: at no limit, not sampled, not
        switched."""
        return [
            (leg, _is_smooth(leg.seen.equations.law) and not _at_limits(self.scenario, leg))
            for leg in self.legs
        ]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before believing the numbers."""
        found: list[str] = []
        for hit in self.encounter.hits:
            found += [text for text in hit.impact.warnings if text not in found]
        normal = self.impact.normal if self.encounter.hits else None
        once = self.closure == "bounce" and self.scenario.impact.repeat is None
        return (
            *found,
            *self.notes,
            *self._overlaps,
            *drifts(self.legs, self.closure),
            *beyond_limits(self.legs),
            *(touching_again(self.seen, normal) if once else ()),
        )

    @property
    def _overlaps(self) -> tuple[str, ...]:
        """Bodies that are inside each other when an approach ends in a contact."""
        if self.scenario.approach is None or self.status == "missed":
            return ()
        if self.encounter.hits:
            return overlaps(self.encounter.hits[0].contact)
        leg = next(leg for leg in self.legs if leg.phase != APPROACH)
        return overlaps(contact_at(leg.seen.stage, leg.seen.q[:, 0], leg.seen.v[:, 0]))

    @property
    def _compensation(self) -> tuple[str, ...]:
        """What impact compensation did, where the scenario asks for it."""
        control = self.scenario.control
        if control.law != "ic2" or self.control.get("law") != "ic2":
            return ()
        return compensation_advice(control, self.legs)

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What the actuation cannot do; empty without control."""
        return (
            *_advice_on(self.scenario, self.stage, self.impact if self.encounter.hits else None),
            *self._compensation,
            *_belief(self.scenario),
            *_saturation(self.scenario, self.legs),
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
    text = scenario.text
    block = dict(scenario.document.get("control") or {"law": "none"})
    return Simulation(
        scenario,
        encounter(scenario, control, progress),
        attributes={
            "scenario": text,
            "percuss_version": __version__,
            "seed": str(scenario.seed),
            "hash": hashlib.sha256(text.encode()).hexdigest(),
        },
        notes=warnings(scenario),
        control={"law": "python"} if control is not None else block,
    )


def _advice_on(scenario: Scenario, stage: Stage, impact: Impact | None) -> tuple[str, ...]:
    """What the chosen actuation cannot do about the momentum that the target brought."""
    if scenario.control.law == "none" or impact is None:
        return ()
    own = stage.chaser.coordinate_count, stage.chaser.rate_count
    q, v = stage.coordinates, stage.rates
    linear, angular = impact.linear_momentum_after, impact.angular_momentum_after
    whole = stage.tree if stage.grasp is not None else None
    if stage.closure == "published":
        assert isinstance(stage.plant, PublishedPlant)
        contact = stage.plant.contact
        bodies = total_inertia(contact.chaser, contact.chaser_coordinates)
        bodies = bodies + total_inertia(contact.target, contact.target_coordinates)
    elif whole is not None:
        bodies = total_inertia(whole, q)
    else:
        bodies = total_inertia(stage.chaser, q[: own[0]])
        alone = momentum(stage.chaser, q[: own[0]], v[: own[1]])
        linear, angular = alone.linear.array(), alone.angular.array()
    center = np.array(bodies.center_of_mass.array(), float)
    return advice(
        stage.plant,
        stage.chaser.mode or "fixed",
        linear_momentum=linear.tolist(),
        angular_momentum=(angular - np.cross(center, linear)).tolist(),
        mass=float(np.asarray(bodies.mass)),
        held=stage.grasp is not None,
    )


def _control_of(scenario: Scenario, leg: Leg) -> tuple[Control, np.ndarray]:
    """The control block that drives a stretch, and its limits on the chaser's rates."""
    chaser = leg.seen.stage.chaser
    if leg.before and scenario.approach is not None:
        control = scenario.approach.control
        return control, effort_limits(control, chaser, ("approach", "control"))
    return scenario.control, effort_limits(scenario.control, chaser)


def _is_smooth(law: ControlLaw) -> bool:
    """Whether a law's commands follow the state smoothly; one that feels may switch."""
    return law.period is None and not law.feels


def _at_limits(scenario: Scenario, leg: Leg) -> dict[str, float]:
    """For how long (s) each driven rate was at its limit in a stretch, with the limit in words."""
    control, limits = _control_of(scenario, leg)
    if control.law == "none":
        return {}
    stage, motion = leg.seen.stage, leg.seen.motion
    found: dict[str, float] = {}
    for name, unit, limit, driven, command in zip(
        stage.chaser.rate_names,
        stage.chaser.rate_units,
        limits,
        stage.plant.actuated,
        motion.commands,
        strict=True,
    ):
        there = (np.abs(command) >= limit * (1 - 1e-9)).astype(float)
        lasted = float(np.trapezoid(there, motion.time))
        if driven and lasted > 0:
            found[f"{name} at {limit:.4g} {'N' if unit == 'm/s' else 'N m'}"] = lasted
    return found


def _saturation(scenario: Scenario, legs: tuple[Leg, ...]) -> tuple[str, ...]:
    """Which actuators were at their limits, and for how long."""
    total: dict[str, float] = {}
    for leg in legs:
        for name, lasted in _at_limits(scenario, leg).items():
            total[name] = total.get(name, 0.0) + lasted
    if not total:
        return ()
    whole = legs[-1].end - legs[0].begin
    found = [
        f"{name} for {100 * lasted / whole:.3g} % of the time" for name, lasted in total.items()
    ]
    return (
        f"Actuators were at their limits: {', '.join(found)}; then the errors do not follow the "
        "linear equation.",
    )


def _belief(scenario: Scenario) -> tuple[str, ...]:
    """That the controller's model is not the truth, where it is not."""
    believes = scenario.control.believes
    if not believes:
        return ()
    values = ", ".join(f"{path} = {value}" for path, value in believes.items())
    return (f"The controller believes that {values}, which is not so.",)
