"""The centre of percussion of every link of a robot, and joints put there.

A body on a revolute joint with axis a has, per unit of turning, the momentum screw f = m a × r,
n = I_o a about its joint. An impulse that is this screw leaves the joint without any reaction. An
impulse has no pitch; the screw has h = f·n / f². On the screw's axis, through p = f × n / f², an
impulse along f leaves no force at the joint, and the moment h f.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.arrays import Coordinates
from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, plain, terms
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import frame_pose
from percuss.model.checks import padded
from percuss.model.errors import ModelError
from percuss.model.joints import Revolute
from percuss.model.systems import Frame, Joint, Node, System
from percuss.percussion.fixed_axis import AxisBody, impact_coefficient
from percuss.percussion.holding import Holding
from percuss.percussion.multibody import impact_reactions
from percuss.percussion.spatial import JointedBody, body_reaction

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinkPercussion:
    """A link on a revolute joint. Points and directions in the link's frame (m).

    `body` is the link as its axis sees it: mass, distance of the CoM from the axis, inertia
    about the axis' direction through the CoM. `point` is the centre of percussion, `direction`
    the direction in which to strike it, both None where the link is balanced about its axis.
    `pitch` (m) is the moment that remains at the joint per impulse there; 0 in the plane.
    `carried` are the coefficients C_ID of what sits on the link: further joints and frames.
    """

    link: str
    joint: str
    body: AxisBody
    point: Array | None
    direction: Array | None
    pitch: float
    carried: Mapping[str, float]


def link_percussion(system: System) -> tuple[LinkPercussion, ...]:
    """Centres of percussion of all links on revolute joints, each for its own joint."""
    return tuple(
        _of_link(system, node)
        for node in system.tree
        if isinstance(node.joint.motion.uncoupled, Revolute)
    )


def jointed_link(system: System, link: str) -> JointedBody:
    """A link with the joint that carries it, as if that joint were fixed in space.

    A joint that follows another counts as if nothing led it.
    """
    joint = system.node(link).joint
    back = joint.child_placement.rotation.inverse()
    origin = joint.child_placement.act_inverse(Vector3.zero())
    motions = [
        replace(s, linear=back @ s.linear, angular=back @ s.angular)
        for s in joint.motion.uncoupled.subspace
    ]
    freedoms: Any = motions
    if isinstance(joint.motion.uncoupled, Revolute):
        freedoms = Revolute(back @ joint.motion.uncoupled.axis)
    return JointedBody(system.node(link).body, freedoms, origin)


def fixed_axis_reaction(system: System, q: Coordinates, at: str | Frame, impulse: Any) -> Force:
    """The reaction of the struck link's own joint if that joint were fixed in space.

    The paper's assumption. `impulse` (N s) in world axes; the result in the link's axes, about
    the joint, to be compared with that of `impact_reactions`.
    """
    frame = system.frame(at)
    turn = frame_pose(system, q, frame.body).rotation
    force = turn.inverse() @ padded(impulse, "impulse")
    return body_reaction(jointed_link(system, frame.body), frame.placement.position, force).reaction


def effective_coefficient(
    system: System,
    q: Coordinates,
    at: str | Frame,
    direction: Any,
    *,
    holding: Holding | None = None,
) -> Scalar:
    """C_ID that a fixed axis would need for the reaction that the struck link's joint really has.

    1 + R · f / |f|² with f along `direction` (world axes) and R the reaction of the link's own
    joint: on a fixed axis C_ID itself for a normal impact. On a free base the joint gives way,
    which mostly brings it nearer to 1; it is 1 at the same point.
    """
    frame = system.frame(at)
    joint = system.node(frame.body).joint.name
    found = impact_reactions(system, q, frame, direction, holding=holding)
    if joint not in found.joints:
        raise ModelError(f"link {frame.body!r} floats: nothing passes through its own joint")
    turn = frame_pose(system, q, frame.body).rotation
    force = found.impulse.linear
    along = (turn @ found.joints[joint].reaction.linear).dot(force)
    return plain(1.0 + terms(along) / force.dot(force))


def with_joints_at_percussion_points(system: System, joints: Iterable[str] | None = None) -> System:
    """The system with joints moved to the centre of percussion of the link that carries them.

    Whatever the next link passes on across such a joint, normal to the line from the previous
    joint, that previous joint does not feel. Orientations stay. Default: every joint whose
    carrying link has a centre of percussion.
    """
    points = {entry.link: entry.point for entry in link_percussion(system)}
    named = None if joints is None else tuple(joints)
    for name in named or ():
        if points.get(system.joint(name).parent) is None:
            raise ModelError(
                f"joint {name!r} cannot be moved: {system.joint(name).parent!r}, which carries it, "
                "has no centre of percussion (it is not on a revolute joint, or its centre of mass "
                "is on the axis)"
            )

    def at_percussion_point(joint: Joint) -> Joint:
        point = points.get(joint.parent)
        if point is None or (named is not None and joint.name not in named):
            return joint
        place = Pose(joint.placement.rotation, Vector3(*(float(x) for x in point)))
        return replace(joint, placement=place)

    return replace(system, joints=tuple(at_percussion_point(joint) for joint in system.joints))


def _of_link(system: System, node: Node) -> LinkPercussion:
    name = node.body.name
    jointed = jointed_link(system, name)
    assert isinstance(jointed.freedoms, Revolute)
    axis, com = _array(jointed.freedoms.axis), _array(jointed.com)
    origin = _array(jointed.origin)
    mass = float(node.body.mass)  # type: ignore[arg-type]
    across = com - (com @ axis) * axis
    central = float(axis @ np.array(node.body.inertia.array(), float) @ axis)
    distance = float(np.linalg.norm(across))
    if distance <= 1e-12 * (distance + math.sqrt(central / mass) + abs(float(com @ axis))):
        distance = 0.0
    body = AxisBody(mass, distance, central)
    points = {
        joint.name: _array(joint.placement.position)
        for joint in system.joints
        if joint.parent == name
    } | {f.name: _array(f.placement.position) for f in system.frames if f.body == name}
    carried = {
        label: float(impact_coefficient(body, float((at - origin) @ across) / distance))  # type: ignore[arg-type]
        if distance
        else 0.0
        for label, at in points.items()
    }
    if not distance:
        return LinkPercussion(
            link=name,
            joint=node.joint.name,
            body=body,
            point=None,
            direction=None,
            pitch=0.0,
            carried=carried,
        )
    force = mass * np.cross(axis, com)
    turning = np.array(jointed.inertia.second_moment.array(), float) @ axis
    square = float(force @ force)
    return LinkPercussion(
        link=name,
        joint=node.joint.name,
        body=body,
        point=origin + np.cross(force, turning) / square,
        direction=force / math.sqrt(square),
        pitch=float(force @ turning) / square,
        carried=carried,
    )


def _array(vector: Any) -> Array:
    try:
        return np.array(vector.array(), float)
    except TypeError as error:
        raise ModelError(
            "centres of percussion of links need plain numbers, not symbols"
        ) from error
