"""Joints of a URDF that follow others, as <mimic> says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from percuss.model.couplings import followed_by, led_directly, narrowed_limits
from percuss.model.joints import Mimic
from percuss.model.lock import held
from percuss.model.systems import Joint, Limits
from percuss.model.urdf.tree import there_is
from percuss.model.urdf.xml import Element


def settle_followers(joints: Sequence[Joint], elements: Mapping[str, Element]) -> list[Joint]:
    """The joints, every follower led by a joint that moves, with limits that both can keep.

    What follows a joint that is not in the file moves on its own; what follows one that does
    not move is fixed at its offset.
    """
    able = [_with_leader(joint, elements) for joint in joints]
    led = led_directly(able)
    return [_within_leader(joint, led, elements) for joint in led]


def _with_leader(joint: Joint, elements: Mapping[str, Element]) -> Joint:
    motion = joint.motion
    if not isinstance(motion, Mimic):
        return joint
    mimic, leader = elements[joint.name].needed("mimic"), motion.leader
    if leader not in elements:
        problem = f"joint {leader!r} does not exist.{there_is(leader, elements)}"
        read = f"a joint that follows {leader!r}, which does not exist"
        mimic.log.change(mimic, problem, read, "a joint that moves on its own")
        return replace(joint, motion=motion.motion)
    if elements[leader].attributes.get("type") == "fixed":
        read = f"a joint that follows {leader!r}, which is fixed"
        mimic.log.change(mimic, read, read, "a fixed joint, held at its offset")
        return held(joint, 0.0)
    return joint


def _within_leader(joint: Joint, joints: Sequence[Joint], elements: Mapping[str, Element]) -> Joint:
    """A follower without limits of position where no position of its leader keeps them."""
    if not isinstance(joint.motion, Mimic):
        return joint
    leader = next(other for other in joints if other.name == joint.motion.leader)
    others = [other for other in followed_by(leader, joints) if other is not joint]
    common = narrowed_limits(narrowed_limits(leader.limits, others), [joint])
    if common.lower <= common.upper:
        return joint
    element, own = elements[joint.name], joint.limits
    read = f"limits {own.lower:g} to {own.upper:g} that no position of {leader.name!r} keeps"
    element.log.change(element, read, read, "no limits of its own")
    return replace(joint, limits=Limits())
