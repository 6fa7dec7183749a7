"""From a scenario, which is a file's content, to the encounter that it describes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from percuss.encounter.approach import Approach, Law, Meet
from percuss.encounter.belief import Belief
from percuss.encounter.encounter import Encounter
from percuss.encounter.errors import Path
from percuss.encounter.method import Integration
from percuss.scenario.control import GAINS, LAW_KINDS, Control, Given
from percuss.scenario.control_values import destination_of, dump_of, limits_of
from percuss.scenario.fields import plain_float, plain_numbers
from percuss.scenario.impact import CLOSURE_KINDS
from percuss.scenario.law_files import law_from_file
from percuss.scenario.overrides import believed

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario


def encounter_of(scenario: Scenario) -> Encounter:
    """The encounter that a scenario describes."""
    start = scenario.start
    return Encounter(
        name=scenario.name,
        chaser=start.chaser,
        tool=start.tool,
        chaser_coordinates=start.chaser_coordinates,
        chaser_rates=start.chaser_rates,
        target=start.target,
        grip=start.grip,
        target_coordinates=start.target_coordinates,
        target_rates=start.target_rates,
        closure=CLOSURE_KINDS[scenario.impact.closure].make(scenario.impact),
        control=law_of(scenario, scenario.control, ("control",)),
        approach=_approach(scenario),
        orbit=start.orbit,
        integration=_integration(scenario),
        duration=float(scenario.duration),
        samples=scenario.output.samples,
    )


def _approach(scenario: Scenario) -> Approach | None:
    given = scenario.approach
    if given is None:
        return None
    meet = given.meet
    return Approach(
        timeout=float(given.timeout),
        control=law_of(scenario, given.control, ("approach", "control")),
        capture_radius=plain_float(given.capture_radius) if given.contact == "point" else None,
        observe=float(given.observe or 0.0),
        meet=None if meet is None else Meet(float(meet.at), float(meet.closing_speed), meet.base),
    )


def _integration(scenario: Scenario) -> Integration:
    given = scenario.integration
    automatic = given.method == "auto"
    return Integration(
        method="dop853" if automatic else given.method,
        relative_tolerance=1e-10
        if given.relative_tolerance is None
        else float(given.relative_tolerance),
        step=plain_float(given.step),
        most_steps=given.most_steps,
        automatic=automatic,
    )


def law_of(scenario: Scenario, control: Control, at: Path) -> Law:
    """The law that a control block describes; the rules have seen that it has what it needs."""
    gains = {key.replace("-", "_"): getattr(control, key.replace("-", "_")) for key in GAINS}
    given = Given(
        control=control,
        gains={name: plain_numbers(value) for name, value in gains.items() if value is not None},
        goal=destination_of(control.goal),
        belief=_belief(scenario, control),
        limits=limits_of(control),
        dump=dump_of(control),
        from_file=partial(law_from_file, scenario, control, ".".join(map(str, at))),
    )
    return LAW_KINDS[control.law].make(given)


def _belief(scenario: Scenario, control: Control) -> Belief | None:
    if not control.believes:
        return None
    start = believed(scenario, control).start
    words = ", ".join(f"{path} = {value}" for path, value in control.believes.items())
    return Belief(start.chaser, start.target, words)
