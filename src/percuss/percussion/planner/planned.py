"""The scenario that a choice makes, as a scenario file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from percuss.model.joints import Revolute
from percuss.percussion.planner.problem import Array, ImpactProblem
from percuss.scenario import Scenario, with_overrides
from percuss.scenario.document import to_text
from percuss.scenario.posture import joint_settings


def planned_scenario(problem: ImpactProblem, x: Array) -> Scenario:
    """The scenario with the joints, contact and attitude of a choice."""
    return with_overrides(problem.scenario, settings_of(problem, x))


def settings_of(problem: ImpactProblem, x: Array) -> dict[str, Any]:
    """What a choice changes in the scenario's document, by path."""
    chaser, q = problem.contact.chaser, np.asarray(problem.coordinates(x), float)
    values = {
        joint.name: float(q[chaser.node(joint.child).coordinates.start])
        for joint in chaser.movable_joints
    }
    found = joint_settings(problem.scenario.chaser, values, problem.scenario.models)
    if "contact" in problem.free:
        point = np.array(problem.touched(x).array(), float)[: problem.size]
        found["target.contact"] = (point + 0.0).tolist()
        if problem.scenario.impact.closure == "bounce":
            normal = np.asarray(problem.normal(x), float)[: problem.size]
            found["impact.normal"] = (normal + 0.0).tolist()
    if "approach" in problem.free:
        base = q[chaser.node(chaser.base.name).coordinates]
        if problem.size == 2:
            found["chaser.angle"] = float(base[2])
        else:
            found["chaser.orientation"] = base[3:].tolist()
    return found


def unwound(problem: ImpactProblem, x: Array) -> Array:
    """A choice whose joints that turn without end are within half a turn of where they were."""
    x = x.copy()
    for k, joint in enumerate(problem.joints):
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if isinstance(joint.motion, Revolute):
            back = math.tau * round(float(x[k] - problem.initial[k]) / math.tau)
            if lower <= x[k] - back <= upper:
                x[k] -= back
    if problem.size == 2 and "approach" in problem.free:
        at = problem.parts["approach"].start
        x[at] -= math.tau * round(float(x[at]) / math.tau)
    return x


def scenario_text(scenario: Scenario, comment: str) -> str:
    """YAML of a planned scenario, the comment above it."""
    lines = "".join(f"# {line}\n" for line in comment.splitlines())
    return lines + to_text(scenario.document)
