"""What is allowed in a scenario but worth a second look."""

from __future__ import annotations

from percuss.scenario.build import build
from percuss.scenario.model import Scenario
from percuss.scenario.overlap import overlaps


def warnings(scenario: Scenario) -> tuple[str, ...]:
    """Joints beyond their limits at the start, and bodies inside each other at contact."""
    if scenario.contact is None:
        return ()
    contact = build(scenario)
    found = []
    for joint in contact.chaser.movable_joints:
        (value,) = contact.chaser_coordinates[contact.chaser.node(joint.child).coordinates]
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        if not lower <= value <= upper:
            found.append(
                f"chaser.joints: {joint.name!r} starts at {value:.4g}, beyond its limits "
                f"{lower:.4g} to {upper:.4g}"
            )
    return (*found, *overlaps(contact))
