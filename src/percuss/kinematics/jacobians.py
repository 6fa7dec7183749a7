"""Geometric Jacobians and their time derivative."""

from __future__ import annotations

from typing import Any

from percuss.algebra.linear import plus
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import Scalar, pack
from percuss.algebra.vectors import Vector3
from percuss.kinematics.frames import Reference, reference_pose
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    Velocities,
    tree_poses,
    tree_velocities,
)
from percuss.model.joints import Scalars
from percuss.model.systems import Frame, System


def jacobian(
    system: System,
    q: Configuration,
    frame: str | Frame,
    reference: Reference | str = Reference.WORLD_ALIGNED,
) -> Any:
    """J with frame velocity (linear, angular) = J v, components as `reference` says.

    Shape (6, nv). A frame is given by name, as a body's name, or as a point on a body.
    """
    tree = tree_poses(system, q)
    found = system.frame(frame)
    to_reference = reference_pose(tree, found, reference)
    columns = _no_columns(system)
    for index, pose in _poses_relative_to(tree, found).items():
        columns[index] = [
            to_reference.act(pose.act_inverse(axis)) for axis in system.tree[index].joint.subspace
        ]
    return pack([list(tree.from_local(row)) for row in _local_rows(columns)])


def jacobian_time_derivative(
    system: System,
    q: Configuration,
    v: Velocities,
    frame: str | Frame,
    *,
    reference: Reference | str = Reference.WORLD_ALIGNED,
) -> Any:
    """dJ/dt, entry by entry, of `jacobian` along the motion with rates v: shape (6, nv)."""
    tree = tree_poses(system, q)
    found = system.frame(frame)
    velocities = tree_velocities(tree, v)
    to_reference = reference_pose(tree, found, reference)
    carried = found.placement.act_inverse(velocities.bodies[system.node(found.body).index])
    # How the axes of the reference move, in components of the frame.
    observer = {
        Reference.BODY: carried,
        Reference.WORLD_ALIGNED: Motion(carried.linear, Vector3.zero()),
        Reference.WORLD_ORIGIN: Motion.zero(),
    }[Reference(reference)]
    columns, rates = _no_columns(system), _no_columns(system)
    for index, pose in _poses_relative_to(tree, found).items():
        # A joint's axes are fixed in its child, which moves relative to the observer.
        relative = pose.act_inverse(velocities.bodies[index]) - observer
        axes = [pose.act_inverse(axis) for axis in system.tree[index].joint.subspace]
        columns[index] = [to_reference.act(axis) for axis in axes]
        rates[index] = [to_reference.act(relative.cross(axis)) for axis in axes]
    # J = J_local Q, so the rows are d/dt (Qᵀ x) = Qᵀ (ẋ + ω × x).
    rows: list[list[Scalar]] = []
    for row, change in zip(_local_rows(columns), _local_rows(rates), strict=True):
        local = [
            plus(dx, node.joint.motion.turned(w, x))
            for node, w, x, dx in zip(system.tree, velocities.local_rates, row, change, strict=True)
        ]
        rows.append(list(tree.from_local(local)))
    return pack(rows)


def _poses_relative_to(tree: TreePoses, frame: Frame) -> dict[int, Pose]:
    """B_T_F for the frame's body and each body that carries it, by node index."""
    poses: dict[int, Pose] = {}
    pose = frame.placement
    for node in tree.system.ancestors(tree.system.node(frame.body)):
        poses[node.index] = pose
        pose = tree.parent_poses[node.index] @ pose
    return poses


def _no_columns(system: System) -> list[list[Motion]]:
    return [[Motion.zero() for _ in node.joint.subspace] for node in system.tree]


def _local_rows(columns: list[list[Motion]]) -> list[list[Scalars]]:
    """The six rows of a matrix given by its columns, each row joint by joint."""
    entries = [[tuple(motion) for motion in part] for part in columns]
    return [[tuple(entry[k] for entry in part) for part in entries] for k in range(6)]
