"""Joints that move nothing with mass, held where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from percuss.model.joints import Fixed, Free, Mimic, Planar
from percuss.model.lock import held
from percuss.model.merge import RigidPart
from percuss.model.systems import Joint
from percuss.model.urdf.xml import Element


def hold_idle(
    parts: Sequence[RigidPart], joints: Sequence[Joint], elements: Mapping[str, Element]
) -> list[Joint]:
    """The joints, those fixed that move nothing with mass: no equation says how they would move.

    A joint is held at zero, or at the limit nearest to it, and a joint that follows it with it.
    One that another with mass follows moves that mass.
    """
    moved = _moved_masses(parts, joints)
    for joint in joints:
        motion = joint.motion
        if isinstance(motion, Mimic) and motion.leader in moved:
            moved[motion.leader] += moved[joint.name]
    idle = {joint.name for joint in joints if moved[joint.name] == 0 and _can_move(joint)}
    return [
        _held(joint, joints, elements[joint.name]) if _leader(joint) in idle else joint
        for joint in joints
    ]


def _can_move(joint: Joint) -> bool:
    return not isinstance(joint.motion, (Fixed, Free, Planar, Mimic))


def _leader(joint: Joint) -> str:
    return joint.motion.leader if isinstance(joint.motion, Mimic) else joint.name


def _moved_masses(parts: Sequence[RigidPart], joints: Sequence[Joint]) -> dict[str, float]:
    """The mass (kg) that hangs from each joint, by the joint's name."""
    masses = {part.name: 0.0 if part.body is None else float(part.body.mass) for part in parts}  # type: ignore[arg-type]
    joint_of = {joint.child: joint for joint in joints}
    moved = {joint.name: 0.0 for joint in joints}
    for name, mass in masses.items():
        while name in joint_of:
            moved[joint_of[name].name] += mass
            name = joint_of[name].parent
    return moved


def _held(joint: Joint, joints: Sequence[Joint], element: Element) -> Joint:
    leading = next(other for other in joints if other.name == _leader(joint))
    at = min(max(0.0, leading.limits.lower), leading.limits.upper)
    unit = "m" if element.attributes.get("type") == "prismatic" else "rad"
    problem = "moves nothing that has mass, so nothing says how it moves"
    read = f"a {element.attributes['type']} joint that moves nothing with mass"
    own = float(joint.motion.coordinate(at)) if isinstance(joint.motion, Mimic) else at  # type: ignore[arg-type]
    element.log.change(element, problem, read, f"a fixed joint, held at {own:g} {unit}")
    return held(joint, at)
