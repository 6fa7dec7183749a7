"""A scenario carried out: the encounter that it describes, told in the words of its file."""

from __future__ import annotations

from dataclasses import replace

from percuss.encounter.errors import EncounterError
from percuss.encounter.failure import Progress
from percuss.encounter.laws.user import LawMaker, UserLaw
from percuss.encounter.provenance import Provenance
from percuss.encounter.simulation import Simulation, carry_out
from percuss.scenario.code import refuse_code
from percuss.scenario.model import Scenario
from percuss.scenario.state import base_pose


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
    encounter, source = scenario.encounter, provenance_of(scenario)
    if control is not None:
        given = encounter.control
        own = UserLaw(
            control,
            believes=given.believes,
            limits=given.limits,
            dump=given.dump,
            within_limits=False,
        )
        encounter = replace(encounter, control=own)
        source = replace(source, control={"law": own.name})
    try:
        return carry_out(encounter, progress, source)
    except EncounterError as error:
        raise scenario.reworded(error) from error


def provenance_of(scenario: Scenario) -> Provenance:
    """What results tell of a scenario besides the numbers of its encounter."""
    document, orbit = scenario.document, scenario.orbit
    approach = document.get("approach") or {}
    return Provenance(
        text=scenario.text,
        control=dict(document.get("control") or {"law": "none"}),
        approach_control=approach.get("control"),
        velocities="inertial" if orbit is None else orbit.velocities,
        base_pose=base_pose(scenario.chaser),
        base_angle=scenario.chaser.angle,
        seed=scenario.seed,
        notices=scenario.notices,
    )
