"""Where the chaser is and how it moves, in the coordinates and rates of its system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from percuss.algebra.poses import Pose
from percuss.encounter import postures
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.kinematics.frames import frame_velocity
from percuss.kinematics.jacobians import jacobian
from percuss.model.joints import Free, Planar, Revolute
from percuss.model.systems import Joint, System
from percuss.scenario.block import Orientation
from percuss.scenario.chaser import Chaser
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
    """Values by joint name as `postures.joint_values` has them, written in the joints' units."""
    joints = system.movable_joints if joints is None else joints
    values = postures.joint_values(system, given, at, joints, prefix)
    for k, joint in enumerate(joints):
        name = joint.name.removeprefix(prefix)
        by_name = isinstance(given, FrozenDict)
        value = given.get(name) if by_name else None if given is None else given[k]
        check_unit(value, joint, at, rates)
    return values


def check_unit(value: Any, joint: Joint, at: Path, rates: bool) -> None:
    """A coordinate (or rate) that was written with a unit has the joint's own."""
    unit = "rad" if isinstance(joint.motion.uncoupled, Revolute) else "m"
    unit += "/s" if rates else ""
    dimension = getattr(value, "dimension", None)
    if dimension is not None and dimension != parse_unit(unit).dimension:
        raise EncounterError(
            at,
            f"of the {joint.motion.kind} joint {joint.name!r} must be in {unit}, "
            f"got {float(value):g}, which is {in_words(dimension)}",
        )


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
        raise EncounterError(
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
