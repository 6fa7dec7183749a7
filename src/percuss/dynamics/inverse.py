"""Inverse dynamics by the recursive Newton-Euler algorithm (Featherstone 2008, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from percuss.algebra.arrays import Accelerations, Rates
from percuss.algebra.inertias import SpatialInertia
from percuss.algebra.linear import minus
from percuss.algebra.motions import Force
from percuss.algebra.poses import Pose
from percuss.algebra.scalars import pack, unpack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.inertias import body_inertias, regrouped_inertias
from percuss.dynamics.loads import Wrenches, body_wrenches, friction_forces
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    Velocities,
    tree_accelerations,
    tree_poses,
    tree_velocities,
)
from percuss.model.joints import Scalars
from percuss.model.systems import System


def inverse_dynamics(
    system: System,
    q: Configuration,
    v: Rates,
    a: Accelerations,
    *,
    wrenches: Wrenches | None = None,
) -> Any:
    """Generalized forces τ = M(q) v̇ + h(q, v) - τ_friction(v) - Σ Jᵀ f that cause v̇ = a.

    Args:
        q: coordinates, shape (nq,).
        v: rates, shape (nv,), m/s and rad/s.
        a: accelerations v̇, shape (nv,), m/s² and rad/s².
        wrenches: force and moment applied at frames, world axes, about the frame's origin.

    Returns:
        τ, shape (nv,), in N and N m.
    """
    poses = tree_poses(system, q)
    rates = _rates(system, v)
    tau = _generalized(poses, rates, _accelerations(system, a), wrenches, gravity=system.gravity)
    friction = friction_forces(system, rates)
    return pack(minus(tau, friction))


def bias_forces(system: System, q: Configuration, v: Rates) -> Any:
    """h(q, v): Coriolis, centrifugal and gravity terms of M v̇ + h = τ, shape (nv,), N and N m.

    Joint friction is not part of it.
    """
    poses = tree_poses(system, q)
    at_rest = (0.0,) * system.rate_count
    return pack(_generalized(poses, _rates(system, v), at_rest, None, gravity=system.gravity))


def coriolis_forces(system: System, q: Configuration, v: Rates) -> Any:
    """The part of h(q, v) that is quadratic in v, shape (nv,), N and N m."""
    poses = tree_poses(system, q)
    at_rest = (0.0,) * system.rate_count
    return pack(_generalized(poses, _rates(system, v), at_rest, None, gravity=Vector3.zero()))


def gravity_forces(system: System, q: Configuration) -> Any:
    """g(q) = h(q, 0) = ∂U/∂q: what the actuators hold at rest, shape (nv,), N and N m."""
    return bias_forces(system, q, (0.0,) * system.rate_count)


def joint_reactions(
    system: System,
    q: Configuration,
    v: Velocities,
    a: Accelerations,
    *,
    wrenches: Wrenches | None = None,
) -> dict[str, Force]:
    """Wrench that each joint exerts on its outboard body, by joint name.

    Axes of the outboard body's frame, moment about the joint's moved origin (N, N m). It
    holds everything that passes through the joint: bearing loads, motor effort and friction.
    Its component along a joint axis is the effort of motor plus friction there; of joints that
    are coupled, also what the coupling hands on: the efforts of a leader and its followers,
    each times its multiplier, add up to motor plus friction.
    """
    poses = tree_poses(system, q)
    transmitted = _transmitted(
        poses,
        body_inertias(system),
        v,
        _accelerations(system, a),
        wrenches=wrenches,
        gravity=system.gravity,
    )
    return {
        node.joint.name: Pose(position=_joint_origin(node.joint.child_placement)).act_inverse(force)
        for node, force in zip(system.tree, transmitted, strict=True)
    }


def _joint_origin(child_placement: Pose) -> Vector3:
    """The moved joint frame's origin in the child's body frame."""
    return child_placement.act_inverse(Vector3.zero())


def _generalized(
    poses: TreePoses, v: Scalars, a: Scalars, wrenches: Wrenches | None, *, gravity: Vector3
) -> Scalars:
    """What moves the joints so, on the rates; whichever of two bodies carries a part of both."""
    inertias = regrouped_inertias(poses.system)
    return _along_joints(
        poses, _transmitted(poses, inertias, v, a, wrenches=wrenches, gravity=gravity)
    )


def _transmitted(
    poses: TreePoses,
    inertias: Sequence[SpatialInertia],
    v: Velocities,
    a: Scalars,
    *,
    wrenches: Wrenches | None,
    gravity: Vector3,
) -> tuple[Force, ...]:
    """The force through each joint on its child, in the child's body frame."""
    system = poses.system
    velocities = tree_velocities(poses, v)
    accelerations = tree_accelerations(poses, velocities, a, gravity)
    external = body_wrenches(poses, wrenches)
    forces: list[Force] = []
    for inertia, velocity, acceleration, wrench in zip(
        inertias, velocities.bodies, accelerations, external, strict=True
    ):
        forces.append(inertia @ acceleration + velocity.cross(inertia @ velocity) - wrench)

    for node in reversed(system.tree):
        if node.parent is not None:
            passed_on = poses.parent_poses[node.index].act(forces[node.index])
            forces[node.parent] = forces[node.parent] + passed_on
    return tuple(forces)


def _along_joints(poses: TreePoses, transmitted: Sequence[Force]) -> Scalars:
    """Sᵀ f joint by joint, on the rates."""
    return poses.from_local(
        tuple(axis.dot(force) for axis in node.joint.subspace)
        for node, force in zip(poses.system.tree, transmitted, strict=True)
    )


def _rates(system: System, v: Rates) -> Scalars:
    return unpack(v, system.rate_count, "v", system.rate_names)


def _accelerations(system: System, a: Accelerations) -> Scalars:
    return unpack(a, system.rate_count, "a", system.rate_names)
