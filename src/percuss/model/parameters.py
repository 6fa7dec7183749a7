"""Parameters of a system by dotted name: what can be varied, differentiated or made a symbol.

======================================  =====================================================
`BODY.mass`                             kg
`BODY.com.x` …                          m, body frame
`BODY.inertia.xx` …                     kg m², about the centre of mass, body axes
`JOINT.placement.x` …                   m, joint frame in the parent; `.roll .pitch .yaw` in rad
`JOINT.child_placement.x` …             m, child frame in the moved joint frame, likewise
`JOINT.axis.x` …                        revolute and prismatic; scaled to length one together
`JOINT.mimic.multiplier`                of a joint that follows another, per unit of the leader
`JOINT.mimic.offset`                    rad or m, of a joint that follows another
`JOINT.friction.viscous` / `.coulomb`   N m s/rad or N s/m; N m or N
`JOINT.friction.smoothing`              rad/s or m/s
`FRAME.placement.x` …                   m, frame in its body, likewise
`FRAME.frame.placement.x` …             the same of a frame that shares its name with a joint
`gravity.x` …                           m/s², world frame
======================================  =====================================================

Joints that take no friction list none, and a `planar_only` body only its moment `inertia.zz`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, to_scalar
from percuss.algebra.vectors import Symmetric3, Vector3
from percuss.model.bodies import Body
from percuss.model.joints import JointMotion, Mimic, Prismatic, Revolute
from percuss.model.systems import Frame, Joint, System, unknown
from percuss.model.validation import takes_friction

_AXES = ("x", "y", "z")
_ANGLES = ("roll", "pitch", "yaw")
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
_MIMIC = ("multiplier", "offset")
_FRICTION = ("viscous", "coulomb", "smoothing")


def parameters(system: System) -> dict[str, Scalar]:
    """Every parameter by name with its present value."""
    values: dict[str, Scalar] = {}
    for body in system.bodies:
        values[f"{body.name}.mass"] = body.mass
        values |= _entries(f"{body.name}.com", body.com, _AXES)
        if body.planar_only:
            values[f"{body.name}.inertia.zz"] = body.inertia.zz
        else:
            values |= _entries(f"{body.name}.inertia", body.inertia, _MOMENTS)
    for joint in system.joints:
        for which in ("placement", "child_placement"):
            values |= _pose_entries(f"{joint.name}.{which}", getattr(joint, which))
        moving = joint.motion.uncoupled
        if isinstance(moving, (Revolute, Prismatic)):
            values |= _entries(f"{joint.name}.axis", moving.axis, _AXES)
        if isinstance(joint.motion, Mimic):
            coupling = [getattr(joint.motion, key) for key in _MIMIC]
            values |= _entries(f"{joint.name}.mimic", coupling, _MIMIC)
        if takes_friction(joint.motion):
            friction = [getattr(joint.friction, key) for key in _FRICTION]
            values |= _entries(f"{joint.name}.friction", friction, _FRICTION)
    for frame in system.frames:
        values |= _pose_entries(frame_key(system, frame.name), frame.placement)
    return values | _entries("gravity", system.gravity, _AXES)


def frame_key(system: System, name: str) -> str:
    """What the parameters of a frame's placement begin with; never what a joint's begin with.

    Links and joints of a file are named apart from each other, so that a frame may have the name
    of a joint.
    """
    shared = any(joint.name == name for joint in system.joints)
    return f"{name}.frame.placement" if shared else f"{name}.placement"


def with_parameters(system: System, values: dict[str, Any]) -> System:
    """The system with parameters replaced by scalars of any kind.

    Plain numbers are validated as at construction; symbols and tracers are trusted.
    """
    known = parameters(system)
    by_owner: dict[str, dict[str, Scalar]] = defaultdict(dict)
    for name, value in values.items():
        if name not in known:
            raise unknown("parameter", name, known, system)
        owner, key = _split(system, name)
        by_owner[owner][key] = to_scalar(value)
    frames = [
        _new_frame(frame, by_owner.get(frame.name, {}), frame_key(system, frame.name))
        for frame in system.frames
    ]
    return replace(
        system,
        bodies=tuple(_new_body(body, by_owner.get(body.name, {})) for body in system.bodies),
        joints=tuple(_new_joint(joint, by_owner.get(joint.name, {})) for joint in system.joints),
        frames=tuple(frames),
        gravity=_new_vector(system.gravity, by_owner.get("gravity", {}), ""),
    )


def _split(system: System, name: str) -> tuple[str, str]:
    """Owner and key; names of parts may contain dots themselves, so the longest owner wins."""
    owners = [part.name for part in (*system.bodies, *system.joints, *system.frames)]
    owner = max((o for o in [*owners, "gravity"] if name.startswith(o + ".")), key=len)
    return owner, name[len(owner) + 1 :]


def _entries(prefix: str, values: Any, keys: tuple[str, ...]) -> dict[str, Scalar]:
    return {f"{prefix}.{key}": value for key, value in zip(keys, values, strict=True)}


def _pose_entries(prefix: str, pose: Pose) -> dict[str, Scalar]:
    angles = _entries(prefix, pose.rotation.to_rpy(), _ANGLES)
    return _entries(prefix, pose.position, _AXES) | angles


def _new_body(body: Body, new: dict[str, Scalar]) -> Body:
    if not new:
        return body
    entries = zip(_MOMENTS, body.inertia, strict=True)
    inertia = Symmetric3(*(new.get(f"inertia.{key}", old) for key, old in entries))
    if body.planar_only:
        inertia = Body.planar(body.name, 1.0, inertia.zz).inertia
    com = _new_vector(body.com, new, "com.")
    return replace(body, mass=new.get("mass", body.mass), com=com, inertia=inertia)


def _new_joint(joint: Joint, new: dict[str, Scalar]) -> Joint:
    parts = ("placement", "child_placement", "axis", "mimic", "friction")
    if not any(key.startswith(parts) for key in new):
        return joint
    rubbing = {key: new[f"friction.{key}"] for key in _FRICTION if f"friction.{key}" in new}
    return replace(
        joint,
        motion=_new_motion(joint.motion, new),
        placement=_new_pose(joint.placement, new, "placement."),
        child_placement=_new_pose(joint.child_placement, new, "child_placement."),
        friction=replace(joint.friction, **rubbing),
    )


def _new_motion(motion: JointMotion, new: dict[str, Scalar]) -> JointMotion:
    if isinstance(motion, Mimic):
        coupling = {key: new[f"mimic.{key}"] for key in _MIMIC if f"mimic.{key}" in new}
        return replace(motion, motion=_new_motion(motion.motion, new), **coupling)
    if isinstance(motion, (Revolute, Prismatic)) and any(key.startswith("axis") for key in new):
        return type(motion)(_new_vector(motion.axis, new, "axis."))
    return motion


def _new_frame(frame: Frame, new: dict[str, Scalar], key: str) -> Frame:
    own = key.removeprefix(f"{frame.name}.")
    return replace(frame, placement=_new_pose(frame.placement, new, f"{own}."))


def _new_pose(pose: Pose, new: dict[str, Scalar], prefix: str) -> Pose:
    rotation = pose.rotation
    if any(prefix + key in new for key in _ANGLES):
        old = zip(_ANGLES, rotation.to_rpy(), strict=True)
        rotation = Rotation.from_rpy(*(new.get(prefix + key, value) for key, value in old))
    return Pose(rotation, _new_vector(pose.position, new, prefix))


def _new_vector(vector: Vector3, new: dict[str, Scalar], prefix: str) -> Vector3:
    entries = zip(_AXES, vector, strict=True)
    return Vector3(*(new.get(prefix + key, old) for key, old in entries))
