"""Equations of motion of a tree by homogeneous matrices, all in the world frame, any scalar.

With the pose matrices M of the bodies chained, each rate k moves everything downstream of its
joint with the velocity matrix L_k v_k, so W = Σ L_k v_k over the joints upstream of a body and

    T = ½ Σ Tr(W J Wᵀ) = ½ vᵀ M v,    M_kl = Tr(L_k (Σ J downstream of both) L_lᵀ).

A body accelerates with H = Ẇ + W² under the action Φ = H J - J Hᵀ, and the generalized force of
rate k is (Σ Φ downstream) ⊗ L_k. Nothing here uses the recursive algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from percuss.algebra.arrays import Coordinates, Rates
from percuss.algebra.motions import Motion
from percuss.algebra.scalars import Scalar, add, pack, total, unpack
from percuss.algebra.vectors import Vector3
from percuss.dynamics.formulations.homogeneous import (
    congruent_rows,
    energy_rows,
    inertial_rows,
    pose_rows,
    pseudo_inertia_rows,
    pseudo_product,
    similar_rows,
    velocity_rows,
)
from percuss.dynamics.formulations.matrices import (
    Rows,
    commutator,
    packed,
    plus,
    product,
    rows_of,
    summed,
    times,
    trace_of_product,
)
from percuss.dynamics.inertias import body_inertias
from percuss.kinematics.trees import TreePoses, tree_poses
from percuss.model.errors import ModelError
from percuss.model.systems import Node, System


def pose_matrices(system: System, q: Coordinates) -> dict[str, Any]:
    """ʷM of every body, by name, shape (4, 4)."""
    tree = _Tree(tree_poses(system, q))
    return _by_body(system, tree.poses)


def l_matrices(system: System, q: Coordinates) -> tuple[Any, ...]:
    """ʷL of every rate, in the order of `system.rate_names`: (4, 4) each.

    Refused where joints follow others: a rate that moves several joints has an L for each.
    """
    if system.followers:
        joint = system.followers[0]
        leader = system.leader(joint)
        raise ModelError(
            f"the rate of {leader.name!r} moves joint {joint.name!r} too, so it has no one L; "
            "percuss.model.uncoupled(system) has a rate for every joint"
        )
    directions = _Tree(tree_poses(system, q)).directions
    by_rate = {
        k: rows
        for node, own in zip(system.tree, directions, strict=True)
        for k, rows in zip(_indices(node), own, strict=True)
    }
    return tuple(packed(by_rate[k]) for k in range(system.rate_count))


def velocity_matrices(system: System, q: Coordinates, v: Rates) -> dict[str, Any]:
    """ʷW = Σ ʷL_k v_k of every body, by name, shape (4, 4)."""
    return _by_body(system, _Tree(tree_poses(system, q)).velocities(_rates(system, v)))


def pseudo_inertias(system: System, q: Coordinates) -> dict[str, Any]:
    """ʷJ = M J Mᵀ of every body, by name, shape (4, 4)."""
    return _by_body(system, _Tree(tree_poses(system, q)).bodies)


def homogeneous_kinetic_energy(system: System, q: Coordinates, v: Rates) -> Scalar:
    """T = ½ Σ Tr(W J Wᵀ) (J)."""
    tree = _Tree(tree_poses(system, q))
    velocities = tree.velocities(_rates(system, v))
    return total(energy_rows(w, j) for w, j in zip(velocities, tree.bodies, strict=True))


def homogeneous_mass_matrix(system: System, q: Coordinates) -> Any:
    """M_kl = Tr(L_k J_kl L_lᵀ), J_kl the bodies downstream of both rates: shape (nv, nv)."""
    tree = _Tree(tree_poses(system, q))
    carried = tree.downstream(tree.bodies)
    size = system.rate_count
    matrix: list[list[Scalar]] = [[0.0] * size for _ in range(size)]
    for node in system.tree:
        for k, direction in zip(_indices(node), tree.directions[node.index], strict=True):
            moved = product(direction, carried[node.index])
            for carrier in system.ancestors(node):
                others = zip(_indices(carrier), tree.directions[carrier.index], strict=True)
                for l, other in others:
                    if carrier is node and l > k:
                        continue  # comes again with k and l exchanged
                    entry = trace_of_product(moved, other)
                    matrix[k][l] = add(matrix[k][l], entry)
                    # A joint and one that it follows share a rate: both halves count there.
                    if carrier is not node or l != k:
                        matrix[l][k] = add(matrix[l][k], entry)
    return pack(matrix)


def homogeneous_bias_forces(system: System, q: Coordinates, v: Rates) -> Any:
    """h of M v̇ + h = τ: Φ ⊗ L with the actions of bodies at v̇ = 0, less their weight.

    Shape (nv,), N and N m.
    """
    tree = _Tree(tree_poses(system, q))
    falling = velocity_rows(Motion(-system.gravity, Vector3.zero()))
    actions = [
        inertial_rows(plus(acceleration, falling), body)
        for acceleration, body in zip(
            tree.accelerations(_rates(system, v)), tree.bodies, strict=True
        )
    ]
    return pack(tree.generalized(actions))


def generalized_forces(system: System, q: Coordinates, actions: Mapping[str, Any]) -> Any:
    """(Σ Φ over the bodies downstream of joint k) ⊗ L_k, shape (nv,), N and N m.

    `actions` are matrices ʷΦ in the world frame by the name of the body they act on.
    """
    tree = _Tree(tree_poses(system, q))
    given = {system.node(name).index: rows_of(phi, f"Φ of {name}") for name, phi in actions.items()}
    nothing = summed(())
    return pack(tree.generalized([given.get(node.index, nothing) for node in system.tree]))


@dataclass(frozen=True)
class _Tree:
    """World-frame matrices of a system at rest; entries follow `system.tree`, or the rates."""

    tree: TreePoses

    @property
    def system(self) -> System:
        return self.tree.system

    @cached_property
    def poses(self) -> list[Rows]:
        """ʷM of each body, chained."""
        poses: list[Rows] = []
        for node, pose in zip(self.system.tree, self.tree.parent_poses, strict=True):
            own = pose_rows(pose)
            poses.append(own if node.parent is None else product(poses[node.parent], own))
        return poses

    @cached_property
    def bodies(self) -> list[Rows]:
        """ʷJ of each body."""
        return [
            congruent_rows(pose, pseudo_inertia_rows(inertia))
            for inertia, pose in zip(body_inertias(self.system), self.poses, strict=True)
        ]

    @cached_property
    def directions(self) -> list[list[Rows]]:
        """ʷL of each joint's rates: its motion at unit rate, seen from the world."""
        directions: list[list[Rows]] = []
        for node in self.system.tree:
            count = len(node.joint.subspace)
            units = [tuple(1.0 if i == k else 0.0 for i in range(count)) for k in range(count)]
            own = [self._joint_matrix(node, self._to_local(node, unit)) for unit in units]
            directions.append([similar_rows(self.poses[node.index], rows) for rows in own])
        return directions

    def velocities(self, v: tuple[Scalar, ...]) -> list[Rows]:
        """ʷW of each body, added up along the tree."""
        velocities: list[Rows] = []
        for node in self.system.tree:
            rates = zip(self.directions[node.index], v[node.rates], strict=True)
            own = summed(times(direction, rate) for direction, rate in rates)
            velocities.append(own if node.parent is None else plus(velocities[node.parent], own))
        return velocities

    def accelerations(self, v: tuple[Scalar, ...]) -> list[Rows]:
        """ʷH = Ẇ + W² of each body at v̇ = 0."""
        velocities = self.velocities(v)
        changes: list[Rows] = []
        for node in self.system.tree:
            own = self._velocity_change(node, v, velocities[node.index])
            changes.append(own if node.parent is None else plus(changes[node.parent], own))
        return [plus(c, product(w, w)) for c, w in zip(changes, velocities, strict=True)]

    def _velocity_change(self, node: Node, v: tuple[Scalar, ...], velocity: Rows) -> Rows:
        """d/dt of ʷ(M A M⁻¹) = M Ȧ M⁻¹ + [W, M A M⁻¹] for the joint's own velocity A."""
        pose = self.poses[node.index]
        local = self._to_local(node, v[node.rates])
        own = similar_rows(pose, self._joint_matrix(node, local))
        # Rates along the parent's axes turn in the child's as the child turns.
        turning = tuple(-x for x in node.joint.motion.turned(local, local))
        turned = similar_rows(pose, self._joint_matrix(node, turning))
        return plus(turned, commutator(velocity, own))

    def _to_local(self, node: Node, rates: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        return node.joint.motion.to_local(self.tree.turns[node.index], rates)

    def _joint_matrix(self, node: Node, local: tuple[Scalar, ...]) -> Rows:
        """The joint's velocity matrix in the child's body frame, for local components."""
        return summed(
            times(velocity_rows(axis), x)
            for axis, x in zip(node.joint.subspace, local, strict=True)
        )

    def downstream(self, matrices: list[Rows]) -> list[Rows]:
        """For each body the sum of its matrix and those of all that it carries."""
        sums = list(matrices)
        for node in reversed(self.system.tree):
            if node.parent is not None:
                sums[node.parent] = plus(sums[node.parent], sums[node.index])
        return sums

    def generalized(self, actions: list[Rows]) -> list[Scalar]:
        """(Σ Φ downstream) ⊗ L for each rate."""
        forces: list[Scalar] = [0.0] * self.system.rate_count
        for node, carried in zip(self.system.tree, self.downstream(actions), strict=True):
            for k, direction in zip(_indices(node), self.directions[node.index], strict=True):
                forces[k] = add(forces[k], pseudo_product(carried, direction))
        return forces


def _by_body(system: System, matrices: list[Rows]) -> dict[str, Any]:
    return {node.body.name: packed(rows) for node, rows in zip(system.tree, matrices, strict=True)}


def _rates(system: System, v: Rates) -> tuple[Scalar, ...]:
    return unpack(v, system.rate_count, "v", system.rate_names)


def _indices(node: Node) -> range:
    return range(node.rates.start, node.rates.stop)
