"""Hanging one system from a frame of another, letting go, and changing the root: topology only.

What becomes of coordinates and rates is in `percuss.kinematics.attachments`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import total
from percuss.model.checks import known, shown, values
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, JointMotion, Planar, Revolute, Spherical
from percuss.model.systems import WORLD, Frame, Joint, Limits, System
from percuss.model.validation import leaves_plane

CLOSURES = ("fixed", "pin", "spherical")


@dataclass(frozen=True)
class Attachment:
    """Two systems, and the one they are while `joint` holds them together.

    The joint's child is the guest's base body. Coordinates of `joined` are those of the host,
    then of the joint and of the guest's other joints, in the order of `joined.joints`.
    """

    host: System
    guest: System
    joined: System
    joint: str


def attach(
    host: System,
    guest: System,
    frame: str | Frame,
    relative: Pose,
    *,
    joint: str = "fixed",
    axis: Any = (0.0, 0.0, 1.0),
    name: str = "grasp",
) -> Attachment:
    """Hang `guest` by its base from a frame of `host`, at the relative pose it has now.

    No motor drives the new joint: its effort limit is 0.

    Args:
        frame: where on the host; the joint sits at its origin.
        relative: the guest's base body seen from that frame, at this moment; the joint is at
            its zero there. `percuss.relative_pose` computes it from the two configurations.
        joint: "fixed", "pin" (turns about `axis`, given in the frame) or "spherical".
        name: of the new joint.
    """
    held_at = host.frame(frame)
    base = guest.base_joint
    if not isinstance(base.motion, (Free, Planar)):
        raise ModelError(
            f"cannot attach {guest.name!r}: its base is on a {base.motion.kind} joint on the "
            "world; only a free base can be carried away (see System.with_mode)"
        )
    if sum(j.parent == WORLD for j in guest.joints) > 1:
        raise ModelError(f"cannot attach {guest.name!r}: it has several roots on the world")
    if not isinstance(relative, Pose):
        raise ModelError(
            f"attach: relative must be a Pose, got {relative!r}; percuss.relative_pose computes it"
        )
    refuse_other_gravity(host, guest)
    _refuse_clash(host, guest, name)
    motion = _closure(joint, axis)
    limits = Limits(effort=0.0) if motion.rate_count else Limits()
    grasp = Joint(
        name=name,
        motion=motion,
        parent=held_at.body,
        child=base.child,
        placement=held_at.placement,
        child_placement=relative,
        limits=limits,
    )
    joined = System(
        name=f"{host.name} + {guest.name}",
        bodies=(*host.bodies, *guest.bodies),
        joints=(*host.joints, grasp, *(j for j in guest.joints if j is not base)),
        frames=(*host.frames, *guest.frames),
        mode=host.mode,
        gravity=host.gravity,
    )
    if isinstance(base.motion, Planar) and not _keeps_plane(joined, base.child):
        raise ModelError(
            f"cannot attach {guest.name!r}: it is held in a plane, but on {host.name!r} it can "
            "leave it; build it with free_body(body)"
        )
    return Attachment(host, guest, joined, name)


def detach(system: System, joint: str, *, name: str | None = None) -> Attachment:
    """Cut a joint: what hangs from it becomes a system of its own with a free base.

    Args:
        joint: the joint to cut; its subtree becomes the guest.
        name: of the guest's new base joint, default "<child> base".
    """
    cut = system.joint(joint)
    if cut.parent == WORLD:
        raise ModelError(f"joint {joint!r} carries a base: there is nothing to detach it from")
    carried = {
        node.body.name
        for node in system.tree
        if any(a.body.name == cut.child for a in system.ancestors(node))
    }
    _refuse_parted(system, cut, carried)
    base = Joint(name or f"{cut.child} base", Free(), WORLD, cut.child)
    if system.is_planar:
        base = replace(base, motion=Planar(), placement=_plane_of(system, cut.child))
    guest = System(
        name=cut.child,
        bodies=tuple(b for b in system.bodies if b.name in carried),
        joints=(base, *(j for j in system.joints if j.parent in carried)),
        frames=tuple(f for f in system.frames if f.body in carried),
        gravity=system.gravity,
    )
    host = replace(
        system,
        name=f"{system.name} without {cut.child}",
        bodies=tuple(b for b in system.bodies if b.name not in carried),
        joints=tuple(j for j in system.joints if j.child not in carried),
        frames=tuple(f for f in system.frames if f.body not in carried),
    )
    return Attachment(host, guest, system, joint)


def _refuse_parted(system: System, cut: Joint, carried: set[str]) -> None:
    """A coupling needs both of its joints, on the same side of the cut."""
    for follower in system.followers:
        leader = system.leader(follower)
        sides = {joint.parent in carried for joint in (follower, leader)}
        if cut is follower or cut is leader or len(sides) > 1:
            raise ModelError(
                f"cannot detach at {cut.name!r}: joint {follower.name!r} follows {leader.name!r}, "
                "and the cut would part them; lock them first (percuss.model.lock)"
            )


def reroot(system: System, body: str) -> System:
    """The same system with another body as its base: the joints between are turned around.

    Only for a system with one free or planar base, whose joint then carries `body`; on a
    planar one, `body` must stay in the plane. Body frames, inertias and named frames stay as
    they are.
    """
    base = system.base_joint
    if not isinstance(base.motion, (Free, Planar)):
        raise ModelError(f"cannot re-root {system.name!r}: its base is not free")
    path = [node.joint for node in system.ancestors(system.node(body))]
    if path[-1] is not base:
        raise ModelError(f"body {body!r} does not hang from the base of {system.name!r}")
    placement = Pose.identity()
    if isinstance(base.motion, Planar):
        if not _keeps_plane(system, body):
            raise ModelError(
                f"cannot re-root {system.name!r}: its base {base.child!r} is held in a plane, and "
                f"{body!r} can leave it, so no planar joint could carry {body!r} instead"
            )
        placement = _plane_of(system, body)
    turned = {joint.name: _reversed(joint) for joint in path[:-1]}
    turned[base.name] = replace(
        base, child=body, placement=placement, child_placement=Pose.identity()
    )
    return replace(system, joints=tuple(turned.get(j.name, j) for j in system.joints))


def _keeps_plane(system: System, body: str) -> bool:
    """Whether a body stays in a plane parallel to x-y of the world, for certain."""
    return not any(leaves_plane(node.joint) for node in system.ancestors(system.node(body)))


def _plane_of(system: System, body: str) -> Pose:
    """The world's axes at the height that a body keeping its plane has in every motion."""
    joints = [node.joint for node in system.ancestors(system.node(body))]
    poses = [pose for joint in joints for pose in (joint.placement, joint.child_placement)]
    return Pose.at((0.0, 0.0, total(pose.position.z for pose in poses)))


def refuse_other_gravity(host: System, guest: System) -> None:
    """ModelError where the two fall differently, as far as that is known."""
    pairs = list(zip(host.gravity, guest.gravity, strict=True))
    if any(known(a) and known(b) and not np.array_equal(values(a), values(b)) for a, b in pairs):
        ours, theirs = (", ".join(shown(g) for g in s.gravity) for s in (host, guest))
        raise ModelError(
            f"cannot attach {guest.name!r}: it falls with gravity ({theirs}) m/s² and "
            f"{host.name!r} with ({ours}) m/s²; make them agree with System.with_gravity"
        )


def _refuse_clash(host: System, guest: System, grasp: str) -> None:
    named = f"cannot attach {guest.name!r} to {host.name!r}"
    carried = [joint for joint in guest.joints if joint is not guest.base_joint]
    for what, ours, theirs in (
        ("bodies and frames", [*host.bodies, *host.frames], [*guest.bodies, *guest.frames]),
        ("joints", host.joints, carried),
    ):
        shared = sorted({part.name for part in ours} & {part.name for part in theirs})
        if shared:
            raise ModelError(
                f"{named}: {what} of both are called {', '.join(map(repr, shared))}; "
                "rename with guest.prefixed('…')"
            )
    if grasp in [joint.name for joint in (*host.joints, *carried)]:
        raise ModelError(f"{named}: there is a joint {grasp!r} already; give name=…")


def _reversed(joint: Joint) -> Joint:
    """Parent and child exchanged: C_T_P = child_placement⁻¹ motion⁻¹ placement⁻¹."""
    return replace(
        joint,
        motion=joint.motion.reverse(),
        parent=joint.child,
        child=joint.parent,
        placement=joint.child_placement.inverse(),
        child_placement=joint.placement.inverse(),
    )


def _closure(joint: str, axis: Any) -> JointMotion:
    if joint == "fixed":
        return Fixed()
    if joint == "pin":
        return Revolute(axis)
    if joint == "spherical":
        return Spherical()
    raise ModelError(f"attach: joint must be one of {', '.join(CLOSURES)}, got {joint!r}")
