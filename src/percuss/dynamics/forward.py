"""Forward dynamics by the articulated-body algorithm (Featherstone 2008, section 7.3).

Systems in which joints follow others are solved through their mass matrix instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from percuss.algebra.arrays import Forces, Rates
from percuss.algebra.inertias import ArticulatedInertia
from percuss.algebra.linear import plus
from percuss.algebra.motions import Force, Motion
from percuss.algebra.scalars import Scalar, add, div, is_constant, pack, plain, sub, terms, unpack
from percuss.dynamics.coupled import coupled_accelerations
from percuss.dynamics.inertias import regrouped_inertias
from percuss.dynamics.loads import Wrenches, body_wrenches, friction_forces
from percuss.kinematics.trees import (
    Configuration,
    TreePoses,
    TreeVelocities,
    rate_accelerations,
    rising_world,
    tree_poses,
    tree_velocities,
)
from percuss.model.errors import ModelError
from percuss.model.joints import Scalars
from percuss.model.systems import Node, System


def forward_dynamics(
    system: System,
    q: Configuration,
    v: Rates,
    tau: Forces | None = None,
    *,
    wrenches: Wrenches | None = None,
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
    if system.followers:
        return pack(coupled_accelerations(system, q, v, _applied(system, tau), wrenches=wrenches))
    poses = tree_poses(system, q)
    rates = unpack(v, system.rate_count, "v", system.rate_names)
    velocities = tree_velocities(poses, rates)
    forces = poses.to_local(total_forces(system, tau, friction_forces(system, rates)))
    found = articulated_motion(poses, velocities, forces, body_wrenches(poses, wrenches))
    return pack(rate_accelerations(poses, velocities, found.accelerations))


@dataclass(frozen=True, slots=True)
class ArticulatedMotion:
    """Local components joint by joint, d/dt (Q v) and Q τ; entries follow `system.tree`."""

    accelerations: tuple[Scalars, ...]
    forces: tuple[Scalars, ...]


def articulated_motion(
    poses: TreePoses,
    velocities: TreeVelocities,
    forces: tuple[Scalars, ...],
    external: tuple[Force, ...],
    *,
    prescribed: tuple[tuple[Scalar | None, ...], ...] | None = None,
) -> ArticulatedMotion:
    """The articulated-body recursion, in which an axis may have its acceleration prescribed.

    Args:
        forces: local components on the axes; where the acceleration is prescribed the entry is
            not used, and the force that it takes is found.
        external: wrenches on the bodies, each in its body's frame.
        prescribed: local accelerations, None on every axis that moves as its force says.
    """
    system = poses.system
    if prescribed is None:
        prescribed = tuple((None,) * len(node.joint.subspace) for node in system.tree)

    # Inward: release the joints one axis at a time and hand what remains to the parent. What
    # belongs to one body stays together, so that compiled code has little to remember.
    bodies = regrouped_inertias(system)
    inertias = [ArticulatedInertia.of_body(body) for body in bodies]
    biases = [Force.zero() for _ in system.tree]
    drifts = [Motion.zero() for _ in system.tree]
    releases: list[list[_Axis]] = [[] for _ in system.tree]
    for node in reversed(system.tree):
        i = node.index
        velocity, body = velocities.bodies[i], bodies[i]
        inertia = inertias[i]  # I^A
        bias = biases[i] + velocity.cross(body @ velocity) - external[i]  # p^A
        drifts[i] = velocity.cross(velocities.joints[i])  # c
        along = zip(node.joint.subspace, forces[i], prescribed[i], strict=True)
        for axis, force, given in reversed(list(along)):
            resistance = inertia @ axis  # U = I^A s
            if given is None:
                felt = axis.dot(resistance)  # D = s · U
                _refuse_unresisted(system, node, felt)
                mobility = div(1.0, felt)
                response = resistance * mobility  # U / D
                drive = plain(mobility * (terms(force) - axis.dot(bias)))  # (τ - s · p^A) / D
                inertia = inertia.released(axis, resistance, response)
                bias = bias + resistance * drive
                releases[i].insert(0, _Released(response, drive, force))
            else:
                # Driven, not released: the parent carries it as if rigid, s α ahead of it.
                bias = bias + resistance * given
                releases[i].insert(0, _Driven(resistance, axis.dot(bias), given))
        if node.parent is not None:
            pose = poses.parent_poses[i]
            inertias[node.parent] = inertias[node.parent] + pose.act(inertia)
            biases[node.parent] = biases[node.parent] + pose.act(bias + inertia @ drifts[i])

    # Outward: accelerations, the world rising instead of gravity pulling down.
    accelerations: list[Motion] = []
    local: list[Scalars] = []
    efforts: list[Scalars] = []
    for node, pose, drift in zip(system.tree, poses.parent_poses, drifts, strict=True):
        ground = rising_world(system.gravity)
        carrier = ground if node.parent is None else accelerations[node.parent]
        acceleration = pose.act_inverse(carrier) + drift
        components: list[Scalar] = []
        effort: list[Scalar] = []
        for axis, release in zip(node.joint.subspace, releases[node.index], strict=True):
            rate, force = release.follow(acceleration)
            acceleration = acceleration + axis * rate
            components.append(rate)
            effort.append(force)
        accelerations.append(acceleration)
        local.append(tuple(components))
        efforts.append(tuple(effort))
    return ArticulatedMotion(tuple(local), tuple(efforts))


@dataclass(frozen=True, slots=True)
class _Released:
    """An axis that gives way: how it does so (U / D), its own drive, and the force on it."""

    response: Force
    drive: Scalar
    force: Scalar

    def follow(self, carried: Motion) -> tuple[Scalar, Scalar]:
        """Acceleration along the axis and force on it, when what carries it accelerates so."""
        return sub(self.drive, carried.dot(self.response)), self.force


@dataclass(frozen=True, slots=True)
class _Driven:
    """An axis with prescribed acceleration α: U, and s · (p^A + U α)."""

    resistance: Force
    bias: Scalar
    given: Scalar

    def follow(self, carried: Motion) -> tuple[Scalar, Scalar]:
        """τ = s · (I^A (a + s α) + p^A)."""
        return self.given, add(carried.dot(self.resistance), self.bias)


_Axis = _Released | _Driven


def _refuse_unresisted(system: System, node: Node, felt: Scalar) -> None:
    if is_constant(felt) and felt == 0:
        rates = ", ".join(system.rate_names[node.rates])
        raise ModelError(
            f"joint {node.joint.name!r}: nothing resists one of its rates ({rates}), so its "
            f"acceleration is not determined: body {node.body.name!r} and what it carries have "
            "no inertia about that axis, as a thin rod has none about its own"
        )


def total_forces(system: System, tau: Forces | None, friction: Scalars) -> Scalars:
    """Applied forces and friction together, on the rates."""
    if tau is None:
        return friction
    forces = _applied(system, tau)
    return plus(forces, friction)


def _applied(system: System, tau: Forces | None) -> Scalars:
    if tau is None:
        return (0.0,) * system.rate_count
    return unpack(tau, system.rate_count, "tau", system.rate_names)
