"""Where the chaser is and how it moves, in the coordinates and rates of its system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.linear import solve_symmetric
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Quaternion
from percuss.algebra.scalars import dot, is_constant, pack, to_scalar
from percuss.encounter import postures
from percuss.encounter.errors import EncounterError, Path, shown
from percuss.kinematics.frames import frame_velocity
from percuss.kinematics.jacobians import jacobian
from percuss.model.joints import Free, Planar, Revolute
from percuss.model.systems import Joint, System
from percuss.scenario.block import Orientation
from percuss.scenario.chaser import Chaser
from percuss.scenario.fields import plain, plain_entries
from percuss.scenario.lists import FrozenDict
from percuss.scenario.units import in_words, parse_unit


def rotation_of(orientation: Orientation | None) -> Pose:
    """The turn world ← body."""
    if orientation is None:
        return Pose.identity()
    if orientation.rpy is not None:
        return Pose.at(rpy=orientation.rpy)
    assert orientation.quaternion is not None, "the rules ask for one of the two"
    return Pose.at(quaternion=_unit(orientation.quaternion))


def _unit(entries: Sequence[Any]) -> Sequence[Any]:
    """A quaternion of length one along another."""
    if not all(is_constant(entry) for entry in entries):
        return tuple(Quaternion.of(entries).normalized())
    quaternion = np.asarray(entries)
    return (quaternion / np.linalg.norm(quaternion)).tolist()


def base_pose(chaser: Chaser) -> Pose:
    """W_T_base."""
    position = chaser.position or (0.0, 0.0)
    if chaser.orientation is not None:
        return Pose(rotation_of(chaser.orientation).rotation, Pose.at(position).position)
    flat = Pose.planar(0.0, 0.0, 0.0 if chaser.angle is None else plain(chaser.angle))
    return Pose(flat.rotation, Pose.at(position).position)


def joint_values(
    system: System,
    given: Any,
    at: Path,
    rates: bool = False,
    *,
    joints: Sequence[Joint] | None = None,
    prefix: str = "",
) -> dict[str, Any]:
    """Values by joint name as `postures.joint_values` has them, written in the joints' units."""
    joints = system.movable_joints if joints is None else joints
    values = postures.joint_values(system, given, at, joints, prefix=prefix)
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


def rates_at(system: System, q: Coordinates, velocity: Any, joints: Mapping[str, Any]) -> Any:
    """Rates for the velocity of the base frame's origin in world axes, and these joint rates."""
    at: Path = ("chaser", "velocity")
    v: list[Any] = [0.0] * system.rate_count
    wanted = _six(velocity)
    reached: list[Any] = [0.0] * 6
    base = system.node(system.base.name)
    if isinstance(base.joint.motion, (Free, Planar)):
        v[base.rates] = _base_rates(system, q, wanted)
        motion = frame_velocity(system, q, pack(v), base.body.name)
        reached = [*motion.linear, *motion.angular]
    are_known = all(is_constant(x) for x in (*reached, *wanted))
    if are_known and not np.allclose(reached, wanted, rtol=1e-12, atol=1e-12):
        key = "linear" if not np.allclose(reached[:3], wanted[:3]) else "angular"
        raise EncounterError(
            (*at, key),
            f"must be zero: the base cannot move that way (mode {system.mode}), "
            f"got {shown(getattr(velocity, key))}",
        )
    for name, value in joints.items():
        v[system.node(system.joint(name).child).rates] = [value]
    return pack(v)


def _six(velocity: Any) -> list[Any]:
    """Linear (m/s) and angular (rad/s) velocity of a block, three entries each."""
    linear = (*plain_entries(velocity.linear or ()), 0.0, 0.0, 0.0)[:3]
    angular = velocity.angular
    if not isinstance(angular, tuple):
        angular = (0.0, 0.0, 0.0 if angular is None else angular)
    return [*linear, *plain_entries(angular)]


def _base_rates(system: System, q: Coordinates, wanted: Sequence[Any]) -> list[Any]:
    """Base rates of a velocity (6 entries); with the usual base joint, the velocity itself."""
    base = system.node(system.base.name)
    joint = base.joint
    if isinstance(joint.motion, Free) and joint.placement.is_identity:
        return list(wanted)
    if isinstance(joint.motion, Planar) and joint.placement.is_identity:
        return [wanted[k] for k in (0, 1, 5)]
    columns = jacobian(system, q, base.body.name)[:, base.rates]
    rows = [[to_scalar(x) for x in row] for row in columns]
    if all(is_constant(x) for x in (*(x for row in rows for x in row), *wanted)):
        matrix, right = np.asarray(columns, float), np.asarray(wanted, float)
        return np.linalg.lstsq(matrix, right, rcond=None)[0].tolist()
    # The columns are independent: the normal equations have the one solution.
    turned = list(zip(*rows, strict=True))
    normal = [[dot(a, b) for b in turned] for a in turned]
    return list(solve_symmetric(normal, [dot(a, wanted) for a in turned]))
