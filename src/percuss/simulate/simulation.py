"""A scenario carried out, and everything that a run found out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from percuss.impact import Contact, Impact
from percuss.model.errors import ModelError
from percuss.scenario import (
    Scenario,
    ScenarioError,
    far_away,
    overlaps,
    unreachable,
    warnings,
)
from percuss.scenario.code import refuse_code
from percuss.scenario.errors import shown
from percuss.scenario.state import base_pose
from percuss.simulate.arrival import Arrival, arrival_of
from percuss.simulate.balances import Balance, peaks, worst
from percuss.simulate.chaser import ChaserView
from percuss.simulate.compensating import compensation_advice
from percuss.simulate.drifting import drifts
from percuss.simulate.encounter import Encounter, encounter
from percuss.simulate.excesses import beyond_limits, too_deep, touching_again
from percuss.simulate.failure import Progress, SimulationError
from percuss.simulate.joint_use import JointUse, joint_uses
from percuss.simulate.leg import APPROACH, CONTACT, Hit, Leg
from percuss.simulate.method import Integration
from percuss.simulate.observation import Observation
from percuss.simulate.passages import Passage, passage_of
from percuss.simulate.record import Record
from percuss.simulate.recording import record_of
from percuss.simulate.remarks import (
    at_limits,
    belief,
    in_orbit,
    is_smooth,
    momentum_advice,
    saturation,
    stiff_legs,
)
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

    def __repr__(self) -> str:
        return f"<Simulation {shown(self.name)}: {self.status} at {self.legs[-1].end:g} s>"

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
        stage, given = self.stage, self.scenario.chaser
        return ChaserView(stage.chaser, stage.is_planar, given.angle, base_pose(given))

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
        joints = [joint.name for joint in self.view.chaser.moving_joints]
        if not joints:
            return {}
        found = []
        for leg, smooth in self._smoothness:
            sizes = [np.linalg.norm(leg.seen.reaction(joint)[0], axis=1) for joint in joints]
            found.append(peaks(leg.seen.motion.time, np.stack(sizes, axis=1), smooth))
        return dict(zip(joints, np.max(found, axis=0).tolist(), strict=True))

    @cached_property
    def joint_uses(self) -> tuple[JointUse, ...]:
        """How far each joint was used, beside its limits."""
        return joint_uses(self.legs, self.encounter.hits)

    @cached_property
    def _smoothness(self) -> list[tuple[Leg, bool]]:
        """The stretches, and whether commands are smooth in them: at no limit, not sampled, not
        switched."""
        return [
            (leg, is_smooth(leg.seen.equations.law) and not at_limits(self.scenario, leg))
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
            *(() if self.arrival is None else self.arrival.warnings),
            *self._overlaps,
            *drifts(self.legs, self.closure),
            *beyond_limits(self.joint_uses),
            *too_deep(self.legs),
            *(touching_again(self.seen, normal) if once else ()),
        )

    @cached_property
    def arrival(self) -> Arrival | None:
        """The first contact beside the plan of `approach.meet`; None without either."""
        return arrival_of(self.scenario, self.legs)

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
        """What the actuation cannot do, and what is unusual about the integration."""
        return (
            *momentum_advice(
                self.scenario, self.stage, self.impact if self.encounter.hits else None
            ),
            *self._compensation,
            *belief(self.scenario),
            *in_orbit(self.scenario),
            *saturation(self.scenario, self.legs),
            *stiff_legs(self.legs),
        )


def simulate(
    scenario: Scenario,
    control: LawMaker | None = None,
    progress: Progress | None = None,
    *,
    allow_code: bool = False,
) -> Simulation:
    """Carry out a scenario.

    Args:
        control: makes the control law from the plant, instead of the scenario's `control`.
        progress: is told the share of the motion done.
        allow_code: whether Python files that the scenario names (`law: python`) may run.
    """
    scenario = scenario.with_code_allowed() if allow_code else scenario
    refuse_code(scenario, replaced=control is not None)
    missing = scenario.unsupported()
    if missing:
        raise ScenarioError("; ".join(missing))
    impossible = unreachable(scenario)
    if impossible is not None:
        raise ScenarioError(impossible)
    text = scenario.text
    block = dict(scenario.document.get("control") or {"law": "none"})
    return Simulation(
        scenario,
        _carried_out(scenario, control, progress),
        attributes={
            "scenario": text,
            "percuss_version": __version__,
            "seed": str(scenario.seed),
            "hash": hashlib.sha256(text.encode()).hexdigest(),
        },
        notes=warnings(scenario),
        control={"law": "python"} if control is not None else block,
    )


def _carried_out(
    scenario: Scenario, control: LawMaker | None, progress: Progress | None
) -> Encounter:
    """The encounter; a motion that fails where the target is far away says so first."""
    try:
        return encounter(scenario, control, progress)
    except SimulationError as error:
        far = far_away(scenario)
        if far is None:
            raise
        raise SimulationError(f"{far}. As it is, {error}") from error
