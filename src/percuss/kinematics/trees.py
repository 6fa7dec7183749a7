"""The outward sweep every recursive algorithm starts with: poses and velocities in the tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.linear import minus, plus
from percuss.algebra.motions import Motion
from percuss.algebra.poses import Pose
from percuss.algebra.rotations import Rotation
from percuss.algebra.scalars import Scalar, add, unpack
from percuss.algebra.vectors import Vector3
from percuss.model.joints import Scalars
from percuss.model.systems import Joint, System


@dataclass(frozen=True)
class TreePoses:
    """Where the bodies of a system are; entries follow `system.tree`.

    What takes a `Configuration` takes these as well as coordinates: who asks several things of one
    posture finds the poses once.
    """

    system: System
    turns: tuple[Rotation, ...]
    """Rotation of each joint's motion, which relates its rates to local components."""
    parent_poses: tuple[Pose, ...]
    """P_T_B: each body frame in its parent's body frame (or in the world)."""

    def world_poses(self) -> tuple[Pose, ...]:
        """W_T_B: each body frame in the world."""
        return self._world_poses

    @cached_property
    def _world_poses(self) -> tuple[Pose, ...]:
        poses: list[Pose] = []
        for node, pose in zip(self.system.tree, self.parent_poses, strict=True):
            poses.append(pose if node.parent is None else poses[node.parent] @ pose)
        return tuple(poses)

    def to_local(self, values: Scalars) -> tuple[Scalars, ...]:
        """Rates, or generalized forces, as local components joint by joint: Q x."""
        return tuple(
            node.joint.motion.to_local(turn, values[node.rates])
            for node, turn in zip(self.system.tree, self.turns, strict=True)
        )

    def from_local(self, local: Any) -> Scalars:
        """Local components joint by joint as one vector in the order of the rates: Gᵀ Qᵀ x.

        What joints have that follow another is added to what their leader has.
        """
        values: list[Scalar] = [0.0] * self.system.rate_count
        led: list[tuple[int, Scalar]] = []
        for node, turn, part in zip(self.system.tree, self.turns, local, strict=True):
            own = node.joint.motion.from_local(turn, tuple(part))
            if node.follows:
                led.append((node.rates.start, own[0]))
            else:
                values[node.rates] = own
        for rate, share in led:
            values[rate] = add(values[rate], share)
        return tuple(values)


@dataclass(frozen=True, slots=True)
class TreeVelocities:
    """How the bodies of a system move; entries follow `system.tree`.

    What takes `Velocities` takes these as well as rates, as `TreePoses` for coordinates.
    """

    local_rates: tuple[Scalars, ...]
    joints: tuple[Motion, ...]
    """Velocity across each joint: child relative to parent, child's body frame."""
    bodies: tuple[Motion, ...]
    """Velocity of each body in its own frame."""


Configuration: TypeAlias = Coordinates | TreePoses
"""Coordinates q, or the poses of the bodies at them, which are then not found again."""

Velocities: TypeAlias = Rates | TreeVelocities
"""Rates v, or the velocities of the bodies at them, which are then not found again."""


def tree_poses(system: System, q: Configuration) -> TreePoses:
    """Poses at coordinates q; those that are given, where q is the poses themselves."""
    if isinstance(q, TreePoses):
        if q.system is not system:
            raise ValueError(f"the poses of {q.system.name!r} are not those of {system.name!r}")
        return q
    coordinates = unpack(q, system.coordinate_count, "q", system.coordinate_names)
    turns: list[Rotation] = []
    poses: list[Pose] = []
    for node in system.tree:
        joint = node.joint
        motion = joint.motion.pose(coordinates[node.coordinates])
        turns.append(motion.rotation)
        poses.append(joint.placement @ motion @ joint.child_placement)
    return TreePoses(system, tuple(turns), tuple(poses))


def tree_velocities(poses: TreePoses, v: Velocities) -> TreeVelocities:
    """Velocities at rates v: v_i = X v_parent + S Q v; where v is the velocities, these."""
    if isinstance(v, TreeVelocities):
        return v
    system = poses.system
    local = poses.to_local(unpack(v, system.rate_count, "v", system.rate_names))
    joints: list[Motion] = []
    bodies: list[Motion] = []
    for node, pose, rates in zip(system.tree, poses.parent_poses, local, strict=True):
        joint_velocity = across(node.joint, rates)
        carried = Motion.zero() if node.parent is None else pose.act_inverse(bodies[node.parent])
        joints.append(joint_velocity)
        bodies.append(carried + joint_velocity)
    return TreeVelocities(local, tuple(joints), tuple(bodies))


def tree_accelerations(
    poses: TreePoses, velocities: TreeVelocities, a: Scalars, gravity: Vector3 | None = None
) -> tuple[Motion, ...]:
    """Spatial accelerations a_i = X a_parent + S d/dt(Q v) + v_i × v_J, each in its own frame.

    With `gravity` the world rises against it, so that bodies feel their weight as inertia.
    """
    accelerations: list[Motion] = []
    ground = Motion.zero() if gravity is None else rising_world(gravity)
    local = local_accelerations(poses, velocities, a)
    for node, pose, rates in zip(poses.system.tree, poses.parent_poses, local, strict=True):
        carrier = ground if node.parent is None else accelerations[node.parent]
        drift = velocities.bodies[node.index].cross(velocities.joints[node.index])
        accelerations.append(pose.act_inverse(carrier) + across(node.joint, rates) + drift)
    return tuple(accelerations)


def rising_world(gravity: Vector3) -> Motion:
    """The acceleration of the world that stands for gravity pulling everything in it."""
    return Motion(-gravity, Vector3.zero())


def across(joint: Joint, local: Scalars) -> Motion:
    """S x: the motion with local components x, child's body frame."""
    motion = Motion.zero()
    for axis, component in zip(joint.subspace, local, strict=True):
        motion = motion + axis * component
    return motion


def local_accelerations(
    poses: TreePoses, velocities: TreeVelocities, accelerations: Scalars
) -> tuple[Scalars, ...]:
    """d/dt (Q v) = Q v̇ - ω × (Q v), joint by joint."""
    local = poses.to_local(accelerations)
    return tuple(
        minus(part, turned)
        for part, turned in zip(local, _turned_rates(poses, velocities), strict=True)
    )


def rate_accelerations(
    poses: TreePoses, velocities: TreeVelocities, local: tuple[Scalars, ...]
) -> Scalars:
    """v̇ = Qᵀ (d/dt (Q v) + ω × (Q v)): the inverse of `local_accelerations`.

    For systems whose joints all have rates of their own.
    """
    return poses.from_local(
        plus(part, turned)
        for part, turned in zip(local, _turned_rates(poses, velocities), strict=True)
    )


def _turned_rates(poses: TreePoses, velocities: TreeVelocities) -> tuple[Scalars, ...]:
    return tuple(
        node.joint.motion.turned(rates, rates)
        for node, rates in zip(poses.system.tree, velocities.local_rates, strict=True)
    )
