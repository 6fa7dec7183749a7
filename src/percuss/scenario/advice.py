"""What is allowed in a scenario but worth a second look."""

from __future__ import annotations

from percuss.scenario.model import Scenario
from percuss.scenario.orbit import round_bodies
from percuss.scenario.overlap import overlaps
from percuss.scenario.reach import far_away


def warnings(scenario: Scenario) -> tuple[str, ...]:
    """What is odd at the start: joints beyond their limits, bodies inside each other, a target far
    away, and bodies of which an orbit would need to know more."""
    start = scenario.start
    found = []
    for joint in start.chaser.movable_joints:
        node = start.chaser.node(joint.child)
        (value,) = start.chaser_coordinates[node.coordinates]
        lower, upper = float(node.limits.lower), float(node.limits.upper)
        if not lower <= value <= upper:
            found.append(
                f"chaser.joints: {joint.name!r} starts at {value:.4g}, beyond its limits "
                f"{lower:.4g} to {upper:.4g}"
            )
    found += list(round_bodies(scenario))
    if scenario.impact.closure == "pulse":
        if start.target is not None:
            found.append("target: a pulse acts on the chaser alone; the target is left out")
        return tuple(found)
    when = "at contact" if scenario.approach is None else "at the start"
    far = far_away(scenario)
    return (*found, *overlaps(start, when), *(() if far is None else (far,)))
