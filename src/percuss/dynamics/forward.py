"""Forward dynamics by the articulated-body algorithm (Featherstone 2008, section 7.3)."""

from __future__ import annotations

from typing import Any

from percuss.algebra.inertias import ArticulatedInertia
from percuss.algebra.motions import Force, Motion
from percuss.algebra.scalars import Scalar, add, div, is_constant, mul, pack, sub, unpack
from percuss.dynamics.loads import Wrenches, body_wrenches, friction_forces
from percuss.kinematics.trees import (
    rate_accelerations,
    rising_world,
    tree_poses,
    tree_velocities,
)
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import Node, System

_Release = tuple[Force, Scalar]
"""What an axis does once released: how it gives way to acceleration, and its own drive."""


def forward_dynamics(
    system: System, q: Any, v: Any, tau: Any = None, wrenches: Wrenches | None = None
) -> Any:
    """Accelerations v̇ that solve M(q) v̇ + h(q, v) = τ + τ_friction(v) + Σ Jᵀ f.

    Args:
        q: coordinates, shape (nq,).
        v: rates, shape (nv,), m/s and rad/s.
        tau: generalized forces on the rates, shape (nv,), N and N m; default none.
        wrenches: force and moment applied at frames, world axes, about the frame's origin.

    Returns:
        v̇, shape (nv,), in m/s² and rad/s².
    """
    poses = tree_poses(system, q)
    rates = unpack(v, system.rate_count, "v", system.rate_names)
    velocities = tree_velocities(poses, rates)
    applied = _total_forces(system, tau, friction_forces(system, rates))
    forces = poses.to_local(applied)
    external = body_wrenches(poses, wrenches)

    # Inward: release the joints one axis at a time and hand what remains to the parent. What
    # belongs to one body stays together, so that compiled code has little to remember.
    inertias = [ArticulatedInertia.of_body(node.body.spatial_inertia) for node in system.tree]
    biases = [Force.zero() for _ in system.tree]
    drifts = [Motion.zero() for _ in system.tree]
    releases: list[list[_Release]] = [[] for _ in system.tree]
    for node in reversed(system.tree):
        i = node.index
        velocity, body = velocities.bodies[i], node.body.spatial_inertia
        inertia = inertias[i]  # I^A
        bias = biases[i] + velocity.cross(body @ velocity) - external[i]  # p^A
        drifts[i] = velocity.cross(velocities.joints[i])  # c
        for axis, force in reversed(list(zip(node.joint.subspace, forces[i], strict=True))):
            resistance = inertia @ axis  # U = I^A s
            felt = axis.dot(resistance)  # D = s · U
            _refuse_unresisted(system, node, felt)
            mobility = div(1.0, felt)
            response = resistance * mobility  # U / D
            drive = mul(mobility, sub(force, axis.dot(bias)))  # (τ - s · p^A) / D
            inertia = inertia.released(axis, resistance, response)
            bias = bias + resistance * drive
            releases[i].insert(0, (response, drive))
        if node.parent is not None:
            pose = poses.parent_poses[i]
            inertias[node.parent] = inertias[node.parent] + pose.act(inertia)
            biases[node.parent] = biases[node.parent] + pose.act(bias + inertia @ drifts[i])

    # Outward: accelerations, the world rising instead of gravity pulling down.
    accelerations: list[Motion] = []
    local: list[Scalars] = []
    for node, pose, drift in zip(system.tree, poses.parent_poses, drifts, strict=True):
        ground = rising_world(system.gravity)
        carrier = ground if node.parent is None else accelerations[node.parent]
        acceleration = pose.act_inverse(carrier) + drift
        components: list[Scalar] = []
        for axis, (response, drive) in zip(node.joint.subspace, releases[node.index], strict=True):
            rate = sub(drive, acceleration.dot(response))
            acceleration = acceleration + axis * rate
            components.append(rate)
        accelerations.append(acceleration)
        local.append(tuple(components))
    return pack(rate_accelerations(poses, velocities, tuple(local)))


def _refuse_unresisted(system: System, node: Node, felt: Scalar) -> None:
    if is_constant(felt) and felt == 0:
        rates = ", ".join(system.rate_names[node.rates])
        raise ModelError(
            f"joint {node.joint.name!r}: nothing resists one of its rates ({rates}), so its "
            f"acceleration is not determined: body {node.body.name!r} and what it carries have "
            "no inertia about that axis, as a thin rod has none about its own"
        )


def _total_forces(system: System, tau: Any, friction: Scalars) -> Scalars:
    if tau is None:
        return friction
    forces = unpack(tau, system.rate_count, "tau", system.rate_names)
    return tuple(add(a, b) for a, b in zip(forces, friction, strict=True))
