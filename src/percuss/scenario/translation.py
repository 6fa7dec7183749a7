"""The encounter that a scenario, a file's content, describes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from percuss.encounter.approach import Approach, Law, Meet
from percuss.encounter.belief import Belief
from percuss.encounter.encounter import Encounter
from percuss.encounter.errors import Path
from percuss.scenario.control import Control, Known, WithBelief
from percuss.scenario.fields import plain
from percuss.scenario.law_files import law_from_file
from percuss.scenario.overrides import believed

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

Beliefs = Mapping[Path, Belief | None]
"""What controllers take the bodies for, by the places of their blocks; None: for what they are."""


def encounter_of(scenario: Scenario, beliefs: Beliefs | None = None) -> Encounter:
    """The encounter that a scenario describes.

    `beliefs` of its control blocks, by their places, where they are known already.
    """
    if beliefs is None:
        beliefs = {at: _belief(scenario, each) for at, each in scenario.controls.items()}
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
        closure=scenario.impact.value(),
        control=law_of(scenario, scenario.control, ("control",), beliefs),
        approach=_approach(scenario, beliefs),
        orbit=start.orbit,
        integration=scenario.integration.value(),
        duration=plain(scenario.duration),
        samples=scenario.output.samples,
    )


def _approach(scenario: Scenario, beliefs: Beliefs) -> Approach | None:
    given = scenario.approach
    if given is None:
        return None
    meet = given.meet
    return Approach(
        timeout=plain(given.timeout),
        control=law_of(scenario, given.control, ("approach", "control"), beliefs),
        capture_radius=plain(given.capture_radius) if given.contact == "point" else None,
        observe=0.0 if given.observe is None else plain(given.observe),
        meet=None if meet is None else Meet(plain(meet.at), plain(meet.closing_speed), meet.base),
    )


def law_of(scenario: Scenario, control: Control, at: Path, beliefs: Beliefs) -> Law:
    """The law that a control block at a place describes."""
    where = ".".join(map(str, at))
    known = Known(
        belief=beliefs.get(at),
        from_file=lambda block: partial(law_from_file, scenario, block, where),
    )
    return control.value(known)


def _belief(scenario: Scenario, control: Control) -> Belief | None:
    if not isinstance(control, WithBelief) or not control.believes:
        return None
    start = believed(scenario, control).start
    words = ", ".join(f"{path} = {value}" for path, value in control.believes.items())
    return Belief(start.chaser, start.target, words)
