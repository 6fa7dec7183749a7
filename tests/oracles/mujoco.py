"""MuJoCo: the same system as MJCF text and a compiled `MjModel`, and models read from there.

| joint | MuJoCo | coordinates | rates |
|---|---|---|---|
| revolute, prismatic | hinge, slide | the same | the same |
| planar | slides x and y, hinge z | the same | the same |
| spherical | ball | the same | the same: angular velocity in the moved frame |
| free | free on the world, else slides x, y, z and a ball | the same | angular in the moved frame |

The MuJoCo body frame is our moved joint frame; a site of the body's name is our body frame,
and each named frame is a site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.vectors import Matrix3
from percuss.model.bodies import Body
from percuss.model.joints import Fixed, Free, JointMotion, Planar, Prismatic, Revolute, Spherical
from percuss.model.systems import Node, System
from tests.oracles.mujoco_reader import MujocoReader
from tests.oracles.twins import Array, JointEntries, Twin, library, refuse_unheld


@dataclass(frozen=True)
class MujocoTwin(Twin):
    """A system as an `MjModel`, with its MJCF text and the maps between the two states."""

    mjcf: str

    def joint_coordinates(self, motion: JointMotion, q: Array) -> Array:
        if isinstance(motion, (Spherical, Free)):
            return np.array([*q[:-4], *(q[-4:] / np.linalg.norm(q[-4:]))])
        return q

    def joint_coordinates_back(self, motion: JointMotion, q: Array) -> Array:
        del motion
        return q

    def turned(self, motion: JointMotion) -> tuple[bool, ...]:
        return False, isinstance(motion, Free)


def to_mujoco(system: System) -> MujocoTwin:
    """The system as a MuJoCo model: no geometry, contacts and constraints off.

    Viscous friction becomes joint damping. Dry friction and limits are left out, because
    MuJoCo would enforce them with its constraint solver. A principal moment of zero, which
    MuJoCo refuses on a moving body, becomes 1e-14 kg m².
    """
    refuse_unheld(system, "MuJoCo")
    mujoco = library("mujoco")
    root = ElementTree.Element("mujoco", model=system.name)
    ElementTree.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    option = ElementTree.SubElement(root, "option", gravity=_text(system.gravity))
    ElementTree.SubElement(option, "flag", contact="disable", constraint="disable", energy="enable")
    elements: dict[str, ElementTree.Element] = {}
    world = ElementTree.SubElement(root, "worldbody")
    for node in system.tree:
        joint = node.joint
        within, at = world, joint.placement
        if node.parent is not None:
            carrier = system.tree[node.parent]
            within = elements[carrier.body.name]
            at = carrier.joint.child_placement @ joint.placement
        element = ElementTree.SubElement(within, "body", {"name": node.body.name} | _placement(at))
        elements[node.body.name] = element
        for attributes in _joint_elements(node, at):
            ElementTree.SubElement(element, "joint", attributes)
        _write_body(element, node.body, joint.child_placement)
    for frame in system.frames:
        at = system.node(frame.body).joint.child_placement @ frame.placement
        ElementTree.SubElement(elements[frame.body], "site", {"name": frame.name} | _placement(at))
    ElementTree.indent(root)
    mjcf = ElementTree.tostring(root, encoding="unicode")
    model = mujoco.MjModel.from_xml_string(mjcf)
    blocks = tuple(
        _block(model, node) for node in system.tree if not isinstance(node.joint.motion, Fixed)
    )
    return MujocoTwin(system, model, blocks, mjcf)


def from_mujoco(model: Any) -> System:
    """A compiled MuJoCo model as a system.

    Read are bodies with their inertia, hinge, slide, ball and free joints, the combinations
    that `to_mujoco` writes, sites as named frames (a site with its body's name is the body
    frame), ranges, damping and friction loss of hinges and slides, and gravity. Bodies
    without joints are on fixed joints, or merged into their carrier when they have no mass.
    Geometry, contacts, actuators, tendons and equalities are not read. Springs, armature and
    damping of a free body are refused. Coordinates are ours, in the order of the model's
    bodies: `to_mujoco(from_mujoco(model))` has the maps between the two.
    """
    return MujocoReader(model, library("mujoco")).system()


# --- writing ------------------------------------------------------------------------------------


def _joint_elements(node: Node, at: Pose) -> list[dict[str, str]]:
    motion, name = node.joint.motion, node.joint.name
    common = {"damping": repr(float(node.joint.friction.viscous))}  # type: ignore[arg-type]
    if isinstance(motion, (Revolute, Prismatic)):
        kind = "hinge" if isinstance(motion, Revolute) else "slide"
        return [{"name": name, "type": kind, "axis": _text(motion.axis)} | common]
    if isinstance(motion, Spherical):
        return [{"name": name, "type": "ball"} | common]
    if isinstance(motion, Free) and node.parent is None and at.is_identity:
        return [{"name": name, "type": "free"}]
    slides = [
        {"name": f"{name}.{letter}", "type": "slide", "axis": _text(axis)}
        for letter, axis in zip("xyz", np.eye(3), strict=True)
    ]
    if isinstance(motion, Planar):
        return [*slides[:2], {"name": f"{name}.angle", "type": "hinge", "axis": "0 0 1"}]
    if isinstance(motion, Free):
        return [*slides, {"name": f"{name}.ball", "type": "ball"}]
    return []


def _write_body(element: ElementTree.Element, body: Body, at: Pose) -> None:
    """Inertia in principal axes, and a site where our body frame is."""
    moments, axes = np.linalg.eigh(np.array(body.inertia.array(), float))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    moments = np.maximum(moments, 1e-14)
    # Rounding must not break the triangle inequality of a thin plate.
    moments[2] = min(moments[2], moments[0] + moments[1])
    principal = at @ Pose(Rotation(Matrix3.of(axes.tolist())), body.com)
    inertial = {"mass": _text([body.mass]), "diaginertia": _text(moments)} | _placement(principal)
    ElementTree.SubElement(element, "inertial", inertial)
    ElementTree.SubElement(element, "site", {"name": body.name} | _placement(at))


def _block(model: Any, node: Node) -> JointEntries:
    body = model.body(node.body.name).id
    joint = model.body_jntadr[body]
    q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    motion = node.joint.motion
    return JointEntries(
        motion=motion,
        coordinates=node.coordinates,
        rates=node.rates,
        library_coordinates=slice(q, q + motion.coordinate_count),
        library_rates=slice(v, v + motion.rate_count),
    )


def _placement(pose: Pose) -> dict[str, str]:
    return {"pos": _text(pose.position), "quat": _text(pose.rotation.to_quaternion())}


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
