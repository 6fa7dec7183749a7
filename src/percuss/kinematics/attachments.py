"""Coordinates and rates across attaching, detaching and re-rooting, both ways."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import (
    Scalar,
    add,
    dot,
    is_constant,
    namespace,
    pack,
    plain,
    sub,
    terms,
    unpack,
)
from percuss.kinematics.frames import frame_pose, frame_velocity, planar_angle
from percuss.kinematics.trees import across
from percuss.model.attach import Attachment
from percuss.model.errors import ModelError
from percuss.model.joints import Mimic, Planar, Revolute, Scalars
from percuss.model.systems import Frame, Joint, Node, System


def relative_pose(
    host: System, q_host: Coordinates, frame: str | Frame, guest: System, *, q_guest: Coordinates
) -> Pose:
    """The guest's base body seen from a frame of the host: what `attach` needs."""
    held = frame_pose(host, q_host, frame)
    return held.act_inverse(frame_pose(guest, q_guest, guest.base.name))


def split_configuration(attachment: Attachment, q: Coordinates) -> tuple[Any, Any]:
    """Coordinates of host and guest from those of the joined system."""
    joined, host, guest = attachment.joined, attachment.host, attachment.guest
    values = unpack(q, joined.coordinate_count, "q", joined.coordinate_names)
    base = guest.base_joint
    at_base = _at_base(base, frame_pose(joined, values, guest.base.name))
    if isinstance(base.motion, Planar) and joined.is_planar:
        # The pose knows the angle up to full turns only; the joints know all of it.
        offset = add(
            base.placement.rotation.angle_about_z(), base.child_placement.rotation.angle_about_z()
        )
        at_base = (*at_base[:2], sub(planar_angle(joined, values, guest.base.name), offset))
    return (
        pack(_copied(host, joined, values, "coordinates")),
        pack(_copied(guest, joined, values, "coordinates", at_base=at_base)),
    )


def join_configuration(
    attachment: Attachment, q_host: Coordinates, q_guest: Coordinates, *, near: Any = None
) -> Any:
    """Coordinates of the joined system from those of host and guest.

    Numbers are checked: a guest that is not where the joint can hold it is refused. The angle
    of a pin comes out in (-π, π], or within half a turn of its angle in `near`, coordinates of
    the joined system.
    """
    joined, host, guest = attachment.joined, attachment.host, attachment.guest
    host_values = unpack(q_host, host.coordinate_count, "q_host", host.coordinate_names)
    guest_values = unpack(q_guest, guest.coordinate_count, "q_guest", guest.coordinate_names)
    joint = joined.joint(attachment.joint)
    held = frame_pose(host, host_values, Frame("held", joint.parent, joint.placement))
    relative = held.act_inverse(frame_pose(guest, guest_values, guest.base.name))
    at_child = relative @ joint.child_placement.inverse()
    at_joint = joint.motion.coordinates(at_child)
    _refuse_gap(joint.name, joint.motion.pose(at_joint), at_child)
    if near is not None and isinstance(joint.motion, Revolute):
        known = unpack(near, joined.coordinate_count, "near", joined.coordinate_names)
        (angle,) = known[joined.node(joint.child).coordinates]
        at_joint = (_turned_near(at_joint[0], angle),)
    return pack(_merged(attachment, host_values, guest_values, at_joint, kind="coordinates"))


def split_velocity(attachment: Attachment, q: Coordinates, v: Rates) -> tuple[Any, Any]:
    """Rates of host and guest from those of the joined system."""
    joined, host, guest = attachment.joined, attachment.host, attachment.guest
    rates = unpack(v, joined.rate_count, "v", joined.rate_names)
    _, q_guest = split_configuration(attachment, q)
    velocity = frame_velocity(joined, q, rates, guest.base.name, reference="body")
    at_base = _joint_rates(guest, guest.node(guest.base.name), q_guest, velocity)
    return (
        pack(_copied(host, joined, rates, "rates")),
        pack(_copied(guest, joined, rates, "rates", at_base=at_base)),
    )


def join_velocity(
    attachment: Attachment, q: Coordinates, v_host: Any, v_guest: Any, *, check: bool = True
) -> Any:
    """Rates of the joined system from those of host and guest, at joined coordinates q.

    With `check`, numbers are checked: a guest that moves as the joint does not allow is
    refused, because an impact, not a change of description, would have to come first.
    Without it the motion that the joint does not allow is dropped.
    """
    joined, host, guest = attachment.joined, attachment.host, attachment.guest
    q_host, q_guest = split_configuration(attachment, q)
    host_rates = unpack(v_host, host.rate_count, "v_host", host.rate_names)
    guest_rates = unpack(v_guest, guest.rate_count, "v_guest", guest.rate_names)
    node = joined.node(guest.base.name)
    frame = Frame("held", node.joint.parent, node.joint.placement)
    carrier = frame_velocity(host, q_host, host_rates, frame, reference="world-origin")
    own = frame_velocity(guest, q_guest, guest_rates, guest.base.name, reference="world-origin")
    pose = frame_pose(joined, q, guest.base.name)
    relative = pose.act_inverse(own - carrier)
    at_joint = _joint_rates(joined, node, q, relative)
    if check:
        _refuse_sliding(joined, node, q, relative, at_joint=at_joint)
    return pack(_merged(attachment, host_rates, guest_rates, at_joint, kind="rates"))


def reroot_configuration(before: System, after: System, q: Coordinates) -> Any:
    """Coordinates of the re-rooted system from those of the original."""
    values = unpack(q, before.coordinate_count, "q", before.coordinate_names)
    base = after.base_joint
    result: list[Scalar] = [0.0] * after.coordinate_count
    for node in after.independent:
        old = before.joint(node.joint.name)
        own = values[before.node(old.child).coordinates]
        if node.joint.name == base.name:
            own = _at_base(base, frame_pose(before, values, node.body.name))
        elif old.child != node.joint.child:
            own = old.motion.reverse_coordinates(own)
        result[node.coordinates] = own
    return pack(result)


def reroot_velocity(before: System, after: System, q: Coordinates, v: Rates) -> Any:
    """Rates of the re-rooted system from those of the original, at its coordinates q."""
    values = unpack(q, before.coordinate_count, "q", before.coordinate_names)
    rates = unpack(v, before.rate_count, "v", before.rate_names)
    base = after.base_joint
    result: list[Scalar] = [0.0] * after.rate_count
    for node in after.independent:
        old = before.joint(node.joint.name)
        old_node = before.node(old.child)
        own = rates[old_node.rates]
        if node.joint.name == base.name:
            velocity = frame_velocity(before, values, rates, node.body.name, reference="body")
            q_after = reroot_configuration(before, after, values)
            own = _joint_rates(after, node, q_after, velocity)
        elif old.child != node.joint.child:
            own = old.motion.reverse_rates(values[old_node.coordinates], own)
        result[node.rates] = own
    return pack(result)


def _at_base(base: Joint, pose: Pose) -> Scalars:
    """The base joint's coordinates for a pose of its child in the world."""
    return base.motion.coordinates(
        base.placement.act_inverse(pose) @ base.child_placement.inverse()
    )


def _turned_near(angle: Scalar, near: Scalar) -> Scalar:
    """The angle with the full turns added that bring it within half a turn of another."""
    turns = plain((terms(near) - angle) / math.tau + 0.5)
    whole = math.floor(turns) if is_constant(turns) else namespace(turns).floor(turns)
    return plain(angle + terms(math.tau) * whole)


def _joint_rates(system: System, node: Node, q: Coordinates, relative: Motion) -> Scalars:
    """The joint's rates for a velocity across it, child's body frame; other motion is dropped."""
    values = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    joint = node.joint
    turn = joint.motion.pose(values[node.coordinates]).rotation
    in_joint = list(joint.child_placement.act(relative))
    # The unit motions of every joint are orthonormal as 6-vectors in the moved joint frame.
    local = tuple(dot(axis, in_joint) for axis in joint.motion.subspace)
    return joint.motion.from_local(turn, local)


def _copied(
    part: System, joined: System, values: Scalars, kind: str, *, at_base: Scalars | None = None
) -> Scalars:
    """Values of one part, joint by joint from the joined system; the guest's base is given."""
    result: dict[str, Scalars] = {}
    for node in part.independent:
        joint = node.joint
        if at_base is not None and joint is part.base_joint:
            result[joint.name] = at_base
        else:
            result[joint.name] = values[getattr(joined.node(joint.child), kind)]
    return tuple(value for joint in part.joints for value in result.get(joint.name, ()))


def _merged(
    attachment: Attachment, host: Scalars, guest: Scalars, at_joint: Scalars, *, kind: str
) -> Scalars:
    """Values of the joined system, joint by joint from its parts; the joint's own are given."""
    in_host = {joint.name for joint in attachment.host.joints}
    result: list[Scalar] = []
    for joint in attachment.joined.joints:
        if joint.name == attachment.joint:
            result.extend(at_joint)
        elif isinstance(joint.motion, Mimic):
            continue  # its leader has its values
        elif joint.name in in_host:
            result.extend(host[getattr(attachment.host.node(joint.child), kind)])
        else:
            result.extend(guest[getattr(attachment.guest.node(joint.child), kind)])
    return tuple(result)


def _refuse_gap(joint: str, reached: Pose, wanted: Pose) -> None:
    gap = wanted.inverse() @ reached
    entries = [*gap.position, *(x for row in gap.rotation.matrix.rows for x in row)]
    if not all(is_constant(x) for x in entries):
        return
    distance = float(np.linalg.norm(gap.position.array()))
    angle = float(np.linalg.norm(gap.rotation.to_rotation_vector().array()))
    scale = 1.0 + float(np.linalg.norm(wanted.position.array()))
    if not (distance <= 1e-8 * scale and angle <= 1e-8):
        raise ModelError(
            f"joint {joint!r} cannot hold the guest where it is: it would have to move by "
            f"{distance:.3g} m and {angle:.3g} rad. Attach it at its current relative pose."
        )


def _refuse_sliding(
    system: System, node: Node, q: Coordinates, relative: Motion, *, at_joint: Scalars
) -> None:
    values = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    turn = node.joint.motion.pose(values[node.coordinates]).rotation
    kept = across(node.joint, node.joint.motion.to_local(turn, at_joint))
    lost = node.joint.child_placement.act(relative - kept)
    if not all(is_constant(x) for x in (*lost, *relative)):
        return
    speed = float(np.linalg.norm(lost.linear.array()))
    turning = float(np.linalg.norm(lost.angular.array()))
    scale = 1.0 + float(np.linalg.norm(relative.array()))
    if not max(speed, turning) <= 1e-8 * scale:
        raise ModelError(
            f"joint {node.joint.name!r} does not allow the guest's motion relative to the host: "
            f"{speed:.3g} m/s and {turning:.3g} rad/s are left over. An impact has to remove them "
            "first; pass check=False to drop them."
        )
