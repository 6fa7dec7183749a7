"""Pinocchio: the same system as a `pinocchio.Model`, and models read from there.

| joint | Pinocchio coordinates | Pinocchio rates |
|---|---|---|
| revolute, prismatic | the same | the same |
| planar | x, y, cos, sin | velocity along the moved frame's axes, turn |
| spherical | quaternion x, y, z, w | the same: angular velocity in the moved frame |
| free | position, quaternion x, y, z, w | linear and angular, both in the moved frame |

The Pinocchio joint frame is our moved joint frame. Bodies on fixed joints are merged into the
body that carries them, or into the universe; each body and named frame is a Pinocchio frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Matrix3, Symmetric3, Vector3
from percuss.model.bodies import Body
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, JointMotion, Planar, Prismatic, Revolute, Spherical
from percuss.model.systems import WORLD, Frame, Friction, Joint, Limits, Node, System
from tests.oracles.twins import Array, JointEntries, Twin, library, refuse_unheld, vector


@dataclass(frozen=True)
class PinocchioTwin(Twin):
    """A system as a `pinocchio.Model`, with the maps between the two states."""

    joint_ids: dict[str, int]
    """Pinocchio's joint by joint name; bodies on fixed joints belong to their carrier's."""
    frame_ids: dict[str, int]
    """Pinocchio's frame by the name of a body or frame."""

    def joint_coordinates(self, motion: JointMotion, q: Array) -> Array:
        if isinstance(motion, Planar):
            return np.array([q[0], q[1], np.cos(q[2]), np.sin(q[2])])
        if isinstance(motion, (Spherical, Free)):
            unit = q[-4:] / np.linalg.norm(q[-4:])
            return np.array([*q[:-4], *unit[1:], unit[0]])
        return q

    def joint_coordinates_back(self, motion: JointMotion, q: Array) -> Array:
        """A planar joint's angle comes back in (-π, π]: full turns are not in cos and sin."""
        if isinstance(motion, Planar):
            return np.array([q[0], q[1], np.arctan2(q[3], q[2])])
        if isinstance(motion, (Spherical, Free)):
            return np.array([*q[:-4], q[-1], *q[-4:-1]])
        return q

    def turned(self, motion: JointMotion) -> tuple[bool, ...]:
        if isinstance(motion, Free):
            return True, True
        return (isinstance(motion, Planar),)


def to_pinocchio(system: System) -> PinocchioTwin:
    """The system as a Pinocchio model: joints depth first, gravity as given.

    Limits, viscous and dry friction of joints of one rate are carried as data in the model's
    fields; Pinocchio's algorithms leave friction out.
    """
    refuse_unheld(system, "Pinocchio")
    pin = library("pinocchio")
    model = pin.Model()
    model.name = system.name
    model.gravity = pin.Motion(_array(system.gravity), np.zeros(3))
    joint_ids: dict[str, int] = {}
    placed: dict[str, Pose] = {}  # each body frame in its Pinocchio joint frame
    frame_ids: dict[str, int] = {}
    for node in _depth_first(system):
        joint, body = node.joint, node.body
        carrier, at = 0, joint.placement
        if node.parent is not None:
            parent = system.tree[node.parent]
            carrier = joint_ids[parent.joint.name]
            at = placed[parent.body.name] @ joint.placement
        if isinstance(joint.motion, Fixed):
            joint_id, placed[body.name] = carrier, at @ joint.child_placement
        else:
            kind = _joint_model(pin, joint.motion)
            joint_id = model.addJoint(carrier, kind, _se3(pin, at), joint.name)
            model.addJointFrame(joint_id)
            placed[body.name] = joint.child_placement
        joint_ids[joint.name] = joint_id
        placement = _se3(pin, placed[body.name])
        model.appendBodyToJoint(joint_id, _inertia(pin, body), placement)
        frame_ids[body.name] = model.addFrame(
            pin.Frame(body.name, joint_id, placement, pin.FrameType.BODY), False
        )
    for frame in system.frames:
        joint_id = joint_ids[system.node(frame.body).joint.name]
        placement = _se3(pin, placed[frame.body] @ frame.placement)
        frame_ids[frame.name] = model.addFrame(
            pin.Frame(frame.name, joint_id, placement, pin.FrameType.OP_FRAME), False
        )
    blocks = []
    for node in system.tree:
        if not isinstance(node.joint.motion, Fixed):
            there = model.joints[joint_ids[node.joint.name]]
            blocks.append(_block(node, there))
            _write_limits(model, there, node.joint)
    return PinocchioTwin(
        system=system, model=model, blocks=tuple(blocks), joint_ids=joint_ids, frame_ids=frame_ids
    )


def from_pinocchio(model: Any) -> System:
    """A Pinocchio model as a system.

    The first BODY frame of a joint gives the body its name and its frame; without one the
    body is named after the joint. Other BODY and OP_FRAME frames become named frames. What
    hangs on the universe is left out, its inertia too. Coordinates are ours, in the order of
    the model's joints: `to_pinocchio(from_pinocchio(model))` has the maps between the two.
    """
    library("pinocchio")
    bodies: list[Body] = []
    joints: list[Joint] = []
    frames: list[Frame] = []
    names: dict[int, str] = {0: WORLD}
    placed: dict[int, Pose] = {0: Pose.identity()}  # body frame in the joint frame
    for joint_id in range(1, model.njoints):
        own = [frame for frame in model.frames if frame.parentJoint == joint_id]
        shown = [f for f in own if f.type.name in ("BODY", "OP_FRAME")]
        first = next((f for f in shown if f.type.name == "BODY"), None)
        name = model.names[joint_id] if first is None else first.name
        placed[joint_id] = Pose.identity() if first is None else _pose(first.placement)
        names[joint_id] = name
        inertia = _spatial(model.inertias[joint_id]).moved_back_by(placed[joint_id])
        bodies.append(Body(name, inertia.mass, inertia.center_of_mass, inertia.central_inertia))
        joints.append(_read_joint(model, joint_id, names, placed))
        frames += [
            Frame(f.name, name, placed[joint_id].act_inverse(_pose(f.placement)))
            for f in shown
            if f is not first
        ]
    gravity = vector(model.gravity.linear)
    return System(
        model.name or "pinocchio model",
        tuple(bodies),
        tuple(joints),
        tuple(frames),
        gravity=gravity,
        source="Pinocchio model",
    )


# --- writing ------------------------------------------------------------------------------------


def _depth_first(system: System) -> Iterator[Node]:
    """Pinocchio wants the rates of every subtree side by side."""
    children: dict[int | None, list[Node]] = {}
    for node in system.tree:
        children.setdefault(node.parent, []).append(node)

    def walk(index: int | None) -> Iterator[Node]:
        for node in children.get(index, []):
            yield node
            yield from walk(node.index)

    return walk(None)


def _joint_model(pin: Any, motion: JointMotion) -> Any:
    if isinstance(motion, (Revolute, Prismatic)):
        letter = "R" if isinstance(motion, Revolute) else "P"
        for name, unit in zip("XYZ", np.eye(3), strict=True):
            if np.array_equal(_array(motion.axis), unit):
                return getattr(pin, f"JointModel{letter}{name}")()
        word = "Revolute" if letter == "R" else "Prismatic"
        return getattr(pin, f"JointModel{word}Unaligned")(_array(motion.axis))
    words = {Planar: "Planar", Spherical: "Spherical", Free: "FreeFlyer"}
    return getattr(pin, f"JointModel{words[type(motion)]}")()


def _block(node: Node, there: Any) -> JointEntries:
    return JointEntries(
        motion=node.joint.motion,
        coordinates=node.coordinates,
        rates=node.rates,
        library_coordinates=slice(there.idx_q, there.idx_q + there.nq),
        library_rates=slice(there.idx_v, there.idx_v + there.nv),
    )


def _write_limits(model: Any, there: Any, joint: Joint) -> None:
    if not isinstance(joint.motion, (Revolute, Prismatic)):
        return
    q, v, limits, friction = there.idx_q, there.idx_v, joint.limits, joint.friction
    model.lowerPositionLimit[q], model.upperPositionLimit[q] = limits.lower, limits.upper
    model.lowerVelocityLimit[v], model.upperVelocityLimit[v] = -limits.speed, limits.speed
    model.lowerEffortLimit[v], model.upperEffortLimit[v] = -limits.effort, limits.effort
    model.damping[v] = friction.viscous
    model.lowerDryFrictionLimit[v] = -float(friction.coulomb)  # type: ignore[arg-type]
    model.upperDryFrictionLimit[v] = friction.coulomb


def _se3(pin: Any, pose: Pose) -> Any:
    return pin.SE3(np.array(pose.rotation.array(), float), _array(pose.position))


def _inertia(pin: Any, body: Body) -> Any:
    return pin.Inertia(body.mass, _array(body.com), np.array(body.inertia.array(), float))


def _array(values: Vector3) -> Array:
    return np.array(values.array(), float)


# --- reading ------------------------------------------------------------------------------------


def _read_joint(model: Any, joint_id: int, names: dict[int, str], placed: dict[int, Pose]) -> Joint:
    there = model.joints[joint_id]
    name, parent = model.names[joint_id], model.parents[joint_id]
    motion = _read_motion(there, name)
    if np.any(model.armature[there.idx_v : there.idx_v + there.nv] != 0):
        raise ModelError(
            f"joint {name!r} has armature (rotor inertia), which percuss does not have; "
            "model the rotor as a body"
        )
    one = isinstance(motion, (Revolute, Prismatic))
    return Joint(
        name=name,
        motion=motion,
        parent=names[parent],
        child=names[joint_id],
        placement=placed[parent].act_inverse(_pose(model.jointPlacements[joint_id])),
        child_placement=placed[joint_id],
        limits=_read_limits(model, there) if one else Limits(),
        friction=_read_friction(model, there) if one else Friction(),
    )


def _read_motion(there: Any, name: str) -> JointMotion:
    kind = there.shortname().removeprefix("JointModel")
    axes = dict(zip("XYZ", np.eye(3), strict=True))
    if kind in ("RX", "RY", "RZ"):
        return Revolute(vector(axes[kind[1]]))
    if kind in ("PX", "PY", "PZ"):
        return Prismatic(vector(axes[kind[1]]))
    if kind == "RevoluteUnaligned":
        return Revolute(vector(there.extract().axis))
    if kind == "PrismaticUnaligned":
        return Prismatic(vector(there.extract().axis))
    if kind in ("Spherical", "FreeFlyer", "Planar"):
        return {"Spherical": Spherical(), "FreeFlyer": Free(), "Planar": Planar()}[kind]
    raise ModelError(
        f"joint {name!r} is a {there.shortname()}, which percuss does not have; it has "
        "RX/RY/RZ, PX/PY/PZ, their Unaligned kinds, Planar, Spherical and FreeFlyer"
    )


def _read_limits(model: Any, there: Any) -> Limits:
    """The largest double stands for no limit in Pinocchio."""
    q, v = there.idx_q, there.idx_v
    values = (
        model.lowerPositionLimit[q],
        model.upperPositionLimit[q],
        model.upperVelocityLimit[v],
        model.upperEffortLimit[v],
    )
    largest = np.finfo(float).max
    return Limits(*(float(np.sign(x) * np.inf if abs(x) >= largest else x) for x in values))


def _read_friction(model: Any, there: Any) -> Friction:
    v = there.idx_v
    return Friction(float(model.damping[v]), float(model.upperDryFrictionLimit[v]))


def _pose(placement: Any) -> Pose:
    rotation = Matrix3.of(placement.rotation.tolist())
    return Pose(Rotation(rotation), vector(placement.translation))


def _spatial(inertia: Any) -> SpatialInertia:
    return SpatialInertia.about_center_of_mass(
        float(inertia.mass), vector(inertia.lever), Symmetric3.of(inertia.inertia.tolist())
    )
