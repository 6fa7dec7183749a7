"""Where the chaser is and how it moves, in the coordinates and rates of its system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.kinematics.frames import frame_pose, frame_velocity
from percuss.kinematics.jacobians import jacobian
from percuss.kinematics.manifold import neutral
from percuss.model.couplings import followed
from percuss.model.errors import choices, closest
from percuss.model.joints import Free, Mimic, Planar, Revolute
from percuss.model.systems import Joint, System
from percuss.scenario.block import Orientation
from percuss.scenario.chaser import Chaser
from percuss.scenario.errors import Path, UnbuildableError, shown
from percuss.scenario.lists import FrozenDict
from percuss.scenario.units import in_words, parse_unit


def rotation_of(orientation: Orientation | None) -> Pose:
    """The turn world ← body."""
    if orientation is None:
        return Pose.identity()
    if orientation.rpy is not None:
        return Pose.at(rpy=orientation.rpy)
    quaternion = np.asarray(orientation.quaternion)
    unit = (quaternion / np.linalg.norm(quaternion)).tolist()
    return Pose.at(quaternion=unit)


def base_pose(chaser: Chaser) -> Pose:
    """W_T_base."""
    position = chaser.position or (0.0, 0.0)
    if chaser.orientation is not None:
        return Pose(rotation_of(chaser.orientation).rotation, Pose.at(position).position)
    flat = Pose.planar(0.0, 0.0, chaser.angle or 0.0)
    return Pose(flat.rotation, Pose.at(position).position)


def joint_values(
    system: System,
    given: Any,
    at: Path,
    rates: bool = False,
    joints: Sequence[Joint] | None = None,
    prefix: str = "",
) -> dict[str, float]:
    """Values by joint name, zero where none is given; checked against the joints.

    `joints` are those that are meant, default all that move; `prefix` is what their names have
    in the system and not in the document.
    """
    joints = system.movable_joints if joints is None else joints
    names = [joint.name.removeprefix(prefix) for joint in joints]
    chosen: dict[str, Any] = {}
    if isinstance(given, FrozenDict):
        for name in given:
            if name not in names:
                raise UnbuildableError((*at, name), _no_joint(system, names, name, prefix, given))
        chosen = dict(given)
    elif given is not None:
        if len(given) != len(names):
            listed = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
            raise UnbuildableError(
                at,
                f"must have {len(names)} entries, one for each joint ({listed}), got {len(given)}",
            )
        chosen = dict(zip(names, given, strict=True))
    values: dict[str, float] = {}
    for joint, name in zip(joints, names, strict=True):
        value = chosen.get(name, 0.0)
        check_unit(value, joint, at, rates)
        values[joint.name] = float(value)
    return values


def _no_joint(system: System, names: list[str], name: str, prefix: str, given: Any) -> str:
    """Why a name in the document stands for no coordinate."""
    motion = {joint.name: joint.motion for joint in system.joints}.get(prefix + name)
    what = f"there is no joint {name!r}"
    if isinstance(motion, Mimic):
        leader = motion.leader.removeprefix(prefix)
        what = f"joint {name!r} {followed(motion)} and has no value of its own; give {leader!r}"
    elif motion is not None:
        what = f"joint {name!r} is {motion.kind} and has no value"
    there = f"{closest(name, names)} There are: {choices(name, names)}"
    return f"{what}, got {float(given[name]):g}.{there}"


def check_unit(value: Any, joint: Joint, at: Path, rates: bool) -> None:
    """A coordinate (or rate) that was written with a unit has the joint's own."""
    unit = "rad" if isinstance(joint.motion.uncoupled, Revolute) else "m"
    unit += "/s" if rates else ""
    dimension = getattr(value, "dimension", None)
    if dimension is not None and dimension != parse_unit(unit).dimension:
        raise UnbuildableError(
            at,
            f"of the {joint.motion.kind} joint {joint.name!r} must be in {unit}, "
            f"got {float(value):g}, which is {in_words(dimension)}",
        )


def coordinates_at(
    system: System, pose: Pose, angle: float | None, joints: dict[str, float]
) -> Any:
    """Coordinates with the base at `pose` (planar: its angle unwrapped) and these joints."""
    q = np.array([float(x) for x in neutral(system)])
    base = system.node(system.base.name)
    motion = base.joint.motion
    if isinstance(motion, (Free, Planar)):
        placed = base.joint.placement.inverse() @ pose @ base.joint.child_placement.inverse()
        own: list[float] = np.asarray(motion.coordinates(placed), float).tolist()
        if isinstance(motion, Planar) and system.is_planar:
            own[2] = float(angle or 0.0)
        q[base.coordinates] = own
        found = frame_pose(system, q, base.body.name).matrix()
        if not np.allclose(np.asarray(found, float), np.asarray(pose.matrix(), float), atol=1e-9):
            raise UnbuildableError(
                ("chaser", "position"),
                f"the {motion.kind} joint {base.joint.name!r} cannot put the base there",
            )
    for name, value in joints.items():
        q[system.node(system.joint(name).child).coordinates] = value
    return q


def rates_at(system: System, q: Any, velocity: Any, joints: dict[str, float]) -> Any:
    """Rates for the velocity of the base frame's origin in world axes, and these joint rates."""
    at: Path = ("chaser", "velocity")
    v = np.zeros(system.rate_count)
    linear = np.zeros(3)
    if velocity.linear is not None:
        linear[: len(velocity.linear)] = velocity.linear
    angular = np.zeros(3)
    if velocity.angular is not None:
        planar = not isinstance(velocity.angular, tuple)
        angular[:] = (0.0, 0.0, velocity.angular) if planar else velocity.angular
    wanted = np.concatenate([linear, angular])
    base = system.node(system.base.name)
    if isinstance(base.joint.motion, (Free, Planar)):
        matrix = np.asarray(jacobian(system, q, base.body.name), float)[:, base.rates]
        v[base.rates] = _exact(matrix, wanted, base.joint)
        motion = frame_velocity(system, q, v, base.body.name)
        reached = np.concatenate([motion.linear.array(), motion.angular.array()]).astype(float)
    else:
        reached = np.zeros(6)
    if not np.allclose(reached, wanted, rtol=1e-12, atol=1e-12):
        key = "linear" if not np.allclose(reached[:3], wanted[:3]) else "angular"
        raise UnbuildableError(
            (*at, key),
            f"must be zero: the base cannot move that way (mode {system.mode}), "
            f"got {shown(getattr(velocity, key))}",
        )
    for name, value in joints.items():
        v[system.node(system.joint(name).child).rates] = value
    return v


def _exact(matrix: np.ndarray, wanted: np.ndarray, joint: Joint) -> np.ndarray:
    """Base rates of a velocity; with the usual base joint, the velocity itself."""
    if isinstance(joint.motion, Free) and joint.placement.is_identity:
        return wanted
    if isinstance(joint.motion, Planar) and joint.placement.is_identity:
        return wanted[[0, 1, 5]]
    return np.linalg.lstsq(matrix, wanted, rcond=None)[0]
