"""What is allowed in a scenario but worth a second look."""

from __future__ import annotations

from percuss.encounter import start_warnings
from percuss.scenario.model import Scenario


def warnings(scenario: Scenario) -> tuple[str, ...]:
    """What is odd at the start: joints beyond their limits, bodies inside each other, a target far
    away, and bodies of which an orbit would need to know more."""
    return start_warnings.warnings(scenario.encounter)
