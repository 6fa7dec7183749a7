"""How large the momenta of the bodies are one by one: what rounding is relative to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from percuss.algebra.vectors import Vector3
from percuss.kinematics.trees import Configuration, Velocities, tree_poses, tree_velocities
from percuss.model.systems import System

Array = NDArray[np.float64]


def momentum_sizes(system: System, q: Configuration, v: Velocities) -> tuple[Array, Array]:
    """Σ|p_i| (N s) and Σ(|L_i| + |r_i||p_i|) (N m s) over the bodies, each () or (batch,).

    L_i is a body's angular momentum about its own centre of mass, which is at r_i from the
    world's origin. These are sums of sizes: they stay where the momenta cancel. Bodies that move
    along a line through the origin have no angular momentum about it, yet it is computed from
    products of r_i and p_i and rounds as those do.
    """
    poses = tree_poses(system, q)
    pushing, turning = np.zeros(()), np.zeros(())
    bodies = tree_velocities(poses, v).bodies
    for node, pose, velocity in zip(system.tree, poses.world_poses(), bodies, strict=True):
        body = node.body
        linear = _norm((velocity.linear + velocity.angular.cross(body.com)) * body.mass)
        own = _norm(body.inertia @ velocity.angular)
        pushing = pushing + linear
        turning = turning + own + _norm(pose.act(body.com)) * linear
    return pushing, turning


def _norm(vector: Vector3) -> Array:
    entries = np.broadcast_arrays(*(np.asarray(entry, float) for entry in vector))
    return np.sqrt(np.square(np.stack(entries)).sum(axis=0))
