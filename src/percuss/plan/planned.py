"""The scenario that a choice makes, as a scenario file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from percuss.model.joints import Revolute
from percuss.plan.encounter import Array, Encounter
from percuss.scenario import Scenario, with_overrides
from percuss.scenario.document import to_text


def planned_scenario(encounter: Encounter, x: Array) -> Scenario:
    """The scenario with the joints, contact and attitude of a choice."""
    return with_overrides(encounter.scenario, settings_of(encounter, x))


def settings_of(encounter: Encounter, x: Array) -> dict[str, Any]:
    """What a choice changes in the scenario's document, by path."""
    chaser, q = encounter.contact.chaser, np.asarray(encounter.coordinates(x), float)
    values = {
        joint.name: float(q[chaser.node(joint.child).coordinates.start])
        for joint in chaser.movable_joints
    }
    given = encounter.scenario.document["chaser"].get("joints")
    found: dict[str, Any] = {
        "chaser.joints": values if isinstance(given, Mapping) else list(values.values())
    }
    if "contact" in encounter.free:
        point = np.array(encounter.touched(x).array(), float)[: encounter.size]
        found["target.contact"] = (point + 0.0).tolist()
        if encounter.scenario.impact.closure == "bounce":
            normal = np.asarray(encounter.normal(x), float)[: encounter.size]
            found["impact.normal"] = (normal + 0.0).tolist()
    if "approach" in encounter.free:
        base = q[chaser.node(chaser.base.name).coordinates]
        if encounter.size == 2:
            found["chaser.angle"] = float(base[2])
        else:
            found["chaser.orientation"] = base[3:].tolist()
    return found


def unwound(encounter: Encounter, x: Array) -> Array:
    """The same choice with joints that turn without end within half a turn of where they were."""
    x = x.copy()
    for k, joint in enumerate(encounter.joints):
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)  # type: ignore[arg-type]
        if isinstance(joint.motion, Revolute):
            back = math.tau * round(float(x[k] - encounter.initial[k]) / math.tau)
            if lower <= x[k] - back <= upper:
                x[k] -= back
    if encounter.size == 2 and "approach" in encounter.free:
        at = encounter.parts["approach"].start
        x[at] -= math.tau * round(float(x[at]) / math.tau)
    return x


def scenario_text(scenario: Scenario, comment: str) -> str:
    """YAML of a planned scenario, the comment above it."""
    lines = "".join(f"# {line}\n" for line in comment.splitlines())
    return lines + to_text(scenario.document)
