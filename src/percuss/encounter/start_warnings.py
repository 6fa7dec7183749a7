"""What is allowed in an encounter but worth a second look."""

from __future__ import annotations

from percuss.encounter.encounter import Encounter
from percuss.encounter.overlap import overlaps
from percuss.encounter.reach import far_away


def warnings(encounter: Encounter) -> tuple[str, ...]:
    """What is odd at the start: joints beyond their limits, bodies in an orbit of which one moment
    of inertia is known, bodies inside each other, a target far away."""
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
    found += _round_bodies(encounter)
    if not encounter.closure.needs_target:
        if start.target is not None:
            found.append("target: a pulse acts on the chaser alone; the target is left out")
        return tuple(found)
    when = "at contact" if encounter.approach is None else "at the start"
    far = far_away(encounter)
    return (*found, *overlaps(start, when), *(() if far is None else (far,)))


def _round_bodies(encounter: Encounter) -> tuple[str, ...]:
    """Bodies whose gravity gradient is unknown, in a sentence; none without an orbit."""
    if encounter.orbit is None:
        return ()
    systems = [encounter.chaser, *([] if encounter.target is None else [encounter.target])]
    flat = [repr(body.name) for system in systems for body in system.bodies if body.planar_only]
    if not flat:
        return ()
    return (
        f"orbit: of {', '.join(flat)} one moment of inertia is known; gravity gradient turns them "
        "as it would round bodies, not at all. Give a shape, so that all moments are known",
    )
