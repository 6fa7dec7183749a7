"""What is allowed in an encounter but worth a second look."""

from __future__ import annotations

from collections.abc import Sequence

from percuss.encounter.encounter import Encounter
from percuss.encounter.overlap import overlaps
from percuss.encounter.reach import far_away


def warnings(encounter: Encounter, remarks: Sequence[str] = ()) -> tuple[str, ...]:
    """What is odd at the start: joints beyond their limits, bodies inside each other, a target far
    away; `remarks` on what it was made from stand among them."""
    start = encounter.start
    found: list[str] = []
    for joint in start.chaser.movable_joints:
        node = start.chaser.node(joint.child)
        (value,) = start.chaser_coordinates[node.coordinates]
        lower, upper = float(node.limits.lower), float(node.limits.upper)
        if not lower <= value <= upper:
            found.append(
                f"chaser.joints: {joint.name!r} starts at {value:.4g}, beyond its limits "
                f"{lower:.4g} to {upper:.4g}"
            )
    found += remarks
    if not encounter.closure.needs_target:
        if start.target is not None:
            found.append("target: a pulse acts on the chaser alone; the target is left out")
        return tuple(found)
    when = "at contact" if encounter.approach is None else "at the start"
    far = far_away(encounter)
    return (*found, *overlaps(start, when), *(() if far is None else (far,)))
