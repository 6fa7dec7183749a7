"""A system that cannot be right is refused when it is built, with a message that teaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from percuss.algebra.poses import Pose
from percuss.algebra.scalars import is_constant
from percuss.algebra.vectors import Vector3
from percuss.model.checks import (
    LARGEST,
    LARGEST_LENGTH,
    beyond,
    is_finite,
    is_not_negative,
    is_positive,
    known,
    shown,
    values,
    violates,
)
from percuss.model.couplings import check_ranges
from percuss.model.errors import ModelError
from percuss.model.joints import Fixed, Free, JointMotion, Mimic, Planar, Prismatic, Revolute
from percuss.model.names import WORLD, BaseMode

if TYPE_CHECKING:
    from percuss.model.systems import Joint, System


def check_system(system: System) -> None:
    """Names, tree, joints, frames, base mode, planarity."""
    if not system.bodies:
        raise ModelError(f"system {system.name!r} has no bodies")
    _check_names(system)
    _check_tree(system)
    for joint in system.joints:
        check_joint(joint)
    check_ranges(system)
    for frame in system.frames:
        check_pose(frame.placement, f"frame {frame.name!r}: placement")
    _check_finite(system.gravity, "gravity", "m/s²")
    _check_mode(system)
    _check_planar_bodies(system)
    _check_massless(system)


def _check_names(system: System) -> None:
    frames = [body.name for body in system.bodies] + [frame.name for frame in system.frames]
    _refuse_duplicates(frames, "bodies and frames", system.name)
    _refuse_duplicates([joint.name for joint in system.joints], "joints", system.name)
    if WORLD in frames:
        raise ModelError(f"system {system.name!r}: {WORLD!r} is the inertial frame, not a body")
    bodies = {body.name for body in system.bodies}
    for frame in system.frames:
        if frame.body not in bodies:
            raise ModelError(
                f"frame {frame.name!r}: body {frame.body!r} does not exist; "
                f"there are {_listed(bodies)}"
            )


def _refuse_duplicates(names: list[str], what: str, system: str) -> None:
    for name, count in Counter(names).items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"system {system!r}: a name in {what} must be text, got {name!r}")
        if count > 1:
            raise ModelError(
                f"system {system!r}: the name {name!r} stands for {count} {what}; names must differ"
            )


def _check_tree(system: System) -> None:
    bodies = {body.name for body in system.bodies}
    for joint in system.joints:
        if joint.parent not in bodies | {WORLD}:
            raise ModelError(
                f"joint {joint.name!r}: unknown parent {joint.parent!r}; "
                f"allowed are {WORLD!r} and {_listed(bodies)}"
            )
        if joint.child not in bodies:
            raise ModelError(
                f"joint {joint.name!r}: unknown child {joint.child!r}; there are {_listed(bodies)}"
            )
    for child, count in Counter(joint.child for joint in system.joints).items():
        if count > 1:
            carriers = [joint.name for joint in system.joints if joint.child == child]
            raise ModelError(
                f"body {child!r} hangs from {count} joints ({', '.join(carriers)}): a loop, which "
                "a tree cannot hold"
            )
    parent_of = {joint.child: joint.parent for joint in system.joints}
    for body in bodies - set(parent_of):
        raise ModelError(
            f"body {body!r} is on no joint; hang the base from {WORLD!r} by a fixed, planar or "
            "free joint"
        )
    rooted = {WORLD}
    for body in parent_of:
        path: dict[str, None] = {}  # in order, and quick to search
        while body not in rooted:
            if body in path:
                names = list(path)
                cycle = [body, *reversed(names[names.index(body) :])]
                raise ModelError(f"bodies form a cycle: {' → '.join(cycle)}")
            path[body] = None
            body = parent_of[body]
        rooted.update(path)


def check_joint_types(joint: Joint, kinds: Mapping[str, type]) -> None:
    """Each attribute is of its own type; what it holds is the business of `check_joint`.

    `kinds` are the types of those attributes that are parts of a joint: placements and the like.
    """
    for attribute in ("name", "parent", "child"):
        name = getattr(joint, attribute)
        if not isinstance(name, str) or not name:
            raise ModelError(f"joint {joint.name!r}: {attribute} must be a name, got {name!r}")
    if not isinstance(joint.motion, JointMotion):
        raise ModelError(
            f"joint {joint.name!r}: motion must be a joint motion such as Revolute((0, 0, 1)) or "
            f"Free(), got {joint.motion!r}"
        )
    for attribute, kind in kinds.items():
        value = getattr(joint, attribute)
        if not isinstance(value, kind):
            raise ModelError(
                f"joint {joint.name!r}: {attribute} must be a {kind.__name__}, got {value!r}"
            )


def check_joint(joint: Joint) -> None:
    """Finite placements, ordered limits, friction that takes energy and that the joint can have."""
    named = f"joint {joint.name!r}"
    check_pose(joint.placement, f"{named}: placement")
    check_pose(joint.child_placement, f"{named}: child placement")
    limits = joint.limits
    lower, upper = limits.lower, limits.upper
    if known(lower) and known(upper) and not np.all(values(lower) <= values(upper)):
        raise ModelError(
            f"{named}: limits reversed: lower {shown(lower)} must not exceed upper {shown(upper)}"
        )
    for what, value in (("speed", limits.speed), ("effort", limits.effort)):
        if violates(value, lambda x: x >= 0):
            raise ModelError(f"{named}: {what} limit must be ≥ 0, got {shown(value)}")
    friction = joint.friction
    for what, value in (("viscous", friction.viscous), ("coulomb", friction.coulomb)):
        if violates(value, is_not_negative) or beyond(value):
            raise ModelError(
                f"{named}: {what} friction must be finite and ≥ 0{beyond(value)}, got "
                f"{shown(value)}"
            )
    if violates(friction.smoothing, is_positive):
        raise ModelError(
            f"{named}: friction smoothing must be > 0, got {shown(friction.smoothing)}"
        )
    rubs = any(not (is_constant(f) and f == 0) for f in (friction.viscous, friction.coulomb))
    if rubs and not takes_friction(joint.motion):
        raise ModelError(
            f"{named}: a {joint.motion.kind} joint takes no friction (its rates mix m/s and rad/s "
            "or do not exist); use revolute, prismatic or spherical"
        )


def takes_friction(motion: JointMotion) -> bool:
    """Whether the rates of the joint exist and have one unit."""
    return not isinstance(motion, (Fixed, Planar, Free))


def check_pose(pose: Pose, what: str) -> None:
    """Finite position and a proper rotation."""
    _check_finite(pose.position, f"{what}: position", "m")
    entries = [x for row in pose.rotation.matrix.rows for x in row]
    if not all(known(x) for x in entries):
        return
    a, b, c = pose.rotation.matrix.rows
    if not all(type(x) is float for x in entries):
        a, b, c = (Vector3(*(values(x) for x in row)) for row in (a, b, c))
    deviation = [a.dot(a) - 1, b.dot(b) - 1, c.dot(c) - 1, a.dot(b), a.dot(c), b.dot(c)]
    proper = np.all(a.cross(b).dot(c) > 0)
    if not (proper and all(np.all(abs(d) < 1e-9) for d in deviation)):
        raise ModelError(f"{what}: not a rotation: {entries}")


def _check_finite(vector: Vector3, what: str, unit: str) -> None:
    largest = LARGEST_LENGTH if unit == "m" else LARGEST
    for axis, value in zip("xyz", vector, strict=True):
        most = beyond(value, largest)
        if violates(value, is_finite) or most:
            raise ModelError(f"{what} {axis} must be finite ({unit}){most}, got {shown(value)}")


def _check_mode(system: System) -> None:
    roots = [joint for joint in system.joints if joint.parent == WORLD]
    free = isinstance(roots[0].motion, (Free, Planar))
    if system.mode == BaseMode.FIXED and free:
        raise ModelError(
            f"system {system.name!r}: base mode 'fixed' needs the base on a fixed joint, but "
            f"{roots[0].name!r} is {roots[0].motion.kind}; use system.with_mode('fixed', pose)"
        )
    if system.mode not in (None, BaseMode.FIXED) and not free:
        raise ModelError(
            f"system {system.name!r}: base mode {str(system.mode)!r} needs the base on a planar or "
            f"free joint, but {roots[0].name!r} is {roots[0].motion.kind}"
        )


def _check_planar_bodies(system: System) -> None:
    flat = [body.name for body in system.bodies if body.planar_only]
    if not flat:
        return
    for joint in system.joints:
        if leaves_plane(joint):
            raise ModelError(
                f"body {flat[0]!r} has only its moment about z, but joint {joint.name!r} "
                f"({joint.motion.kind}) can take bodies out of the x-y plane; give the full inertia"
            )


def _check_massless(system: System) -> None:
    """Something massive is outboard of every joint that moves, or nothing has mass at all."""
    if system.is_massless:
        return
    joint_of = {joint.child: joint for joint in system.joints}
    carrying: set[str] = set()
    for body in system.bodies:
        name = WORLD if body.is_massless else body.name
        while name != WORLD and name not in carrying:
            carrying.add(name)
            name = joint_of[name].parent
    resisted = {
        joint.motion.leader if isinstance(joint.motion, Mimic) else joint.name
        for joint in system.joints
        if joint.child in carrying
    }
    for joint in system.joints:
        if joint.motion.rate_count and joint.name not in resisted:
            raise ModelError(
                f"joint {joint.name!r} ({joint.motion.kind}) moves nothing that has mass: body "
                f"{joint.child!r} and all it carries are massless, so no force could move it. Give "
                "one of them mass, or lock the joint"
            )


def leaves_plane(joint: Joint) -> bool:
    """Whether the joint can turn or push its child out of the x-y plane of its parent."""
    upright = all(_keeps_z(pose) for pose in (joint.placement, joint.child_placement))
    motion = joint.motion.uncoupled
    if isinstance(motion, Revolute):
        return not (upright and _along_z(motion.axis))
    if isinstance(motion, Prismatic):
        return not (upright and is_constant(motion.axis.z) and motion.axis.z == 0)
    return not (upright and isinstance(motion, (Fixed, Planar)))


def _along_z(axis: Vector3) -> bool:
    return all(is_constant(a) and a == 0 for a in (axis.x, axis.y))


def _keeps_z(pose: Pose) -> bool:
    zz = pose.rotation.matrix.row3.z
    return is_constant(zz) and zz == 1


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))
