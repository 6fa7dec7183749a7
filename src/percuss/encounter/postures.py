"""Where a chaser is: coordinates of its system from a pose of its base and values of its joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from percuss.algebra.arrays import Coordinates
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, is_symbolic_matrix, is_traced, pack, to_scalar, unpack
from percuss.encounter.errors import EncounterError, Path
from percuss.kinematics.frames import frame_pose
from percuss.kinematics.manifold import neutral
from percuss.model.checks import shown
from percuss.model.couplings import followed
from percuss.model.errors import choices, closest
from percuss.model.joints import Free, Mimic, Planar
from percuss.model.systems import Joint, System


def joint_values(
    system: System,
    given: Any,
    at: Path,
    joints: Sequence[Joint] | None = None,
    *,
    prefix: str = "",
) -> dict[str, Any]:
    """Values by joint name, zero where none is given; checked against the joints.

    `given` are values by name or a sequence of all. `joints` are those that are meant, default all
    that move; `prefix` is what their names have in the system and not in what is given.
    """
    joints = system.movable_joints if joints is None else joints
    names = [joint.name.removeprefix(prefix) for joint in joints]
    chosen: dict[str, Any] = {}
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise EncounterError(
                    (*at, name), _no_joint(system, names, name, prefix, given=given)
                )
        chosen = dict(given)
    elif given is not None:
        if len(given) != len(names):
            listed = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
            raise EncounterError(
                at,
                f"must have {len(names)} entries, one for each joint ({listed}), got {len(given)}",
            )
        chosen = dict(zip(names, given, strict=True))
    return {
        joint.name: to_scalar(chosen.get(name, 0.0))
        for joint, name in zip(joints, names, strict=True)
    }


def _no_joint(system: System, names: list[str], name: str, prefix: str, *, given: Any) -> str:
    """Why a name that is given stands for no coordinate."""
    motion = {joint.name: joint.motion for joint in system.joints}.get(prefix + name)
    what = f"there is no joint {name!r}"
    if isinstance(motion, Mimic):
        leader = motion.leader.removeprefix(prefix)
        what = f"joint {name!r} {followed(motion)} and has no value of its own; give {leader!r}"
    elif motion is not None:
        what = f"joint {name!r} is {motion.kind} and has no value"
    there = f"{closest(name, names)} There are: {choices(name, names)}"
    return f"{what}, got {shown(to_scalar(given[name]))}.{there}"


def coordinates_at(
    system: System, pose: Pose, angle: Scalar | None, joints: Mapping[str, Scalar]
) -> Any:
    """Coordinates with the base at `pose` (planar: its angle unwrapped) and these joints."""
    q: list[Scalar] = [float(x) for x in neutral(system)]
    base = system.node(system.base.name)
    motion = base.joint.motion
    if isinstance(motion, (Free, Planar)):
        placed = base.joint.placement.inverse() @ pose @ base.joint.child_placement.inverse()
        own = [to_scalar(x) for x in motion.coordinates(placed)]
        if isinstance(motion, Planar) and system.is_planar:
            own[2] = 0.0 if angle is None else to_scalar(angle)
        q[base.coordinates] = own
        found = frame_pose(system, q, base.body.name).matrix()
        if _differ(found, pose.matrix()):
            raise EncounterError(
                ("chaser", "position"),
                f"the {motion.kind} joint {base.joint.name!r} cannot put the base there",
            )
    return with_joints(system, pack(q), joints)


def _differ(found: Any, wanted: Any) -> bool:
    """Whether two matrices, numbers that are known, are not the same to rounding."""
    if any(is_traced(x) or is_symbolic_matrix(x) for x in (found, wanted)):
        return False
    return not np.allclose(np.asarray(found, float), np.asarray(wanted, float), atol=1e-9)


def joint_coordinates(system: System, q: Coordinates) -> dict[str, Any]:
    """The coordinate of each joint by its name (rad, m), at coordinates q of the system."""
    return {
        joint.name: to_scalar(q[system.node(joint.child).coordinates][0])
        for joint in system.movable_joints
    }


def with_joints(system: System, q: Coordinates, joints: Mapping[str, Scalar]) -> Any:
    """Coordinates q (nq,) with those of some joints replaced, by name (rad, m)."""
    result = list(unpack(q, system.coordinate_count, "q"))
    for name, value in joints.items():
        own = system.node(system.joint(name).child).coordinates
        result[own] = [value] * len(result[own])
    return pack(result)
