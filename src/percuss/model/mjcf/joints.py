"""Joints of a compiled MuJoCo model: each with its motion, its place, its limits and friction.

A body may have several joints, one after the other, each about its own anchor in the frame of
the body: P_T_C = body · Π (anchor · motion(q - ref) · anchor⁻¹). Here each joint has a body of
its own, and those between are massless.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.model.joints import Free, JointMotion, Prismatic, Revolute, Spherical
from percuss.model.mjcf.bodies import pose, vector
from percuss.model.mjcf.compiled import Compiled
from percuss.model.rebase import unused
from percuss.model.systems import Friction, Joint, Limits

Range = tuple[float, float]


def joint_names(model: Any, bodies: list[str]) -> list[str]:
    """A name for each joint by index: its own, or that of its body with "_joint" behind."""
    taken = {model.joint(index).name for index in range(model.njnt)}
    names: list[str] = []
    for index in range(model.njnt):
        body = bodies[int(model.jnt_bodyid[index])]
        name = model.joint(index).name or unused(f"{body}_joint", taken)
        taken.add(name)
        names.append(name)
    return names


def joints_of(model: Any, body: int) -> range:
    """The indices of a body's joints, in the order in which they move it."""
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body]))


def motion_of(compiled: Compiled, joint: int) -> JointMotion:
    """The motion of one joint."""
    model, types = compiled.model, compiled.mujoco.mjtJoint
    kind = int(model.jnt_type[joint])
    if kind == types.mjJNT_FREE:
        return Free()
    if kind == types.mjJNT_BALL:
        return Spherical()
    axis = vector(model.jnt_axis[joint])
    return Revolute(axis) if kind == types.mjJNT_HINGE else Prismatic(axis)


@dataclass(frozen=True, slots=True)
class JointPlacement:
    """Where a joint is: `placement` before its motion, `child_placement` after it."""

    placement: Pose
    child_placement: Pose


def place_of(model: Any, joint: int, motion: JointMotion) -> JointPlacement:
    """Anchor and reference of a joint in the frame of its body before it moved.

    The coordinate at which a joint leaves its body where the file puts it is `ref`.
    """
    anchor = Pose(position=vector(model.jnt_pos[joint]))
    if isinstance(motion, Free):
        return JointPlacement(Pose.identity(), Pose.identity())
    if isinstance(motion, Spherical):
        return JointPlacement(anchor, anchor.inverse())
    reference = reference_of(model, joint)
    if isinstance(motion, Revolute):
        return JointPlacement(
            anchor @ Pose(Rotation.about(motion.axis, -reference)), anchor.inverse()
        )
    assert isinstance(motion, Prismatic)
    return JointPlacement(Pose(position=motion.axis * -reference), Pose.identity())


def reference_of(model: Any, joint: int) -> float:
    """The coordinate of a hinge (rad) or slide (m) in the pose that the file describes."""
    return float(model.qpos0[model.jnt_qposadr[joint]])


def friction_of(model: Any, joint: int) -> Friction:
    """`damping` as viscous and `frictionloss` as Coulomb friction."""
    dof = int(model.jnt_dofadr[joint])
    return Friction(float(model.dof_damping[dof]), float(model.dof_frictionloss[dof]))


def body_pose(model: Any, body: int) -> Pose:
    """The body in its parent's frame as the file describes it."""
    return pose(model.body_pos[body], model.body_quat[body])


def chain(
    compiled: Compiled, body: int, parent: str, between: list[str], *, child: str, names: list[str]
) -> list[Joint]:
    """The joints of a body from its parent, by way of massless bodies `between` them."""
    model = compiled.model
    start, joints = body_pose(model, body), []
    links = [parent, *between, child]
    for k, joint in enumerate(joints_of(model, body)):
        motion = motion_of(compiled, joint)
        place = place_of(model, joint, motion)
        # The pose of a free body is its coordinates and nothing else.
        ahead = Pose.identity() if k or isinstance(motion, Free) else start
        joints.append(
            Joint(
                name=names[joint],
                motion=motion,
                parent=links[k],
                child=links[k + 1],
                placement=ahead @ place.placement,
                child_placement=place.child_placement,
                limits=_limits(compiled, joint, motion),
                friction=Friction() if isinstance(motion, Free) else friction_of(model, joint),
            )
        )
    return joints


def _limits(compiled: Compiled, joint: int, motion: JointMotion) -> Limits:
    """Range of the coordinate (rad or m) and what the motors can do (N m or N)."""
    model = compiled.model
    if not isinstance(motion, (Revolute, Prismatic)):
        return Limits()
    lower, upper = -math.inf, math.inf
    if model.jnt_limited[joint]:
        lower, upper = (float(x) for x in model.jnt_range[joint])
    push, pull = effort_range(compiled, joint)
    return Limits(lower, upper, effort=max(-push, pull))


def effort_range(compiled: Compiled, joint: int) -> Range:
    """The least and the most that the motors of a joint can do together (N m or N).

    The joint's own `actuatorfrcrange`, and of each motor its `forcerange`, or its `ctrlrange`
    where the control is the force. A joint that no motor bounds is not limited.
    """
    model = compiled.model
    ranges = [_actuator_range(compiled, k) for k in actuators_on(compiled, joint)]
    least = sum(low for low, _ in ranges) if ranges else -math.inf
    most = sum(high for _, high in ranges) if ranges else math.inf
    if model.jnt_actfrclimited[joint]:
        low, high = (float(x) for x in model.jnt_actfrcrange[joint])
        least, most = max(least, low), min(most, high)
    return least, most


def actuators_on(compiled: Compiled, joint: int) -> list[int]:
    """The actuators that drive a joint itself, by index."""
    model = compiled.model
    return [
        k
        for k in range(model.nu)
        if acts_on_joint(compiled, k) and model.actuator_trnid[k][0] == joint
    ]


def acts_on_joint(compiled: Compiled, actuator: int) -> bool:
    """Whether a joint moves with the actuator, not a tendon, a site or a body."""
    kinds = compiled.mujoco.mjtTrn
    kind = int(compiled.model.actuator_trntype[actuator])
    return kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))


def is_motor(compiled: Compiled, actuator: int) -> bool:
    """Whether the force is the control times a constant, without delay or feedback."""
    model, mujoco = compiled.model, compiled.mujoco
    return (
        int(model.actuator_gaintype[actuator]) == mujoco.mjtGain.mjGAIN_FIXED
        and int(model.actuator_biastype[actuator]) == mujoco.mjtBias.mjBIAS_NONE
        and int(model.actuator_dyntype[actuator]) == mujoco.mjtDyn.mjDYN_NONE
    )


def _actuator_range(compiled: Compiled, actuator: int) -> Range:
    model = compiled.model
    bounds, factor = None, float(model.actuator_gear[actuator][0])
    if model.actuator_forcelimited[actuator]:
        bounds = model.actuator_forcerange[actuator]
    elif is_motor(compiled, actuator) and model.actuator_ctrllimited[actuator]:
        bounds = model.actuator_ctrlrange[actuator]
        factor *= float(model.actuator_gainprm[actuator][0])
    if bounds is None:
        return -math.inf, math.inf
    low, high = sorted(factor * float(bound) for bound in bounds)
    return low, high
