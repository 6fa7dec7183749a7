"""What the impact block asks of its keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from percuss.scenario.errors import Path, Problem, shown
from percuss.scenario.fields import Measured
from percuss.scenario.impact import BELONGS, Impact
from percuss.scenario.units import parse_unit

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

NEEDS = {
    "bounce": {"restitution": "a number from 0 to 1"},
    "compliant": {"stiffness": "a number in N/m (linear) or N/m^1.5 (hunt-crossley) > 0"},
    "pulse": {
        "force": "a vector in N, on the chaser at the tool",
        "duration": "a time in s > 0, such as 10 ms",
    },
}


def impact_rules(scenario: Scenario) -> Iterator[Problem]:
    """Keys that belong to the closure, all that it needs, and units that fit its law."""
    impact = scenario.impact
    at: Path = ("impact",)
    for key, closures in BELONGS.items():
        if impact.given(key) and impact.closure not in closures:
            value = getattr(impact, key)
            value = value.model_dump() if hasattr(value, "model_dump") else value
            yield Problem(
                (*at, key),
                f"is for closure {' or '.join(closures)}, not for {impact.closure}, "
                f"got {shown(value)}",
            )
    for key, what in NEEDS.get(impact.closure, {}).items():
        if not impact.given(key):
            yield Problem((*at, key), f"is missing: closure {impact.closure} needs {what}")
    if impact.normal is not None and sum(x * x for x in impact.normal) < 1e-12:
        yield Problem(
            (*at, "normal"), f"must not be zero, got {shown(list(impact.normal))}; any length else"
        )
    if impact.closure == "compliant":
        yield from _compliant_rules(impact, at)


def _compliant_rules(impact: Impact, at: Path) -> Iterator[Problem]:
    if (impact.damping is None) == (impact.restitution is None):
        got = "got both" if impact.damping is not None else "got neither"
        yield Problem(at, f"closure compliant needs damping or restitution, {got}")
    law = impact.law or "hunt-crossley"
    linear = law == "linear"
    for key, unit in (
        ("stiffness", "N/m" if linear else "N/m^1.5"),
        ("damping", "N s/m" if linear else "N s/m^2.5"),
    ):
        value = getattr(impact, key)
        if isinstance(value, Measured) and value.dimension not in (
            None,
            parse_unit(unit).dimension,
        ):
            yield Problem((*at, key), f"of law {law} must be in {unit}, got {float(value):g}")
